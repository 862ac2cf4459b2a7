// Delivers the announcements of other nodes to this node's listeners: from messages at once, from the database in any case.
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { Fault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { type AnnouncementLog, isAfter, keepMs, type Place } from "./announcement-log.ts";
import type { NodeListeners } from "./node-listeners.ts";

interface ReaderDependencies {
  announcements: AnnouncementLog;
  listeners: NodeListeners;
  clock: Clock;
  log: Log;
  /** How long to wait between two polls, ms. */
  pollMs: () => number;
}

const pageSize = 500;

export class AnnouncementReader {
  readonly #dependencies: ReaderDependencies;
  /** All announcements up to here were delivered. */
  #place: Place;
  /** Those after it that a message has announced; whether they were delivered. */
  readonly #heard = new Map<string, Promise<boolean>>();
  readonly #wake = new Signal();
  #polledAt: number;
  readonly counts = { heardByMessage: 0, heardByPoll: 0 };

  private constructor(dependencies: ReaderDependencies, place: Place) {
    this.#dependencies = dependencies;
    this.#place = place;
    this.#polledAt = dependencies.clock.monotonic();
  }

  /** Begins at the end: what was announced before is in the database, which this node has not read yet. */
  static async open(dependencies: ReaderDependencies): Promise<AnnouncementReader> {
    return new AnnouncementReader(dependencies, await dependencies.announcements.end());
  }

  /** When the last poll succeeded, monotonic ms. */
  get polledAt(): number {
    return this.#polledAt;
  }

  /** Polls at once: messages may have been lost. */
  wake(): void {
    this.#wake.notify();
  }

  /** Delivers what a message announces. Never rejects: what fails is delivered by the next poll. */
  async hear(place: Place, kind: string, body: unknown): Promise<void> {
    const key = keyOf(place);
    if (!isAfter(place, this.#place) || this.#heard.has(key)) return;
    const delivered = this.#deliverHeard(place, kind, body);
    this.#heard.set(key, delivered);
    await delivered;
  }

  /** @returns whether the listeners have handled it. */
  async #deliverHeard({ id }: Place, kind: string, body: unknown): Promise<boolean> {
    try {
      await this.#dependencies.listeners.announced(id, kind, body);
      this.counts.heardByMessage += 1;
      return true;
    } catch (error) {
      this.#dependencies.log.debug({ kind, reason: reasonOf(error) }, "an announcement is delivered again");
      return false;
    }
  }

  /** Polls until `signal` aborts; rejects with an AbortError then. @throws Fault `store-unavailable`; `node-behind`. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock, pollMs } = this.#dependencies;
    for (;;) {
      while (await this.#poll()) signal.throwIfAborted();
      await this.#wake.wait(clock, pollMs(), signal);
    }
  }

  /** @returns whether there are more. */
  async #poll(): Promise<boolean> {
    const { announcements, clock, listeners, log } = this.#dependencies;
    const from = this.#place;
    const startedAt = clock.monotonic();
    const page = await announcements.readAfter(from, pageSize);
    if (await announcements.isTrimmedAfter(from)) {
      const minutes = keepMs / 60_000;
      throw new Fault(
        "node-behind",
        `this node has not read for ${minutes} minutes what others changed, so its memory is out of date: start it again`,
      );
    }
    for (const { xid, id, kind, body } of page) {
      const place = { xid, id };
      const key = keyOf(place);
      const isDelivered = (await this.#heard.get(key)) === true;
      // The reader's own have no body.
      if (!isDelivered && body !== null) {
        const isKnown = await listeners.announced(id, kind, JSON.parse(body));
        if (!isKnown) log.debug({ kind }, "ignored an announcement of a newer node");
        this.counts.heardByPoll += 1;
      }
      this.#heard.delete(key);
      this.#place = place;
    }
    this.#polledAt = startedAt;
    return page.length === pageSize;
  }
}

function keyOf({ xid, id }: Place): string {
  return `${xid}/${id}`;
}
