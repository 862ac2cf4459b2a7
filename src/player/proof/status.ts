// Merges the heartbeat from the reports of the player's parts. Reports presented content, not requested content.
import type { CorrectedClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { Heartbeat, type ShownReason } from "../../protocol/device/heartbeat.ts";
import type { PairingRequest } from "../../protocol/device/messages.ts";
import type { PlayerProblem, ProblemList } from "../../protocol/device/player-problems.ts";
import type { FromPage } from "../../protocol/page-messages.ts";
import { describeRefusal } from "../../protocol/refusal.ts";
import { reportContent } from "../content/content-report.ts";
import { noProgress } from "../content/download-progress.ts";
import { noGenerations } from "../content/generations.ts";
import type { DisplayPower } from "../control/display-power.ts";
import type { Host } from "../host.ts";
import type { ServiceApi } from "../link/service-api.ts";
import type { Machine, MachineReadings } from "../machine.ts";
import type { PlayerConfig } from "../player-config.ts";
import type { DiskHealth } from "../storage/disk-health.ts";
import { stillMs } from "../surface/page-state.ts";
import type { Recovery } from "../surface/recovery.ts";
import type { Surface } from "../surface/surface.ts";
import { describeWithheld, type WithheldContent } from "../surface/withheld-content.ts";
import type { Updates } from "../update/updates.ts";
import { PlaybackDrift, rounded } from "./playback-drift.ts";
import { type PlayerCondition, Problems } from "./problems.ts";
import { TelemetryCollector } from "./telemetry.ts";

/** A session's share of the heartbeat. */
export type SessionReport = Pick<Heartbeat, "content" | "now_playing" | "why" | "variables" | "capabilities">;

/** A session's share of the condition by which problems are found. */
export type SessionCondition = Pick<
  PlayerCondition,
  "stage" | "desired" | "progress" | "generations" | "lostAssets" | "impairment" | "isOffOnPurpose" | "recurring"
>;

/** A session with a service, as far as the heartbeat has to do with it. */
export interface ReportingSession {
  report(): SessionReport;
  readonly condition: SessionCondition;
  readonly displayPower: Pick<DisplayPower, "report">;
}

/** Those of the player's parts that report. */
export interface StatusParts {
  config: Pick<PlayerConfig, "folder" | "version">;
  files: { disk: DiskHealth };
  device: { machine: Machine };
  http: { api: Pick<ServiceApi, "instanceId"> };
  browser: {
    host: Pick<Host, "memoryByKind">;
    surface: Pick<Surface, "page" | "report" | "onMessage">;
    recovery: Pick<Recovery, "report" | "engine" | "withheld" | "withoutGpuMs">;
  };
  updates: Pick<Updates, "report" | "problems"> | null;
  clock: CorrectedClock;
  log: Log;
}

/** The reports of a player that is not paired. */
export const noSession: { report: SessionReport; condition: SessionCondition } = {
  report: {
    ...reportContent({ desired: null, applied: null, progress: noProgress, generations: noGenerations }),
    now_playing: [],
    why: [],
    variables: {},
  },
  condition: {
    stage: null,
    desired: null,
    progress: noProgress,
    generations: noGenerations,
    lostAssets: [],
    impairment: null,
    isOffOnPurpose: false,
    recurring: [],
  },
};

export class Status {
  readonly #parts: StatusParts;
  readonly #session: () => ReportingSession | null;
  readonly #startedAt: number;
  readonly #drift: PlaybackDrift;
  readonly #telemetry: TelemetryCollector;
  readonly #problems = new Problems();
  #lastProblems: readonly PlayerProblem[] = [];

  /** Follows the page's messages until `signal` aborts. @param session returns null while the player is not paired */
  constructor(parts: StatusParts, session: () => ReportingSession | null, signal: AbortSignal) {
    const { config, device, browser, clock, log } = parts;
    this.#parts = parts;
    this.#session = session;
    this.#startedAt = clock.monotonic();
    this.#drift = new PlaybackDrift(clock);
    const displayPower = () => session()?.displayPower.report() ?? null;
    this.#telemetry = new TelemetryCollector({ machine: device.machine, folder: config.folder, displayPower, clock, log, signal });
    browser.surface.onMessage((message) => this.#handleMessage(message), signal);
  }

  /** The problems of the last heartbeat, whether it could be sent or not. */
  get problems(): readonly PlayerProblem[] {
    return this.#lastProblems;
  }

  /** The description that a device sends when it requests a pairing code. */
  async describeDevice(): Promise<Omit<PairingRequest, "public_key">> {
    const { config, device, browser } = this.#parts;
    const { hardware, timezone } = await device.machine.readings(config.folder);
    return { player_version: config.version, hardware, timezone, resolution: browser.surface.report().resolution };
  }

  /** The player's current problems, most severe first. */
  async listProblems(): Promise<readonly PlayerProblem[]> {
    const { config, device } = this.#parts;
    const { machine } = device;
    const [{ diskFreeBytes }, displayPower] = await Promise.all([machine.readings(config.folder), machine.displayPower()]);
    return this.#listProblems(diskFreeBytes, displayPower).problems;
  }

  /** The current heartbeat. */
  async heartbeat(): Promise<Heartbeat> {
    const { config, device, http, browser, updates, clock } = this.#parts;
    const { machine } = device;
    const [readings, power, browserMemory] = await Promise.all([
      machine.readings(config.folder),
      machine.displayPower(),
      browser.host.memoryByKind(),
    ]);
    const telemetry = await this.#telemetry.collect({ browserMemory, power, model: readings.hardware });
    const listed = this.#listProblems(readings.diskFreeBytes, power);
    this.#lastProblems = listed.problems;
    const { browser: mainBytes, page, gpu, other } = browserMemory;
    return {
      boot_id: machine.bootId,
      instance_id: http.api.instanceId,
      uptime_ms: Math.round(this.#uptimeMs),
      player_version: config.version,
      ...reportReadings(readings),
      ...browser.recovery.report(),
      ...browser.surface.report(),
      ...this.#onScreen(this.#session()?.report() ?? noSession.report),
      ...listed,
      ...updates?.report(),
      telemetry: { ...telemetry, last_faults: this.#telemetry.lastFaults(listed.problems) },
      memory_bytes: process.memoryUsage.rss() + mainBytes + page + gpu + other,
      ...this.#drift.report(),
      // Read last, so that the work above does not distort the clock synchronization.
      ...reportClock(clock),
    };
  }

  /** The report of a session, as far as its content is on the screen. */
  #onScreen(report: SessionReport): SessionReport {
    const { recovery, surface } = this.#parts.browser;
    const { withheld } = recovery;
    if (withheld?.isNow === true) return withhold(report, withheld);
    return surface.page.value.is === "away" ? { ...report, now_playing: [] } : report;
  }

  #listProblems(diskFreeBytes: number | null, displayPower: "on" | "off" | null): ProblemList {
    const { browser, files, updates, clock } = this.#parts;
    const { withheld, withoutGpuMs, engine } = browser.recovery;
    const now = clock.now();
    return this.#problems.list({
      now,
      uptimeMs: this.#uptimeMs,
      stillMs: stillMs(browser.surface.page.value, clock),
      isDisplayOff: displayPower === "off" && engine?.headless !== true,
      withheld,
      withoutGpuMs,
      diskFreeBytes,
      disk: files.disk.condition,
      updates: updates?.problems(now) ?? [],
      clockErrorMs: clock.offset.errorMs,
      serviceAheadMs: clock.contradictionMs,
      ...this.#condition,
    });
  }

  #handleMessage(message: FromPage): void {
    const { clock } = this.#parts;
    this.#drift.handleMessage(message);
    this.#telemetry.handleMessage(message);
    const { stage, isOffOnPurpose } = this.#condition;
    // A browser draws nothing for a display that is off: items that were not ready or stopped meanwhile say nothing about them.
    if (isOffOnPurpose && (message.type === "failed" || message.type === "flawed")) return;
    this.#problems.handleMessage(message, stage, clock.now());
  }

  get #condition(): SessionCondition {
    return this.#session()?.condition ?? noSession.condition;
  }

  get #uptimeMs(): number {
    return this.#parts.clock.monotonic() - this.#startedAt;
  }
}

/**
 * The heartbeat as the service can read it: without the optional parts that its schema refuses, each of which is reported as a fault of
 * the program. If a part is refused that must be there, the service refuses the whole.
 */
export function readableHeartbeat(heartbeat: Heartbeat, disk: Pick<DiskHealth, "recordRefused">): Heartbeat {
  const parsed = Heartbeat.safeParse(heartbeat);
  if (parsed.success) return heartbeat;
  disk.recordRefused("heartbeat", describeRefusal(parsed.error));
  const refused = new Set(parsed.error.issues.map(({ path }) => String(path[0])));
  const rest = Object.fromEntries(Object.entries(heartbeat).filter(([name]) => !refused.has(name))) as Heartbeat;
  return Heartbeat.safeParse(rest).success ? rest : heartbeat;
}

function reportReadings({ hardware, timezone, cpuLoad, temperatureC, diskFreeBytes }: MachineReadings) {
  return {
    hardware,
    timezone,
    cpu_load: cpuLoad,
    temperature_c: temperatureC,
    // Some network file systems report an unlimited size.
    disk_free_bytes: diskFreeBytes === null ? null : Math.min(diskFreeBytes, 1e15),
  } satisfies Partial<Heartbeat>;
}

function reportClock(clock: CorrectedClock) {
  const { offsetMs, errorMs } = clock.offset;
  return {
    clock_offset_ms: rounded(offsetMs),
    clock_error_ms: Number.isFinite(errorMs) ? rounded(errorMs) : null,
    sent_at_ms: clock.raw(),
  } satisfies Partial<Heartbeat>;
}

/** While content is withheld, nothing of the revision is on the screen. Its reasons are those for showing it if it were not withheld. */
function withhold(report: SessionReport, withheld: WithheldContent): SessionReport {
  const detail = `Content is withheld: ${describeWithheld(withheld)}`;
  const why = report.why?.map((reason): ShownReason => {
    if (reason.verdict !== "shows") return reason;
    return { ...reason, verdict: "held", detail: `Withheld: ${reason.detail}`.slice(0, 600) };
  });
  return { ...report, content: { ...report.content, is: "failed", applied_revision: null, detail }, now_playing: [], ...(why && { why }) };
}
