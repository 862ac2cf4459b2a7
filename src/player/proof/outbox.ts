// A durable queue of what the service must hear: command results and screenshots. In order, each once accepted, bounded.
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Backoff } from "../../base/async/backoff.ts";
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { DurableFile, makeFolder } from "../../base/files/durable-file.ts";
import { isAbort, isFault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { CommandUpdate } from "../../protocol/device/commands.ts";
import { id } from "../../protocol/common.ts";
import { HttpFault } from "../link/service-http.ts";

/** Something to deliver. A screenshot's bytes are kept beside it. */
export const OutboxMessage = z.discriminatedUnion("is", [
  z.object({ is: z.literal("command-status"), commandId: id("cmd"), update: CommandUpdate }),
  z.object({
    is: z.literal("screenshot"),
    screenshotId: id("shot"),
    headers: z.record(z.string(), z.string()),
    base64: z.string(),
  }),
]);
export type OutboxMessage = z.infer<typeof OutboxMessage>;

/** Delivers one letter; rejects with {@link HttpFault} when the service refuses it. */
export type DeliverMessage = (letter: OutboxMessage, signal: AbortSignal) => Promise<void>;

/** A letter on the disk. */
interface Waiting {
  name: string;
  bytes: number;
}

// A player that is away for weeks keeps its newest letters; the loss is counted and logged.
const maxLetters = 1_000;
// Of pictures, that is: a thousand of them would fill a card. The word of what became of a command is never given up for one.
const maxBytes = 128 * 2 ** 20;
const longestStatusBytes = 16_384;
const backoffBounds = { firstMs: 1_000, longestMs: 60_000 };

export class Outbox {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #log: Log;
  #queue: Waiting[];
  #nextNumber: number;
  #lost = 0;
  readonly #bell = new Signal();

  private constructor(folder: string, queue: Waiting[], clock: Clock, log: Log) {
    this.#folder = folder;
    this.#clock = clock;
    this.#log = log;
    this.#queue = queue;
    this.#nextNumber = Number.parseInt(queue.at(-1)?.name ?? "0", 10) + 1;
  }

  static async open(folder: string, clock: Clock, log: Log): Promise<Outbox> {
    await makeFolder(folder);
    const names = (await readdir(folder)).filter((name) => /^\d{12}\.json$/.test(name)).toSorted();
    const queue: Waiting[] = [];
    for (const name of names) queue.push({ name, bytes: (await stat(join(folder, name))).size });
    const outbox = new Outbox(folder, queue, clock, log);
    await outbox.#keepBounds();
    return outbox;
  }

  /** Letters waiting. */
  get length(): number {
    return this.#queue.length;
  }

  /** Letters given up because the queue was full, since the start. */
  get lostCount(): number {
    return this.#lost;
  }

  /** Keeps `letter` until the service has taken it. Durable once this resolves. */
  async put(letter: OutboxMessage): Promise<void> {
    const name = `${String(this.#nextNumber++).padStart(12, "0")}.json`;
    await this.#file(name).write(letter);
    this.#queue.push({ name, bytes: (await stat(join(this.#folder, name))).size });
    await this.#keepBounds();
    this.#bell.notify();
  }

  /** Delivers letter after letter until `signal` aborts. @throws Fault `revoked`. */
  async run(deliver: DeliverMessage, signal: AbortSignal): Promise<never> {
    const backoff = new Backoff(backoffBounds);
    for (;;) {
      const name = this.#queue[0]?.name;
      if (name === undefined) {
        await this.#bell.wait(this.#clock, Number.POSITIVE_INFINITY, signal);
        continue;
      }
      try {
        const letter = await this.#read(name);
        if (letter !== null) await deliver(letter, signal);
        await this.#drop(name);
        backoff.reset();
      } catch (error) {
        if ((isAbort(error) && signal.aborted) || isFault(error, "revoked")) throw error;
        if (error instanceof HttpFault && error.isPermanent) {
          this.#log.error({ reason: error.message }, "the service refuses a letter for good: it is dropped");
          await this.#drop(name);
        } else {
          const waitMs = backoff.next();
          this.#log.warn(
            { reason: reasonOf(error), waiting: this.length, retry_in_ms: Math.round(waitMs) },
            "a letter could not be delivered",
          );
          await this.#clock.wait(waitMs, signal);
        }
      }
    }
  }

  /** Forgets all letters, after a revocation. */
  async purge(): Promise<void> {
    this.#queue = [];
    await rm(this.#folder, { recursive: true, force: true });
    await makeFolder(this.#folder);
  }

  /** Gives up the oldest letters where there are too many, and the oldest pictures, but the newest, where they are too large. */
  async #keepBounds(): Promise<void> {
    while (this.#queue.length > maxLetters) await this.#giveUp(this.#queue[0]!);
    while (this.#queue.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes) {
      const oldest = this.#queue.slice(0, -1).find(({ bytes }) => bytes > longestStatusBytes);
      if (oldest === undefined) return;
      await this.#giveUp(oldest);
    }
  }

  async #giveUp({ name, bytes }: Waiting): Promise<void> {
    this.#lost += 1;
    this.#log.error({ lost: this.#lost, bytes }, "the outbox is full: its oldest letter was given up");
    await this.#drop(name);
  }

  async #read(name: string): Promise<OutboxMessage | null> {
    try {
      const read = await this.#file(name).read();
      return read.is === "found" ? read.value : null;
    } catch (error) {
      if (!isFault(error, "file-corrupt")) throw error;
      this.#log.error({ err: error, name }, "a letter is damaged: it is dropped");
      return null;
    }
  }

  async #drop(name: string): Promise<void> {
    this.#queue = this.#queue.filter((other) => other.name !== name);
    await this.#file(name).remove();
  }

  #file(name: string): DurableFile<OutboxMessage> {
    return new DurableFile(join(this.#folder, name), (json) => OutboxMessage.parse(json));
  }
}
