// Holds the duties of a service on one node at a time: takes the lease, renews it, and runs the duties' loops while it lasts.
import { Signal } from "../../../base/async/signal.ts";
import { unlessAborted } from "../../../base/async/unless-aborted.ts";
import type { Clock } from "../../../base/clock.ts";
import { isAbort, isFault, isOutlived, reasonOf } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import { runUnder, type Lease } from "./fence.ts";
import { renewMs, type Leases } from "./leases.ts";
import type { Loop } from "../nodes.ts";
import { waitOutErrors } from "../wait-out.ts";

const leaseName = "duties";

/** A lease while it is this node's. */
interface Held {
  lease: Lease;
  /** Until when it lasts at least, monotonic ms: counted from before the request that renewed it. */
  until: number;
  /** Aborts when it is lost. */
  lost: AbortController;
}

export class Duties {
  readonly #dependencies: { clock: Clock; log: Log; leases: Leases };
  #held: Held | null = null;
  /** The newest lease, also after it was lost. */
  #last: Lease | null = null;
  /** Resolves when this node has the duties; replaced when it loses them. */
  #taken = Promise.withResolvers<Held>();
  readonly #wake = new Signal();

  constructor(dependencies: { clock: Clock; log: Log; leases: Leases }) {
    this.#dependencies = dependencies;
  }

  get isHeld(): boolean {
    return this.#held !== null;
  }

  /** Tries again at once: another node has given the duties back. */
  wake(): void {
    this.#wake.notify();
  }

  /** Takes and renews the lease until `signal` aborts; rejects with an AbortError then. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock, log } = this.#dependencies;
    try {
      for (;;) {
        if (this.#held !== null && clock.monotonic() >= this.#held.until) this.#lose("it could not be renewed in time");
        await this.#step().catch((error: unknown) => {
          if (!isOutlived(error)) throw error;
          const about = { reason: reasonOf(error) };
          log[isFault(error, "store-refused") ? "error" : "debug"](about, "the lease of the duties cannot be renewed");
        });
        const leftMs = this.#held === null ? renewMs : Math.min(renewMs, this.#held.until - clock.monotonic());
        await this.#wake.wait(clock, leftMs, signal);
      }
    } finally {
      this.#lose("the node stops");
    }
  }

  async #step(): Promise<void> {
    const { clock, leases, log } = this.#dependencies;
    const until = clock.monotonic() + leases.lastMs;
    const held = this.#held;
    if (held !== null) {
      if (await leases.renew(held.lease)) held.until = until;
      else this.#lose("it has ended");
      return;
    }
    const lease = await leases.take(leaseName);
    if (lease === null) return;
    this.#last = lease;
    this.#held = { lease, until, lost: new AbortController() };
    log.info({ lease: lease.token }, "this node has the duties");
    this.#taken.resolve(this.#held);
  }

  #lose(reason: string): void {
    if (this.#held === null) return;
    const { lease, lost } = this.#held;
    this.#held = null;
    this.#taken = Promise.withResolvers();
    this.#dependencies.log.info({ lease: lease.token, reason }, "this node has the duties no more");
    lost.abort(new DOMException("the lease is lost", "AbortError"));
  }

  /** `loop`, as {@link Nodes.asDuty} describes. */
  loop(name: string, loop: Loop): Loop {
    const { clock, log } = this.#dependencies;
    const underLease: Loop = async (signal) => {
      for (;;) {
        const held = await this.#whenHeld(signal);
        try {
          return await runUnder(held.lease, () => loop(AbortSignal.any([signal, held.lost.signal])));
        } catch (error) {
          signal.throwIfAborted();
          if (isFault(error, "lease-lost")) {
            log.warn({ loop: name, reason: reasonOf(error) }, "a duty ended");
            // A fenced write may notice the loss before the renewal does.
            if (this.#held === held) this.#lose("a write was refused");
            this.#wake.notify();
          } else if (!held.lost.signal.aborted || !isAbort(error)) throw error;
        }
      }
    };
    return waitOutErrors(name, underLease, { clock, log });
  }

  async #whenHeld(signal: AbortSignal): Promise<Held> {
    return this.#held ?? unlessAborted(this.#taken.promise, signal);
  }

  /** Gives the lease back. To be called after the loops have ended. @throws Fault `store-unavailable`. */
  async release(): Promise<void> {
    if (this.#last !== null) await this.#dependencies.leases.release(this.#last);
    this.#last = null;
  }
}
