// Players deleted into the bin and brought back, and players that move to another box.
import { DeletionQuery, Player, ReplaceRequest } from "../../../protocol/operator/resources.ts";
import { restorePlayer } from "../../cleanup/bin-restore.ts";
import { discardPlayer, erasePlayers } from "../../cleanup/bin.ts";
import { findTeamRow } from "../../store/team-rows.ts";
import { deleteOverrides } from "../../schedule/overrides.ts";
import type { Db } from "../../store/store.ts";
import type { PlayerRow, ScheduleRow } from "../../store/tables.ts";
import { change, found, type Change, NoContent, operation, type Operation, type OperatorContext, type WriteEvent } from "../operation.ts";
import { playerParams, read, select, show, version } from "./players.ts";

export const playerBinOperations: readonly Operation[] = [
  operation({
    name: "deletePlayer",
    tag: "players",
    method: "DELETE",
    path: "/players/{id}",
    summary: "Delete a player",
    description:
      "Puts it in the bin for 30 days, with the schedules that are for it alone; one with several targets stays for the others. `permanent=true` deletes it for good, its history too. Either way the device is told so, signed by the service's key; it then forgets its content and shows a new code.",
    agent:
      "Use it only when the box is given away. Not to repair, mute or clear a screen: a person who stands before it has to read its code. For other hardware: replace_player. Without `permanent` it can be restored for 30 days.",
    caller: "operator",
    scope: "players:write",
    params: playerParams,
    query: DeletionQuery,
    status: 204,
    output: NoContent,
    errors: ["not-found", "precondition-failed"],
    current: async (context, given) => version(await readAny(context, given)),
    async run(context, { params: { id: playerId }, query }) {
      const { parts, teamId } = context;
      const permanent = query.permanent === "true";
      const removed = await change(context, async (db) => {
        const row = found(permanent ? await inBinOrNot(db, teamId, playerId) : await select(db, teamId, playerId), "player");
        const now = Math.trunc(parts.clock.now());
        const schedules = row.removed_at === null ? await discardPlayer(db, row, now) : [];
        const erased = permanent ? await erasePlayers(db, [row.id], now) : { files: [], events: [] };
        parts.sweeper.mark(erased.files);
        await parts.commands.cancelAll(db, row.id);
        await parts.journal.deletePlayer(db, row.id);
        const ended = await parts.links.deletePlayer(db, row);
        const committed = () => {
          parts.links.forget(row.id);
          parts.problems.forget(row.id);
        };
        const deleted = schedules.map((schedule) => scheduleEvent("schedule.deleted", schedule));
        const events = [...ended, eventOf("player.removed", row), ...deleted, ...erased.events];
        return { result: { ...row, removed_at: row.removed_at ?? now }, committed, events };
      });
      if (permanent) await parts.presence.deletePlayer(removed.id);
      else parts.presence.markRemoved(removed.id);
      parts.sockets.revoke(removed);
      parts.log.info({ player_id: removed.id, name: removed.name, permanent }, "player removed");
    },
  }),
  operation({
    name: "restorePlayer",
    tag: "players",
    method: "POST",
    path: "/players/{id}/restore",
    summary: "Restore a deleted player",
    description:
      "Takes it out of the bin as it was, with its schedules and, from the bin, the layouts that it shows. A box that has not yet heard of the deletion goes on. One that has shows a code: give that code to `POST /players/{id}/replace` to put the box back into its place.",
    caller: "operator",
    scope: "players:write",
    params: playerParams,
    status: 200,
    output: Player,
    errors: ["not-found"],
    version,
    async run(context, { params: { id: playerId } }) {
      const { parts, teamId } = context;
      const write = async (db: Db): Promise<Change<PlayerRow>> => {
        const row = found(await inBinOrNot(db, teamId, playerId), "player");
        if (row.removed_at === null) return { result: row };
        const others: WriteEvent[] = [];
        const { player, schedules } = await restorePlayer(db, row, Math.trunc(parts.clock.now()), (event) => others.push(event));
        const events = [
          ...others,
          eventOf("player.restored", player),
          ...schedules.map((schedule) => scheduleEvent("schedule.restored", schedule)),
        ];
        return { result: player, affected: [player], events };
      };
      return change(context, write, (db) => read(context, { id: playerId }, db));
    },
  }),
  operation({
    name: "replacePlayer",
    tag: "players",
    method: "POST",
    path: "/players/{id}/replace",
    summary: "Give a player another box",
    description:
      "Moves the player to the box that shows a code: its id, name, layout, tags, schedules and history stay. The key of the box that it had no longer counts, which is told to that box, signed; it then forgets its content and shows a new code. Commands that it has not begun are cancelled, overrides end. Wrong codes count with those of `POST /players/pair`.",
    agent: "Use it with a code that a person reads from the new box's screen, when the hardware is exchanged. Never guess codes.",
    caller: "operator",
    scope: "players:write",
    params: playerParams,
    body: ReplaceRequest,
    example: { code: "WDJB-MJHT" },
    status: 200,
    output: Player,
    errors: ["not-found", "unknown-code", "already-claimed", "invalid", "too-many"],
    version,
    async run(context, { params: { id: playerId }, body }) {
      const { parts, teamId, operator, address } = context;
      let earlier: PlayerRow | undefined;
      const write = async (db: Db): Promise<Change<PlayerRow>> => {
        const before = found(await select(db, teamId, playerId), "player");
        const next = await parts.pairing.replaceDevice(db, before, body.code);
        // The same box may come back: it is not to be told that it is gone.
        if (next.public_key !== before.public_key) earlier = { ...before, removed_at: next.updated_at };
        await parts.commands.cancelAll(db, playerId);
        await parts.journal.deletePlayer(db, playerId);
        await deleteOverrides(db, playerId);
        return { result: next, affected: [next], events: [eventOf("player.replaced", next)] };
      };
      // What the earlier box told last says nothing of this one.
      const answer = async (db: Db) => show(parts, found(await select(db, teamId, playerId), "player"), null);
      const player = await parts.pairing.limitGuesses({ userId: operator.userId, teamId, address }, () => change(context, write, answer));
      if (earlier !== undefined) parts.sockets.revoke(earlier);
      await parts.presence.forgetLatest(playerId);
      parts.pairing.notifyClaimed();
      parts.log.info({ player_id: player.id, name: player.name }, "player has another box");
      return player;
    },
  }),
];

/** In the bin or not. */
async function inBinOrNot(db: Db, teamId: string, playerId: string): Promise<PlayerRow | undefined> {
  const row = await findTeamRow(db, "players", teamId, playerId);
  return row?.erased_at === null ? row : undefined;
}

function eventOf(type: "player.removed" | "player.restored" | "player.replaced", row: PlayerRow): WriteEvent {
  return { teamId: row.team_id, type, data: { player_id: row.id, name: row.name }, players: [row.id] };
}

/** What happens to a schedule because it happens to its player. */
function scheduleEvent(type: "schedule.deleted" | "schedule.restored", row: ScheduleRow): WriteEvent {
  const data = { schedule_id: row.id, name: row.name, layout_id: row.layout_id };
  return { teamId: row.team_id, type, data, players: [row.target_value] };
}

/** For If-Match of a deletion, which reaches into the bin. */
async function readAny({ parts, teamId }: OperatorContext, { id: playerId }: { id: string }): Promise<Player> {
  return show(parts, found(await inBinOrNot(parts.store.db, teamId, playerId), "player"));
}
