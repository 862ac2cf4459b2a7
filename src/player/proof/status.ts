// Builds heartbeats from the current values of the player's parts. Reports presented content, not requested content.
import type { CorrectedClock } from "../../base/clock.ts";
import type { PlayerProblem, ProblemList } from "../../protocol/device/player-problems.ts";
import { pageHeartbeatMs } from "../../protocol/page-messages.ts";
import type { PairingRequest } from "../../protocol/device/messages.ts";
import type { ContentState, FileState, Heartbeat, PresentedItem, ShownReason } from "../../protocol/device/heartbeat.ts";
import type { Capabilities } from "../../protocol/device/capabilities.ts";
import type { UpdateState } from "../../protocol/device/updates.ts";
import type { Variables } from "../../protocol/scheduling/variables.ts";
import type { TelemetryCollector } from "./telemetry.ts";
import type { DriftFigures } from "./playback-drift.ts";
import { describeFailure, type Generations } from "../content/generations.ts";
import type { DownloadProgress, FileProgress } from "../content/download-progress.ts";
import type { BrowserEngine, Host } from "../host.ts";
import type { Machine } from "../machine.ts";
import type { PlayerCondition } from "./problems.ts";
import type { PageState } from "../surface/page-state.ts";
import { describeWithheld, type WithheldContent } from "../surface/withheld-content.ts";

// One report may be late, or two on a device that is busy decoding a large video.
const renderingLimitMs = 4 * pageHeartbeatMs;

export interface StatusDependencies {
  host: Host;
  machine: Machine;
  clock: CorrectedClock;
  folder: string;
  version: string;
  /** Distinguishes this run of the player from other devices with the same identity. */
  instanceId: string;
  engine: () => BrowserEngine | null;
  page: () => PageState;
  drift: () => DriftFigures | null;
  withheld: () => WithheldContent | null;
  /** For how long the browser has drawn without the GPU because it failed with it, ms; null: it does not. */
  withoutGpuMs: () => number | null;
  problems: (
    condition: Pick<
      PlayerCondition,
      "now" | "uptimeMs" | "stillMs" | "isDisplayOff" | "withheld" | "withoutGpuMs" | "diskFreeBytes" | "clockErrorMs" | "serviceAheadMs"
    >,
  ) => ProblemList;
  nowPlaying: () => PresentedItem[];
  why: () => ShownReason[];
  variables: () => Variables;
  appliedRevision: () => string | null;
  desired: () => { revision: string; isEmpty: boolean } | null;
  progress: () => DownloadProgress;
  /** The complete states, and how the newest one failed. */
  generations: () => Generations;
  /** The program's version and update; null: no launcher started the player, or it has not told its status yet. */
  update: () => UpdateState | null;
  /** What the player is able to do; null while it is not paired. */
  capabilities: () => Capabilities | null;
  telemetry: Pick<TelemetryCollector, "collect" | "lastFaults">;
  /** Whether files of the state that plays are lost. */
  isIncomplete: () => boolean;
}

export class Status {
  readonly #dependencies: StatusDependencies;
  readonly #startedAt: number;
  #problems: readonly PlayerProblem[] = [];

  constructor(dependencies: StatusDependencies) {
    this.#dependencies = dependencies;
    this.#startedAt = dependencies.clock.monotonic();
  }

  /** The problems of the last heartbeat, whether it could be sent or not. */
  get problems(): readonly PlayerProblem[] {
    return this.#problems;
  }

  /** The description that a device sends when it requests a pairing code. */
  async describeDevice(): Promise<Omit<PairingRequest, "public_key">> {
    const { machine, folder, version, page } = this.#dependencies;
    const { hardware, timezone } = await machine.readings(folder);
    return { player_version: version, hardware, timezone, resolution: resolutionOf(page()) };
  }

  /** The player's current problems, most severe first. */
  async listProblems(): Promise<readonly PlayerProblem[]> {
    const { machine, folder } = this.#dependencies;
    const [{ diskFreeBytes }, displayPower] = await Promise.all([machine.readings(folder), machine.displayPower()]);
    return this.#listProblems(diskFreeBytes, displayPower).problems;
  }

  /** The current heartbeat. */
  async heartbeat(): Promise<Heartbeat> {
    const { host, machine, clock, folder, version, engine, page, nowPlaying } = this.#dependencies;
    const [readings, displayPower, browserMemory] = await Promise.all([
      machine.readings(folder),
      machine.displayPower(),
      host.memoryByKind(),
    ]);
    const { hardware: model } = readings;
    const telemetry = await this.#dependencies.telemetry.collect({ browserMemory, power: displayPower, model });
    const state = page();
    const lastFrameAgo = state.is === "here" && state.lastFrameAt !== null ? clock.monotonic() - state.lastFrameAt : null;
    const { offsetMs, errorMs } = clock.offset;
    const browser = engine();
    const drift = this.#dependencies.drift();
    const withheld = this.#dependencies.withheld();
    const isWithheld = withheld?.isNow === true;
    const { diskFreeBytes } = readings;
    const listed = this.#listProblems(diskFreeBytes, displayPower);
    this.#problems = listed.problems;
    const { browser: mainBytes, page: pageBytes, gpu, other } = browserMemory;
    const update = this.#dependencies.update();
    const capabilities = this.#dependencies.capabilities();
    return {
      boot_id: machine.bootId,
      instance_id: this.#dependencies.instanceId,
      uptime_ms: Math.round(this.#uptimeMs),
      player_version: version,
      engine: browser === null ? "none" : `${browser.name} ${browser.version}${browser.headless ? " headless" : ""}`,
      hardware: readings.hardware,
      timezone: readings.timezone,
      resolution: resolutionOf(state),
      content: isWithheld ? withheldContent(this.#content(), withheld) : this.#content(),
      now_playing: isWithheld || state.is === "away" ? [] : nowPlaying(),
      why: isWithheld ? this.#dependencies.why().map(withheldReason) : this.#dependencies.why(),
      variables: this.#dependencies.variables(),
      ...listed,
      ...(update !== null && { update }),
      ...(capabilities !== null && { capabilities }),
      rendering: lastFrameAgo !== null && lastFrameAgo < renderingLimitMs,
      last_frame_at: lastFrameAgo === null ? null : new Date(clock.now() - lastFrameAgo).toISOString(),
      telemetry: { ...telemetry, last_faults: this.#dependencies.telemetry.lastFaults(listed.problems) },
      memory_bytes: process.memoryUsage.rss() + mainBytes + pageBytes + gpu + other,
      cpu_load: readings.cpuLoad,
      temperature_c: readings.temperatureC,
      // Some network file systems report an unlimited size.
      disk_free_bytes: diskFreeBytes === null ? null : Math.min(diskFreeBytes, 1e15),
      clock_offset_ms: rounded(offsetMs),
      clock_error_ms: Number.isFinite(errorMs) ? rounded(errorMs) : null,
      drift_ms: drift === null ? null : rounded(drift.worstMs),
      drift_mean_ms: drift === null ? null : rounded(drift.meanMs),
      // Read last, so that the work above does not distort the clock synchronization.
      sent_at_ms: clock.raw(),
    };
  }

  #listProblems(diskFreeBytes: number | null, displayPower: "on" | "off" | null): ProblemList {
    const { clock, engine, page, problems, withheld, withoutGpuMs } = this.#dependencies;
    return problems({
      now: clock.now(),
      uptimeMs: this.#uptimeMs,
      stillMs: stillMsOf(page(), clock.monotonic()),
      isDisplayOff: displayPower === "off" && engine()?.headless !== true,
      withheld: withheld(),
      withoutGpuMs: withoutGpuMs(),
      diskFreeBytes,
      clockErrorMs: clock.offset.errorMs,
      serviceAheadMs: clock.contradictionMs,
    });
  }

  get #uptimeMs(): number {
    return this.#dependencies.clock.monotonic() - this.#startedAt;
  }

  #content(): ContentState {
    const { desired, appliedRevision, progress, isIncomplete } = this.#dependencies;
    const generations = this.#dependencies.generations();
    const applied_revision = appliedRevision();
    const wanted = desired();
    const { is, readyBytes, totalBytes, readyFiles, totalFiles, files, detail } = progress();
    const content = {
      revision: wanted?.revision ?? null,
      applied_revision,
      ready_bytes: readyBytes,
      total_bytes: totalBytes,
      ready_files: readyFiles,
      total_files: totalFiles,
      files: files.map(fileState),
    };
    if (wanted === null) return { is: "empty", ...content, detail: "the screen has not received a state yet" };
    if (generations.plays === "previous" && wanted.revision === generations.newest?.revision)
      return { is: "failed", ...content, detail: `The content before plays: ${describeFailure(generations)}`.slice(0, 2_000) };
    if (wanted.revision !== applied_revision || isIncomplete())
      return {
        is: is === "failed" ? "failed" : "downloading",
        ...content,
        detail: detail?.slice(0, 2_000) ?? null,
      };
    return { is: wanted.isEmpty ? "empty" : "applied", ...content, detail: null };
  }
}

/** To a hundredth of a ms: more digits would only make heartbeats longer. */
function rounded(ms: number): number {
  return Math.round(100 * ms) / 100;
}

function resolutionOf(page: PageState): { width: number; height: number } | null {
  if (page.is !== "here") return null;
  return { width: Math.round(page.viewport.width), height: Math.round(page.viewport.height) };
}

function fileState({ assetId, readyBytes, totalBytes, failure }: FileProgress): FileState {
  const is = failure === null ? "downloading" : "failed";
  return { asset_id: assetId, is, ready_bytes: readyBytes, total_bytes: totalBytes, detail: failure?.slice(0, 200) ?? null };
}

/** How long no frame has been presented, ms. */
function stillMsOf(page: PageState, now: number): number {
  return now - (page.is === "here" && page.lastFrameAt !== null ? page.lastFrameAt : page.since);
}

/** While content is withheld, nothing of the revision is on the screen. */
function withheldContent(content: ContentState, withheld: WithheldContent): ContentState {
  return { ...content, is: "failed", applied_revision: null, detail: `Content is withheld: ${describeWithheld(withheld)}` };
}

/** The reason for what would be shown if it were not withheld. */
function withheldReason(reason: ShownReason): ShownReason {
  return reason.verdict === "shows" ? { ...reason, verdict: "held", detail: `Withheld: ${reason.detail}`.slice(0, 600) } : reason;
}
