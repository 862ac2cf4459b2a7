// The durable queue of command results, problem records and screenshots for the service. Bounded; a message that the service refuses is
// set aside and does not hold up the rest. Messages that a full or broken disk does not take stay in memory.
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Backoff } from "../../base/async/backoff.ts";
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { DurableFile, makeFolder } from "../../base/files/durable-file.ts";
import { isReadFailure } from "../../base/files/system-error.ts";
import { hasErrorCode, isFault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { DiskHealth, removals } from "../storage/disk-health.ts";
import type { HttpFault } from "../link/service-http.ts";
import { leastImportant, newMessage, OutboxMessage, renumber, replaces, storedMessage, type QueuedMessage } from "./outbox-message.ts";
import { RefusedMessages } from "./refused-messages.ts";

/** Delivers one message. Resolves to null once the service has accepted it, or to the reason for which the service refuses it. */
export type DeliverMessage = (message: OutboxMessage, signal: AbortSignal) => Promise<HttpFault | null>;

// A player that is offline for weeks keeps its newest and most important messages. Dropped ones are counted and reported.
const maxMessages = 1_000;
// A thousand screenshots would fill the card.
const maxBytes = 128 * 2 ** 20;
const maxBytesInMemory = 16 * 2 ** 20;
/** The name of the outbox in reports about the disk. */
const what = "messages";
const backoffBounds = { firstMs: 1_000, longestMs: 60_000 };
const maxRefusals = 10;
// A message that fails this often in a row lets those behind it go first, such as a screenshot that is too large for a slow link.
const failuresPerTurn = 3;
// After an outage a whole fleet returns at once: the first messages are sent immediately, the others at random intervals. The longer the
// service takes for one, the longer the pauses: a fleet does not overload it, and a single player is not slower than needed.
const immediateMessages = 20;
const pausePerDelivery = 10;
const longestPauseBounds = { leastMs: 100, mostMs: 1_000 };

export class Outbox {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #disk: DiskHealth;
  readonly #refused: RefusedMessages;
  readonly #added = new Signal();
  readonly #backoff = new Backoff(backoffBounds);
  /** Oldest first. */
  #queue: QueuedMessage[] = [];
  #nextNumber = 1;
  /** True once the files of earlier runs are in the queue. Until then new messages stay in memory. */
  #isListed = false;
  #droppedCount = 0;
  /** No message is delivered before this instant, on the monotonic clock: the last one failed. */
  #retryAt = 0;
  /** Messages with lower numbers were queued before the end of the last outage. They are sent after the newer ones, with pauses. */
  #firstNewNumber = 1;
  #nextOldAt = 0;
  #oldSent = 0;
  #isServiceAway = false;
  #acceptedCount = 0;

  private constructor(folder: string, clock: Clock, log: Log, disk: DiskHealth) {
    this.#folder = folder;
    this.#clock = clock;
    this.#log = log;
    this.#disk = disk;
    this.#refused = new RefusedMessages(join(folder, "refused"), disk);
  }

  static async open(folder: string, clock: Clock, log: Log, disk = new DiskHealth(log)): Promise<Outbox> {
    await disk.attempt(what, () => makeFolder(folder));
    const outbox = new Outbox(folder, clock, log, disk);
    try {
      await outbox.#list();
    } catch (error) {
      if (!isReadFailure(error) && !hasErrorCode(error, "ENOENT")) throw error;
      // Without its files it does not know which names are free. A folder that could not be made has none.
      if (isReadFailure(error)) disk.unreadable(what, error, () => outbox.#list());
      else outbox.#isListed = true;
    }
    outbox.#firstNewNumber = outbox.#nextNumber;
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

  /** Queues `message` until the service accepts it. Resolves with whether it is durable: false if the disk cannot be written. */
  async put(message: OutboxMessage): Promise<boolean> {
    return (await this.keep(message)) === "stored";
  }

  /** Like {@link put}, and resolves with the place of the message. `dropped`: neither the disk nor the memory had room for it. */
  async keep(message: OutboxMessage): Promise<"stored" | "in-memory" | "dropped"> {
    const queued = newMessage(this.#nextNumber++, message);
    const isStored = this.#isListed && (await this.#disk.attempt(what, () => this.#file(queued.name).write(message)));
    if (isStored) queued.unwritten = null;
    // No await between reading and changing the queue: a delivery replaces it meanwhile.
    const replaced = this.#queue.filter((other) => replaces(queued, other));
    this.#queue.push(queued);
    for (const each of replaced) await this.#remove(each);
    await this.#enforceLimits();
    // Somebody waits for a new message, so try it now.
    this.#retryAt = 0;
    this.#added.notify();
    return queued.isDropped ? "dropped" : isStored ? "stored" : "in-memory";
  }

  /** Writes the messages that could not be written before. */
  async save(): Promise<void> {
    if (!this.#isListed) return;
    for (const queued of this.#queue) {
      const { name, unwritten } = queued;
      if (unwritten === null) continue;
      if (!(await this.#disk.attempt(what, () => this.#file(name).write(unwritten)))) return;
      queued.unwritten = null;
      // It was delivered meanwhile.
      if (!this.#queue.includes(queued)) await this.#remove(queued);
    }
  }

  /** Delivers the messages one by one until `signal` aborts. @throws Fault `revoked`. */
  async run(deliver: DeliverMessage, signal: AbortSignal): Promise<never> {
    for (;;) {
      signal.throwIfAborted();
      const now = this.#clock.monotonic();
      const next = this.#next(now);
      const dueAt = next === null ? Number.POSITIVE_INFINITY : this.#dueAt(next);
      if (next !== null && dueAt <= now) await this.#deliver(next, deliver, signal);
      else await this.#added.wait(this.#clock, dueAt - now, signal);
    }
  }

  /** Deletes all messages after a revocation. */
  async purge(): Promise<void> {
    this.#queue = [];
    this.#isListed = true;
    this.#disk.forgetUnread(what);
    await this.#disk.attempt(what, async () => {
      await rm(this.#folder, { recursive: true, force: true });
      await makeFolder(this.#folder);
    });
  }

  /** Adds the files of earlier runs, before the messages that came while they could not be read. */
  async #list(): Promise<void> {
    const stored: QueuedMessage[] = [];
    for (const name of (await readdir(this.#folder)).toSorted()) {
      const message = storedMessage(name, (await stat(join(this.#folder, name))).size);
      if (message !== null) stored.push(message);
    }
    this.#nextNumber = (stored.at(-1)?.number ?? 0) + 1;
    for (const queued of this.#queue) renumber(queued, this.#nextNumber++);
    this.#queue = [...stored, ...this.#queue];
    this.#isListed = true;
    await this.#enforceLimits();
    await this.save();
    this.#added.notify();
  }

  /** The message to deliver next: of those that are due, one that did not fail, a new one, the oldest. */
  #next(now: number): QueuedMessage | null {
    const turn = ({ failures }: QueuedMessage): number => Math.floor(failures / failuresPerTurn);
    const waitMs = (message: QueuedMessage): number => Math.max(0, this.#dueAt(message) - now);
    const order = (a: QueuedMessage, b: QueuedMessage): number =>
      waitMs(a) - waitMs(b) || turn(a) - turn(b) || Number(this.#isOld(a)) - Number(this.#isOld(b));
    return this.#queue.toSorted(order)[0] ?? null;
  }

  #isOld({ number }: QueuedMessage): boolean {
    return number < this.#firstNewNumber;
  }

  #dueAt(message: QueuedMessage): number {
    return Math.max(this.#retryAt, this.#isOld(message) ? this.#nextOldAt : 0);
  }

  async #deliver(queued: QueuedMessage, deliver: DeliverMessage, signal: AbortSignal): Promise<void> {
    try {
      const message = queued.unwritten ?? (await this.#read(queued.name));
      if (message === null) return await this.#remove(queued);
      const startedAt = this.#clock.monotonic();
      const refusal = await deliver(message, signal);
      if (refusal !== null) return await this.#onRefusal(queued, refusal);
      this.#onAccepted(queued, this.#clock.monotonic() - startedAt);
      await this.#remove(queued);
    } catch (error) {
      signal.throwIfAborted();
      if (isFault(error, "revoked")) throw error;
      this.#isServiceAway = true;
      queued.failures += 1;
      this.#postpone(queued, error);
    }
  }

  #onAccepted(queued: QueuedMessage, tookMs: number): void {
    this.#acceptedCount += 1;
    this.#backoff.reset();
    if (this.#isServiceAway) {
      this.#isServiceAway = false;
      this.#firstNewNumber = this.#nextNumber;
      this.#oldSent = 0;
    }
    if (!this.#isOld(queued)) return;
    this.#oldSent += 1;
    if (this.#oldSent < immediateMessages) return;
    const { leastMs, mostMs } = longestPauseBounds;
    this.#nextOldAt = this.#clock.monotonic() + Math.random() * Math.min(mostMs, Math.max(leastMs, tookMs * pausePerDelivery));
  }

  /** Sets a message aside that the service refuses for good, or again and again while it accepts others. */
  async #onRefusal(queued: QueuedMessage, refusal: HttpFault): Promise<void> {
    queued.refusals += 1;
    if (queued.refusals === 1) queued.acceptedBefore = this.#acceptedCount;
    const isRefusedAlone = queued.refusals >= maxRefusals && this.#acceptedCount > queued.acceptedBefore;
    if (!refusal.isPermanent && !isRefusedAlone) {
      queued.failures += failuresPerTurn;
      return this.#postpone(queued, refusal);
    }
    await this.#refused.add(join(this.#folder, queued.name), refusal);
    await this.#remove(queued);
  }

  #postpone(queued: QueuedMessage, error: unknown): void {
    const waitMs = this.#backoff.next();
    const retry_in_ms = Math.round(waitMs);
    this.#retryAt = this.#clock.monotonic() + waitMs;
    this.#log.warn(
      { message: queued.name, reason: reasonOf(error), waiting: this.length, retry_in_ms },
      "a message could not be delivered",
    );
  }

  /** Drops the least important messages if there are too many or they are too large. */
  async #enforceLimits(): Promise<void> {
    const bytesOf = (messages: readonly QueuedMessage[]): number => messages.reduce((sum, { bytes }) => sum + bytes, 0);
    while (this.#queue.length > maxMessages || bytesOf(this.#queue) > maxBytes) await this.#drop(leastImportant(this.#queue));
    for (;;) {
      const inMemory = this.#queue.filter(({ unwritten }) => unwritten !== null);
      if (bytesOf(inMemory) <= maxBytesInMemory) return;
      await this.#drop(leastImportant(inMemory));
    }
  }

  async #drop(queued: QueuedMessage): Promise<void> {
    queued.isDropped = true;
    this.#droppedCount += 1;
    this.#disk.recordsLost(what, 1, "the outbox is full");
    await this.#remove(queued);
  }

  async #read(name: string): Promise<OutboxMessage | null> {
    try {
      const read = await this.#file(name).read();
      if (read.is === "found") return read.value;
      this.#disk.fileDamaged(`outbox/${name}`, "its message is lost");
    } catch (error) {
      if (isReadFailure(error)) this.#disk.unreadable(`outbox/${name}`, error, () => this.#file(name).read());
      if (!isFault(error, "file-corrupt")) throw error;
      this.#disk.fileDamaged(`outbox/${name}`, "its message is lost", error);
    }
    this.#disk.recordsLost(what, 1, "its file is damaged or missing");
    return null;
  }

  async #remove(queued: QueuedMessage): Promise<void> {
    this.#queue = this.#queue.filter((other) => other !== queued);
    await this.#disk.attempt(removals, () => this.#file(queued.name).remove());
  }

  #file(name: string): DurableFile<OutboxMessage> {
    return new DurableFile(join(this.#folder, name), (json) => OutboxMessage.parse(json));
  }
}
