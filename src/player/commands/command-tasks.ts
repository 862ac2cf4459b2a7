// The commands that have arrived and not ended: begins them in their turn, holds them to their limits, and cancels them.
import type { Clock } from "../../base/clock.ts";
import { isAbort, isFault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { DeviceCommand } from "../../protocol/device/command-request.ts";
import type { CommandUpdate } from "../../protocol/device/commands.ts";
import { isByAbort, withinDeadline } from "./command-deadline.ts";
import type { CommandJournal } from "./command-journal.ts";
import { blockedUntil } from "./command-limit.ts";
import type { CommandMetadata } from "./command-metadata.ts";
import type { CommandModule } from "./command-module.ts";
import { CommandTurns } from "./command-turns.ts";
import {
  cancelledBefore,
  cancelledWhileRunning,
  expiredWaiting,
  failed,
  interrupted,
  neverBegun,
  rateLimited,
  running,
} from "./command-updates.ts";
import type { JournalEntry } from "./journal-files.ts";

/** A command and the module that runs it. `expiresAt`: it may not begin later, ms since the epoch. */
export interface CommandWork {
  module: CommandModule;
  command: DeviceCommand & CommandMetadata;
  expiresAt: number;
}

interface TaskDependencies {
  clock: Clock;
  log: Log;
  journal: Pick<CommandJournal, "startsOf">;
  /** Records and reports a new status. Resolves once it is durable, if the disk allows. */
  update: (entry: JournalEntry, update: CommandUpdate) => Promise<void>;
}

interface Task {
  cancel: AbortController;
  /** Resolves when the command has its last status of this run of the player. */
  ended: Promise<void>;
}

export class CommandTasks {
  readonly #dependencies: TaskDependencies;
  readonly #turns = new CommandTurns();
  readonly #tasks = new Map<string, Task>();

  constructor(dependencies: TaskDependencies) {
    this.#dependencies = dependencies;
  }

  /** Aborts a command that has not ended. Resolves when it has ended, by the abort or otherwise. */
  async cancel(id: string): Promise<void> {
    const task = this.#tasks.get(id);
    task?.cancel.abort();
    await task?.ended;
  }

  /** Runs a command until its end, which it reports; before, it may be cancelled. */
  async run(entry: JournalEntry, work: CommandWork, signal: AbortSignal): Promise<void> {
    const cancel = new AbortController();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.#tasks.set(entry.id, { cancel, ended });
    try {
      const stop = AbortSignal.any([signal, cancel.signal]);
      const update = await this.#turns
        .take(entry.type, stop, () => this.#begin(entry, work, stop, cancel.signal))
        .catch((error: unknown) => {
          if (!isAbort(error)) throw error;
          return cancel.signal.aborted ? cancelledBefore : neverBegun;
        });
      if (update === null) return;
      await this.#dependencies.update(entry, update);
      this.#dependencies.log.info({ command_id: entry.id, type: entry.type, status: update.status }, "command ended");
    } finally {
      this.#tasks.delete(entry.id);
      resolve();
    }
  }

  /** @returns the final status; null if the command is complete only after a restart. */
  async #begin(
    entry: JournalEntry,
    { module, command, expiresAt }: CommandWork,
    stop: AbortSignal,
    cancelled: AbortSignal,
  ): Promise<CommandUpdate | null> {
    const { clock, journal, update } = this.#dependencies;
    const { deadlineMs, limit } = module;
    const now = clock.now();
    if (cancelled.aborted) return cancelledBefore;
    if (now > expiresAt) return expiredWaiting;
    const until = limit === undefined ? null : blockedUntil(limit, journal.startsOf(entry.type), now);
    if (limit !== undefined && until !== null) return rateLimited(limit.count, limit.perMs, until);
    entry.startedAt = now;
    const note = module.note?.() ?? null;
    if (note !== null) entry.note = note;
    await update(entry, running);
    // A slow disk may have taken long.
    if (cancelled.aborted) return cancelledBefore;
    if (clock.now() > expiresAt) return expiredWaiting;
    try {
      const outcome = await withinDeadline(clock, deadlineMs, stop, (end) => module.run(command, end));
      if (outcome.is === "done") return { status: "succeeded", result: outcome.result, error: null };
      // Nothing that takes turns with it begins until the restart comes or has failed to come.
      await clock.wait(deadlineMs, stop).catch((error: unknown) => {
        if (!isAbort(error)) throw error;
      });
      return null;
    } catch (error) {
      if (isByAbort(error) && cancelled.aborted) return cancelledWhileRunning;
      // The player ends. The next run asks the module for the outcome.
      if (isByAbort(error) && stop.aborted) return module.outcomeAfterRestart === undefined ? interrupted : null;
      return failed("failed", isFault(error) ? error.code : "failed", reasonOf(error));
    }
  }
}
