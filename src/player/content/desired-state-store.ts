// Gets the desired state from the service and keeps the newest durably, to play it while the service is away.
import { join } from "node:path";
import { Listeners } from "../../base/async/listeners.ts";
import { retry } from "../../base/async/retry.ts";
import { unlessAborted } from "../../base/async/unless-aborted.ts";
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { DurableFile } from "../../base/files/durable-file.ts";
import { isReadFailure } from "../../base/files/system-error.ts";
import { Fault, reasonOf } from "../../base/fault.ts";
import { Observable, type Watchable } from "../../base/async/observable.ts";
import type { Log } from "../../base/log.ts";
import { DesiredState } from "../../protocol/device/desired-state.ts";
import { DiskHealth } from "../storage/disk-health.ts";
import { StoredValue } from "../storage/stored-value.ts";
import type { AccessTokens } from "../link/access.ts";
import type { ServiceApi } from "../link/service-api.ts";

// Polling finds a change whose hint over the socket was lost. The spread keeps a fleet from polling in step.
const pollMs = 300_000;
const pollSpread = 0.2;
const backoffBounds = { firstMs: 1_000, longestMs: 60_000 };

/** The states that the service has sent, as far as the disk had them at the start. */
export interface ReceivedStates {
  /** Null if there is none. */
  newest: DesiredState | null;
  /** The state before the newest one, also of earlier runs; null if there is none. */
  previous: DesiredState | null;
  /** True if the disk failed to read one of them, so that a null may stand for a state. */
  isUnread: boolean;
}

/** `current` is null until the player has received a state. A state whose `layout` is null is an empty one. */
export class DesiredStateStore {
  readonly #previous: DesiredState | null;
  /** True if the disk failed to read a state when the store was opened. */
  readonly #isUnread: boolean;
  readonly #stored: StoredValue<DesiredState>;
  readonly #current: Observable<DesiredState | null>;
  readonly #playerId: string;
  readonly #log: Log;
  readonly #changed = new Signal();
  #mustFetch = false;
  #isFetching = false;
  /** A state that the service has sent and that is not stored yet. */
  #sent: DesiredState | null = null;
  /** How many fetches have begun. */
  #begun = 0;
  readonly #fetched = new Listeners<{ number: number; error: unknown }>();

  private constructor(stored: StoredValue<DesiredState>, previous: DesiredState | "unread" | null, playerId: string, log: Log) {
    const own = (state: DesiredState | null): DesiredState | null => (state?.player.id === playerId ? state : null);
    this.#previous = previous === "unread" ? null : own(previous);
    this.#isUnread = stored.isUnread || previous === "unread";
    this.#stored = stored;
    this.#current = new Observable(own(stored.value));
    this.#playerId = playerId;
    this.#log = log;
  }

  /** Reads the state stored in `folder`: the previous one if the newest is damaged, none if it is another player's. */
  static async open(folder: string, playerId: string, log: Log, disk = new DiskHealth(log)): Promise<DesiredStateStore> {
    const file = new DurableFile(join(folder, "desired.json"), (json) => DesiredState.parse(json));
    const previous = await file.readPrevious().catch((error: unknown) => {
      if (!isReadFailure(error)) throw error;
      disk.unreadable("desired.json.previous", error, () => file.readPrevious());
      return "unread" as const;
    });
    return new DesiredStateStore(await StoredValue.open(file, disk, "fetching the state again"), previous, playerId, log);
  }

  /** Changes the player id of the state stored in `folder`, so that a player that got a new id keeps its content. */
  static async reassign(folder: string, fromId: string, toId: string, log: Log, disk = new DiskHealth(log)): Promise<void> {
    if (fromId === toId) return;
    const store = await DesiredStateStore.open(folder, fromId, log, disk);
    const stored = store.current.value;
    if (stored !== null) await store.#stored.set({ ...stored, player: { ...stored.player, id: toId } });
  }

  /** The states for the restore of the content at the start. */
  get received(): ReceivedStates {
    return { newest: this.#current.value, previous: this.#previous, isUnread: this.#isUnread };
  }

  get current(): Watchable<DesiredState | null> {
    return this.#current;
  }

  /**
   * The service has named its newest revision: unless that is the current one, its state is fetched now.
   * @param sent the state itself, which then need not be fetched; null: the service has not sent it.
   */
  hear(revision: string, sent: DesiredState | null): void {
    // The stored one becomes the current one when it is durable.
    const newest = this.#sent?.revision ?? this.#stored.value?.revision;
    // The state that a running fetch brings is unknown: it may be the one before this one.
    if (revision === newest && !this.#isFetching) return;
    const isOwn = sent?.revision === revision && sent.player.id === this.#playerId;
    if (isOwn && !this.#isFetching) this.#sent = sent;
    else this.#mustFetch = true;
    this.#changed.notify();
  }

  /** Fetches the state now. Resolves once a fetch that begins after this call has succeeded; rejects if it fails, or when `signal` aborts. */
  async fetchNow(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const before = this.#begun;
    const over = new AbortController();
    const fetched = new Promise<void>((resolve, reject) => {
      this.#fetched.add(({ number, error }) => {
        if (number <= before) return;
        if (error === null) resolve();
        else reject(error);
      }, over.signal);
    });
    this.#mustFetch = true;
    this.#changed.notify();
    try {
      await unlessAborted(fetched, signal);
    } finally {
      over.abort();
    }
  }

  /** Fetches at once, on request and every five minutes, until `signal` aborts. @throws Fault `revoked`. */
  async run(api: ServiceApi, accessTokens: AccessTokens, clock: Clock, signal: AbortSignal): Promise<never> {
    const wait = (ms: number): Promise<void> => this.#changed.wait(clock, ms, signal);
    const onFailure = (error: unknown, retryInMs: number): void =>
      this.#log.warn({ reason: reasonOf(error), retry_in_ms: retryInMs }, "the state could not be fetched");
    for (;;) {
      await retry(() => this.#fetch(api, accessTokens, signal), { clock, bounds: backoffBounds, onFailure, wait, signal });
      await this.#untilFetchIsDue(clock, signal);
    }
  }

  /** Keeps the states that the service sends, until the next one has to be fetched. Rejects with an AbortError when `signal` aborts. */
  async #untilFetchIsDue(clock: Clock, signal: AbortSignal): Promise<void> {
    const pollAt = (): number => clock.monotonic() + pollMs * (1 + pollSpread * (2 * Math.random() - 1));
    let dueAt = pollAt();
    while (!this.#mustFetch) {
      const sent = this.#sent;
      this.#sent = null;
      if (sent !== null) {
        await this.#keep(sent);
        dueAt = pollAt();
      }
      const leftMs = dueAt - clock.monotonic();
      if (leftMs <= 0) return;
      await this.#changed.wait(clock, leftMs, signal);
    }
  }

  /** If the received state was lost, continues with the newest complete one. */
  async continueWith(complete: DesiredState | null): Promise<void> {
    if (complete === null || this.#current.value !== null) return;
    // A file that could only not be read may have a newer one.
    if (!this.#stored.isUnread) await this.#stored.set(complete);
    this.#current.set(complete);
  }

  /** Removes the state, after a revocation. */
  async purge(): Promise<void> {
    await this.#stored.set(null);
    this.#current.set(null);
  }

  /** Writes the state if it could not be written before or was deleted from the disk. */
  save(): Promise<void> {
    return this.#stored.save();
  }

  async #fetch(api: ServiceApi, accessTokens: AccessTokens, signal: AbortSignal): Promise<void> {
    this.#begun += 1;
    const number = this.#begun;
    this.#mustFetch = false;
    this.#sent = null;
    this.#isFetching = true;
    try {
      await this.#fetchState(api, accessTokens, signal);
      this.#fetched.notify({ number, error: null });
    } catch (error) {
      this.#fetched.notify({ number, error });
      throw error;
    } finally {
      this.#isFetching = false;
    }
  }

  async #fetchState(api: ServiceApi, accessTokens: AccessTokens, signal: AbortSignal): Promise<void> {
    const etag = this.#current.value === null ? null : `"${this.#current.value.revision}"`;
    const response = await accessTokens.withToken(signal, (token) => api.state(token, etag, signal));
    if (response.is === "unchanged") return;
    const { desired } = response;
    if (desired.player.id !== this.#playerId) throw new Fault("protocol", `the state is for another screen, ${desired.player.id}`);
    await this.#keep(desired);
  }

  async #keep(desired: DesiredState): Promise<void> {
    await this.#stored.set(desired);
    this.#log.info({ revision: desired.revision }, "state received");
    this.#current.set(desired);
  }
}
