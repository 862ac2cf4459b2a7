// The last revision that the service published and this player accepted, durable: what plays when the service is away.
import { join } from "node:path";
import { Backoff } from "../../base/async/backoff.ts";
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { DurableFile } from "../../base/files/durable-file.ts";
import { Fault, isAbort, isFault, reasonOf } from "../../base/fault.ts";
import { Observable, type Watchable } from "../../base/async/observable.ts";
import type { Log } from "../../base/log.ts";
import { DesiredState } from "../../protocol/device/desired-state.ts";
import type { AccessTokens } from "../link/access.ts";
import type { ServiceApi } from "../link/service-api.ts";

// The socket only hints; this finds what a lost hint hid. Spread so that a fleet does not poll in step.
const pollMs = 300_000;
const pollSpread = 0.2;
const backoffBounds = { firstMs: 1_000, longestMs: 60_000 };

/** Null means that this player never got a state; a state whose `layout` is null is a different thing: empty. */
export class DesiredStateStore {
  readonly #file: DurableFile<DesiredState>;
  readonly #live: Observable<DesiredState | null>;
  readonly #log: Log;
  readonly #bell = new Signal();

  private constructor(file: DurableFile<DesiredState>, stored: DesiredState | null, log: Log) {
    this.#file = file;
    this.#live = new Observable(stored);
    this.#log = log;
  }

  /** Reads what is kept in `folder`. A damaged file counts as none: the service has the truth. */
  static async open(folder: string, playerId: string, log: Log): Promise<DesiredStateStore> {
    const file = new DurableFile(join(folder, "desired.json"), (json) => DesiredState.parse(json));
    let stored: DesiredState | null = null;
    try {
      const read = await file.read();
      if (read.is === "found" && read.value.player.id === playerId) stored = read.value;
    } catch (error) {
      if (!isFault(error, "file-corrupt")) throw error;
      log.error({ err: error }, "the stored state is damaged: it is fetched anew");
    }
    return new DesiredStateStore(file, stored, log);
  }

  /** Makes what is kept in `folder` for one player another's, whom the service made of it: it plays on until there is news. */
  static async reassign(folder: string, from: string, to: string, log: Log): Promise<void> {
    if (from === to) return;
    const state = await DesiredStateStore.open(folder, from, log);
    const stored = state.current.value;
    if (stored !== null) await state.#file.write({ ...stored, player: { ...stored.player, id: to } });
  }

  get current(): Watchable<DesiredState | null> {
    return this.#live;
  }

  /** The service wants `revision`: fetched unless it is the one at hand. */
  fetchUnlessCurrent(revision: string): void {
    if (revision !== this.#live.value?.revision) this.#bell.notify();
  }

  /** Fetches at once, when wanted, and every five minutes, until `signal` aborts. @throws Fault `revoked`. */
  async run(api: ServiceApi, access: AccessTokens, clock: Clock, playerId: string, signal: AbortSignal): Promise<never> {
    const backoff = new Backoff(backoffBounds);
    for (;;) {
      let waitMs = pollMs * (1 + pollSpread * (2 * Math.random() - 1));
      try {
        await this.#fetch(api, access, playerId, signal);
        backoff.reset();
      } catch (error) {
        if ((isAbort(error) && signal.aborted) || isFault(error, "revoked")) throw error;
        waitMs = backoff.next();
        this.#log.warn({ reason: reasonOf(error), retry_in_ms: Math.round(waitMs) }, "the state could not be fetched");
      }
      await this.#bell.wait(clock, waitMs, signal);
    }
  }

  /** Forgets everything, after a revocation. */
  async purge(): Promise<void> {
    await this.#file.remove();
    this.#live.set(null);
  }

  async #fetch(api: ServiceApi, access: AccessTokens, playerId: string, signal: AbortSignal): Promise<void> {
    const held = this.#live.value === null ? null : `"${this.#live.value.revision}"`;
    const answer = await access.withToken(signal, (token) => api.state(token, held, signal));
    if (answer.is === "unchanged") return;
    const { desired } = answer;
    if (desired.player.id !== playerId) throw new Fault("protocol", `the state is for another player, ${desired.player.id}`);
    await this.#file.write(desired);
    this.#log.info({ revision: desired.revision }, "state received");
    this.#live.set(desired);
  }
}
