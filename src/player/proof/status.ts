// The heartbeat: what the stages' live values say, put together. Frames that were presented decide, not what was asked for.
import type { CorrectedClock } from "../../base/clock.ts";
import type { ProblemList } from "../../protocol/device/player-problems.ts";
import { pageHeartbeatMs } from "../../protocol/scene.ts";
import type { PairingRequest } from "../../protocol/device/messages.ts";
import type { ContentState, Heartbeat, PresentedItem, ShownReason } from "../../protocol/device/heartbeat.ts";
import type { Variables } from "../../protocol/scheduling/variables.ts";
import type { DriftFigures } from "./playback-drift.ts";
import type { DownloadProgress } from "../content/download-progress.ts";
import type { BrowserEngine, Host } from "../host.ts";
import type { Machine } from "../machine.ts";
import { type PlayerCondition, describeWithheld } from "./problems.ts";
import type { WithheldContent } from "../surface/recovery.ts";
import type { PageState } from "../surface/surface.ts";

// One beat may be late, or two on a box that is busy with a large decode.
const renderingLimitMs = 4 * pageHeartbeatMs;

export interface StatusDependencies {
  host: Host;
  machine: Machine;
  clock: CorrectedClock;
  folder: string;
  version: string;
  engine: () => BrowserEngine | null;
  page: () => PageState;
  drift: () => DriftFigures | null;
  withheld: () => WithheldContent | null;
  problems: (about: Pick<PlayerCondition, "now" | "uptimeMs" | "stillMs" | "withheld" | "diskFreeBytes" | "clockErrorMs">) => ProblemList;
  nowPlaying: () => PresentedItem[];
  why: () => ShownReason[];
  variables: () => Variables;
  appliedRevision: () => string | null;
  desired: () => { revision: string; isEmpty: boolean } | null;
  progress: () => DownloadProgress;
}

/** Puts heartbeats together. */
export class Status {
  readonly #parts: StatusDependencies;
  readonly #startedAt: number;

  constructor(parts: StatusDependencies) {
    this.#parts = parts;
    this.#startedAt = parts.clock.monotonic();
  }

  /** What a box says of itself when it asks for a code. */
  async describeDevice(): Promise<Omit<PairingRequest, "public_key">> {
    const { machine, folder, version, page } = this.#parts;
    const { hardware, timezone } = await machine.readings(folder);
    return { player_version: version, hardware, timezone, resolution: resolutionOf(page()) };
  }

  /** The heartbeat of this moment. */
  async heartbeat(): Promise<Heartbeat> {
    const { host, machine, clock, folder, version, engine, page, nowPlaying } = this.#parts;
    const [readings, browserBytes] = await Promise.all([machine.readings(folder), host.memoryBytes()]);
    const state = page();
    const lastFrameAgo = state.is === "here" && state.lastFrameAt !== null ? clock.monotonic() - state.lastFrameAt : null;
    const { offsetMs, errorMs } = clock.offset;
    const browser = engine();
    const drift = this.#parts.drift();
    const withheld = this.#parts.withheld();
    const isWithheld = withheld?.isNow === true;
    const uptimeMs = clock.monotonic() - this.#startedAt;
    const { diskFreeBytes } = readings;
    const about = {
      now: clock.now(),
      uptimeMs,
      stillMs: stillMsOf(state, clock.monotonic()),
      withheld,
      diskFreeBytes,
      clockErrorMs: errorMs,
    };
    return {
      boot_id: machine.bootId,
      uptime_ms: Math.round(uptimeMs),
      player_version: version,
      engine: browser === null ? "none" : `${browser.name} ${browser.version}${browser.headless ? " headless" : ""}`,
      hardware: readings.hardware,
      timezone: readings.timezone,
      resolution: resolutionOf(state),
      content: isWithheld ? withheldContent(this.#content(), withheld) : this.#content(),
      now_playing: isWithheld || state.is === "away" ? [] : nowPlaying(),
      why: isWithheld ? this.#parts.why().map(heldBack) : this.#parts.why(),
      variables: this.#parts.variables(),
      ...this.#parts.problems(about),
      rendering: lastFrameAgo !== null && lastFrameAgo < renderingLimitMs,
      last_frame_at: lastFrameAgo === null ? null : new Date(clock.now() - lastFrameAgo).toISOString(),
      memory_bytes: process.memoryUsage.rss() + browserBytes,
      cpu_load: readings.cpuLoad,
      temperature_c: readings.temperatureC,
      // Some network file systems say that they have no end.
      disk_free_bytes: diskFreeBytes === null ? null : Math.min(diskFreeBytes, 1e15),
      clock_offset_ms: offsetMs,
      clock_error_ms: Number.isFinite(errorMs) ? errorMs : null,
      drift_ms: drift?.worstMs ?? null,
      drift_mean_ms: drift?.meanMs ?? null,
      // Last, so that what took time above does not count into the clock exchange.
      sent_at_ms: clock.raw(),
    };
  }

  #content(): ContentState {
    const { desired, appliedRevision, progress } = this.#parts;
    const applied_revision = appliedRevision();
    const wanted = desired();
    const { is, readyBytes, totalBytes, detail } = progress();
    const about = {
      revision: wanted?.revision ?? null,
      applied_revision,
      ready_bytes: readyBytes,
      total_bytes: totalBytes,
    };
    if (wanted === null) return { is: "empty", ...about, detail: "no state was ever received" };
    if (wanted.revision !== applied_revision)
      return {
        is: is === "failed" ? "failed" : "downloading",
        ...about,
        detail: detail?.slice(0, 2_000) ?? null,
      };
    return { is: wanted.isEmpty ? "empty" : "applied", ...about, detail: null };
  }
}

function resolutionOf(page: PageState): { width: number; height: number } | null {
  if (page.is !== "here") return null;
  return { width: Math.round(page.viewport.width), height: Math.round(page.viewport.height) };
}

/** How long no frame has been presented, ms. */
function stillMsOf(page: PageState, now: number): number {
  return now - (page.is === "here" && page.lastFrameAt !== null ? page.lastFrameAt : page.since);
}

/** Nothing of a revision is on the screen while it is withheld. */
function withheldContent(content: ContentState, withheld: WithheldContent): ContentState {
  return { ...content, is: "failed", applied_revision: null, detail: `Content is withheld: ${describeWithheld(withheld)}` };
}

/** A reason for what would be shown, while it is withheld. */
function heldBack(reason: ShownReason): ShownReason {
  return reason.verdict === "shows" ? { ...reason, verdict: "held", detail: `Withheld: ${reason.detail}`.slice(0, 600) } : reason;
}
