// Deletes, restores and replaces players.
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { DeletionQuery, Player, ReplaceRequest } from "../../../protocol/operator/resources.ts";
import { erasePlayers } from "../../cleanup/bin.ts";
import type { BlobSweeper } from "../../content/blob-sweeper.ts";
import type { DeviceSockets } from "../devices/device-sockets.ts";
import type { Pairing } from "../pairing/pairing.ts";
import { findPlayer, playerVersion, readPlayer, showPlayer } from "../players/resource.ts";
import { restartPlayer } from "../rollouts/player-hooks.ts";
import type { Presence } from "../presence/presence.ts";
import { found } from "../../http/problem.ts";
import type { OperatorContext } from "../../operations/context.ts";
import { playerEvent, removePlayer, returnPlayer, type PlayerRemovalDependencies } from "./player-removal.ts";
import { playerParams } from "./players.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";
import type { Change } from "../../operations/unit-of-work.ts";
import { deleteOverrides } from "../../schedule/overrides.ts";
import type { Db, Store } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { findTeamRow } from "../../store/tables/team-rows.ts";

interface PlayersBinDependencies extends PlayerRemovalDependencies {
  clock: Clock;
  log: Log;
  pairing: Pairing;
  presence: Presence;
  sockets: DeviceSockets;
  store: Store;
  sweeper: BlobSweeper;
}

const operation = operationsWith<PlayersBinDependencies>();

export const playerBinOperations: readonly Operation<PlayersBinDependencies>[] = [
  operation({
    name: "deletePlayer",
    tag: "players",
    method: "DELETE",
    path: "/players/{id}",
    summary: "Delete a player",
    description:
      "Moves it to the bin for 30 days, together with the schedules that target only this player; a schedule with several targets stays. `permanent=true` deletes it for good, including its history. In both cases the device receives a signed notice; it then deletes its content and shows a new pairing code.",
    agent:
      "Use it only when the device is given away. Do not use it to repair, mute or clear a screen: pairing it again requires a person who reads its code from the screen. For new hardware use replace_player. Without `permanent` the player can be restored for 30 days.",
    caller: "operator",
    scope: "players:write",
    params: playerParams,
    query: DeletionQuery,
    status: 204,
    output: NoContent,
    errors: ["not-found", "precondition-failed"],
    current: async (dependencies, context, given) => playerVersion(await readAny(dependencies, context, given)),
    async run(dependencies, { teamId }, { params: { id: playerId }, query }, unitOfWork) {
      const { clock, log, presence, sockets, sweeper } = dependencies;
      const permanent = query.permanent === "true";
      const removed = await unitOfWork.write(async (db) => {
        const row = found(permanent ? await inBinOrNot(db, teamId, playerId) : await findPlayer(db, teamId, playerId), "screen");
        const now = Math.trunc(clock.now());
        const removal = await removePlayer(dependencies, db, row, now);
        const erased = permanent ? await erasePlayers(db, [row.id], now) : { files: [], events: [] };
        if (permanent) await presence.announceForgotten(db, [row.id]);
        sweeper.mark(erased.files);
        const events = [...removal.events, ...erased.events];
        return { result: { ...row, removed_at: row.removed_at ?? now }, committed: removal.committed, events };
      });
      if (permanent) await presence.deletePlayer(removed.id);
      else presence.markRemoved(removed.id);
      await sockets.revoke(removed);
      log.info({ player_id: removed.id, name: removed.name, permanent }, "player removed");
    },
  }),
  operation({
    name: "restorePlayer",
    tag: "players",
    method: "POST",
    path: "/players/{id}/restore",
    summary: "Restore a deleted player",
    description:
      "Restores it from the bin unchanged, together with its schedules and the layouts that it shows. A device that has not yet received the notice of the deletion continues to play. A device that has received it shows a code: pass that code to `POST /players/{id}/replace` to reconnect the device.",
    caller: "operator",
    scope: "players:write",
    params: playerParams,
    status: 200,
    output: Player,
    errors: ["not-found"],
    version: playerVersion,
    async run(dependencies, context, { params: { id: playerId } }, unitOfWork) {
      const { teamId } = context;
      const write = async (db: Db): Promise<Change<PlayerRow>> => {
        const row = found(await inBinOrNot(db, teamId, playerId), "screen");
        if (row.removed_at === null) return { result: row };
        const { player, events, committed } = await returnPlayer(dependencies, db, row, Math.trunc(dependencies.clock.now()));
        return { result: player, affected: [player], events, committed };
      };
      return unitOfWork.write(write, (db) => readPlayer(dependencies, context, { id: playerId }, db));
    },
  }),
  operation({
    name: "replacePlayer",
    tag: "players",
    method: "POST",
    path: "/players/{id}/replace",
    summary: "Move a player to another device",
    description:
      "Moves the player to the device that shows a pairing code. Its id, name, layout, tags, schedules and history stay. The previous device receives a signed notice; it then deletes its content and shows a new code. Pending commands are cancelled and overrides end. Wrong codes count together with those of `POST /players/pair`.",
    agent: "Use it when the hardware is replaced, with a code that a person reads from the new device's screen. Never guess codes.",
    caller: "operator",
    scope: "players:write",
    params: playerParams,
    body: ReplaceRequest,
    example: { code: "WDJB-MJHT" },
    status: 200,
    output: Player,
    errors: ["not-found", "unknown-code", "already-claimed", "invalid", "too-many"],
    version: playerVersion,
    async run(dependencies, { teamId, operator, address }, { params: { id: playerId }, body }, unitOfWork) {
      let previous: PlayerRow | undefined;
      const write = async (db: Db): Promise<Change<PlayerRow>> => {
        const before = found(await findPlayer(db, teamId, playerId), "screen");
        const next = await dependencies.pairing.replaceDevice(db, before, body.code);
        // If it is the same device again, it must not receive a notice.
        if (next.public_key !== before.public_key) previous = { ...before, removed_at: next.updated_at };
        await dependencies.commands.cancelAll(db, playerId);
        await dependencies.journal.clear(db, playerId);
        await deleteOverrides(db, playerId);
        await dependencies.presence.announceForgotten(db, [playerId]);
        const restarted = await restartPlayer(db, playerId, next.updated_at);
        const committed = await dependencies.rollouts.announce(db, { players: restarted });
        return { result: next, affected: [next], events: [playerEvent("player.replaced", next)], committed };
      };
      // The last heartbeat of the previous device does not describe the new one.
      const respond = async (db: Db) => showPlayer(dependencies, found(await findPlayer(db, teamId, playerId), "screen"), null);
      const player = await dependencies.pairing.limitGuesses({ userId: operator.userId, teamId, address }, () =>
        unitOfWork.write(write, respond),
      );
      if (previous !== undefined) await dependencies.sockets.revoke(previous);
      await dependencies.presence.forgetLatest(playerId);
      dependencies.problems.identities.forget(playerId);
      dependencies.pairing.notifyClaimed();
      dependencies.log.info({ player_id: player.id, name: player.name }, "player moved to another device");
      return player;
    },
  }),
];

/** The player's row, in the bin or not. */
async function inBinOrNot(db: Db, teamId: string, playerId: string): Promise<PlayerRow | undefined> {
  const row = await findTeamRow(db, "players", teamId, playerId);
  return row?.erased_at === null ? row : undefined;
}

/** Reads a player in the bin or outside it: deletions reach both. */
async function readAny(
  dependencies: PlayersBinDependencies,
  { teamId }: OperatorContext,
  { id: playerId }: { id: string },
): Promise<Player> {
  return showPlayer(dependencies, found(await inBinOrNot(dependencies.store.db, teamId, playerId), "screen"));
}
