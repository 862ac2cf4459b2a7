// Handles a service that uses another key than the pinned one. The player keeps playing, and after a day of that key over TLS it
// shows a code, by which an operator can make it accept the new key.
import { join } from "node:path";
import { z } from "zod";
import { isReadFailure } from "../../base/files/system-error.ts";
import { DurableFile } from "../../base/files/durable-file.ts";
import { Fault, isAbort, isFault, reasonOf } from "../../base/fault.ts";
import { Observable } from "../../base/async/observable.ts";
import { dayMs, minuteMs } from "../../base/time.ts";
import type { DiskHealth } from "../storage/disk-health.ts";
import { pair, type PairingDependencies, type PairingState } from "./pairing.ts";
import type { Pairing } from "./identity.ts";

// How long another key must be in use before it can be claimed: time for operators to repair a service that was restored wrongly.
// Time when the player is off or the service does not answer is not counted.
const patienceMs = dayMs;
// The player requests a token at least once a minute. A longer gap between two responses does not count.
const longestGapMs = 2 * minuteMs;
// A power cut loses at most this much of the count.
const saveEveryMs = 10 * minuteMs;

/** The name of the record in reports about the disk. */
const what = "other key of the service";

const ObservedKey = z.object({ serviceKey: z.string().max(64), heardMs: z.number().min(0).max(patienceMs) });
/** Another key than the pinned one. `heardMs`: for how long the service has answered with it, long gaps excluded. */
type ObservedKey = z.infer<typeof ObservedKey>;

export interface ServiceKeyChangeDependencies extends Omit<PairingDependencies, "state"> {
  folder: string;
  disk: DiskHealth;
  /** Called when the claim code has changed. */
  onChange: () => void;
}

export class ServiceKeyChange {
  readonly #pairing: Pairing;
  readonly #dependencies: ServiceKeyChangeDependencies;
  readonly #file: DurableFile<ObservedKey>;
  readonly #pairingState = new Observable<PairingState>({ is: "asking", trouble: null });
  /** The key that an operator may claim now; null until it has been observed for a day. */
  readonly #claimableKey: Observable<string | null>;
  #observed: ObservedKey | null;
  #observedAt: number | null = null;
  #unsavedMs = 0;
  #claimed: Pairing | null = null;

  private constructor(
    pairing: Pairing,
    dependencies: ServiceKeyChangeDependencies,
    file: DurableFile<ObservedKey>,
    observed: ObservedKey | null,
  ) {
    this.#pairing = pairing;
    this.#dependencies = dependencies;
    this.#file = file;
    this.#observed = observed;
    this.#claimableKey = new Observable(observed !== null && isClaimable(observed) ? observed.serviceKey : null);
  }

  /** Reads for how long another key has been observed. With a damaged file the day starts again. */
  static async open(pairing: Pairing, dependencies: ServiceKeyChangeDependencies): Promise<ServiceKeyChange> {
    const { folder, log, disk } = dependencies;
    const file = new DurableFile<ObservedKey>(join(folder, "other-key.json"), (json) => ObservedKey.parse(json));
    try {
      const read = await file.read();
      const isOther = read.is === "found" && read.value.serviceKey !== pairing.serviceKey;
      return new ServiceKeyChange(pairing, dependencies, file, isOther ? read.value : null);
    } catch (error) {
      // Opened again with the session once it can be read.
      if (isReadFailure(error)) disk.unreadable(what, error, () => file.read());
      else if (!isFault(error, "file-corrupt")) throw error;
      log.warn({ reason: reasonOf(error) }, "the record of the service's other key cannot be used: counting from zero");
      return new ServiceKeyChange(pairing, dependencies, file, null);
    }
  }

  /** The code to show in a corner of the screen; null: none. */
  get claimCode(): string | null {
    const state = this.#pairingState.value;
    return this.#claimableKey.value !== null && state.is === "code" ? state.code : null;
  }

  /**
   * Records the key of a token response. Another key counts only over TLS. Durations are measured on the monotonic
   * clock, so steps of the wall clock do not shorten the day.
   */
  async observeKey(key: string): Promise<void> {
    const { clock, log } = this.#dependencies;
    const pinned = this.#pairing.serviceKey;
    if (key === pinned) {
      if (this.#observed !== null) log.info({}, "the service uses the pinned key again");
      return this.reset();
    }
    if (!this.#isOverTls()) return;
    const now = clock.monotonic();
    if (this.#observed?.serviceKey !== key) {
      log.warn({ key, pinned }, "the service uses another key: keep playing, trust nothing else from it");
      this.#observed = { serviceKey: key, heardMs: 0 };
      this.#observedAt = now;
      this.#claimableKey.set(null);
      return this.#save();
    }
    const gapMs = this.#observedAt === null ? 0 : now - this.#observedAt;
    this.#observedAt = now;
    if (isClaimable(this.#observed) || gapMs > longestGapMs) return;
    this.#observed = { serviceKey: key, heardMs: Math.min(patienceMs, this.#observed.heardMs + gapMs) };
    this.#unsavedMs += gapMs;
    if (isClaimable(this.#observed) || this.#unsavedMs >= saveEveryMs) await this.#save();
    if (isClaimable(this.#observed)) this.#claimableKey.set(key);
  }

  /** Forgets the other key: the service uses the pinned key again, or the pairing has ended. */
  async reset(): Promise<void> {
    if (this.#observed === null) return;
    this.#observed = null;
    this.#claimableKey.set(null);
    await this.#removeFile();
  }

  /**
   * Shows a code while there is a key to claim.
   * @throws Fault `reclaimed` when an operator has claimed it: call {@link adoptClaimedPairing} then; AbortError.
   */
  async run(signal: AbortSignal): Promise<never> {
    const { log, clock, onChange } = this.#dependencies;
    this.#pairingState.watch(onChange, signal);
    this.#claimableKey.watch(onChange, signal);
    for (;;) {
      const key = this.#claimableKey.value;
      const keyChanged = new AbortController();
      const end = AbortSignal.any([signal, keyChanged.signal]);
      this.#claimableKey.watch((claimable) => {
        if (claimable !== key) keyChanged.abort();
      }, end);
      try {
        if (key === null) await clock.wait(Number.POSITIVE_INFINITY, end);
        const pairing = await pair({ ...this.#dependencies, state: this.#pairingState }, end);
        if (pairing.serviceKey === key && this.#isOverTls()) {
          this.#claimed = pairing;
          throw new Fault("reclaimed", "an operator has claimed the screen for the service's new key");
        }
        log.warn({ key: pairing.serviceKey }, "ignored a claim: the service has used yet another key for it");
      } catch (error) {
        if (!isAbort(error) || signal.aborted) throw error;
      } finally {
        keyChanged.abort();
        this.#pairingState.set({ is: "asking", trouble: null });
      }
    }
  }

  /** Pins the claimed key. Durable once this resolves. @returns the new pairing. */
  async adoptClaimedPairing(): Promise<Pairing> {
    const { identity, log } = this.#dependencies;
    if (this.#claimed === null) throw new TypeError("nothing was claimed");
    await identity.pair(this.#claimed);
    await this.#removeFile();
    log.warn({ player_id: this.#claimed.playerId, key: this.#claimed.serviceKey }, "claimed again: the service's new key is pinned");
    return this.#claimed;
  }

  #isOverTls(): boolean {
    return this.#dependencies.api.server.protocol === "https:";
  }

  async #save(): Promise<void> {
    this.#unsavedMs = 0;
    const observed = this.#observed;
    // A full disk only lengthens the day: the player keeps counting in memory.
    if (observed !== null) await this.#dependencies.disk.attempt(what, () => this.#file.write(observed));
  }

  async #removeFile(): Promise<void> {
    await this.#dependencies.disk.attempt(what, () => this.#file.remove());
  }
}

function isClaimable({ heardMs }: ObservedKey): boolean {
  return heardMs >= patienceMs;
}
