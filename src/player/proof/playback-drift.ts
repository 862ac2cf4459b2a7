// How far the screen was from the clock during the last half minute, gathered from the page's beats.
import type { Clock } from "../../base/clock.ts";
import type { FromPage } from "../../protocol/scene.ts";

/** Of all clips and sounds on screen, in ms. */
export interface DriftFigures {
  /** The furthest, whichever way. */
  worstMs: number;
  /** Above 0: ahead of the clock. */
  meanMs: number;
}

// A heartbeat's time: each beat of the page is told at least once.
const spanMs = 33_000;

export class PlaybackDrift {
  readonly #clock: Clock;
  #beats: { at: number; worstMs: number; meanMs: number; measures: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes in what the page says. */
  handleMessage(message: FromPage): void {
    if (message.type !== "beat" || message.drift == null) return;
    const { worst_ms: worstMs, mean_ms: meanMs, measures } = message.drift;
    const at = this.#clock.monotonic();
    this.#beats = [...this.#beats.filter((beat) => at - beat.at < spanMs), { at, worstMs, meanMs, measures }];
  }

  /** Null when nothing played that has a position of its own. */
  get figures(): DriftFigures | null {
    const now = this.#clock.monotonic();
    const beats = this.#beats.filter(({ at }) => now - at < spanMs);
    if (beats.length === 0) return null;
    const measures = beats.reduce((sum, beat) => sum + beat.measures, 0);
    return {
      worstMs: Math.max(...beats.map(({ worstMs }) => worstMs)),
      meanMs: beats.reduce((sum, beat) => sum + beat.meanMs * beat.measures, 0) / measures,
    };
  }
}
