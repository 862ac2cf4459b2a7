// Finds the way back when the service answers with another key: the player plays on, and after a day of that over valid TLS
// it asks for a code, by which an operator may have it believe the new key.
import { join } from "node:path";
import { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import { DurableFile } from "../../base/files/durable-file.ts";
import { Fault, isAbort, isFault, reasonOf } from "../../base/fault.ts";
import { Observable } from "../../base/async/observable.ts";
import type { Log } from "../../base/log.ts";
import type { PairingRequest } from "../../protocol/device/messages.ts";
import type { Identity, Pairing } from "./identity.ts";
import { pair, type PairingState } from "./pairing.ts";
import type { ServiceApi } from "../link/service-api.ts";

// For so long, not counting when the player was off or the service silent, a service that was restored wrongly can be put right.
const patienceMs = 86_400_000;
// The link asks for a token at least once a minute: between answers that are further apart nothing is known of the key.
const longestGapMs = 120_000;
// What a power cut may cost of the count.
const keptEveryMs = 600_000;

const Heard = z.object({ serviceKey: z.string().max(64), heardMs: z.number().min(0).max(patienceMs) });
type Heard = z.infer<typeof Heard>;

export interface ServiceKeyChangeDependencies {
  folder: string;
  pairing: Pairing;
  api: ServiceApi;
  identity: Identity;
  clock: Clock;
  log: Log;
  /** What the box says of itself. */
  describe(): Promise<Omit<PairingRequest, "public_key">>;
  /** The code on the glass has changed. */
  onChange: () => void;
}

export class ServiceKeyChange {
  readonly #parts: ServiceKeyChangeDependencies;
  readonly #file: DurableFile<Heard>;
  readonly #state = new Observable<PairingState>({ is: "asking", trouble: null });
  /** The key whose claim is asked for; null while it is not time. */
  readonly #due: Observable<string | null>;
  #heard: Heard | null;
  #heardAt: number | null = null;
  #unkeptMs = 0;
  #claimed: Pairing | null = null;

  private constructor(parts: ServiceKeyChangeDependencies, file: DurableFile<Heard>, heard: Heard | null) {
    this.#parts = parts;
    this.#file = file;
    this.#heard = heard;
    this.#due = new Observable(isDue(heard) ? heard!.serviceKey : null);
  }

  /** Reads how long another key has been heard. A damaged file counts as none: the day begins anew. */
  static async open(parts: ServiceKeyChangeDependencies): Promise<ServiceKeyChange> {
    const file = new DurableFile<Heard>(join(parts.folder, "other-key.json"), (json) => Heard.parse(json));
    try {
      const read = await file.read();
      return new ServiceKeyChange(
        parts,
        file,
        read.is === "found" && read.value.serviceKey !== parts.pairing.serviceKey ? read.value : null,
      );
    } catch (error) {
      if (!isFault(error, "file-corrupt")) throw error;
      parts.log.warn({ reason: reasonOf(error) }, "how long another key was heard is forgotten");
      return new ServiceKeyChange(parts, file, null);
    }
  }

  /** The code to show in a corner of the screen; null: none. */
  get claimCode(): string | null {
    return this.#due.value !== null && this.#state.value.is === "code" ? this.#state.value.code : null;
  }

  /**
   * Takes in the key that the service answered with. Only what came over TLS counts. Durations are those of the monotonic
   * clock: a wall clock that leaps brings nothing forward.
   */
  async observeKey(key: string): Promise<void> {
    const { pairing, clock, log } = this.#parts;
    if (key === pairing.serviceKey) return this.reset();
    if (!this.#isProven()) return;
    const now = clock.monotonic();
    if (this.#heard?.serviceKey !== key) {
      log.warn({ key, pinned: pairing.serviceKey }, "the service answers with another key: what plays goes on, nothing else of it counts");
      this.#heard = { serviceKey: key, heardMs: 0 };
      this.#heardAt = now;
      this.#due.set(null);
      return this.#keep();
    }
    const gapMs = this.#heardAt === null ? 0 : now - this.#heardAt;
    this.#heardAt = now;
    if (isDue(this.#heard) || gapMs > longestGapMs) return;
    this.#heard = { serviceKey: key, heardMs: Math.min(patienceMs, this.#heard.heardMs + gapMs) };
    this.#unkeptMs += gapMs;
    if (isDue(this.#heard) || this.#unkeptMs >= keptEveryMs) await this.#keep();
    if (isDue(this.#heard)) this.#due.set(key);
  }

  /** The pinned key is back, or the pairing is over: all is as if no other had been heard. */
  async reset(): Promise<void> {
    if (this.#heard === null) return;
    this.#parts.log.info({}, "the service answers with its own key again");
    this.#heard = null;
    this.#due.set(null);
    await this.#file.remove();
  }

  /**
   * Shows a code while it is time for one.
   * @throws Fault `reclaimed` once an operator has claimed it: {@link adoptClaimedPairing} is to follow; AbortError when `signal` aborts.
   */
  async run(signal: AbortSignal): Promise<never> {
    const { log, clock, onChange: changed } = this.#parts;
    this.#state.watch(changed, signal);
    this.#due.watch(changed, signal);
    for (;;) {
      const key = this.#due.value;
      const other = new AbortController();
      const end = AbortSignal.any([signal, other.signal]);
      this.#due.watch((due) => {
        if (due !== key) other.abort();
      }, end);
      try {
        if (key === null) await clock.wait(Number.POSITIVE_INFINITY, end);
        const paired = await pair({ ...this.#parts, state: this.#state }, end);
        if (paired.serviceKey === key && this.#isProven()) {
          this.#claimed = paired;
          throw new Fault("reclaimed", "an operator has claimed the player for another key of the service");
        }
        log.warn({ key: paired.serviceKey }, "a claim came with yet another key: it does not count");
      } catch (error) {
        if (!isAbort(error) || signal.aborted) throw error;
      } finally {
        other.abort();
        this.#state.set({ is: "asking", trouble: null });
      }
    }
  }

  /** Believes the key by which the code was claimed. Durable once this resolves. @returns the new pairing. */
  async adoptClaimedPairing(): Promise<Pairing> {
    const { identity, log } = this.#parts;
    if (this.#claimed === null) throw new TypeError("nothing was claimed");
    await identity.pair(this.#claimed);
    await this.#file.remove();
    log.warn({ player_id: this.#claimed.playerId, key: this.#claimed.serviceKey }, "claimed anew: the service's new key is pinned");
    return this.#claimed;
  }

  #isProven(): boolean {
    return this.#parts.api.server.protocol === "https:";
  }

  async #keep(): Promise<void> {
    this.#unkeptMs = 0;
    try {
      if (this.#heard !== null) await this.#file.write(this.#heard);
    } catch (error) {
      // A full disk only makes the day longer: the player goes on counting in memory.
      this.#parts.log.warn({ reason: reasonOf(error) }, "how long another key was heard cannot be written down");
    }
  }
}

function isDue(heard: Heard | null): boolean {
  return heard !== null && heard.heardMs >= patienceMs;
}
