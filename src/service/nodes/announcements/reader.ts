// Delivers the announcements of other nodes to this node's listeners: from messages at once, from the database in any case.
import { Signal } from "../../../base/async/signal.ts";
import type { Clock } from "../../../base/clock.ts";
import { reasonOf } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import type { AnnouncementLog, Writer } from "./log.ts";
import { AwaitedWriters, type HoldingWriter } from "./awaited-writers.ts";
import { MissingAnnouncements } from "./missing.ts";
import type { NodeListeners } from "../messages/listeners.ts";

interface ReaderDependencies {
  announcements: AnnouncementLog;
  listeners: NodeListeners;
  clock: Clock;
  log: Log;
  /** How long to wait between two polls, ms. */
  pollMs: () => number;
}

const pageSize = 500;
// A transaction that announces takes milliseconds, so it is cheaper to wait for those in progress than to read everything again.
const settleMs = 1_000;
const settleEveryMs = 25;
// Each is a rolled back announcement, or one to come. With more, reading everything anew is cheaper.
const maxMissing = 50_000;

export class AnnouncementReader {
  readonly #dependencies: ReaderDependencies;
  /** The highest number that was read. All visible ones up to it were delivered. */
  #place = 0;
  readonly #missing = new MissingAnnouncements();
  /** Transactions that were in progress at the place where this node began: their announcements are below it. */
  #earlier: ReadonlySet<string> = new Set();
  /** Those after the place or missing that a message has announced; whether they were delivered. */
  readonly #heard = new Map<number, Promise<boolean>>();
  readonly #awaited: AwaitedWriters;
  /** Why this node has to read everything anew; null: it need not. */
  #behind: string | null = null;
  readonly #wake = new Signal();
  #polledAt: number;
  readonly counts = { heardByMessage: 0, heardByPoll: 0, resynchronized: 0 };

  private constructor(dependencies: ReaderDependencies) {
    this.#dependencies = dependencies;
    this.#awaited = new AwaitedWriters(dependencies.clock, dependencies.log);
    this.#polledAt = dependencies.clock.monotonic();
  }

  /** Begins at the end: earlier announcements are already in the database, which this node has not read yet. */
  static async open(dependencies: ReaderDependencies): Promise<AnnouncementReader> {
    const reader = new AnnouncementReader(dependencies);
    await reader.#beginAtEnd();
    return reader;
  }

  /** When the last poll succeeded, monotonic ms. */
  get polledAt(): number {
    return this.#polledAt;
  }

  /** Up to this number nothing can come that was not read. */
  get readId(): number {
    const { lowest } = this.#missing;
    return lowest === null ? this.#place : lowest - 1;
  }

  /** How many announcements may still come below one that was read. */
  get missingCount(): number {
    return this.#missing.size;
  }

  /** The transactions that have announced something and that this node has waited for for long. */
  get heldBackBy(): readonly HoldingWriter[] {
    return this.#awaited.long;
  }

  /** Polls at once: messages may have been lost. */
  wake(): void {
    this.#wake.notify();
  }

  /** Delivers a message's announcement. Never rejects: the next poll repeats a failed delivery. */
  async hear(id: number, kind: string, body: unknown): Promise<void> {
    if ((id <= this.#place && !this.#missing.has(id)) || this.#heard.has(id)) return;
    const delivered = this.#deliverHeard(id, kind, body);
    this.#heard.set(id, delivered);
    await delivered;
  }

  /** @returns whether the listeners have handled it. */
  async #deliverHeard(id: number, kind: string, body: unknown): Promise<boolean> {
    try {
      await this.#dependencies.listeners.announced(id, kind, body);
      this.counts.heardByMessage += 1;
      return true;
    } catch (error) {
      this.#dependencies.log.debug({ kind, reason: reasonOf(error) }, "an announcement is delivered again");
      return false;
    }
  }

  /** Polls until `signal` aborts; rejects with an AbortError then. @throws Fault `store-unavailable`. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock, pollMs } = this.#dependencies;
    for (;;) {
      while (await this.#poll()) signal.throwIfAborted();
      await this.#wake.wait(clock, pollMs(), signal);
    }
  }

  /** @returns whether there are more. */
  async #poll(): Promise<boolean> {
    const { announcements, clock } = this.#dependencies;
    const startedAt = clock.monotonic();
    const settled = await this.#settle();
    const { page, trimmedId } = await announcements.read(this.#place, this.#missing.ids, pageSize);
    if (trimmedId > this.readId) this.#behind ??= "what it has not read was deleted: it was paused or cut off for long";
    for (const { id, kind, body } of page) {
      if (this.#missing.size + id - this.#place > maxMissing) this.#behind ??= "too many announcements are missing";
      if (this.#behind !== null) return this.#resynchronize(this.#behind);
      await this.#take(id, kind, body);
    }
    if (this.#behind !== null) return this.#resynchronize(this.#behind);
    const readTo = page.length < pageSize ? Number.POSITIVE_INFINITY : page.at(-1)!.id;
    for (const id of settled) if (id <= readTo) this.#drop(id);
    this.#polledAt = startedAt;
    return page.length === pageSize;
  }

  /** @returns the missing numbers that nobody can write any more */
  async #settle(): Promise<readonly number[]> {
    const isWaiting = this.#missing.size + this.#earlier.size > 0;
    const writers = isWaiting ? await this.#dependencies.announcements.writers() : [];
    const { settled, awaited } = this.#missing.narrow(writers);
    this.#awaited.update(writers.filter(({ key }) => awaited.has(key) || this.#earlier.has(key)));
    if (this.#earlier.difference(keysOf(writers)).size > 0) this.#behind ??= "a change from before its beginning was committed late";
    return settled;
  }

  async #take(id: number, kind: string, body: string | null): Promise<void> {
    const { listeners, log } = this.#dependencies;
    const isDelivered = (await this.#heard.get(id)) === true;
    // The reader's own have no body.
    if (!isDelivered && body !== null) {
      const isKnown = await listeners.announced(id, kind, JSON.parse(body));
      if (!isKnown) log.debug({ kind }, "ignored an announcement of a newer node");
      this.counts.heardByPoll += 1;
    }
    this.#heard.delete(id);
    if (id < this.#place) this.#missing.found(id);
    else {
      this.#missing.add(this.#place, id);
      this.#place = id;
    }
  }

  #drop(id: number): void {
    this.#missing.found(id);
    this.#heard.delete(id);
  }

  /** Makes the listeners read from the tables the changes that they may have missed. @returns false: nothing is left to read */
  async #resynchronize(reason: string): Promise<false> {
    const { listeners, log } = this.#dependencies;
    log.warn({ reason }, "this node reads everything anew that others may have changed");
    await this.#beginAtEnd();
    await listeners.missed();
    this.#behind = null;
    this.counts.resynchronized += 1;
    log.info("this node has read everything anew");
    return false;
  }

  async #beginAtEnd(): Promise<void> {
    const { announcements, clock } = this.#dependencies;
    const place = await announcements.lastId();
    let earlier = keysOf(await announcements.writers());
    for (const until = clock.monotonic() + settleMs; earlier.size > 0 && clock.monotonic() < until;) {
      await clock.wait(settleEveryMs);
      earlier = earlier.intersection(keysOf(await announcements.writers()));
    }
    this.#place = place;
    this.#earlier = earlier;
    this.#missing.clear();
    for (const id of this.#heard.keys()) if (id <= place) this.#heard.delete(id);
    this.#polledAt = clock.monotonic();
  }
}

function keysOf(writers: readonly Writer[]): Set<string> {
  return new Set(writers.map(({ key }) => key));
}
