// A paired player's session with one service: opens what is stored, plays it, talks to the service, and purges all after a revocation.
import { join } from "node:path";
import { runAll } from "../base/async/run-all.ts";
import { Signal } from "../base/async/signal.ts";
import type { CorrectedClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Orientation } from "../protocol/content/orientation.ts";
import type { DesiredState } from "../protocol/device/desired-state.ts";
import type { Heartbeat, PresentedItem, ShownReason } from "../protocol/device/heartbeat.ts";
import type { VariablesSetArgs } from "../protocol/device/play-commands.ts";
import type { Stage, UpcomingStage } from "../protocol/scene.ts";
import type { FromPage } from "../protocol/page-messages.ts";
import type { Variables } from "../protocol/scheduling/variables.ts";
import type { CommandEffects } from "./commands/command-executor.ts";
import { reportVariables } from "./commands/variable-reporter.ts";
import type { DownloadProgress } from "./content/download-progress.ts";
import { Feeds } from "./content/feeds/feeds.ts";
import { prepareNewest } from "./content/prepare-newest.ts";
import type { ServiceApi } from "./link/service-api.ts";
import { logItemMessage } from "./page-message-log.ts";
import type { Identity, Pairing } from "./pairing/identity.ts";
import { PlaybackLoop } from "./playback-loop.ts";
import { streamsOf, type StreamSource } from "./playback/stream-sources.ts";
import type { ScreenContext } from "./playback/screen.ts";
import { ServiceLink } from "./service-link.ts";
import { openStores, type SessionStores } from "./session-stores.ts";
import type { Surface } from "./surface/surface.ts";
import type { OutboundHttp } from "../base/http/outbound-http.ts";
import type { WebItems } from "./web-items/web-items.ts";

export interface SessionDependencies {
  folder: string;
  pairing: Pairing;
  api: ServiceApi;
  identity: Identity;
  clock: CorrectedClock;
  log: Log;
  surface: Surface;
  /** Identifies this run of the player. */
  bootId: string;
  /** Fetches feeds. */
  outboundHttp: OutboundHttp;
  webItems: WebItems;
  /** The machine's own IANA time zone. */
  deviceZone: string;
  createHeartbeat: () => Promise<Heartbeat>;
  /** Called when something that the scene depends on has changed. */
  onChange: () => void;
  /** How commands act on the player outside the session. */
  commandEffects: CommandEffects;
  /** Called with each key that the service uses. */
  onServiceKey: (key: string) => Promise<void>;
}

// If the browser does not start, the player must still report that.
const firstPictureLimitMs = 5_000;

export class Session {
  readonly #dependencies: SessionDependencies;
  readonly #stores: SessionStores;
  readonly #feeds: Feeds;
  readonly #playback: PlaybackLoop;
  readonly #link: ServiceLink;
  readonly #presented = new Map<string, PresentedItem>();
  readonly #firstPicture = new Signal();
  /** Whether a heartbeat has reported the first frame of the applied state. */
  #isFirstFrameReported = true;

  private constructor(dependencies: SessionDependencies, stores: SessionStores) {
    const { folder, pairing, api, identity, clock, log, outboundHttp, createHeartbeat, onServiceKey } = dependencies;
    this.#dependencies = dependencies;
    this.#stores = stores;
    this.#feeds = new Feeds({ folder: join(folder, "feeds"), outboundHttp, clock, log, onChange: () => this.#playback.replan() });
    this.#link = new ServiceLink({ api, identity, pairing, clock, log, stores, createHeartbeat, onServiceKey });
    this.#playback = new PlaybackLoop({ ...dependencies, stores, feeds: this.#feeds, onApplied: () => this.#onApplied() });
  }

  /** Opens what is stored of the session and restores the last good content without asking the service. */
  static async open(dependencies: SessionDependencies): Promise<Session> {
    const stores = await openStores(dependencies);
    const session = new Session(dependencies, stores);
    const stored = stores.desired.current.value;
    if (stored !== null) await stores.cache.restore(stored);
    return session;
  }

  /** Runs until `signal` aborts. @throws Fault `revoked`, proven by the service's pinned key. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock } = this.#dependencies;
    const { desired, cache, follower, interventions, proof } = this.#stores;
    try {
      return await runAll(
        [
          (end) => this.#play(end),
          (end) => prepareNewest(desired.current, (state, stop) => cache.prepare(state, this.#link.client.openFile, stop), clock, end),
          (end) => this.#connect(end),
          (end) => this.#feeds.run(end),
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
    const { desired, cache, outbox, commands, interventions, proof } = this.#stores;
    this.#dependencies.webItems.declare(null);
    const parts = [desired, cache, outbox, commands, interventions, this.#feeds, proof];
    await Promise.all(parts.map((part) => part.purge()));
  }

  get playerId(): string {
    return this.#dependencies.pairing.playerId;
  }

  get playerName(): string {
    return this.#stores.desired.current.value?.player.name ?? this.#dependencies.pairing.playerName;
  }

  /** The items on screen by zone, as the page presented them. */
  get nowPlaying(): PresentedItem[] {
    const zones = new Set(this.stage?.zones.map(({ id }) => id));
    return [...this.#presented.values()].filter(({ zone_id }) => zones.has(zone_id));
  }

  /** Why these items play. */
  get why(): ShownReason[] {
    return this.#stores.follower.why();
  }

  /** The variables that conditions of schedules use. */
  get variables(): Variables {
    return this.#stores.follower.variables();
  }

  /** Sets variables for a trigger. */
  setVariables(id: string, args: VariablesSetArgs): Promise<{ until: string | null }> {
    return this.#stores.follower.setVariables(id, args);
  }

  /** The newest state that the service published. */
  get desired(): { revision: string; isEmpty: boolean } | null {
    const desired = this.#stores.desired.current.value;
    if (desired === null) return null;
    const { revision, layout, layouts } = desired;
    return { revision, isEmpty: layout === null && layouts.length === 0 };
  }

  /** The state that plays. */
  get appliedState(): DesiredState | null {
    return this.#stores.follower.applied?.desired ?? null;
  }

  get appliedRevision(): string | null {
    return this.appliedState?.revision ?? null;
  }

  /** How the display is mounted, as far as is known. */
  get orientation(): Orientation {
    return (this.appliedState ?? this.#stores.desired.current.value)?.player.orientation ?? "landscape";
  }

  /** The stage to show now; null: nothing is due. */
  get stage(): Stage | null {
    return this.#playback.plan.stage;
  }

  /** The stages that the page prepares in advance. */
  get upcoming(): readonly UpcomingStage[] {
    return this.#playback.plan.upcoming;
  }

  get progress(): DownloadProgress {
    return this.#stores.cache.progress.value;
  }

  /** The input for choosing a screen; null while a state is ready but its first stage is not planned yet. */
  get phase(): ScreenContext["phase"] | null {
    const { stage, revision } = this.#playback.plan;
    const { desired } = this;
    const ready = this.#stores.cache.ready.value;
    if (stage === null && ready !== null && revision !== ready.desired.revision) return null;
    const isNothingDue = stage === null && revision === desired?.revision;
    return {
      is: "paired",
      playerName: this.playerName,
      link: this.#link.connection.link.value,
      known: desired === null ? "nothing" : desired.isEmpty ? "empty" : isNothingDue ? "idle" : "content",
      progress: this.progress,
      stage,
    };
  }

  /** The stream item behind a key in the page's request. */
  streamOf(key: string): StreamSource | null {
    return streamsOf(this.appliedState?.playlists ?? []).get(key) ?? null;
  }

  /** The proven file with this hash. */
  mediaOf(sha256: string): { folder: string; name: string; mimeType: string } | null {
    return this.#stores.cache.findFile(sha256);
  }

  async #play(signal: AbortSignal): Promise<never> {
    const { surface, onChange } = this.#dependencies;
    surface.onMessage((message) => this.#handleMessage(message), signal);
    let previous = this.progress.is;
    this.#stores.cache.progress.watch(({ is }) => {
      onChange();
      if (is !== previous) this.#link.connection.sendHeartbeatNow();
      previous = is;
    }, signal);
    this.#link.connection.link.watch(onChange, signal);
    this.#stores.desired.current.watch(onChange, signal);
    return this.#playback.run(signal);
  }

  async #connect(signal: AbortSignal): Promise<never> {
    // The picture comes first: leave the CPU to the starting browser.
    if (this.#stores.cache.ready.value?.desired.layout) {
      await this.#firstPicture.wait(this.#dependencies.clock, firstPictureLimitMs, signal);
    }
    return this.#link.run(signal);
  }

  #onApplied(): void {
    this.#isFirstFrameReported = false;
    this.#link.connection.sendHeartbeatNow();
  }

  #handleMessage(message: FromPage): void {
    void this.#stores.proof.handleMessage(message);
    logItemMessage(message, this.#dependencies.log);
    if (message.type === "fallback") this.#presented.delete(message.zone_id);
    if (message.type !== "presented") return;
    const { zone_id, item_id, asset_id, at } = message;
    this.#presented.set(zone_id, { zone_id, item_id, asset_id, presented_at: new Date(at).toISOString() });
    this.#firstPicture.notify();
    // Report the first frame of a new state at once; later frames wait for the next heartbeat.
    if (!this.#isFirstFrameReported) this.#link.connection.sendHeartbeatNow();
    this.#isFirstFrameReported = true;
  }
}
