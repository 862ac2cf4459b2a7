// A paired player's life with one service: link, state, content, playback, commands and outbox, wired in the order of the flow.
import { join } from "node:path";
import { Signal } from "../base/async/signal.ts";
import type { CorrectedClock } from "../base/clock.ts";
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { runAll } from "../base/async/run-all.ts";
import type { Heartbeat, PresentedItem, ShownReason } from "../protocol/device/heartbeat.ts";
import type { Orientation } from "../protocol/content/orientation.ts";
import type { VariablesSetArgs } from "../protocol/device/play-commands.ts";
import type { UpcomingStage } from "../protocol/scene.ts";
import type { FromPage } from "../protocol/page-messages.ts";
import type { Variables } from "../protocol/scheduling/schedules.ts";
import { AccessTokens, isValidRevocation } from "./link/access.ts";
import { createCommandExecutor, type CommandEffects } from "./commands/command-executor.ts";
import { CommandRunner } from "./commands/command-runner.ts";
import { Connection } from "./link/connection.ts";
import { ContentCache, type ReadyState } from "./content/content-cache.ts";
import { DesiredStateStore } from "./content/desired-state-store.ts";
import { createDeviceApiClient, type DeviceApiClient } from "./link/device-api-client.ts";
import { Feeds } from "./content/feeds/feeds.ts";
import type { Identity, Pairing } from "./pairing/identity.ts";
import { Outbox } from "./proof/outbox.ts";
import type { OutboundHttp } from "../base/http/outbound-http.ts";
import { feedsOf } from "./playback/scene-item.ts";
import { streamsOf, type StreamSource } from "./playback/stream-sources.ts";
import { pagePlanAt, type PagePlan } from "./playback/page-plan.ts";
import { ScheduleFollower } from "./playback/schedule-follower.ts";
import type { DownloadProgress } from "./content/download-progress.ts";
import { prepareNewest } from "./content/prepare-newest.ts";
import { ProofOfPlay } from "./proof/proof-of-play.ts";
import { InterventionStore } from "./playback/intervention-store.ts";
import type { ScreenContext } from "./playback/screen.ts";
import type { ServiceApi } from "./link/service-api.ts";
import type { WebItems } from "./web-items/web-items.ts";
import type { Surface } from "./surface/surface.ts";
import { reportVariables } from "./commands/variable-reporter.ts";

export interface SessionDependencies {
  folder: string;
  pairing: Pairing;
  api: ServiceApi;
  identity: Identity;
  clock: CorrectedClock;
  log: Log;
  surface: Surface;
  /** Names this run of the player. */
  bootId: string;
  /** What feeds are fetched through. */
  outboundHttp: OutboundHttp;
  webItems: WebItems;
  /** The box's own IANA zone. */
  deviceZone: string;
  createHeartbeat: () => Promise<Heartbeat>;
  /** Something that the glass depends on has changed. */
  onChange: () => void;
  /** What commands do to the player. */
  commandEffects: CommandEffects;
  /** Hears of each key that the service answers with. */
  onServiceKey: (key: string) => Promise<void>;
}

// A browser that does not come up must not keep the player from telling so.
const firstPictureMs = 5_000;

interface Stages {
  desired: DesiredStateStore;
  cache: ContentCache;
  outbox: Outbox;
  commands: CommandRunner;
  records: InterventionStore;
  programme: ScheduleFollower;
  proof: ProofOfPlay;
}

export class Session {
  readonly #parts: SessionDependencies;
  readonly #access: AccessTokens;
  readonly #errands: DeviceApiClient;
  readonly #connection: Connection;
  readonly #desired: DesiredStateStore;
  readonly #cache: ContentCache;
  readonly #outbox: Outbox;
  readonly #commands: CommandRunner;
  readonly #proof: ProofOfPlay;
  readonly #feeds: Feeds;
  readonly #records: InterventionStore;
  readonly #programme: ScheduleFollower;
  readonly #presented = new Map<string, PresentedItem>();
  readonly #replan = new Signal();
  readonly #firstPicture = new Signal();
  #outlook: PagePlan & { revision: string | null } = { stage: null, upcoming: [], changesAt: Number.POSITIVE_INFINITY, revision: null };
  /** When the page was last told what is due, corrected wall time in ms. */
  #plannedAt = Number.NEGATIVE_INFINITY;
  // Whether the service has been told what a newly applied state put on the glass.
  #isShownTold = true;
  #end: (revoked: Fault) => void = () => undefined;

  private constructor(parts: SessionDependencies, stages: Stages) {
    this.#parts = parts;
    this.#desired = stages.desired;
    this.#cache = stages.cache;
    this.#outbox = stages.outbox;
    this.#commands = stages.commands;
    this.#records = stages.records;
    this.#programme = stages.programme;
    this.#proof = stages.proof;
    const { outboundHttp: outside, clock, log } = parts;
    this.#feeds = new Feeds({
      folder: join(parts.folder, "feeds"),
      outboundHttp: outside,
      clock,
      log,
      onChange: () => this.#replan.notify(),
    });
    this.#access = new AccessTokens(parts.api, parts.identity, parts.pairing, parts.clock, parts.onServiceKey);
    this.#errands = createDeviceApiClient(parts.api, this.#access);
    this.#connection = new Connection({
      api: parts.api,
      accessTokens: this.#access,
      clock: parts.clock,
      log: parts.log,
      createHeartbeat: () => parts.createHeartbeat(),
      onRevision: (revision) => this.#desired.fetchUnlessCurrent(revision),
      onCommand: (jws, signal) => this.#commands.receive(jws, signal),
      onRevocation: (jws) => this.#onRevocation(jws),
    });
  }

  /** Opens what is kept of the session and brings the last good content up, without asking the service. */
  static async open(parts: SessionDependencies): Promise<Session> {
    const { folder, pairing, identity, clock, log, bootId } = parts;
    const [desired, cache, outbox, records, proof] = await Promise.all([
      DesiredStateStore.open(folder, pairing.playerId, log),
      ContentCache.open(join(folder, "content"), clock, log),
      Outbox.open(join(folder, "outbox"), clock, log),
      InterventionStore.open(folder, log),
      ProofOfPlay.open({ folder: join(folder, "plays"), bootId, clock, log }),
    ]);
    const programme = new ScheduleFollower(records, clock, log, parts.deviceZone);
    const execute = createCommandExecutor({
      clock,
      log,
      outbox,
      ...parts.commandEffects,
      applyPlayCommand: (command) => programme.apply(command),
    });
    const { thumbprint } = identity;
    const { serviceKey } = pairing;
    const commands = await CommandRunner.open({ folder, thumbprint, serviceKey, clock, outbox, execute, log });
    const session = new Session(parts, { desired, cache, outbox, commands, records, programme, proof });
    const stored = desired.current.value;
    if (stored !== null) await cache.restore(stored);
    return session;
  }

  get playerId(): string {
    return this.#parts.pairing.playerId;
  }

  get playerName(): string {
    return this.#desired.current.value?.player.name ?? this.#parts.pairing.playerName;
  }

  /** The items on screen, one a zone, by what was really presented. */
  get nowPlaying(): PresentedItem[] {
    const zones = new Set(this.#outlook.stage?.zones.map(({ id }) => id));
    return [...this.#presented.values()].filter(({ zone_id }) => zones.has(zone_id));
  }

  /** Why it is on. */
  get why(): ShownReason[] {
    return this.#programme.why();
  }

  /** What conditions of schedules go by. */
  get variables(): Variables {
    return this.#programme.variables();
  }

  /** Sets them by a trigger. */
  setVariables(id: string, args: VariablesSetArgs): Promise<{ until: string | null }> {
    return this.#programme.setVariables(id, args);
  }

  /** The revision that playback has taken over. */
  get appliedRevision(): string | null {
    return this.#programme.applied?.desired.revision ?? null;
  }

  get desired(): { revision: string; isEmpty: boolean } | null {
    const desired = this.#desired.current.value;
    if (desired === null) return null;
    const { revision, layout, layouts } = desired;
    return { revision, isEmpty: layout === null && layouts.length === 0 };
  }

  /** How the display hangs, as far as is known. */
  get orientation(): Orientation {
    return (this.#programme.applied?.desired ?? this.#desired.current.value)?.player.orientation ?? "landscape";
  }

  /** The stage that the page prepares for its instant. */
  get coming(): readonly UpcomingStage[] {
    return this.#outlook.upcoming;
  }

  /** What is drawn (null: nothing is due), and by which state. */
  get drawn() {
    return { stage: this.#outlook.stage, desired: this.#programme.applied?.desired ?? null };
  }

  get progress(): DownloadProgress {
    return this.#cache.progress.value;
  }

  /** What the choice of a screen depends on. */
  get phase(): ScreenContext["phase"] {
    const desired = this.desired;
    // What was brought up at the start has its first stage in a moment.
    if (this.#outlook.revision === null && this.#cache.ready.value !== null) return { is: "starting" };
    const nothingDue = this.#outlook.stage === null && this.#outlook.revision === desired?.revision;
    return {
      is: "paired",
      playerName: this.playerName,
      link: this.#connection.link.value,
      known: desired === null ? "nothing" : desired.isEmpty ? "empty" : nothingDue ? "idle" : "content",
      progress: this.progress,
      stage: this.#outlook.stage,
    };
  }

  /** The stream item behind a key that the page asks with. */
  streamOf(key: string): StreamSource | null {
    return streamsOf(this.#programme.applied?.desired.playlists ?? []).get(key) ?? null;
  }

  mediaOf(sha256: string): { folder: string; name: string; mimeType: string } | null {
    return this.#cache.findFile(sha256);
  }

  /** Runs until `signal` aborts. @throws Fault `revoked`, proven by the service's pinned key. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock } = this.#parts;
    try {
      return await runAll(
        [
          (end) => this.#play(end),
          (end) =>
            prepareNewest(this.#desired.current, (desired, stop) => this.#cache.prepare(desired, this.#errands.file, stop), clock, end),
          (end) => this.#talk(end),
          (end) => this.#feeds.run(end),
          (end) => reportVariables(this.#programme, this.#records.interventions, this.#connection, clock, end),
        ],
        signal,
      );
    } finally {
      await this.#proof.stop();
    }
  }

  /** All that goes over the network. */
  async #talk(signal: AbortSignal): Promise<never> {
    const { api, clock } = this.#parts;
    // The picture first: while the browser starts, every cycle of the processor is its.
    if (this.#cache.ready.value?.desired.layout) await this.#firstPicture.wait(clock, firstPictureMs, signal);
    return runAll(
      [
        (end) => this.#connection.run(end),
        (end) => this.#desired.run(api, this.#access, clock, this.playerId, end),
        (end) => this.#outbox.run(this.#errands.deliver, end),
        (end) => this.#proof.run(this.#errands.plays, end),
        (end) => this.#untilRevoked(end),
      ],
      signal,
    );
  }

  /** Removes everything that belongs to this pairing, after a revocation. */
  async purge(): Promise<void> {
    this.#parts.webItems.declare(null);
    await Promise.all([
      this.#desired.purge(),
      this.#cache.purge(),
      this.#outbox.purge(),
      this.#commands.purge(),
      this.#records.purge(),
      this.#feeds.purge(),
      this.#proof.purge(),
    ]);
  }

  /** Ready states in, stages out, at every boundary of an item. */
  async #play(signal: AbortSignal): Promise<never> {
    const { clock, surface, webItems: sites, deviceZone, onChange: changed } = this.#parts;
    surface.onMessage((message) => this.#note(message), signal);
    clock.onStep(() => this.#replan.notify(), signal);
    this.#cache.ready.watch(() => this.#replan.notify(), signal);
    let was: DownloadProgress["is"] = this.progress.is;
    this.#cache.progress.watch(({ is }) => {
      changed();
      if (is !== was) this.#connection.sendHeartbeatNow();
      was = is;
    }, signal);
    this.#connection.link.watch(changed, signal);
    this.#desired.current.watch(changed, signal);
    this.#records.interventions.watch(() => this.#replan.notify(), signal);
    for (;;) {
      const now = clock.now();
      const before = this.#programme.applied;
      const acts = this.#programme.follow(this.#cache.ready.value, now);
      const { applied } = this.#programme;
      if (applied !== null && applied !== before) await this.#tellApplied(applied);
      const outlook = pagePlanAt(acts, now, deviceZone, this.#feeds.contentOf, (stage) => sites.withBundleUrls(stage));
      this.#outlook = { ...outlook, revision: this.appliedRevision };
      const { stage, changesAt } = this.#outlook;
      // What is due took the place of what was due before when the program changed, or now.
      void this.#proof.setPlan(stage, applied, Math.max(acts[0]?.from ?? now, this.#plannedAt));
      this.#plannedAt = now;
      changed();
      await this.#replan.wait(clock, changesAt - clock.now(), signal);
    }
  }

  async #tellApplied(ready: ReadyState): Promise<void> {
    await this.#feeds.setFeeds(feedsOf(ready.desired.playlists));
    this.#parts.webItems.declare(ready.desired);
    this.#parts.log.info({ revision: ready.desired.revision }, "state applied");
    this.#isShownTold = false;
    this.#connection.sendHeartbeatNow();
  }

  #untilRevoked(signal: AbortSignal): Promise<never> {
    return new Promise((_, reject) => {
      this.#end = reject;
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  }

  #onRevocation(jws: string): void {
    const { identity, pairing, log } = this.#parts;
    if (isValidRevocation(jws, identity, pairing, log)) this.#end(new Fault("revoked", "the service has revoked this player"));
  }

  #note(message: FromPage): void {
    const { log } = this.#parts;
    void this.#proof.handleMessage(message);
    if (message.type === "presented") {
      const { zone_id, item_id, asset_id, cause, at } = message;
      const presented_at = new Date(at).toISOString();
      this.#presented.set(zone_id, { zone_id, item_id, asset_id, presented_at });
      log.info({ item_id, asset_id, zone_id, cause, presented_at }, "presented");
      this.#firstPicture.notify();
      // The first frame of a new state is news; later ones wait for the next heartbeat.
      if (!this.#isShownTold) this.#connection.sendHeartbeatNow();
      this.#isShownTold = true;
    } else if (message.type === "fallback") {
      this.#presented.delete(message.zone_id);
      log.warn({ zone_id: message.zone_id }, "nothing of the zone can be shown: it shows its fallback");
    } else if (message.type === "failed") {
      const { zone_id, item_id, asset_id, code, detail } = message;
      log.error({ item_id, asset_id, zone_id, code, detail }, "an item could not be shown");
    } else if (message.type === "flawed") {
      const { zone_id, item_id, asset_id, code, detail } = message;
      log.warn({ item_id, asset_id, zone_id, code, detail }, "an item is not shown as it was meant");
    }
  }
}
