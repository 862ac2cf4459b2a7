// Keeps this node's lease and knows which other nodes live.
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { renewMs, type Leases } from "./leases.ts";

interface MembershipDependencies {
  leases: Leases;
  host: string;
  /** Up to which number this node has read the announcements. */
  readId: () => number;
  clock: Clock;
  log: Log;
}

export class Membership {
  readonly #dependencies: MembershipDependencies;
  #live: ReadonlySet<string> = new Set();
  /** Until when this node's lease lasts at least, monotonic ms. */
  #until = Number.NEGATIVE_INFINITY;
  /** Until when no node counts as gone, monotonic ms. */
  #graceUntil = Number.NEGATIVE_INFINITY;

  constructor(dependencies: MembershipDependencies) {
    this.#dependencies = dependencies;
  }

  /** The nodes whose lease lasts, as of the last renewal. */
  get live(): ReadonlySet<string> {
    return this.#live;
  }

  /** How long this node's lease lasts still, ms; negative when it has ended. */
  get leftMs(): number {
    return this.#until - this.#dependencies.clock.monotonic();
  }

  /** Renews this node's lease and learns of the others. @throws Fault `store-unavailable`. */
  async renew(): Promise<void> {
    const { clock, host, leases, log, readId } = this.#dependencies;
    const startedAt = clock.monotonic();
    // While the database was away, no node could renew: they have time to come back.
    if (this.#live.size > 0 && startedAt > this.#until) this.#graceUntil = startedAt + leases.lastMs;
    const renewed = await leases.renewNode(host, readId());
    const live = startedAt < this.#graceUntil ? renewed.union(this.#live) : renewed;
    for (const id of live.difference(this.#live)) log.info({ node: id, nodes: live.size }, "a node has joined");
    for (const id of this.#live.difference(live)) log.warn({ node: id, nodes: live.size }, "a node has gone: its lease has ended");
    this.#live = live;
    this.#until = startedAt + leases.lastMs;
  }

  /** Renews until `signal` aborts; rejects with an AbortError then. @throws Fault `store-unavailable`. */
  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.renew();
      await this.#dependencies.clock.wait(renewMs, signal);
    }
  }
}
