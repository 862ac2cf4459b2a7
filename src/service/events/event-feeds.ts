// The live events of each team that has subscribers: reads new events from the journal once, and sends them to all of them.
import type { Clock } from "../../base/clock.ts";
import { KeyedListeners } from "../../base/async/listeners.ts";
import { Signal } from "../../base/async/signal.ts";
import type { Nodes } from "../nodes/nodes.ts";
import type { Store } from "../store/store.ts";
import type { EventJournal } from "./event-journal.ts";
import type { Subscriber } from "./subscriber.ts";
import { eventMessage, type LiveEvent } from "./subscription.ts";

interface Feed {
  subscribers: Set<Subscriber>;
  /** All events up to here were sent. */
  seq: number;
}

export interface EventFeedsDependencies {
  store: Store;
  nodes: Nodes;
  events: EventJournal;
  clock: Clock;
}

const pageSize = 500;
const noSubscribers: ReadonlySet<Subscriber> = new Set();

export class EventFeeds {
  readonly #dependencies: EventFeedsDependencies;
  readonly #feeds = new Map<string, Feed>();
  readonly #committed = new Signal();
  /** The teams that have new events. */
  readonly #changed = new Set<string>();
  /** Called with a team's id when the team has new events. */
  readonly #listeners = new KeyedListeners<void>();

  constructor(dependencies: EventFeedsDependencies) {
    this.#dependencies = dependencies;
    const { events, nodes, store } = dependencies;
    store.onCommit((db) => this.#notify(events.teamsAppendedIn(db)));
    nodes.onAnnounced("events.appended", ({ teamIds }) => this.#notify(teamIds));
    nodes.onMissed(() => this.#notify([...this.#feeds.keys(), ...this.#listeners.keys()]));
  }

  /** The subscribers of all teams. */
  allSubscribers(): Subscriber[] {
    return [...this.#feeds.values()].flatMap(({ subscribers }) => [...subscribers]);
  }

  subscribersOf(teamId: string): ReadonlySet<Subscriber> {
    return this.#feeds.get(teamId)?.subscribers ?? noSubscribers;
  }

  /** Sends new events of its team to `subscriber` until its socket closes. */
  add(subscriber: Subscriber, lastSeq: number): void {
    const { teamId, ended } = subscriber;
    if (ended.aborted) return;
    const feed = this.#feeds.get(teamId) ?? { subscribers: new Set(), seq: lastSeq };
    this.#feeds.set(teamId, feed);
    feed.subscribers.add(subscriber);
    ended.addEventListener("abort", () => {
      feed.subscribers.delete(subscriber);
      if (feed.subscribers.size === 0) this.#feeds.delete(teamId);
    });
  }

  /** Calls `listener` when a team may have new events, until `signal` aborts. */
  onEvents(teamId: string, listener: () => void, signal: AbortSignal): void {
    this.#listeners.add(teamId, listener, signal);
  }

  /** Sends events after each commit until `signal` aborts; rejects with an AbortError then. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock } = this.#dependencies;
    for (;;) {
      await this.#committed.wait(clock, Infinity, signal);
      for (const teamId of this.#changed) {
        this.#changed.delete(teamId);
        this.#listeners.notify(teamId);
        await this.#sendNewEvents(teamId).catch((error: unknown) => {
          // The loop may begin again after an outage of the database.
          this.#notify([teamId]);
          throw error;
        });
      }
    }
  }

  #notify(teamIds: Iterable<string>): void {
    for (const teamId of teamIds) this.#changed.add(teamId);
    if (this.#changed.size > 0) this.#committed.notify();
  }

  async #sendNewEvents(teamId: string): Promise<void> {
    const { events, store } = this.#dependencies;
    const feed = this.#feeds.get(teamId);
    if (feed === undefined) return;
    for (;;) {
      const page = await events.readAfter(store.db, teamId, feed.seq, pageSize);
      const live: LiveEvent[] = [];
      for (const stored of page) {
        live.push({ stored, players: await events.playersInAudience(store.db, stored.audience), text: eventMessage(stored) });
      }
      for (const subscriber of feed.subscribers) subscriber.sendEvents(live);
      feed.seq = page.at(-1)?.seq ?? feed.seq;
      if (page.length < pageSize) return;
    }
  }
}
