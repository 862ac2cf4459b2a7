// Moves many players to the bin with one request, and brings them back.
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import {
  BulkPlayerDeletion,
  BulkPlayerDeletionResult,
  BulkPlayerRestoration,
  BulkPlayerRestorationResult,
} from "../../../protocol/operator/players-bulk-bin.ts";
import type { DeviceSockets } from "../devices/device-sockets.ts";
import type { Presence } from "../presence/presence.ts";
import { playersOfTarget, targetWarnings, unknownPlayersError } from "../players/targets.ts";
import type { Db } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import type { WriteEvent } from "../../operations/unit-of-work.ts";
import { removePlayer, returnPlayer, type PlayerRemovalDependencies } from "./player-removal.ts";
import { playersInBinOrNot } from "../store.ts";

interface BulkBinDependencies extends PlayerRemovalDependencies {
  clock: Clock;
  log: Log;
  presence: Presence;
  sockets: DeviceSockets;
}

const operation = operationsWith<BulkBinDependencies>();

export const bulkBinOperations: readonly Operation<BulkBinDependencies>[] = [
  operation({
    name: "deletePlayers",
    tag: "players",
    method: "POST",
    path: "/players/bulk/delete",
    summary: "Delete many players",
    description:
      "Moves all players with a tag, or the listed players, to the bin for 30 days, as `DELETE /players/{id}` does with one; at most 10,000. Either all of them go or none. Their devices delete their content and show a pairing code. `POST /players/bulk/restore` brings them back.",
    agent:
      "Use it only when the devices are given away. Call it with dry_run first, and tell a person how many screens and schedules go. Keep `player_ids` of the result: restore_players takes them.",
    caller: "operator",
    scope: "players:write",
    body: BulkPlayerDeletion,
    example: { target: { tag: "closed-branch" } },
    status: 200,
    output: BulkPlayerDeletionResult,
    errors: ["invalid"],
    async run(dependencies, { teamId }, { body }, unitOfWork) {
      const { clock, log, presence, sockets } = dependencies;
      let removed: PlayerRow[] = [];
      const result = await unitOfWork.write(async (db) => {
        const rows = await playersOfTarget(db, teamId, body.target);
        const now = Math.trunc(clock.now());
        const events: WriteEvent[] = [];
        const after: (() => void)[] = [];
        let schedules = 0;
        for (const row of rows) {
          const removal = await removePlayer(dependencies, db, row, now);
          schedules += removal.schedules.length;
          events.push(...removal.events);
          after.push(removal.committed);
        }
        removed = rows.map((row) => ({ ...row, removed_at: now }));
        const warnings = await targetWarnings(db, teamId, body.target, rows);
        const committed = () => after.forEach((each) => each());
        return { result: { player_ids: rows.map((row) => row.id), schedules, warnings }, events, committed };
      });
      for (const player of removed) {
        presence.markRemoved(player.id);
        await sockets.revoke(player);
      }
      log.info({ count: removed.length }, "players removed");
      return result;
    },
  }),
  operation({
    name: "restorePlayers",
    tag: "players",
    method: "POST",
    path: "/players/bulk/restore",
    summary: "Restore many deleted players",
    description:
      "Brings players back from the bin, as `POST /players/{id}/restore` does with one. Either all of them come back or none. Those that are not in the bin stay as they are.",
    agent: "Use it to undo delete_players, with the `player_ids` of its result.",
    caller: "operator",
    scope: "players:write",
    body: BulkPlayerRestoration,
    example: { player_ids: ["plr_01jd3v8q6m9x2k4n7r5t1w0yzh"] },
    status: 200,
    output: BulkPlayerRestorationResult,
    errors: ["invalid"],
    async run(dependencies, { teamId }, { body }, unitOfWork) {
      return unitOfWork.write(async (db) => {
        const rows = await inBinOrNot(db, teamId, body.player_ids);
        const now = Math.trunc(dependencies.clock.now());
        const events: WriteEvent[] = [];
        const affected: PlayerRow[] = [];
        const after: (() => void)[] = [];
        for (const row of rows) {
          if (row.removed_at === null) continue;
          const returned = await returnPlayer(dependencies, db, row, now);
          affected.push(returned.player);
          events.push(...returned.events);
          after.push(returned.committed);
        }
        const committed = () => after.forEach((each) => each());
        return { result: { player_ids: affected.map((row) => row.id) }, affected, events, committed };
      });
    },
  }),
];

/** The players with these ids, in the bin or not. @throws ProblemError 422 that lists the ids which are none of the team's. */
async function inBinOrNot(db: Db, teamId: string, ids: readonly string[]): Promise<PlayerRow[]> {
  const rows = await playersInBinOrNot(db, teamId, ids);
  const error = unknownPlayersError(ids, rows, "/player_ids");
  if (error !== null) throw error;
  return rows;
}
