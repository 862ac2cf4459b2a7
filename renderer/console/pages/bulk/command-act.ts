// Sends one command to many screens, at once or in waves, and follows it on each by the events of the service.
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { Command as CommandSchema } from "../../../../src/protocol/device/commands.ts";
import { client } from "../../data/client.ts";
import { eventStream } from "../../data/event-stream.ts";
import { texts } from "../../i18n/texts.ts";
import { largestRequest } from "./change-act.ts";
import type { BulkCommand } from "./command-choices.ts";
import { chunksOf, sendWithoutFailing, type BulkAct, type Failure, type Outcome, type OutcomeState, type RunOptions } from "./outcomes.ts";

type Command = Schemas["Command"];
type Sent = Schemas["BulkCommandResult"];

const text = texts("bulk");
const waves = { percent: 10, halt_above_failed_percent: 10, pause_between_s: 0 };
const states: Readonly<Record<Command["status"], OutcomeState>> = {
  queued: "queued",
  delivered: "delivered",
  acknowledged: "delivered",
  running: "running",
  succeeded: "done",
  failed: "failed",
  rejected: "failed",
  expired: "failed",
  cancelled: "failed",
};

interface CommandActOptions {
  isInWaves: boolean;
  /** Called with the batch of a command in waves. */
  onBatch: (batchId: string) => void;
}

/** An action that sends this command. */
export function commandAct(command: BulkCommand, { isInWaves, onBatch }: CommandActOptions): BulkAct {
  const send = async (player_ids: string[], isDryRun: boolean, signal?: AbortSignal): Promise<Sent> => {
    const body = { target: { player_ids }, ...command, ...(isInWaves ? { waves } : {}) } as Schemas["BulkCommandRequest"];
    const query = isDryRun ? { dry_run: "true" as const } : {};
    return (await client.post("/api/v1/commands", { params: { query }, body, ...(signal === undefined ? {} : { signal }) })).data;
  };
  return {
    async forecast(ids, signal) {
      const failures: Failure[] = [];
      let affectedCount = 0;
      for (const chunk of chunksOf(ids, largestRequest)) {
        const response = await sendWithoutFailing(chunk, (remaining) => send(remaining, true, signal));
        const skipped = response.result?.skipped ?? [];
        failures.push(...response.failures, ...skipped.map(({ player_id: id, reason }) => ({ id, reason })));
        affectedCount += response.accepted.length - skipped.length;
      }
      return { affectedCount, same: 0, failures };
    },
    async run(ids, options) {
      // Listening begins before the command is sent: a player may be faster than the response.
      const follower = new Follower(options);
      for (const chunk of chunksOf(ids, largestRequest)) {
        const { result, accepted, failures } = await sendWithoutFailing(chunk, (remaining) => send(remaining, false));
        options.onOutcomes(failures.map((failure) => ({ ...failure, state: "failed" })));
        if (result === null) continue;
        if (result.batch_id !== null) onBatch(result.batch_id);
        follower.follow(accepted, result);
      }
    },
  };
}

/** Follows commands until all have ended or the signal aborts. */
class Follower {
  readonly #options: RunOptions;
  readonly #latest = new Map<string, Command>();
  readonly #commands = new Set<string>();
  readonly #batches = new Set<string>();
  /** The screens of waves that have not begun. */
  readonly #waiting = new Set<string>();
  /** Events were missed, and the commands have not been read since. */
  #isBehind = false;

  constructor(options: RunOptions) {
    this.#options = options;
    const stop = eventStream.listen((news) => {
      if (news.is === "resync") this.#isBehind = true;
      if (this.#isBehind && (news.is === "resync" || (news.is === "connection" && news.awaySince === null))) void this.#catchUp();
      if (news.is !== "event") return;
      const { type, data } = news.event;
      if (type === "batch.cancelled" && this.#batches.has(String(data["batch_id"]))) this.#endWaiting();
      if (!type.startsWith("command.")) return;
      const command = CommandSchema.safeParse(data);
      if (command.success) this.#take([command.data as Command]);
    });
    options.signal.addEventListener("abort", stop, { once: true });
  }

  follow(ids: readonly string[], { commands, skipped, batch_id }: Sent): void {
    if (batch_id !== null) this.#batches.add(batch_id);
    const commandIds = new Map(commands.map(({ id, player_id }) => [player_id, id]));
    const reasons = new Map(skipped.map(({ player_id, reason }) => [player_id, reason]));
    this.#options.onOutcomes(
      ids.map((id): Outcome => {
        const reason = reasons.get(id);
        if (reason !== undefined) return { id, state: "skipped", reason };
        if (commandIds.has(id)) return { id, state: "queued", reason: null };
        this.#waiting.add(id);
        return { id, state: "waiting", reason: null };
      }),
    );
    for (const { id } of commands) this.#commands.add(id);
    this.#take([...this.#latest.values()]);
  }

  #take(commands: readonly Command[]): void {
    for (const command of commands) this.#latest.set(command.id, command);
    const own = commands.filter(({ id, batch_id }) => this.#commands.has(id) || (batch_id !== null && this.#batches.has(batch_id)));
    if (own.length === 0) return;
    for (const { player_id } of own) this.#waiting.delete(player_id);
    this.#options.onOutcomes(
      own.map(({ player_id, status, error }) => ({ id: player_id, state: states[status], reason: error?.detail ?? null })),
    );
  }

  #endWaiting(): void {
    this.#options.onOutcomes([...this.#waiting].map((id) => ({ id, state: "failed", reason: text("stopped") })));
    this.#waiting.clear();
  }

  async #catchUp(): Promise<void> {
    try {
      await this.#readAgain();
      this.#isBehind = false;
    } catch {
      this.#isBehind = true; // The service is away: it happens again when it is back.
    }
  }

  /** Reads the commands that missed events were about. */
  async #readAgain(): Promise<void> {
    const [batch] = this.#batches;
    const remaining = new Set(this.#commands);
    const query = { limit: 100, ...(batch === undefined ? {} : { batch_id: batch }) };
    for await (const command of client.pages("/api/v1/commands", { params: { query } })) {
      if (this.#options.signal.aborted) return;
      this.#take([command]);
      remaining.delete(command.id);
      if (batch === undefined && remaining.size === 0) return;
    }
  }
}
