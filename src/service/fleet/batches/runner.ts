// Takes the next steps of batches in the background: begins waves, halts and finishes. After a restart it continues where it stopped.
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { ProblemError } from "../../http/problem.ts";
import { commitChange, type ChangeDependencies } from "../../operations/commit-change.ts";
import type { Change } from "../../operations/unit-of-work.ts";
import type { CommandBatchRow } from "../../store/tables/fleet.ts";
import type { Db } from "../../store/store.ts";
import type { Commands } from "../commands/commands.ts";
import { batchEvent, beginWave, countCommands, updateBatch, wavesOf } from "./batch-rows.ts";
import { nextStep, type BatchStep } from "./gate.ts";

export interface BatchRunnerDependencies extends ChangeDependencies {
  clock: Clock;
  commands: Commands;
  log: Log;
}

// For timeouts and pauses. The end of a command wakes the loop at once.
const checkMs = 2_000;

export class BatchRunner {
  readonly #dependencies: BatchRunnerDependencies;

  constructor(dependencies: BatchRunnerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Runs until `signal` aborts; rejects with an AbortError then. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock, commands, store } = this.#dependencies;
    for (;;) {
      await commands.batchWake.wait(clock, checkMs, signal);
      const running = await store.db.selectFrom("command_batches").selectAll().where("state", "=", "running").orderBy("id").execute();
      for (const row of running) {
        signal.throwIfAborted();
        await this.#advance(row);
      }
    }
  }

  async #advance(expected: CommandBatchRow): Promise<void> {
    const { log, store } = this.#dependencies;
    // Most batches wait: look before a transaction is begun.
    if ((await this.#stepOf(store.db, expected)).is === "wait") return;
    let taken = { is: "wait" } as BatchStep;
    const write = async (db: Db): Promise<Change<CommandBatchRow | null>> => {
      const row = await db.selectFrom("command_batches").selectAll().where("id", "=", expected.id).executeTakeFirst();
      if (row === undefined) return { result: null };
      taken = await this.#stepOf(db, row);
      return this.#take(db, row, taken);
    };
    const row = await this.#commitOrHalt(expected, write);
    if (row === null || taken.is === "wait") return;
    const about = { batch_id: row.id, type: row.type, wave: row.wave + 1, waves: row.wave_count };
    if (row.state === "halted") log.warn({ ...about, reason: row.reason }, "batch of commands halted");
    else log.info({ ...about, step: taken.is }, "batch of commands advanced");
    if (taken.is === "next-wave") this.#dependencies.commands.batchWake.notify();
  }

  async #commitOrHalt(
    expected: CommandBatchRow,
    write: (db: Db) => Promise<Change<CommandBatchRow | null>>,
  ): Promise<CommandBatchRow | null> {
    const keep = async (_db: Db, result: CommandBatchRow | null) => result;
    try {
      return await commitChange(this.#dependencies, write, keep);
    } catch (error) {
      // A resource that the command refers to was deleted since the batch began.
      if (!(error instanceof ProblemError)) throw error;
      const halt = async (db: Db): Promise<Change<CommandBatchRow | null>> => {
        const row = await db.selectFrom("command_batches").selectAll().where("id", "=", expected.id).executeTakeFirst();
        return row?.state === "running" ? this.#take(db, row, { is: "halt", reason: error.message }) : { result: null };
      };
      return await commitChange(this.#dependencies, halt, keep);
    }
  }

  async #stepOf(db: Db, row: CommandBatchRow): Promise<BatchStep> {
    const counts = await countCommands(db, row.id, row.wave);
    return nextStep(row, wavesOf(row), counts, this.#dependencies.clock.now());
  }

  async #take(db: Db, row: CommandBatchRow, step: BatchStep): Promise<Change<CommandBatchRow | null>> {
    const now = Math.trunc(this.#dependencies.clock.now());
    switch (step.is) {
      case "wait":
        return { result: row };
      case "pause":
        return { result: await updateBatch(db, row, { wave_ended_at: now }, now) };
      case "halt": {
        const next = await updateBatch(db, row, { state: "halted", reason: step.reason }, now);
        return { result: next, events: [batchEvent("batch.halted", next)] };
      }
      case "finish": {
        const next = await updateBatch(db, row, { state: "finished", ended_at: now }, now);
        return { result: next, events: [batchEvent("batch.finished", next)] };
      }
      case "next-wave": {
        const wave = row.wave + 1;
        const { entries, affected } = await beginWave(db, this.#dependencies.commands, row, wave);
        const fields = { wave, wave_started_at: now, wave_ended_at: null, is_forgiven: 0 };
        const next = await updateBatch(db, row, fields, now);
        return { result: next, entries, affected, events: [batchEvent("batch.wave_started", next)] };
      }
    }
  }
}
