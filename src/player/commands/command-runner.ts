// Runs signed commands, each at most once: a command is written to the journal before it runs.
import type { CorrectedClock } from "../../base/clock.ts";
import { reasonOf } from "../../base/fault.ts";
import { isSystemError } from "../../base/files/system-error.ts";
import { verifyJws } from "../../base/jws.ts";
import type { Log } from "../../base/log.ts";
import { DeviceCommand } from "../../protocol/device/command-request.ts";
import { commandJwsType, type CommandStatus, type CommandUpdate, finalStatuses, SignedCommand } from "../../protocol/device/commands.ts";
import { describeRefusals } from "../../protocol/refusal.ts";
import type { DiskHealth } from "../storage/disk-health.ts";
import type { Outbox } from "../outbox/outbox.ts";
import { auditLogName, CommandAuditLog, type AuditEntry } from "./audit-log.ts";
import { CommandJournal } from "./command-journal.ts";
import type { CommandFailure, CommandOutcome } from "./command-module.ts";
import type { CommandSet } from "./command-set.ts";
import { CommandTasks } from "./command-tasks.ts";
import {
  cancelledBefore,
  expiredOnArrival,
  failed,
  interrupted,
  journalLost,
  neverBegun,
  notRecorded,
  unsupported,
} from "./command-updates.ts";
import type { JournalEntry } from "./journal-files.ts";
import { cancelModule } from "./modules/cancel.ts";

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
  readonly #audit: CommandAuditLog;
  readonly #tasks: CommandTasks;
  readonly #cancel = cancelModule((id, issuedAt) => this.#cancelCommand(id, issuedAt));
  #deciding: Promise<unknown> = Promise.resolve();

  private constructor(dependencies: CommandRunnerDependencies, journal: CommandJournal) {
    this.#dependencies = dependencies;
    this.#journal = journal;
    this.#audit = new CommandAuditLog(dependencies.folder, () => dependencies.clock.now());
    const { clock, log } = dependencies;
    this.#tasks = new CommandTasks({ clock, log, journal, update: (entry, update) => this.#update(entry, update) });
  }

  /**
   * Opens the journal, sends the final statuses that the last run may not have sent, and ends the commands that it left unfinished: a
   * restart has succeeded, most others were interrupted.
   */
  static async open(dependencies: CommandRunnerDependencies): Promise<CommandRunner> {
    const journal = await CommandJournal.open(dependencies);
    const runner = new CommandRunner(dependencies, journal);
    await dependencies.disk.attempt(auditLogName, async () => {
      for (const name of await runner.#audit.repair()) dependencies.disk.fileDamaged(name, "it is set aside as .damaged");
    });
    for (const entry of journal.unsent) {
      await runner.#sendStatus(entry);
      await dependencies.disk.attempt("command journal", () => journal.record(entry));
    }
    for (const entry of journal.unfinished) {
      const hasBegun = entry.update.status === "running";
      const outcome = hasBegun ? dependencies.commands.get(entry.type)?.outcomeAfterRestart?.(entry) : undefined;
      await runner.#update(entry, updateAfterRestart(outcome ?? null, hasBegun));
    }
    return runner;
  }

  /** Writes data that a failing disk refused earlier or that was deleted from the disk. */
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
  receive(jws: string, signal: AbortSignal): Promise<void> {
    return this.#decide(() => this.#receive(jws, signal));
  }

  /** Calls `act` alone: two deliveries of a command, or it and its cancellation, must not both find that it is unknown. */
  #decide<T>(act: () => Promise<T>): Promise<T> {
    const decided = this.#deciding.then(act);
    this.#deciding = decided.catch(() => undefined);
    return decided;
  }

  async #receive(jws: string, signal: AbortSignal): Promise<void> {
    const { clock, commands, log } = this.#dependencies;
    const command = await this.#verify(jws);
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
    await this.#record({ event: "received", id: entry.id, type: entry.type, args: command.args });
    const mayHaveRun = await this.#unlessUnwritable(entry, () => this.#journal.mayHaveRun(issuedAt));
    if (mayHaveRun === null) return;
    if (mayHaveRun) {
      log.warn({ command_id: entry.id, type: entry.type }, "rejected a command that may have run before the journal was lost");
      return this.#update(entry, journalLost);
    }
    const expiresAt = command.exp * 1_000;
    if (clock.now() > expiresAt) return this.#update(entry, expiredOnArrival);
    const request = DeviceCommand.safeParse({ type: command.type, args: command.args });
    if (!request.success) return this.#update(entry, unsupported(describeRefusals(request.error)));
    const module = entry.type === this.#cancel.type ? this.#cancel : commands.get(entry.type);
    const missing = module === this.#cancel ? null : commands.missing(entry.type);
    if (module === undefined || missing !== null) return this.#update(entry, unsupported(missing ?? ""));
    log.info({ command_id: entry.id, type: entry.type }, "command received");
    if ((await this.#unlessUnwritable(entry, () => this.#journal.record(entry).then(() => true))) === null) return;
    await this.#sendStatus(entry);
    const work = { module, command: { ...request.data, id: entry.id, madeAt: command.made_at }, expiresAt };
    void this.#tasks
      .run(entry, work, signal)
      .catch((error: unknown) => log.error({ err: error, command_id: entry.id }, "the outcome of a command could not be written"));
  }

  /** The command in `jws`; null if the service did not sign it for this device. */
  async #verify(jws: string): Promise<SignedCommand | null> {
    const { log, thumbprint, serviceKey } = this.#dependencies;
    try {
      const command = SignedCommand.parse(await verifyJws(commandJwsType, jws, serviceKey));
      if (command.sub !== thumbprint) throw new Error("it is for another device");
      return command;
    } catch (error) {
      const reason = reasonOf(error);
      log.error({ reason }, "rejected a command that the service did not sign for this device");
      await this.#record({ event: "ignored", reason });
      return null;
    }
  }

  /** Cancels a command that has not ended; one that has not arrived yet is then refused. @returns its status. */
  async #cancelCommand(id: string, issuedAt = this.#dependencies.clock.now()): Promise<CommandStatus> {
    const entry = await this.#decide(async () => {
      const known = this.#journal.get(id);
      if (known !== undefined) return known;
      const unknown: JournalEntry = { id, type: "unknown", at: this.#dependencies.clock.now(), issuedAt, update: cancelledBefore };
      await this.#update(unknown, cancelledBefore);
      return unknown;
    });
    await this.#tasks.cancel(id);
    return entry.update.status;
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
      await this.#update(entry, notRecorded(reasonOf(error)));
      return null;
    }
  }

  /** Writes the command's new status to the journal if the disk allows, then sends it to the service. */
  async #update(entry: JournalEntry, update: CommandUpdate): Promise<void> {
    entry.update = update;
    // If the player is killed before the outbox has it, the next run sends it. The next write of the journal has that it was sent.
    entry.isUnsent = finalStatuses.includes(update.status);
    const ended = { event: "ended", id: entry.id, type: entry.type, status: update.status, reason: reasonIn(update) } as const;
    await Promise.all([
      this.#dependencies.disk.attempt("command journal", () => this.#journal.record(entry)),
      entry.isUnsent ? this.#record(ended) : null,
    ]);
    await this.#sendStatus(entry);
  }

  async #record(entry: AuditEntry): Promise<void> {
    await this.#dependencies.disk.attempt(auditLogName, () => this.#audit.append(entry));
  }

  async #sendStatus(entry: JournalEntry): Promise<void> {
    const { id, update } = entry;
    const isStored = await this.#dependencies.outbox.put({ is: "command-status", commandId: id, update });
    if (isStored) entry.isUnsent = false;
  }
}

function reasonIn({ error }: CommandUpdate): string | null {
  return error === null ? null : `${error.code}: ${error.detail}`;
}

function updateAfterRestart(outcome: CommandOutcome | CommandFailure | null, hasBegun: boolean): CommandUpdate {
  if (outcome?.is === "done") return { status: "succeeded", result: outcome.result, error: null };
  if (outcome?.is === "failed") return failed("failed", outcome.code, outcome.detail);
  return hasBegun ? interrupted : neverBegun;
}
