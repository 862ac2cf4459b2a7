// The durable queue of command results and screenshots for the service. Delivers in order until each is accepted. Bounded.
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { retry } from "../../base/async/retry.ts";
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { DurableFile, makeFolder } from "../../base/files/durable-file.ts";
import { isFault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { CommandUpdate } from "../../protocol/device/commands.ts";
import { id } from "../../protocol/common.ts";
import { HttpFault } from "../link/service-http.ts";

/** A message for the service. A screenshot includes its image. */
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

/** Delivers one message. Rejects with {@link HttpFault} if the service rejects it. */
export type DeliverMessage = (message: OutboxMessage, signal: AbortSignal) => Promise<void>;

/** A message on the disk. */
interface QueuedFile {
  name: string;
  bytes: number;
}

// A player that is offline for weeks keeps its newest messages. Dropped ones are counted and logged.
const maxMessages = 1_000;
// A thousand screenshots would fill the card. Only screenshots are dropped for size, never a command's result.
const maxBytes = 128 * 2 ** 20;
const maxStatusBytes = 16_384;
const backoffBounds = { firstMs: 1_000, longestMs: 60_000 };

export class Outbox {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #log: Log;
  #queue: QueuedFile[];
  #nextNumber: number;
  #droppedCount = 0;
  readonly #added = new Signal();

  private constructor(folder: string, queue: QueuedFile[], clock: Clock, log: Log) {
    this.#folder = folder;
    this.#clock = clock;
    this.#log = log;
    this.#queue = queue;
    this.#nextNumber = Number.parseInt(queue.at(-1)?.name ?? "0", 10) + 1;
  }

  static async open(folder: string, clock: Clock, log: Log): Promise<Outbox> {
    await makeFolder(folder);
    const names = (await readdir(folder)).filter((name) => /^\d{12}\.json$/.test(name)).toSorted();
    const queue: QueuedFile[] = [];
    for (const name of names) queue.push({ name, bytes: (await stat(join(folder, name))).size });
    const outbox = new Outbox(folder, queue, clock, log);
    await outbox.#enforceLimits();
    return outbox;
  }

  /** How many messages are queued. */
  get length(): number {
    return this.#queue.length;
  }

  /** How many messages were dropped since the start because the queue was full. */
  get lostCount(): number {
    return this.#droppedCount;
  }

  /** Queues `message` until the service accepts it. Durable once this resolves. */
  async put(message: OutboxMessage): Promise<void> {
    const name = `${String(this.#nextNumber++).padStart(12, "0")}.json`;
    await this.#file(name).write(message);
    const { size } = await stat(join(this.#folder, name));
    // No await between reading and changing the queue: a delivery replaces it meanwhile.
    this.#queue.push({ name, bytes: size });
    await this.#enforceLimits();
    this.#added.notify();
  }

  /** Delivers the messages one by one until `signal` aborts. @throws Fault `revoked`. */
  async run(deliver: DeliverMessage, signal: AbortSignal): Promise<never> {
    const onFailure = (error: unknown, retryInMs: number): void =>
      this.#log.warn({ reason: reasonOf(error), waiting: this.length, retry_in_ms: retryInMs }, "a message could not be delivered");
    for (;;) {
      while (this.#queue.length === 0) await this.#added.wait(this.#clock, Number.POSITIVE_INFINITY, signal);
      await retry(() => this.#deliverOldest(deliver, signal), { clock: this.#clock, bounds: backoffBounds, onFailure, signal });
    }
  }

  /** Deletes all messages after a revocation. */
  async purge(): Promise<void> {
    this.#queue = [];
    await rm(this.#folder, { recursive: true, force: true });
    await makeFolder(this.#folder);
  }

  async #deliverOldest(deliver: DeliverMessage, signal: AbortSignal): Promise<void> {
    const name = this.#queue[0]?.name;
    if (name === undefined) return;
    try {
      const message = await this.#read(name);
      if (message !== null) await deliver(message, signal);
    } catch (error) {
      if (!(error instanceof HttpFault) || !error.isPermanent) throw error;
      this.#log.error({ reason: error.message }, "the service rejected a message: it is dropped");
    }
    await this.#remove(name);
  }

  /** Drops the oldest messages if there are too many, and the oldest screenshots except the newest if they are too large. */
  async #enforceLimits(): Promise<void> {
    while (this.#queue.length > maxMessages) await this.#drop(this.#queue[0]!);
    while (this.#queue.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes) {
      const oldest = this.#queue.slice(0, -1).find(({ bytes }) => bytes > maxStatusBytes);
      if (oldest === undefined) return;
      await this.#drop(oldest);
    }
  }

  async #drop({ name, bytes }: QueuedFile): Promise<void> {
    this.#droppedCount += 1;
    this.#log.error({ lost: this.#droppedCount, bytes }, "the outbox is full: its oldest message is dropped");
    await this.#remove(name);
  }

  async #read(name: string): Promise<OutboxMessage | null> {
    try {
      const read = await this.#file(name).read();
      return read.is === "found" ? read.value : null;
    } catch (error) {
      if (!isFault(error, "file-corrupt")) throw error;
      this.#log.error({ err: error, name }, "a message is damaged: it is dropped");
      return null;
    }
  }

  async #remove(name: string): Promise<void> {
    this.#queue = this.#queue.filter((other) => other.name !== name);
    await this.#file(name).remove();
  }

  #file(name: string): DurableFile<OutboxMessage> {
    return new DurableFile(join(this.#folder, name), (json) => OutboxMessage.parse(json));
  }
}
