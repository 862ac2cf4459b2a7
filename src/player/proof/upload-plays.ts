// Uploads play events in batches. Finds the events that make the service refuse a batch, and sets them aside.
import type { Log } from "../../base/log.ts";
import { maxEventsInBatch, type PlayEvent } from "../../protocol/device/play-events.ts";
import { HttpFault } from "../link/service-http.ts";
import { deliverBatch, type DeliverPlays } from "./deliver-plays.ts";

/** Keeps events that the service refuses for good, and reports their loss. */
export type SetPlaysAside = (events: readonly PlayEvent[], reason: string) => Promise<void>;

// Retries take about half a minute until then: a service that has just started may refuse everything for a moment.
const maxRefusalsTogether = 5;
const maxRefusalsAlone = 10;
// Parts of a batch that are refused before the first one is accepted. After so many, the fault is the service's.
const maxRefusedParts = 16;

/** Remembers between attempts which of the same events the service has accepted or refused. */
export class PlayUploader {
  readonly #log: Log;
  readonly #setAside: SetPlaysAside;
  /** How often the service has refused the events in a row. */
  #refusals = 0;
  /** Ids of the events that the service has, or that are set aside. */
  readonly #done = new Set<string>();
  /** How often the service refused an event that was sent alone, while it accepted others. */
  readonly #refusedAlone = new Map<string, number>();

  constructor(log: Log, setAside: SetPlaysAside) {
    this.#log = log;
    this.#setAside = setAside;
  }

  /**
   * True if the service has refused the events again and again. The next {@link upload} splits them, and needs some that the service
   * accepts: only then are the others set aside. Pass the following events too.
   */
  get isStuck(): boolean {
    return this.#refusals >= maxRefusalsTogether;
  }

  /** Resolves once the service has the events, or they are set aside. Rejects if the same events should be uploaded again later. */
  async upload(events: readonly PlayEvent[], deliver: DeliverPlays, signal: AbortSignal): Promise<void> {
    const send = (part: readonly PlayEvent[]): Promise<HttpFault | null> => this.#send(part, deliver, signal);
    if (this.isStuck) await this.#uploadParts(events, send);
    else {
      for (const batch of batchesOf(this.#openOf(events))) {
        const refusal = await send(batch);
        if (refusal === null) continue;
        this.#refusals += refusal.isPermanent ? maxRefusalsTogether : 1;
        throw refusal;
      }
    }
    this.#refusals = 0;
    this.#done.clear();
    this.#refusedAlone.clear();
  }

  /** Halves the parts that are refused until each refused event is alone. */
  async #uploadParts(events: readonly PlayEvent[], send: (part: readonly PlayEvent[]) => Promise<HttpFault | null>): Promise<void> {
    const open = this.#openOf(events);
    const isSuspect = ({ id }: PlayEvent): boolean => this.#refusedAlone.has(id);
    const unknown = open.filter((event) => !isSuspect(event));
    // Without an event of which nothing is known, one that the service already has shows whether it accepts any.
    const probe = unknown.length === 0 ? events.filter(({ id }) => this.#done.has(id)).slice(0, 1) : [];
    const parts = [...batchesOf(unknown), ...batchesOf(probe), ...open.filter(isSuspect).map((event) => [event])];
    const refused: { event: PlayEvent; refusal: HttpFault }[] = [];
    let acceptedParts = 0;
    let refusedParts = 0;
    // The parts are sent in the order of their size, so that a few refused events cannot hide those that are accepted.
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const refusal = await send(part);
      if (refusal === null) {
        acceptedParts += 1;
        continue;
      }
      refusedParts += 1;
      if (acceptedParts === 0 && refusedParts >= maxRefusedParts) throw refusal;
      const middle = Math.ceil(part.length / 2);
      if (part.length > 1) parts.push(part.slice(0, middle), part.slice(middle));
      else if (!this.#done.has(part[0]!.id)) refused.push({ event: part[0]!, refusal });
    }
    await this.#judge(refused, acceptedParts > 0);
  }

  /** Sets the refused events aside once each was refused often enough. Rejects if they should be sent again. */
  async #judge(refused: readonly { event: PlayEvent; refusal: HttpFault }[], isAccepting: boolean): Promise<void> {
    const last = refused.at(-1)?.refusal;
    if (last === undefined) return;
    if (!isAccepting) throw last;
    for (const { event, refusal } of refused) {
      this.#refusedAlone.set(event.id, (this.#refusedAlone.get(event.id) ?? 0) + (refusal.isPermanent ? maxRefusalsAlone : 1));
    }
    const final = refused.filter(({ event }) => this.#refusedAlone.get(event.id)! >= maxRefusalsAlone).map(({ event }) => event);
    if (final.length > 0) await this.#finish(final, last.message);
    if (final.length < refused.length) throw last;
  }

  /** Resolves to null once the service has accepted the events, or to the reason for which it refuses them. */
  async #send(events: readonly PlayEvent[], deliver: DeliverPlays, signal: AbortSignal): Promise<HttpFault | null> {
    try {
      const { accepted, duplicates, rejected } = await deliverBatch(events, deliver, signal);
      this.#log.debug({ accepted, duplicates }, "play events delivered");
      const invalid = rejected.flatMap(({ index }) => events[index] ?? []);
      if (invalid.length > 0) await this.#finish(invalid, JSON.stringify(rejected[0]?.errors));
      for (const { id } of events) this.#done.add(id);
      return null;
    } catch (error) {
      // Other faults say nothing about the events.
      if (error instanceof HttpFault && error.isAboutRequest) return error;
      throw error;
    }
  }

  async #finish(events: readonly PlayEvent[], reason: string): Promise<void> {
    await this.#setAside(events, reason);
    for (const { id } of events) this.#done.add(id);
  }

  #openOf(events: readonly PlayEvent[]): PlayEvent[] {
    return events.filter(({ id }) => !this.#done.has(id));
  }
}

function batchesOf(events: readonly PlayEvent[]): PlayEvent[][] {
  const count = Math.ceil(events.length / maxEventsInBatch);
  return Array.from({ length: count }, (_, index) => events.slice(index * maxEventsInBatch, (index + 1) * maxEventsInBatch));
}
