// The durable queue of command results and screenshots for the service. Delivers in order until each is accepted. Bounded. What a
// full or broken disk does not take stays in memory.
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
import { DiskHealth, removals } from "../disk-health.ts";
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

/** A message in the queue. `unwritten` is its content while it is only in memory. */
interface QueuedMessage {
  name: string;
  bytes: number;
  unwritten: OutboxMessage | null;
}

// A player that is offline for weeks keeps its newest messages. Dropped ones are counted and logged.
const maxMessages = 1_000;
// A thousand screenshots would fill the card. Only screenshots are dropped for size, never a command's result.
const maxBytes = 128 * 2 ** 20;
const maxBytesInMemory = 16 * 2 ** 20;
const maxStatusBytes = 16_384;
/** The name of the outbox in reports about the disk. */
const what = "messages";
const backoffBounds = { firstMs: 1_000, longestMs: 60_000 };

export class Outbox {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #disk: DiskHealth;
  #queue: QueuedMessage[];
  #nextNumber: number;
  #droppedCount = 0;
  readonly #added = new Signal();

  private constructor(folder: string, queue: QueuedMessage[], clock: Clock, log: Log, disk: DiskHealth) {
    this.#folder = folder;
    this.#clock = clock;
    this.#log = log;
    this.#disk = disk;
    this.#queue = queue;
    this.#nextNumber = Number.parseInt(queue.at(-1)?.name ?? "0", 10) + 1;
  }

  static async open(folder: string, clock: Clock, log: Log, disk = new DiskHealth(log)): Promise<Outbox> {
    const queue: QueuedMessage[] = [];
    await disk.attempt(what, async () => {
      await makeFolder(folder);
      const names = (await readdir(folder)).filter((name) => /^\d{12}\.json$/.test(name)).toSorted();
      for (const name of names) queue.push({ name, bytes: (await stat(join(folder, name))).size, unwritten: null });
    });
    const outbox = new Outbox(folder, queue, clock, log, disk);
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

  /** Queues `message` until the service accepts it. Durable once this resolves, unless the disk cannot be written. */
  async put(message: OutboxMessage): Promise<void> {
    const name = `${String(this.#nextNumber++).padStart(12, "0")}.json`;
    const isWritten = await this.#disk.attempt(what, () => this.#file(name).write(message));
    // No await between reading and changing the queue: a delivery replaces it meanwhile.
    this.#queue.push({ name, bytes: Buffer.byteLength(JSON.stringify(message)), unwritten: isWritten ? null : message });
    await this.#enforceLimits();
    this.#added.notify();
  }

  /** Writes the messages that could not be written before. */
  async save(): Promise<void> {
    for (const queued of this.#queue) {
      const { name, unwritten } = queued;
      if (unwritten === null) continue;
      if (!(await this.#disk.attempt(what, () => this.#file(name).write(unwritten)))) return;
      queued.unwritten = null;
      // It was delivered meanwhile.
      if (!this.#queue.includes(queued)) await this.#remove(name);
    }
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
    await this.#disk.attempt(what, async () => {
      await rm(this.#folder, { recursive: true, force: true });
      await makeFolder(this.#folder);
    });
  }

  async #deliverOldest(deliver: DeliverMessage, signal: AbortSignal): Promise<void> {
    const oldest = this.#queue[0];
    if (oldest === undefined) return;
    const { name } = oldest;
    try {
      const message = oldest.unwritten ?? (await this.#read(name));
      if (message !== null) await deliver(message, signal);
    } catch (error) {
      if (!(error instanceof HttpFault) || !error.isPermanent) throw error;
      this.#log.error({ reason: error.message }, "the service rejected a message: it is dropped");
    }
    await this.#remove(name);
  }

  /**
   * Drops the oldest messages if there are too many, and the oldest screenshots except the newest if they are too large. In memory
   * the newest screenshot may be too large as well.
   */
  async #enforceLimits(): Promise<void> {
    while (this.#queue.length > maxMessages) await this.#drop(this.#queue[0]!);
    for (;;) {
      const inMemory = this.#queue.filter(({ unwritten }) => unwritten !== null);
      if (inMemory.reduce((sum, { bytes }) => sum + bytes, 0) <= maxBytesInMemory) break;
      await this.#drop(inMemory.find(({ bytes }) => bytes > maxStatusBytes) ?? inMemory[0]!);
    }
    while (this.#queue.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes) {
      const oldest = this.#queue.slice(0, -1).find(({ bytes }) => bytes > maxStatusBytes);
      if (oldest === undefined) return;
      await this.#drop(oldest);
    }
  }

  async #drop({ name }: QueuedMessage): Promise<void> {
    this.#droppedCount += 1;
    this.#disk.recordsLost(what, 1, "the outbox is full");
    await this.#remove(name);
  }

  async #read(name: string): Promise<OutboxMessage | null> {
    try {
      const read = await this.#file(name).read();
      if (read.is === "found") return read.value;
      this.#disk.fileDamaged(`outbox/${name}`, "its message is lost");
    } catch (error) {
      if (!isFault(error, "file-corrupt")) throw error;
      this.#disk.fileDamaged(`outbox/${name}`, "its message is lost", error);
    }
    this.#disk.recordsLost(what, 1, "its file is damaged or missing");
    return null;
  }

  async #remove(name: string): Promise<void> {
    this.#queue = this.#queue.filter((other) => other.name !== name);
    await this.#disk.attempt(removals, () => this.#file(name).remove());
  }

  #file(name: string): DurableFile<OutboxMessage> {
    return new DurableFile(join(this.#folder, name), (json) => OutboxMessage.parse(json));
  }
}
