// The operation that sends one command to many players, at once or in waves.
import type { Clock } from "../../../../base/clock.ts";
import type { Log } from "../../../../base/log.ts";
import { BulkCommandRequest, BulkCommandResult } from "../../../../protocol/device/commands.ts";
import type { CommandWaves } from "../../../../protocol/operator/command-batches.ts";
import type { TargetWarning } from "../../../../protocol/operator/resources.ts";
import { batchEvent, beginWave, insertBatch, queueWithOverrides, waveSize } from "../batch-rows.ts";
import { unsupportedReason } from "../../commands/support.ts";
import type { Commands } from "../../commands/commands.ts";
import type { Presence } from "../../presence/presence.ts";
import { playersOfTarget, targetWarnings } from "../../players/targets.ts";
import type { CommandBatchRow } from "../../../store/tables/fleet.ts";
import type { MakeId } from "../../../store/ids.ts";
import { operationsWith, type Operation } from "../../../operations/operation.ts";

interface BulkDependencies {
  clock: Clock;
  commands: Commands;
  log: Log;
  makeId: MakeId;
  presence: Presence;
}

const operation = operationsWith<BulkDependencies>();

export const bulkCommandOperations: readonly Operation<BulkDependencies>[] = [
  operation({
    name: "sendCommands",
    tag: "commands",
    method: "POST",
    path: "/commands",
    summary: "Send a command to many players",
    description:
      "Sends it to all players with a tag, or to the listed players; at most 10,000. Either all of them get it or none, except those that have reported that they do not support it: `skipped`. With `waves`, some players get it first, and the others only if it did not fail on too many: follow it with `GET /command-batches/{id}`.",
    agent:
      "Use it when all players with a tag should do the same. Call it with dry_run first; restarting many screens at once turns them all dark. For commands that may go wrong, such as reboot, give `waves`, and begin with a few players. Players in `skipped` do not support the command: their `capabilities.commands` in get_player lists what they do.",
    caller: "operator",
    scope: "commands:write",
    body: BulkCommandRequest,
    example: { target: { tag: "lobby" }, type: "reload", args: {}, ttl_s: 600 },
    status: 202,
    output: BulkCommandResult,
    errors: ["invalid"],
    async run({ clock, commands, log, makeId, presence }, { teamId }, { body }, unitOfWork) {
      const { target, waves, ...request } = body;
      const queued = await unitOfWork.write(async (db) => {
        const targeted = await playersOfTarget(db, teamId, target);
        const skipped = targeted.flatMap(({ id }) => {
          const reason = unsupportedReason(presence, id, request.type);
          return reason === null ? [] : [{ player_id: id, reason }];
        });
        const without = new Set(skipped.map(({ player_id }) => player_id));
        const players = targeted.filter(({ id }) => !without.has(id));
        const now = Math.trunc(clock.now());
        const batch = waves === undefined || players.length === 0 ? null : newBatch(makeId, teamId, request, waves, players.length, now);
        if (batch !== null) {
          await insertBatch(
            db,
            batch,
            players.map(({ id }) => id),
          );
        }
        const { rows, entries, affected } =
          batch === null ? await queueWithOverrides(db, commands, players, request, null) : await beginWave(db, commands, batch, 0);
        const expiresAt = rows[0]?.expires_at ?? (Math.ceil(now / 1_000) + request.ttl_s) * 1_000;
        const warnings = await targetWarnings(db, teamId, target, targeted);
        const result = {
          count: rows.length,
          type: request.type,
          expires_at: new Date(expiresAt).toISOString(),
          commands: rows.map((row) => ({ id: row.id, player_id: row.player_id })),
          batch_id: batch?.id ?? null,
          skipped,
          warnings: [...warnings, ...unsupportedWarnings(request.type, skipped.length, targeted.length)],
        };
        const events = batch === null ? [] : [batchEvent("batch.started", batch)];
        return { result, affected, entries, events, committed: () => commands.batchWake.notify() };
      });
      log.info({ type: queued.type, count: queued.count }, "commands queued");
      return queued;
    },
  }),
];

function newBatch(
  makeId: MakeId,
  team_id: string,
  { type, args, ttl_s }: { type: string; args: object; ttl_s: number },
  waves: CommandWaves,
  player_count: number,
  now: number,
): CommandBatchRow {
  return {
    id: makeId("bat"),
    team_id,
    type,
    args: JSON.stringify(args),
    ttl_s,
    settings: JSON.stringify(waves),
    state: "running",
    reason: null,
    wave: 0,
    wave_count: Math.ceil(player_count / waveSize(waves, player_count)),
    player_count,
    wave_started_at: now,
    wave_ended_at: null,
    is_forgiven: 0,
    created_at: now,
    updated_at: now,
    ended_at: null,
  };
}

function unsupportedWarnings(type: string, skipped: number, all: number): TargetWarning[] {
  if (skipped === 0) return [];
  const message = `${skipped} of the ${all} screens do not support ${type} and do not get it: see skipped`;
  return [{ code: "unsupported", message, field: "/type" }];
}
