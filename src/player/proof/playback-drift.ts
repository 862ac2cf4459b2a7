// How far video and audio were from the clock in the last half minute, collected from the page's reports.
import type { Clock } from "../../base/clock.ts";
import type { Heartbeat } from "../../protocol/device/heartbeat.ts";
import type { FromPage } from "../../protocol/page-messages.ts";

/** Over all videos and sounds on the screen, in ms. */
export interface DriftFigures {
  /** The largest difference in either direction. */
  worstMs: number;
  /** Above 0: ahead of the clock. */
  meanMs: number;
}

// Longer than the heartbeat interval, so that each report of the page is in at least one heartbeat.
const spanMs = 33_000;

export class PlaybackDrift {
  readonly #clock: Clock;
  #reports: { at: number; worstMs: number; meanMs: number; measures: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  handleMessage(message: FromPage): void {
    if (message.type !== "beat" || message.drift == null) return;
    const { worst_ms: worstMs, mean_ms: meanMs, measures } = message.drift;
    const at = this.#clock.monotonic();
    this.#reports = [...this.#reports.filter((report) => at - report.at < spanMs), { at, worstMs, meanMs, measures }];
  }

  /** The heartbeat's share of the drift. */
  report(): Pick<Heartbeat, "drift_ms" | "drift_mean_ms"> {
    const { figures } = this;
    return { drift_ms: figures && rounded(figures.worstMs), drift_mean_ms: figures && rounded(figures.meanMs) };
  }

  /** Null if no video or sound played. */
  get figures(): DriftFigures | null {
    const now = this.#clock.monotonic();
    const reports = this.#reports.filter(({ at }) => now - at < spanMs);
    if (reports.length === 0) return null;
    const measures = reports.reduce((sum, report) => sum + report.measures, 0);
    return {
      worstMs: Math.max(...reports.map(({ worstMs }) => worstMs)),
      meanMs: reports.reduce((sum, report) => sum + report.meanMs * report.measures, 0) / measures,
    };
  }
}

/** To a hundredth of a ms: more digits would only make heartbeats longer. */
export function rounded(ms: number): number {
  return Math.round(100 * ms) / 100;
}
