// Runs signed commands, each at most once: a command is written to the journal before it runs.
import type { CorrectedClock } from "../../base/clock.ts";
import { isFault, reasonOf } from "../../base/fault.ts";
import { isSystemError } from "../../base/files/system-error.ts";
import { verifyJws } from "../../base/jws.ts";
import type { Log } from "../../base/log.ts";
import { DeviceCommand } from "../../protocol/device/command-request.ts";
import { commandJwsType, type CommandUpdate, finalStatuses, SignedCommand } from "../../protocol/device/commands.ts";
import type { DiskHealth } from "../storage/disk-health.ts";
import type { Outbox } from "../outbox/outbox.ts";
import { CommandJournal } from "./command-journal.ts";
import type { CommandMetadata } from "./command-metadata.ts";
import type { CommandFailure, CommandOutcome } from "./command-module.ts";
import type { CommandSet } from "./command-set.ts";
import type { JournalEntry } from "./journal-files.ts";

const journalLost = {
  code: "journal-lost",
  detail:
    "The player lost its record of the commands that it has run. This command was created before that, so it may have run already " +
    "and is not run again. Look at what the screen shows, and send the command again if it is still wanted",
};
const notRecorded =
  "The player did not run the command, because its disk could not record it and it might have run twice. See the player's problems, " +
  "and send the command again when its disk can be written";
const maxDetailLength = 2_000;

export interface CommandRunnerDependencies {
  folder: string;
  thumbprint: string;
  serviceKey: string;
  clock: CorrectedClock;
  outbox: Outbox;
  commands: CommandSet;
  log: Log;
  disk: DiskHealth;
}

export class CommandRunner {
  readonly #dependencies: CommandRunnerDependencies;
  readonly #journal: CommandJournal;

  private constructor(dependencies: CommandRunnerDependencies, journal: CommandJournal) {
    this.#dependencies = dependencies;
    this.#journal = journal;
  }

  /**
   * Opens the journal, sends the final statuses that the last run may not have sent, and ends the commands that it left unfinished: a
   * restart has succeeded, most others were interrupted.
   */
  static async open(dependencies: CommandRunnerDependencies): Promise<CommandRunner> {
    const journal = await CommandJournal.open(dependencies);
    const runner = new CommandRunner(dependencies, journal);
    for (const entry of journal.unsent) {
      await runner.#sendStatus(entry);
      await dependencies.disk.attempt("command journal", () => journal.record(entry));
    }
    for (const entry of journal.unfinished) {
      const outcome = entry.update.status === "running" ? dependencies.commands.get(entry.type)?.outcomeAfterRestart?.(entry) : undefined;
      await runner.#update(entry, updateAfterRestart(outcome ?? null));
    }
    return runner;
  }

  /** Writes what could not be written before or was deleted from the disk. */
  save(): Promise<void> {
    return this.#journal.save();
  }

  /** Forgets all commands after a revocation. */
  purge(): Promise<void> {
    return this.#journal.purge();
  }

  /**
   * Receives a signed command. Resolves once it is in the journal, so that it may be acknowledged; it then runs in the
   * background. If the disk cannot record it, it does not run, because it might run twice. A command with an invalid signature is
   * logged and gets no reply, because the service did not send it.
   */
  async receive(jws: string, signal: AbortSignal): Promise<void> {
    const { log, clock } = this.#dependencies;
    const command = this.#verify(jws);
    if (command === null) return;
    const known = this.#journal.get(command.jti);
    if (known !== undefined) return this.#sendStatus(known);
    const issuedAt = command.made_at ?? command.iat * 1_000;
    const entry: JournalEntry = {
      id: command.jti,
      type: command.type,
      at: clock.now(),
      issuedAt,
      update: { status: "acknowledged", result: null, error: null },
    };
    const mayHaveRun = await this.#unlessUnwritable(entry, () => this.#journal.mayHaveRun(issuedAt));
    if (mayHaveRun === null) return;
    if (mayHaveRun) {
      log.warn({ command_id: entry.id, type: entry.type }, "rejected a command that may have run before the journal was lost");
      return this.#update(entry, { status: "rejected", result: null, error: journalLost });
    }
    if (clock.now() > command.exp * 1_000) {
      return this.#update(entry, failed("expired", "expired", "the command had expired when it arrived"));
    }
    const request = DeviceCommand.safeParse({ type: command.type, args: command.args });
    if (!request.success) {
      const reasons = request.error.issues.map(({ message }) => message).join("; ");
      return this.#update(entry, failed("rejected", "unsupported", `this player does not support the command: ${reasons}`));
    }
    log.info({ command_id: entry.id, type: entry.type }, "command received");
    if ((await this.#unlessUnwritable(entry, () => this.#journal.record(entry).then(() => true))) === null) return;
    await this.#sendStatus(entry);
    void this.#run(entry, { ...request.data, id: entry.id, madeAt: command.made_at }, signal).catch((error: unknown) =>
      log.error({ err: error, command_id: entry.id }, "the outcome of a command could not be written"),
    );
  }

  /** The command in `jws`; null if the service did not sign it for this device. */
  #verify(jws: string): SignedCommand | null {
    const { log, thumbprint, serviceKey } = this.#dependencies;
    try {
      const command = SignedCommand.parse(verifyJws(commandJwsType, jws, serviceKey));
      if (command.sub !== thumbprint) throw new Error("it is for another device");
      return command;
    } catch (error) {
      log.error({ reason: reasonOf(error) }, "rejected a command that the service did not sign for this device");
      return null;
    }
  }

  async #run(entry: JournalEntry, command: DeviceCommand & CommandMetadata, signal: AbortSignal): Promise<void> {
    const note = this.#dependencies.commands.get(entry.type)?.note?.() ?? null;
    if (note !== null) entry.note = note;
    await this.#update(entry, { status: "running", result: null, error: null });
    let update: CommandUpdate;
    try {
      const outcome = await this.#dependencies.commands.execute(command, signal);
      if (outcome.is === "later") return;
      update = { status: "succeeded", result: outcome.result, error: null };
    } catch (error) {
      update = failed("failed", isFault(error) ? error.code : "failed", reasonOf(error));
    }
    await this.#update(entry, update);
    this.#dependencies.log.info({ command_id: entry.id, type: entry.type, status: update.status }, "command ended");
  }

  /** The result of a use of the journal that has to succeed before the command may run. If the disk fails, the command fails: null. */
  async #unlessUnwritable<T>(entry: JournalEntry, use: () => Promise<T>): Promise<T | null> {
    try {
      return await use();
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#dependencies.log.error(
        { command_id: entry.id, type: entry.type, reason: reasonOf(error) },
        "a command cannot be recorded: it does not run",
      );
      await this.#update(entry, failed("failed", "not-recorded", `${notRecorded} (${reasonOf(error)})`));
      return null;
    }
  }

  /** Writes the command's new status to the journal if the disk allows, then sends it to the service. */
  async #update(entry: JournalEntry, update: CommandUpdate): Promise<void> {
    entry.update = update;
    // If the player is killed before the outbox has it, the next run sends it. The next write of the journal has that it was sent.
    entry.isUnsent = finalStatuses.includes(update.status);
    await this.#dependencies.disk.attempt("command journal", () => this.#journal.record(entry));
    await this.#sendStatus(entry);
  }

  async #sendStatus(entry: JournalEntry): Promise<void> {
    const { id, update } = entry;
    const isStored = await this.#dependencies.outbox.put({ is: "command-status", commandId: id, update });
    if (isStored) entry.isUnsent = false;
  }
}

function updateAfterRestart(outcome: CommandOutcome | CommandFailure | null): CommandUpdate {
  if (outcome?.is === "done") return { status: "succeeded", result: outcome.result, error: null };
  if (outcome?.is === "failed") return failed("failed", outcome.code, outcome.detail);
  return failed("failed", "interrupted", "the player ended while the command was running");
}

function failed(status: "failed" | "expired" | "rejected", code: string, detail: string): CommandUpdate {
  return { status, result: null, error: { code, detail: detail.slice(0, maxDetailLength) } };
}
