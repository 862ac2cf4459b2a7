// Operations for commands in waves: reading, resuming and cancelling their batches.
import { z } from "zod";
import type { Clock } from "../../../../base/clock.ts";
import { id } from "../../../../protocol/common.ts";
import { CommandBatch, CommandBatchesQuery } from "../../../../protocol/operator/command-batches.ts";
import { page } from "../../../../protocol/operator/resources.ts";
import { batchEvent, updateBatch, queuedCommands } from "../batch-rows.ts";
import { showBatch } from "../batch-resource.ts";
import { cancelUnsent } from "../../commands/cancel.ts";
import type { Commands } from "../../commands/commands.ts";
import type { EventJournal } from "../../../events/event-journal.ts";
import { pageOf } from "../../../http/paging.ts";
import { found, ProblemError } from "../../../http/problem.ts";
import type { CommandBatchRow, CommandRow, PlayerRow } from "../../../store/tables/fleet.ts";
import { inChunks } from "../../../store/chunks.ts";
import type { Db, Store } from "../../../store/store.ts";
import { findTeamRow, selectTeamRows } from "../../../store/tables/team-rows.ts";
import { operationsWith, type Operation } from "../../../operations/operation.ts";
import { deleteOverridesOf } from "../../../schedule/overrides.ts";
import { playersById } from "../../store.ts";

interface BatchDependencies {
  clock: Clock;
  commands: Commands;
  events: EventJournal;
  store: Store;
}

const params = z.strictObject({ id: id("bat") });

const operation = operationsWith<BatchDependencies>();

export const commandBatchOperations: readonly Operation<BatchDependencies>[] = [
  operation({
    name: "listCommandBatches",
    tag: "commands",
    method: "GET",
    path: "/command-batches",
    summary: "List commands in waves",
    description: "Newest first. Kept for 90 days after their end.",
    caller: "operator",
    scope: "commands:read",
    query: CommandBatchesQuery,
    status: 200,
    output: page(CommandBatch),
    errors: ["invalid"],
    async run({ store }, { teamId }, { query }) {
      const { db } = store;
      const rows = selectTeamRows(db, "command_batches", teamId, { state: query.state });
      const { data, next_cursor } = await pageOf(rows, query, (row) => row);
      const shown: CommandBatch[] = [];
      for (const row of data) shown.push(await showBatch(db, row));
      return { data: shown, next_cursor };
    },
  }),
  operation({
    name: "getCommandBatch",
    tag: "commands",
    method: "GET",
    path: "/command-batches/{id}",
    summary: "Read the progress of a command in waves",
    description: "How many players have which status, and why it halted. Its commands: `GET /commands?batch_id=`.",
    agent:
      "Use it to follow send_commands with waves. For the reasons of failures call list_team_commands with batch_id and status=failed.",
    caller: "operator",
    scope: "commands:read",
    params,
    status: 200,
    output: CommandBatch,
    errors: ["not-found"],
    run: async ({ store }, { teamId }, input) => showBatch(store.db, await find(store.db, teamId, input.params.id)),
  }),
  operation({
    name: "resumeCommandBatch",
    tag: "commands",
    method: "POST",
    path: "/command-batches/{id}/resume",
    summary: "Resume a command in waves that has halted",
    description: "The next wave begins at once. The failures of the wave that halted it no longer count; those of later waves do.",
    agent: "Read the reasons of the failures first, and resume only if a person decides so.",
    caller: "operator",
    scope: "commands:write",
    params,
    status: 200,
    output: CommandBatch,
    errors: ["not-found", "wrong-status"],
    run: ({ clock, commands }, { teamId }, input, unitOfWork) =>
      unitOfWork.write(async (db) => {
        const row = await find(db, teamId, input.params.id);
        if (row.state === "running") return { result: row };
        if (row.state !== "halted") throw new ProblemError("wrong-status", `It has ended (${row.state}): send the command again`);
        const fields = { state: "running", reason: null, is_forgiven: 1 } as const;
        const next = await updateBatch(db, row, fields, Math.trunc(clock.now()));
        return { result: next, events: [batchEvent("batch.resumed", next)], committed: () => commands.batchWake.notify() };
      }, showBatch),
  }),
  operation({
    name: "cancelCommandBatch",
    tag: "commands",
    method: "POST",
    path: "/command-batches/{id}/cancel",
    summary: "Cancel a command in waves",
    description:
      "No further wave begins, and the commands of the current one that were not sent yet are cancelled. Those that a player has already received go on: cancel them one by one.",
    caller: "operator",
    scope: "commands:write",
    params,
    status: 200,
    output: CommandBatch,
    errors: ["not-found", "wrong-status"],
    run: (dependencies, { teamId }, input, unitOfWork) =>
      unitOfWork.write(async (db) => {
        const row = await find(db, teamId, input.params.id);
        if (row.ended_at !== null) throw new ProblemError("wrong-status", `It has ended: ${row.state}`);
        const now = Math.trunc(dependencies.clock.now());
        const fields = { state: "cancelled", reason: "An operator cancelled it", ended_at: now } as const;
        const next = await updateBatch(db, row, fields, now);
        const cancelled = await cancelQueued(dependencies, db, row);
        const affected = await withoutOverrides(db, cancelled);
        const committed = () => dependencies.commands.markEnded(cancelled);
        return { result: next, affected, events: [batchEvent("batch.cancelled", next)], committed };
      }, showBatch),
  }),
];

async function find(db: Db, teamId: string, batchId: string): Promise<CommandBatchRow> {
  return found(await findTeamRow(db, "command_batches", teamId, batchId), "batch of commands");
}

async function cancelQueued(dependencies: BatchDependencies, db: Db, { id: batchId }: CommandBatchRow): Promise<CommandRow[]> {
  const queued = await queuedCommands(db, batchId);
  const cancelled: CommandRow[] = [];
  for (const chunk of inChunks(queued)) cancelled.push(...(await cancelUnsent(dependencies, db, chunk)));
  return cancelled;
}

/** Deletes the overrides of cancelled commands. @returns the players that no longer need their content. */
async function withoutOverrides(db: Db, cancelled: readonly CommandRow[]) {
  const overrides = cancelled.filter(({ type }) => type === "override.set").map(({ id }) => id);
  const affected: PlayerRow[] = [];
  for (const ids of inChunks(overrides)) affected.push(...(await playersById(db, await deleteOverridesOf(db, ids))));
  return affected;
}
