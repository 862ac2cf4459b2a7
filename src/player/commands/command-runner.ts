// Runs signed commands, each at most once: what was begun is written down before it is done.
import type { CorrectedClock } from "../../base/clock.ts";
import { isFault, reasonOf } from "../../base/fault.ts";
import { verifyJws } from "../../base/jws.ts";
import type { Log } from "../../base/log.ts";
import { commandJwsType, CommandRequest, type CommandUpdate, SignedCommand } from "../../protocol/device/commands.ts";
import { CommandJournal, type JournalEntry } from "./command-journal.ts";
import type { Outbox } from "../proof/outbox.ts";

/** What a command came to. `later`: it is done only when the program has started again. */
export type CommandOutcome = { is: "done"; result: Record<string, unknown> | null } | { is: "later" };

/** What a command says of itself. `madeAt` is when the service made it, UTC ms; older services do not tell. */
export interface CommandMetadata {
  id: string;
  madeAt?: number | undefined;
}

/** Does one kind of command. Rejecting fails the command with the reason. */
export type CommandExecutor = (command: CommandRequest & CommandMetadata, signal: AbortSignal) => Promise<CommandOutcome>;

// It may have run: whoever sent it decides whether it is to run (again).
const lost = {
  code: "journal-lost",
  detail:
    "The player lost its record of the commands that it has run, and this one was made before that: it may have run already, " +
    "and is not run again. See what the screen shows, and send it anew if it is still wanted",
};

export interface CommandRunnerDependencies {
  folder: string;
  thumbprint: string;
  serviceKey: string;
  clock: CorrectedClock;
  outbox: Outbox;
  execute: CommandExecutor;
  log: Log;
}

/** The runner of commands. */
export class CommandRunner {
  readonly #parts: CommandRunnerDependencies;
  readonly #journal: CommandJournal;

  private constructor(parts: CommandRunnerDependencies, journal: CommandJournal) {
    this.#parts = parts;
    this.#journal = journal;
  }

  /** Opens the journal; what the last run left unfinished is settled: a restart has happened, anything else was cut short. */
  static async open(parts: CommandRunnerDependencies): Promise<CommandRunner> {
    const journal = await CommandJournal.open(parts);
    const commands = new CommandRunner(parts, journal);
    for (const entry of journal.unfinished) {
      await commands.#settle(
        entry,
        entry.type === "restart" && entry.update.status === "running"
          ? { status: "succeeded", result: {}, error: null }
          : {
              status: "failed",
              result: null,
              error: { code: "interrupted", detail: "the player ended while the command ran" },
            },
      );
    }
    return commands;
  }

  /** Forgets all commands, after a revocation. */
  purge(): Promise<void> {
    return this.#journal.purge();
  }

  /**
   * Takes a command as it came. Resolves once it is journalled (so it may be acknowledged); it runs on its own.
   * One that is not proven is refused and audited, and nothing is answered: its sender is not the service.
   */
  async receive(jws: string, signal: AbortSignal): Promise<void> {
    const { log, thumbprint, serviceKey, clock } = this.#parts;
    let command: SignedCommand;
    try {
      command = SignedCommand.parse(verifyJws(commandJwsType, jws, serviceKey));
      if (command.sub !== thumbprint) throw new Error("it is meant for another device");
    } catch (error) {
      log.error({ reason: reasonOf(error) }, "refused a command that the service did not sign for this device");
      return;
    }
    const known = this.#journal.get(command.jti);
    if (known !== undefined) return this.#tell(known);
    const issuedAt = command.made_at ?? command.iat * 1_000;
    const entry: JournalEntry = {
      id: command.jti,
      type: command.type,
      at: clock.now(),
      issuedAt,
      update: { status: "acknowledged", result: null, error: null },
    };
    if (await this.#journal.mayHaveRun(issuedAt)) {
      log.warn({ command_id: entry.id, type: entry.type }, "refused a command that may have run before the journal was lost");
      return this.#settle(entry, { status: "rejected", result: null, error: lost });
    }
    if (clock.now() > command.exp * 1_000) {
      return this.#settle(entry, {
        status: "expired",
        result: null,
        error: { code: "expired", detail: "its time was over when it arrived" },
      });
    }
    const request = CommandRequest.safeParse({ type: command.type, args: command.args });
    if (!request.success) {
      const detail = `this player cannot do that: ${request.error.issues.map(({ message }) => message).join("; ")}`.slice(0, 2_000);
      return this.#settle(entry, {
        status: "rejected",
        result: null,
        error: { code: "unsupported", detail },
      });
    }
    log.info({ command_id: entry.id, type: entry.type }, "command received");
    await this.#settle(entry, entry.update);
    void this.#run(entry, { ...request.data, id: entry.id, madeAt: command.made_at }, signal).catch((error: unknown) =>
      log.error({ err: error, command_id: entry.id }, "a command's outcome could not be written down"),
    );
  }

  async #run(entry: JournalEntry, command: CommandRequest & CommandMetadata, signal: AbortSignal): Promise<void> {
    await this.#settle(entry, { status: "running", result: null, error: null });
    let update: CommandUpdate;
    try {
      const outcome = await this.#parts.execute(command, signal);
      if (outcome.is === "later") return;
      update = { status: "succeeded", result: outcome.result, error: null };
    } catch (error) {
      const code = isFault(error) ? error.code : "failed";
      update = {
        status: "failed",
        result: null,
        error: { code, detail: reasonOf(error).slice(0, 2_000) },
      };
    }
    await this.#settle(entry, update);
    this.#parts.log.info({ command_id: entry.id, type: entry.type, status: update.status }, "command ended");
  }

  /** Writes down where the command stands, then tells the service. */
  async #settle(entry: JournalEntry, update: CommandUpdate): Promise<void> {
    entry.update = update;
    await this.#journal.record(entry);
    await this.#tell(entry);
  }

  #tell(entry: JournalEntry): Promise<void> {
    return this.#parts.outbox.put({
      is: "command-status",
      commandId: entry.id,
      update: entry.update,
    });
  }
}
