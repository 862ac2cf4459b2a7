// The player: owns its stages, wires them in the order in which content flows, and disposes them in reverse.
import { Signal } from "../base/async/signal.ts";
import { type Clock, CorrectedClock } from "../base/clock.ts";
import { isFault } from "../base/fault.ts";
import { Observable } from "../base/async/observable.ts";
import type { Log } from "../base/log.ts";
import { runAll } from "../base/async/run-all.ts";
import { rotationOf } from "../protocol/content/orientation.ts";
import type { Scene } from "../protocol/scene.ts";
import type { FromPage } from "../protocol/page-messages.ts";
import { CommandJournal } from "./commands/command-journal.ts";
import { PlaybackDrift } from "./proof/playback-drift.ts";
import type { Host } from "./host.ts";
import { Identity, type Pairing } from "./pairing/identity.ts";
import type { Machine } from "./machine.ts";
import { followNtp, type NtpServer } from "./link/ntp.ts";
import { OutboundHttp } from "../base/http/outbound-http.ts";
import { contentPolicy } from "./web-items/outbound-policy.ts";
import { pair, type PairingState } from "./pairing/pairing.ts";
import { DesiredStateStore } from "./content/desired-state-store.ts";
import { ServiceKeyChange } from "./pairing/service-key-change.ts";
import { type PlayerCondition, Problems } from "./proof/problems.ts";
import type { DownloadProgress } from "./content/download-progress.ts";
import { Recovery } from "./surface/recovery.ts";
import type { StreamSource } from "./playback/stream-sources.ts";
import { screenOf, type ScreenContext } from "./playback/screen.ts";
import { ServiceApi } from "./link/service-api.ts";
import { Session, type SessionDependencies } from "./session.ts";
import { WebItems } from "./web-items/web-items.ts";
import { Status } from "./proof/status.ts";
import { Surface } from "./surface/surface.ts";
import { serveTriggers } from "./commands/triggers.ts";

/** What the player keeps for its next start, in the store that the program brings along. */
export interface PlayerSettings {
  /** The address of the service it was paired with: one that is proven to be right. */
  rememberServer(server: string): Promise<void>;
}

export interface PlayerOptions {
  /** The service's address; asked for whenever it is needed, because that of an embedded service may change. */
  server: () => string;
  /** Where identity, state and content are kept. */
  folder: string;
  /** Folder of the built page. */
  rendererFolder: string;
  version: string;
  host: Host;
  machine: Machine;
  settings: PlayerSettings;
  /** Asked for the time while the service is silent; none when empty. */
  ntp: readonly NtpServer[];
  /** Whether sensors and buttons may set variables over a socket in `folder`. */
  triggers: boolean;
  /** Whether feeds and streams may come from a service of this machine, by the host and port of its URL. */
  mayReachLocal: (host: string, port: number) => boolean;
  clock: Clock;
  log: Log;
}

const noProgress: DownloadProgress = { is: "idle", revision: null, readyBytes: 0, totalBytes: 0, detail: null };

/** Why a player ended by itself: an operator's `restart` command. */
export type PlayerEnd = "restart";

/**
 * Runs a player until `signal` aborts (rejects with AbortError) or an operator asks for a restart.
 * @throws Fault `browser-missing` when there is no browser to start.
 */
export async function runPlayer(options: PlayerOptions, signal: AbortSignal): Promise<PlayerEnd> {
  await using player = await Player.open(options);
  return await player.run(signal);
}

// A box with many networks has more addresses than a line holds.
const maxAddresses = 3;

class Player implements AsyncDisposable {
  readonly #options: PlayerOptions;
  readonly #clock: CorrectedClock;
  readonly #identity: Identity;
  readonly #api: ServiceApi;
  readonly #surface: Surface;
  readonly #outside: OutboundHttp;
  readonly #sites: WebItems;
  readonly #recovery: Recovery;
  readonly #drift: PlaybackDrift;
  readonly #problems = new Problems();
  readonly #status: Status;
  readonly #pairing = new Observable<PairingState>({ is: "asking", trouble: null });
  readonly #redraw = new Signal();
  #session: Session | null = null;
  #reclaim: ServiceKeyChange | null = null;
  #notice: string | null = null;
  #identify: { until: number } | null = null;

  private constructor(
    options: PlayerOptions,
    clock: CorrectedClock,
    identity: Identity,
    { surface, outboundHttp: outside, webItems: sites }: Pick<SessionDependencies, "surface" | "outboundHttp" | "webItems">,
  ) {
    this.#options = options;
    this.#clock = clock;
    this.#identity = identity;
    this.#surface = surface;
    this.#outside = outside;
    this.#sites = sites;
    this.#api = new ServiceApi(options.server);
    this.#recovery = new Recovery({ host: options.host, surface, clock, log: options.log });
    this.#drift = new PlaybackDrift(clock);
    this.#status = new Status({
      host: options.host,
      machine: options.machine,
      clock,
      folder: options.folder,
      version: options.version,
      engine: () => this.#recovery.engine,
      page: () => surface.page.value,
      drift: () => this.#drift.figures,
      withheld: () => this.#recovery.withheld,
      problems: (about) => this.#problems.list({ ...about, ...this.#content }),
      nowPlaying: () => this.#session?.nowPlaying ?? [],
      why: () => this.#session?.why ?? [],
      variables: () => this.#session?.variables ?? {},
      appliedRevision: () => this.#session?.appliedRevision ?? null,
      desired: () => this.#session?.desired ?? null,
      progress: () => this.#session?.progress ?? noProgress,
    });
  }

  /** What problems of content are judged by. */
  get #content(): Pick<PlayerCondition, "stage" | "desired" | "progress"> {
    if (this.#session === null) return { stage: null, desired: null, progress: noProgress };
    return { ...this.#session.drawn, progress: this.#session.progress };
  }

  static async open(options: PlayerOptions): Promise<Player> {
    const { folder, rendererFolder, host, log } = options;
    const clock = new CorrectedClock(options.clock);
    const identity = await Identity.open(folder, log);
    let player: Player | null = null;
    const media = (sha256: string) => player?.mediaOf(sha256) ?? null;
    const outside = new OutboundHttp({ policy: contentPolicy(options.mayReachLocal) });
    const stream = (key: string) => player?.streamOf(key) ?? null;
    const at = { owner: identity.thumbprint, port: host.pagePort };
    const surface = await Surface.open({ ...at, rendererFolder, media, stream, outboundHttp: outside, clock, log });
    player = new Player(options, clock, identity, {
      surface,
      outboundHttp: outside,
      webItems: await WebItems.open({ host, surface, media, log }),
    });
    return player;
  }

  /** The proven file behind a hash that the page asks for. */
  mediaOf(sha256: string): { folder: string; name: string; mimeType: string } | null {
    return this.#session?.mediaOf(sha256) ?? null;
  }

  /** The stream behind a key that the page asks with. */
  streamOf(key: string): StreamSource | null {
    return this.#session?.streamOf(key) ?? null;
  }

  async run(outer: AbortSignal): Promise<PlayerEnd> {
    const { folder, ntp, triggers, log } = this.#options;
    const restart = new AbortController();
    const signal = AbortSignal.any([outer, restart.signal]);
    this.#surface.onMessage((message) => this.#note(message), signal);
    try {
      return await runAll(
        [
          (end) => this.#recovery.run(end),
          (end) => this.#draw(end),
          (end) => this.#live(restart, end),
          ...(triggers ? [(end: AbortSignal) => serveTriggers({ folder, player: () => this.#session, clock: this.#clock, log }, end)] : []),
          ...(ntp.length === 0 ? [] : [(end: AbortSignal) => followNtp(ntp, this.#clock, log, end)]),
        ],
        signal,
      );
    } catch (error) {
      if (restart.signal.aborted && !outer.aborted) return "restart";
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#options.host.close();
    await this.#sites[Symbol.asyncDispose]();
    await this.#surface[Symbol.asyncDispose]();
    await this.#outside[Symbol.asyncDispose]();
    await this.#api[Symbol.asyncDispose]();
  }

  /** Paired or not: from one to the other and back, for ever. */
  async #live(restart: AbortController, signal: AbortSignal): Promise<never> {
    const { log } = this.#options;
    for (;;) {
      if (this.#identity.pairing !== null)
        log.info({ player_id: this.#identity.pairing.playerId, name: this.#identity.pairing.playerName }, "already paired");
      const pairing = this.#identity.pairing ?? (await this.#pair(signal));
      try {
        await this.#play(pairing, restart, signal);
      } catch (error) {
        if (isFault(error, "reclaimed")) {
          await this.#adopt(pairing);
          continue;
        }
        if (!isFault(error, "revoked")) throw error;
        await this.#reclaim?.reset();
        this.#reclaim = null;
        log.warn({ player_id: pairing.playerId }, "revoked: content and pairing are removed");
        await this.#session?.purge();
        this.#session = null;
        await this.#identity.unpair();
        this.#notice = `This player was removed from the service. It was called “${pairing.playerName}”.`;
        this.#pairing.set({ is: "asking", trouble: null });
        this.#redraw.notify();
      }
    }
  }

  /** Goes on under another key of the service, and maybe as another player: with the content and the play log at hand. */
  async #adopt(before: Pairing): Promise<void> {
    const { folder, settings, log } = this.#options;
    const { playerId, server } = await this.#reclaim!.adoptClaimedPairing();
    await DesiredStateStore.reassign(folder, before.playerId, playerId, log);
    await settings.rememberServer(server);
  }

  async #pair(signal: AbortSignal): Promise<Pairing> {
    const { folder, log } = this.#options;
    const [api, identity, clock, state] = [this.#api, this.#identity, this.#clock, this.#pairing];
    const done = new AbortController();
    state.watch(() => this.#redraw.notify(), AbortSignal.any([signal, done.signal]));
    const describe = () => this.#status.describeDevice();
    const pairing = await pair({ api, identity, clock, log, describe, state }, signal);
    done.abort();
    await CommandJournal.create({ folder, serviceKey: pairing.serviceKey, clock, log });
    await this.#identity.pair(pairing);
    await this.#options.settings.rememberServer(pairing.server);
    this.#notice = null;
    log.info({ player_id: pairing.playerId, name: pairing.playerName }, "paired");
    return pairing;
  }

  async #play(pairing: Pairing, restart: AbortController, signal: AbortSignal): Promise<never> {
    const { folder, host, machine, log } = this.#options;
    const [api, identity, clock] = [this.#api, this.#identity, this.#clock];
    const describe = () => this.#status.describeDevice();
    const changed = () => this.#redraw.notify();
    const reclaim = await ServiceKeyChange.open({ folder, pairing, api, identity, clock, log, describe, onChange: changed });
    const session = await Session.open({
      folder,
      pairing,
      api: this.#api,
      identity: this.#identity,
      clock: this.#clock,
      log,
      surface: this.#surface,
      bootId: machine.bootId,
      outboundHttp: this.#outside,
      webItems: this.#sites,
      deviceZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      createHeartbeat: () => this.#status.heartbeat(),
      onChange: changed,
      onServiceKey: (key) => reclaim.observeKey(key),
      commandEffects: {
        capture: (captureSignal) => host.capture(captureSignal),
        identify: (durationMs) => {
          this.#identify = { until: this.#clock.now() + durationMs };
          this.#redraw.notify();
        },
        reload: (reloadSignal) => this.#recovery.reload(reloadSignal),
        restart: () => restart.abort(),
      },
    });
    this.#reclaim = reclaim;
    this.#session = session;
    this.#redraw.notify();
    return await runAll([(end) => session.run(end), (end) => reclaim.run(end)], signal);
  }

  /** Draws whenever something the glass depends on has changed. */
  async #draw(signal: AbortSignal): Promise<never> {
    this.#recovery.display.watch(() => this.#redraw.notify(), signal);
    for (;;) {
      const now = this.#clock.now();
      if (this.#identify !== null && this.#identify.until <= now) this.#identify = null;
      const scene = this.#scene();
      if (scene !== null) this.#surface.show(scene);
      await this.#redraw.wait(this.#clock, this.#identify === null ? Number.POSITIVE_INFINITY : this.#identify.until - now, signal);
    }
  }

  /** Null while it is not yet known what there is to show: the page goes on as it is. */
  #scene(): Scene | null {
    const phase = this.#phase();
    if (phase === null) return null;
    const { withheld } = this.#recovery;
    const screen = screenOf({ service: this.#api.server.origin, device: this.#deviceText(), phase, withheld: withheld });
    const code = this.#reclaim?.claimCode ?? null;
    const coming = withheld === null ? (this.#session?.coming ?? []) : [];
    return {
      screen,
      ...(coming.length === 0 ? {} : { coming: [...coming] }),
      rotation: rotationOf(this.#session?.orientation ?? "landscape"),
      identify: this.#identifyText(),
      ...(code === null ? {} : { claim: { code } }),
    };
  }

  #phase(): ScreenContext["phase"] | null {
    if (this.#session !== null) return this.#session.phase;
    if (this.#identity.pairing !== null) return null;
    return { is: "unpaired", pairing: this.#pairing.value, notice: this.#notice };
  }

  #note(message: FromPage): void {
    const { log } = this.#options;
    this.#drift.handleMessage(message);
    this.#problems.handleMessage(message, this.#session?.drawn.stage ?? null, this.#clock.now());
    if (message.type === "screen") log.info({ screen: message.is, code: message.code ?? undefined }, "screen shown");
    else if (message.type === "simplified")
      log.warn({ ...message, type: undefined }, "transitions are cuts for a while: the screen cannot keep up");
    else if (message.type === "fault") log.error({ detail: message.detail }, "the page reports a fault");
  }

  #deviceText(): string {
    return [...this.#options.machine.addresses().slice(0, maxAddresses), `signage-player ${this.#options.version}`].join(" · ");
  }

  #identifyText(): Scene["identify"] {
    if (this.#identify === null || this.#session === null) return null;
    const page = this.#surface.page.value;
    const engine = this.#recovery.engine;
    const lines = [
      this.#session.playerId,
      this.#api.server.origin,
      this.#options.machine.addresses().slice(0, maxAddresses).join(" · "),
      page.is === "here" ? `${page.viewport.width} × ${page.viewport.height}` : "",
      `signage-player ${this.#options.version}${engine === null ? "" : ` · ${engine.name} ${engine.version}`}`,
    ];
    return {
      player_name: this.#session.playerName,
      lines: lines.filter((line) => line !== ""),
      until: this.#identify.until,
    };
  }
}
