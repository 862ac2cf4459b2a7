// Pairs the player, runs a session while it is paired, and pairs it again after a revocation.
import { Observable } from "../base/async/observable.ts";
import { runAll } from "../base/async/run-all.ts";
import { retry } from "../base/async/retry.ts";
import { isReadFailure } from "../base/files/system-error.ts";
import { isFault, reasonOf } from "../base/fault.ts";
import { CommandJournal } from "./commands/command-journal.ts";
import { contentFolder } from "./content/content-cache.ts";
import { DesiredStateStore } from "./content/desired-state-store.ts";
import { GenerationStore } from "./content/generation-store.ts";
import { removals } from "./storage/disk-health.ts";
import type { Pairing } from "./pairing/identity.ts";
import { enrolOrPair, type EnrolmentState } from "./pairing/enrolment.ts";
import { readEnrolment, removeEnrolment, type StoredEnrolment } from "./pairing/enrolment-file.ts";
import type { PairingDependencies, PairingState } from "./pairing/pairing.ts";
import { ServiceKeyChange } from "./pairing/service-key-change.ts";
import type { PlayerSettings } from "./player-config.ts";
import type { BasicParts } from "./player-parts.ts";
import type { ScreenContext } from "./playback/screen.ts";
import type { Session } from "./session.ts";

export interface PairingLifecycleOptions {
  settings: PlayerSettings;
  /** Ends the player, so that the next start finishes a factory reset. */
  restart: () => void;
  /** Called when the pairing state, the session or the claim code has changed. */
  onChange: () => void;
}

/** @param onServiceKey must be called with each key that the service uses. */
export type OpenSession = (pairing: Pairing, onServiceKey: (key: string) => Promise<void>) => Promise<Session>;

/** The program whose pairing it is: how it describes its device to the service, and opens a session with it. */
export interface PairedProgram {
  describeDevice: PairingDependencies["describe"];
  openSession: OpenSession;
}

const diskBounds = { firstMs: 1_000, longestMs: 30_000 };

export class PairingLifecycle {
  readonly #parts: BasicParts;
  readonly #options: PairingLifecycleOptions;
  readonly #pairingState = new Observable<PairingState>({ is: "asking", trouble: null });
  readonly #enrolment = new Observable<EnrolmentState | null>(null);
  #session: Session | null = null;
  #keyChange: ServiceKeyChange | null = null;
  /** Shown on the pairing screen, such as after a revocation. */
  #notice: string | null;

  constructor(parts: BasicParts, options: PairingLifecycleOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#notice = parts.config.notice;
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
    if (this.#parts.files.identity.pairing !== null) return null;
    const notice = this.#notice ?? this.#diskNotice;
    return { is: "unpaired", pairing: this.#pairingState.value, enrolment: this.#enrolment.value, notice };
  }

  get #diskNotice(): string | null {
    const [failure] = this.#parts.files.disk.condition.unwritten;
    return failure === undefined
      ? null
      : `This device cannot write to its disk (${failure.reason}). Repair that first, or it will forget its pairing at the next start.`;
  }

  /** Runs until `signal` aborts. */
  async run(program: PairedProgram, signal: AbortSignal): Promise<never> {
    const { files, log } = this.#parts;
    const { identity, reset } = files;
    // Killed after it had ended the pairing.
    if (identity.pairing === null && reset.asked.value?.is === "unpair") await reset.clear();
    if (identity.pairing !== null) await this.#deleteUnusedKey();
    for (;;) {
      if (identity.pairing !== null)
        log.info({ player_id: identity.pairing.playerId, name: identity.pairing.playerName }, "already paired");
      const pairing = identity.pairing ?? (await this.#pair(program, signal));
      try {
        await this.#runSession(program, pairing, signal);
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
    const { config, log } = this.#parts;
    try {
      if ((await readEnrolment(config.folder)).is === "none") return;
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
    const { config, clock, log } = this.#parts;
    const onFailure = (error: unknown, retry_in_ms: number): void => {
      log.error({ reason: reasonOf(error), retry_in_ms }, "the enrolment key cannot be read: waiting for the disk");
      this.#enrolment.set({ is: "trying", text: `The device cannot read its disk: ${reasonOf(error)}. The screen goes on by itself` });
    };
    return retry(() => readEnrolment(config.folder), { clock, bounds: diskBounds, onFailure, signal });
  }

  async #pair({ describeDevice: describe }: PairedProgram, signal: AbortSignal): Promise<Pairing> {
    const { config, files, device, http, clock, log } = this.#parts;
    const { settings, onChange } = this.#options;
    const { identity, disk } = files;
    const done = new AbortController();
    const until = AbortSignal.any([signal, done.signal]);
    this.#pairingState.watch(onChange, until);
    this.#enrolment.watch(onChange, until);
    const states = { state: this.#pairingState, enrolment: this.#enrolment };
    const machineIdentity = () => device.machine.identity();
    const dependencies = { api: http.api, identity, clock, log, describe, machineIdentity, ...states };
    const pairing = await enrolOrPair(dependencies, await this.#readEnrolment(signal), signal);
    done.abort();
    this.#enrolment.set(null);
    // The journal comes first: a paired player without one would take it for lost.
    await CommandJournal.create({ folder: config.folder, serviceKey: pairing.serviceKey, clock, log, disk });
    await identity.pair(pairing);
    await disk.attempt("settings", () => settings.rememberServer(pairing.server));
    // Without a stored pairing the key is needed again at the next start.
    if (disk.condition.unwritten.length === 0) await this.#forgetEnrolment();
    this.#notice = null;
    log.info({ player_id: pairing.playerId, name: pairing.playerName }, "paired");
    return pairing;
  }

  async #forgetEnrolment(): Promise<void> {
    const { config, files } = this.#parts;
    await files.disk.attempt(removals, () => removeEnrolment(config.folder));
  }

  /** @throws Fault `revoked` or `reclaimed`; AbortError. */
  async #runSession({ describeDevice: describe, openSession }: PairedProgram, pairing: Pairing, signal: AbortSignal): Promise<never> {
    const { config, files, http, clock, log } = this.#parts;
    const { onChange } = this.#options;
    const { identity, disk } = files;
    const { folder } = config;
    const { api } = http;
    const keyChange = await ServiceKeyChange.open(pairing, { folder, api, identity, clock, log, disk, describe, onChange });
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
    const { config, files, log } = this.#parts;
    const { folder } = config;
    const { disk } = files;
    const { playerId, server } = await this.#keyChange!.adoptClaimedPairing();
    await DesiredStateStore.reassign(folder, before.playerId, playerId, log, disk);
    await (await GenerationStore.open(contentFolder(folder), log, disk)).reassign(before.playerId, playerId);
    await disk.attempt("settings", () => this.#options.settings.rememberServer(server));
  }

  async #purgeRevoked(pairing: Pairing): Promise<void> {
    this.#parts.log.warn({ player_id: pairing.playerId }, "revoked: content and pairing are removed");
    await this.#forgetPairing(`This screen was removed from the service. It was called “${pairing.playerName}”.`);
  }

  async #unpair(pairing: Pairing): Promise<void> {
    const { files, log } = this.#parts;
    log.warn({ player_id: pairing.playerId }, "unpaired by a command: content and pairing are removed");
    await this.#forgetPairing(`This screen was unpaired. It was called “${pairing.playerName}”.`);
    await files.reset.clear();
  }

  /** Everything is removed once nothing uses it any more: after the end of this run. */
  async #resetAll(signal: AbortSignal): Promise<never> {
    const { files, clock } = this.#parts;
    await files.reset.beginWiping();
    this.#options.restart();
    for (;;) await clock.wait(Number.POSITIVE_INFINITY, signal);
  }

  /** Removes the content and the pairing, so that the player shows a new pairing code. */
  async #forgetPairing(notice: string): Promise<void> {
    await this.#keyChange?.reset();
    this.#keyChange = null;
    // The content first: after a power cut in between, the player is still paired, learns of it again and finishes this.
    // In the other order the content would stay on the disk.
    await this.#session?.purge();
    this.#session = null;
    await this.#parts.files.identity.unpair();
    this.#notice = notice;
    this.#pairingState.set({ is: "asking", trouble: null });
    this.#options.onChange();
  }
}
