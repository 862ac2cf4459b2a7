// Pairs the player, runs a session while it is paired, and pairs it again after a revocation.
import { Observable } from "../base/async/observable.ts";
import { runAll } from "../base/async/run-all.ts";
import type { CorrectedClock } from "../base/clock.ts";
import { retry } from "../base/async/retry.ts";
import { isReadFailure } from "../base/files/system-error.ts";
import { isFault, reasonOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { CommandJournal } from "./commands/command-journal.ts";
import { contentFolder } from "./content/content-cache.ts";
import { DesiredStateStore } from "./content/desired-state-store.ts";
import { GenerationStore } from "./content/generation-store.ts";
import { removals, type DiskHealth } from "./storage/disk-health.ts";
import type { ServiceApi } from "./link/service-api.ts";
import type { Identity, Pairing } from "./pairing/identity.ts";
import { enrolOrPair, type EnrolmentDependencies, type EnrolmentState } from "./pairing/enrolment.ts";
import type { PendingReset } from "./pairing/pending-reset.ts";
import { readEnrolment, removeEnrolment, type StoredEnrolment } from "./pairing/enrolment-file.ts";
import type { PairingDependencies, PairingState } from "./pairing/pairing.ts";
import { ServiceKeyChange } from "./pairing/service-key-change.ts";
import type { PlayerSettings } from "./player-settings.ts";
import type { ScreenContext } from "./playback/screen.ts";
import type { Session } from "./session.ts";

export interface PairingLifecycleDependencies {
  folder: string;
  api: ServiceApi;
  identity: Identity;
  clock: CorrectedClock;
  log: Log;
  settings: PlayerSettings;
  disk: DiskHealth;
  /** What the pairing screen says at first; null: nothing. */
  notice: string | null;
  describeDevice: PairingDependencies["describe"];
  machineIdentity: EnrolmentDependencies["machineIdentity"];
  /** @param onServiceKey must be called with each key that the service uses. */
  openSession: (pairing: Pairing, onServiceKey: (key: string) => Promise<void>) => Promise<Session>;
  /** What a command has asked for that ends the pairing. */
  reset: PendingReset;
  /** Ends the player, so that the next start finishes a factory reset. */
  restart: () => void;
  /** Called when the pairing state, the session or the claim code has changed. */
  onChange: () => void;
}

const diskBounds = { firstMs: 1_000, longestMs: 30_000 };

export class PairingLifecycle {
  readonly #dependencies: PairingLifecycleDependencies;
  readonly #pairingState = new Observable<PairingState>({ is: "asking", trouble: null });
  readonly #enrolment = new Observable<EnrolmentState | null>(null);
  #session: Session | null = null;
  #keyChange: ServiceKeyChange | null = null;
  /** Shown on the pairing screen, such as after a revocation. */
  #notice: string | null;

  constructor(dependencies: PairingLifecycleDependencies) {
    this.#dependencies = dependencies;
    this.#notice = dependencies.notice;
  }

  /** Null while the player is not paired, and until the first session has been opened. */
  get session(): Session | null {
    return this.#session;
  }

  /** The code by which an operator accepts another key of the service; null while there is none. */
  get claimCode(): string | null {
    return this.#keyChange?.claimCode ?? null;
  }

  /** The input for choosing a screen; null while it is not known yet: the page then keeps its present screen. */
  get phase(): ScreenContext["phase"] | null {
    if (this.#session !== null) return this.#session.phase;
    if (this.#dependencies.identity.pairing !== null) return null;
    const notice = this.#notice ?? this.#diskNotice;
    return { is: "unpaired", pairing: this.#pairingState.value, enrolment: this.#enrolment.value, notice };
  }

  get #diskNotice(): string | null {
    const [failure] = this.#dependencies.disk.condition.unwritten;
    return failure === undefined
      ? null
      : `This device cannot write to its disk (${failure.reason}). Repair that first, or it will forget its pairing at the next start.`;
  }

  /** Runs until `signal` aborts. */
  async run(signal: AbortSignal): Promise<never> {
    const { identity, log, reset } = this.#dependencies;
    // Killed after it had ended the pairing.
    if (identity.pairing === null && reset.asked.value?.is === "unpair") await reset.clear();
    if (identity.pairing !== null) await this.#deleteUnusedKey();
    for (;;) {
      if (identity.pairing !== null)
        log.info({ player_id: identity.pairing.playerId, name: identity.pairing.playerName }, "already paired");
      const pairing = identity.pairing ?? (await this.#pair(signal));
      try {
        await this.#runSession(pairing, signal);
      } catch (error) {
        if (isFault(error, "reclaimed")) await this.#adoptClaimedPairing(pairing);
        else if (isFault(error, "revoked")) await this.#purgeRevoked(pairing);
        else if (isFault(error, "unpaired")) await this.#unpair(pairing);
        else if (isFault(error, "reset")) await this.#resetAll(signal);
        else if (isFault(error, "disk-readable")) log.info({}, "opening the stored data again, because the disk can be read again");
        else throw error;
      }
    }
  }

  async #deleteUnusedKey(): Promise<void> {
    const { folder, log } = this.#dependencies;
    try {
      if ((await readEnrolment(folder)).is === "none") return;
    } catch (error) {
      // The next start tries again.
      if (isReadFailure(error)) return;
      throw error;
    }
    log.info({}, "already paired: the enrolment key is deleted without use");
    await this.#forgetEnrolment();
  }

  /** A key that the disk only fails to read now is waited for: without it somebody would have to pair the screen. */
  #readEnrolment(signal: AbortSignal): Promise<StoredEnrolment> {
    const { folder, clock, log } = this.#dependencies;
    const onFailure = (error: unknown, retry_in_ms: number): void => {
      log.error({ reason: reasonOf(error), retry_in_ms }, "the enrolment key cannot be read: waiting for the disk");
      this.#enrolment.set({ is: "trying", text: `The device cannot read its disk: ${reasonOf(error)}. The screen goes on by itself` });
    };
    return retry(() => readEnrolment(folder), { clock, bounds: diskBounds, onFailure, signal });
  }

  async #pair(signal: AbortSignal): Promise<Pairing> {
    const { folder, api, identity, clock, log, settings, disk, describeDevice, machineIdentity, onChange } = this.#dependencies;
    const done = new AbortController();
    const until = AbortSignal.any([signal, done.signal]);
    this.#pairingState.watch(onChange, until);
    this.#enrolment.watch(onChange, until);
    const states = { state: this.#pairingState, enrolment: this.#enrolment };
    const dependencies = { api, identity, clock, log, describe: describeDevice, machineIdentity, ...states };
    const pairing = await enrolOrPair(dependencies, await this.#readEnrolment(signal), signal);
    done.abort();
    this.#enrolment.set(null);
    // The journal comes first: a paired player without one would take it for lost.
    await CommandJournal.create({ folder, serviceKey: pairing.serviceKey, clock, log, disk });
    await identity.pair(pairing);
    await disk.attempt("settings", () => settings.rememberServer(pairing.server));
    // Without a stored pairing the key is needed again at the next start.
    if (disk.condition.unwritten.length === 0) await this.#forgetEnrolment();
    this.#notice = null;
    log.info({ player_id: pairing.playerId, name: pairing.playerName }, "paired");
    return pairing;
  }

  async #forgetEnrolment(): Promise<void> {
    const { folder, disk } = this.#dependencies;
    await disk.attempt(removals, () => removeEnrolment(folder));
  }

  /** @throws Fault `revoked` or `reclaimed`; AbortError. */
  async #runSession(pairing: Pairing, signal: AbortSignal): Promise<never> {
    const { folder, api, identity, clock, log, disk, describeDevice, openSession, onChange } = this.#dependencies;
    const keyChange = await ServiceKeyChange.open({ folder, pairing, api, identity, clock, log, disk, describe: describeDevice, onChange });
    const open = (): Promise<Session> => openSession(pairing, (key) => keyChange.observeKey(key));
    const onFailure = (error: unknown, retry_in_ms: number): void => {
      if (!isReadFailure(error)) throw error;
      log.error({ reason: reasonOf(error), retry_in_ms }, "the stored data cannot be read: waiting for the disk");
    };
    const session = await retry(open, { clock, bounds: diskBounds, onFailure, signal });
    this.#keyChange = keyChange;
    this.#session = session;
    onChange();
    return await runAll([(end) => session.run(end), (end) => keyChange.run(end)], signal);
  }

  /** Continues with the service's new key, possibly as another player, and keeps the content and the play log. */
  async #adoptClaimedPairing(before: Pairing): Promise<void> {
    const { folder, settings, disk, log } = this.#dependencies;
    const { playerId, server } = await this.#keyChange!.adoptClaimedPairing();
    await DesiredStateStore.reassign(folder, before.playerId, playerId, log, disk);
    await (await GenerationStore.open(contentFolder(folder), log, disk)).reassign(before.playerId, playerId);
    await disk.attempt("settings", () => settings.rememberServer(server));
  }

  async #purgeRevoked(pairing: Pairing): Promise<void> {
    this.#dependencies.log.warn({ player_id: pairing.playerId }, "revoked: content and pairing are removed");
    await this.#forgetPairing(`This screen was removed from the service. It was called “${pairing.playerName}”.`);
  }

  async #unpair(pairing: Pairing): Promise<void> {
    const { log, reset } = this.#dependencies;
    log.warn({ player_id: pairing.playerId }, "unpaired by a command: content and pairing are removed");
    await this.#forgetPairing(`This screen was unpaired. It was called “${pairing.playerName}”.`);
    await reset.clear();
  }

  /** Everything is removed once nothing uses it any more: after the end of this run. */
  async #resetAll(signal: AbortSignal): Promise<never> {
    const { reset, restart, clock } = this.#dependencies;
    await reset.beginWiping();
    restart();
    for (;;) await clock.wait(Number.POSITIVE_INFINITY, signal);
  }

  /** Removes the content and the pairing, so that the player shows a new pairing code. */
  async #forgetPairing(notice: string): Promise<void> {
    const { identity, onChange } = this.#dependencies;
    await this.#keyChange?.reset();
    this.#keyChange = null;
    // The content first: after a power cut in between, the player is still paired, learns of it again and finishes this.
    // In the other order the content would stay on the disk.
    await this.#session?.purge();
    this.#session = null;
    await identity.unpair();
    this.#notice = notice;
    this.#pairingState.set({ is: "asking", trouble: null });
    onChange();
  }
}
