// Runs signed commands, each at most once: what was begun is written down before it is done.
import { join } from "node:path";
import { z } from "zod";
import type { Clock } from "../base/clock.ts";
import { DurableFile } from "../base/durable-file.ts";
import { isFault, reasonOf } from "../base/fault.ts";
import { verifyJws } from "../base/jws.ts";
import type { Log } from "../base/log.ts";
import { commandJwsType, CommandRequest, CommandUpdate, finalStatuses, SignedCommand } from "../protocol/command.ts";
import type { Outbox } from "./outbox.ts";

/** What a command came to. `later`: it is done only when the program has started again. */
export type Outcome = { is: "done"; result: Record<string, unknown> | null } | { is: "later" };

/** What a command says of itself. `madeAt` is when the service made it, UTC ms; older services do not tell. */
export interface Told {
  id: string;
  madeAt?: number | undefined;
}

/** Does one kind of command. Rejecting fails the command with the reason. */
export type Execute = (command: CommandRequest & Told, signal: AbortSignal) => Promise<Outcome>;

const Entry = z.object({ id: z.string(), type: z.string(), at: z.number(), update: CommandUpdate });
const Journal = z.array(Entry);
type Entry = z.infer<typeof Entry>;

// The service repeats a command until it is acknowledged, but never for longer than this (7 days, 1,000 ids).
const keptMs = 7 * 86_400_000;
const mostEntries = 1_000;

export interface CommandParts {
  folder: string;
  thumbprint: string;
  serviceKey: string;
  clock: Clock;
  outbox: Outbox;
  execute: Execute;
  log: Log;
}

/** The journal of commands and their runner. */
export class Commands {
  readonly #parts: CommandParts;
  readonly #file: DurableFile<Entry[]>;
  readonly #journal: Map<string, Entry>;

  private constructor(parts: CommandParts, file: DurableFile<Entry[]>, entries: Entry[]) {
    this.#parts = parts;
    this.#file = file;
    this.#journal = new Map(entries.map((entry) => [entry.id, entry]));
  }

  /** Opens the journal; what the last run left unfinished is settled: a restart has happened, anything else was cut short. */
  static async open(parts: CommandParts): Promise<Commands> {
    const file = new DurableFile<Entry[]>(join(parts.folder, "commands.json"), (json) => Journal.parse(json));
    let entries: Entry[] = [];
    try {
      const read = await file.read();
      if (read.is === "found") entries = read.value;
    } catch (error) {
      if (!isFault(error, "file-corrupt")) throw error;
      // Running an old command again would be worse than losing the memory of one: all before now are refused by age.
      parts.log.error({ err: error }, "the command journal is damaged: it begins anew");
    }
    const commands = new Commands(parts, file, entries);
    for (const entry of entries.filter(({ update }) => !finalStatuses.includes(update.status))) {
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
    this.#journal.clear();
    return this.#file.remove();
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
    const entry: Entry = {
      id: command.jti,
      type: command.type,
      at: clock.now(),
      update: { status: "acknowledged", result: null, error: null },
    };
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

  async #run(entry: Entry, command: CommandRequest & Told, signal: AbortSignal): Promise<void> {
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
  async #settle(entry: Entry, update: CommandUpdate): Promise<void> {
    entry.update = update;
    this.#journal.set(entry.id, entry);
    const oldest = this.#parts.clock.now() - keptMs;
    for (const { id, at } of this.#journal.values()) {
      if (at < oldest || this.#journal.size > mostEntries) this.#journal.delete(id);
    }
    await this.#file.write([...this.#journal.values()]);
    await this.#tell(entry);
  }

  #tell(entry: Entry): Promise<void> {
    return this.#parts.outbox.put({
      is: "command-status",
      commandId: entry.id,
      update: entry.update,
    });
  }
}
