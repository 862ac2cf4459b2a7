// A paired player's session with one service: plays the stored content, talks to the service, and purges everything after a revocation.
import { join } from "node:path";
import { unlessAborted } from "../base/async/unless-aborted.ts";
import { runAll } from "../base/async/run-all.ts";
import { Signal } from "../base/async/signal.ts";
import type { ReadRelease } from "../base/releases/verify.ts";
import { Fault } from "../base/fault.ts";
import type { Orientation } from "../protocol/content/orientation.ts";
import type { PresentedItem } from "../protocol/device/heartbeat.ts";
import type { FromPage } from "../protocol/page-messages.ts";
import type { CommandModule } from "./commands/command-module.ts";
import type { DisplayPower } from "./control/display-power.ts";
import { reportVariables } from "./commands/variable-reporter.ts";
import { reportContent } from "./content/content-report.ts";
import { Feeds } from "./content/feeds/feeds.ts";
import { isEmpty } from "./content/generations.ts";
import { lostAssets } from "./content/ready-content.ts";
import { suspectAssets } from "./content/suspect-assets.ts";
import { GenerationLoop } from "./generation-loop.ts";
import { prepareNewest } from "./content/prepare-newest.ts";
import { saveRepeatedly } from "./storage/save-loop.ts";
import type { Connection } from "./link/connection.ts";
import { logItemMessage } from "./page-message-log.ts";
import type { Pairing } from "./pairing/identity.ts";
import { PlaybackLoop } from "./playback-loop.ts";
import type { PlayerParts } from "./player-parts.ts";
import type { ScreenContext } from "./playback/screen.ts";
import { PresentedItems } from "./presented-items.ts";
import { readableHeartbeat, type ReportingSession, type SessionCondition, type SessionReport, type Status } from "./proof/status.ts";
import { ServiceLink } from "./service-link.ts";
import { openStores, type SessionStores } from "./session-stores.ts";
import type { RevertibleContent } from "./surface/recovery.ts";
import type { Updates } from "./update/updates.ts";

export interface SessionOptions {
  pairing: Pairing;
  status: Pick<Status, "heartbeat" | "listProblems">;
  /** The commands that act on the program and the machine. */
  deviceModules: readonly CommandModule[];
  /** Called when something that the scene depends on has changed. */
  onChange: () => void;
  /** Called with each key that the service uses. */
  onServiceKey: (key: string) => Promise<void>;
}

// If the browser does not start, the player must still report that.
const firstPictureLimitMs = 5_000;

export class Session implements ReportingSession {
  readonly stores: SessionStores;
  readonly playback: PlaybackLoop;
  readonly #parts: PlayerParts;
  readonly #options: SessionOptions;
  readonly #feeds: Feeds;
  readonly #generations: GenerationLoop;
  readonly #link: ServiceLink;
  readonly #presented = new PresentedItems();
  readonly #firstPicture = new Signal();
  /** True once a heartbeat has reported the first frame of the applied state. */
  #isFirstFrameReported = true;

  private constructor(parts: PlayerParts, options: SessionOptions, stores: SessionStores) {
    const { config, files, http, browser, clock, log } = parts;
    const { folder, deviceZone } = config;
    const { identity, disk } = files;
    const { api, outboundHttp } = http;
    const { recovery, webItems } = browser;
    const { pairing, status, onServiceKey } = options;
    this.#parts = parts;
    this.#options = options;
    this.stores = stores;
    const feeds = new Feeds({ folder: join(folder, "feeds"), outboundHttp, clock, log, disk, onChange: () => this.playback.replan() });
    this.#feeds = feeds;
    const createHeartbeat = async () => readableHeartbeat(await status.heartbeat(), disk);
    this.#link = new ServiceLink({ api, identity, pairing, clock, log, stores, createHeartbeat, onServiceKey });
    stores.pictures.connect(this.#link.client.sendLiveFrame);
    const onApplied = (): void => this.#onApplied();
    const onChange = (): void => this.#onPlanned();
    this.playback = new PlaybackLoop({ stores, feeds, webItems, deviceZone, onApplied, onChange, clock, log });
    const { cache, interventions } = stores;
    this.#generations = new GenerationLoop({ cache, interventions, plan: () => this.playback.plan, recovery, clock });
  }

  /** Opens the stored data of the session and restores the last good content without asking the service. */
  static async open(parts: PlayerParts, options: SessionOptions): Promise<Session> {
    const assetsOnScreen = (): string[] => session.nowPlaying.flatMap(({ asset_id }) => asset_id ?? []);
    const stores = await openStores(parts, { ...options, assetsOnScreen });
    const session = new Session(parts, options, stores);
    const { desired, cache } = stores;
    await cache.content.restore(desired.received, options.pairing.playerId);
    await desired.continueWith(cache.content.generations.newest);
    return session;
  }

  /** The content, for the recovery of the display. */
  get content(): RevertibleContent {
    return this.#generations;
  }

  get connection(): Connection {
    return this.#link.connection;
  }

  get displayPower(): DisplayPower {
    return this.stores.displayPower;
  }

  get playerId(): string {
    return this.#options.pairing.playerId;
  }

  get playerName(): string {
    return this.stores.desired.current.value?.player.name ?? this.#options.pairing.playerName;
  }

  /** How the display is mounted, as far as is known. */
  get orientation(): Orientation {
    const { follower, desired } = this.stores;
    return (follower.applied?.desired ?? desired.current.value)?.player.orientation ?? "landscape";
  }

  /** The items on screen by zone, as the page presented them. */
  get nowPlaying(): PresentedItem[] {
    return this.#presented.on(this.playback.plan.stage);
  }

  /** The session's share of the heartbeat. */
  report(): SessionReport {
    const { machine, declared } = this.#parts.device;
    const { desired, follower, commandSet } = this.stores;
    const { progress, generations } = this.condition;
    return {
      ...reportContent({ desired: desired.current.value, applied: follower.applied, progress, generations }),
      now_playing: this.nowPlaying,
      ...follower.report(),
      ...commandSet.report(machine.controls, declared),
    };
  }

  /** The session's share of the condition by which problems are found. */
  get condition(): SessionCondition {
    const { cache, follower, displayPower, recurring } = this.stores;
    return {
      stage: this.playback.plan.stage,
      desired: follower.applied?.desired ?? null,
      progress: cache.progress.value,
      generations: cache.content.generations,
      lostAssets: lostAssets(follower.applied),
      impairment: this.connection.impairment,
      isOffOnPurpose: displayPower.isOffOnPurpose,
      recurring: recurring.problems,
    };
  }

  /** The input for choosing a screen; null while a state is ready but its first stage is not planned yet. */
  get phase(): ScreenContext["phase"] | null {
    const { cache, desired, follower } = this.stores;
    const { revision } = this.playback.plan;
    const { stage, progress, generations, lostAssets: lost } = this.condition;
    const ready = cache.ready.value;
    if (stage === null && ready !== null && revision !== ready.desired.revision) return null;
    const newest = desired.current.value;
    const isNothingDue = stage === null && (revision === newest?.revision || generations.plays === "previous");
    const assigned = lost.length > 0 ? "incomplete" : isNothingDue ? "idle" : "content";
    const known = newest === null ? "nothing" : isEmpty(newest) ? "empty" : assigned;
    const { playerName, connection } = this;
    return { is: "paired", playerName, link: connection.link.value, known, progress, stage, safePicture: follower.safePicture };
  }

  /**
   * Runs until `signal` aborts.
   * @throws Fault `revoked`, proven by the service's pinned key; `unpaired` or `reset` after a command; `disk-readable` when the stored data
   * has to be opened again, because more of it can be read than before.
   */
  async run(signal: AbortSignal): Promise<never> {
    const { files, updates, clock } = this.#parts;
    const { status } = this.#options;
    const { desired, cache, outbox, commands, follower, interventions, pictures, problems, proof, displayPower, recurring } = this.stores;
    const { openFile } = this.#link.client;
    try {
      return await runAll(
        [
          (end) => this.#play(end),
          (end) => displayPower.run(end),
          (end) => recurring.run(end),
          (end) => this.#generations.run(end),
          (end) => prepareNewest(desired.current, cache, openFile, clock, end),
          (end) => cache.verify(end),
          (end) => this.#connect(end),
          (end) => this.#feeds.run(end),
          (end) => files.reset.endSession(outbox, this.#link.delivered, clock, end),
          ...(updates === null ? [] : [(end: AbortSignal) => this.#followUpdates(updates, end)]),
          (end) => saveRepeatedly([desired, cache, commands, outbox, interventions, problems, proof], clock, end),
          (end) => this.#untilReadable(end),
          (end) => problems.run(() => status.listProblems(), end),
          (end) => pictures.run(end),
          (end) => reportVariables(follower, interventions.interventions, this.#link.connection, clock, end),
        ],
        signal,
      );
    } finally {
      await proof.stop();
    }
  }

  /** Removes everything that belongs to this pairing, after a revocation. */
  async purge(): Promise<void> {
    const { desired, cache, outbox, commands, interventions, problems, proof, displayPower, recurring } = this.stores;
    const { browser, device } = this.#parts;
    await displayPower.release();
    // From now on no site may be shown and no bundle is served.
    browser.webItems.declare(null);
    const parts = [desired, cache, outbox, commands, interventions, this.#feeds, problems, proof, device.asked, recurring];
    await Promise.all(parts.map((part) => part.purge()));
  }

  async #play(signal: AbortSignal): Promise<never> {
    const { browser, updates, clock } = this.#parts;
    const { onChange } = this.#options;
    const { cache, desired, displayPower, proof } = this.stores;
    displayPower.offOnPurpose.watch((isOff) => void proof.setDisplayOff(isOff), signal);
    browser.surface.onMessage((message) => this.#handleMessage(message), signal);
    let previous = cache.progress.value.is;
    cache.progress.watch(({ is }) => {
      onChange();
      if (is !== previous) this.#link.connection.sendHeartbeatNow();
      previous = is;
    }, signal);
    this.#link.connection.link.watch(({ is }) => {
      onChange();
      if (is === "online" || is === "polling") {
        cache.retryNow();
        updates?.retryNow();
      }
    }, signal);
    desired.current.watch(onChange, signal);
    // Download windows and the order of the files depend on the time.
    clock.onStep(() => cache.prepareAgain(), signal);
    return this.playback.run(signal);
  }

  #untilReadable(signal: AbortSignal): Promise<never> {
    const { promise, reject } = Promise.withResolvers<never>();
    this.#parts.files.disk.onReadAgain(() => reject(new Fault("disk-readable", "the disk can be read again")), signal);
    return unlessAborted(promise, signal);
  }

  #followUpdates(updates: Updates, signal: AbortSignal): Promise<never> {
    const { desired, cache } = this.stores;
    const { connection, client } = this.#link;
    const readMetadata: ReadRelease = (path, maxBytes, end = signal) => client.readReleaseMetadata(path, maxBytes, end);
    const { limits, progress: content } = cache;
    const onChange = (): void => connection.sendHeartbeatNow();
    return updates.follow({ desired: desired.current, openFile: client.openFile, readMetadata, limits, content, onChange }, signal);
  }

  async #connect(signal: AbortSignal): Promise<never> {
    // The picture comes first: leave the CPU to the starting browser.
    if (this.stores.cache.ready.value?.desired.layout) {
      await this.#firstPicture.wait(this.#parts.clock, firstPictureLimitMs, signal);
    }
    return this.#link.run(signal);
  }

  #onPlanned(): void {
    this.#generations.update();
    this.#options.onChange();
  }

  #onApplied(): void {
    this.#isFirstFrameReported = false;
    this.#link.connection.sendHeartbeatNow();
  }

  #handleMessage(message: FromPage): void {
    const { cache, follower, proof } = this.stores;
    void proof.handleMessage(message);
    logItemMessage(message, this.#parts.log);
    if (follower.applied !== null) cache.suspect(suspectAssets(message, follower.applied.desired));
    this.#presented.handleMessage(message);
    this.#generations.handleMessage(message);
    if (message.type !== "presented") return;
    this.#firstPicture.notify();
    // Report the first frame of a new state at once; later frames wait for the next heartbeat.
    if (!this.#isFirstFrameReported) this.#link.connection.sendHeartbeatNow();
    this.#isFirstFrameReported = true;
  }
}
