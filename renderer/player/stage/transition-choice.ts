// Chooses the transition to run: shortened to its slot, reduced when less motion is requested, a cut when the display is too slow.
import type { TransitionResult } from "./transition.ts";
import type { Transition } from "../../../src/protocol/content/transition.ts";
import type { FromPage } from "../../../src/protocol/page-messages.ts";

// Film has 24; below this rate a movement looks like a series of jumps.
const minFramesPerSecond = 18;
// One slow transition may be a busy moment; three in a row mean that the display is too slow.
const maxSlowInARow = 3;
const simplifiedMs = 600_000;
// A shorter transition has too few frames to measure a rate.
const minMeasuredMs = 250;
const maxReducedMs = 300;

/** One choice for the whole page, because all zones share one compositor. */
export class TransitionChoice {
  readonly #report: (message: FromPage) => void;
  readonly #reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
  #slowInARow = 0;
  #simplifiedUntil = Number.NEGATIVE_INFINITY;

  constructor(report: (message: FromPage) => void) {
    this.#report = report;
  }

  /** The transition to run for an item that stays for `stayMs`; null for a cut. */
  choose(request: Transition | undefined, stayMs: number): Transition | null {
    if (request === undefined || request.type === "cut" || performance.now() < this.#simplifiedUntil) return null;
    const duration_ms = Math.min(request.duration_ms, Math.max(0, stayMs) / 2);
    if (duration_ms === 0) return null;
    if (!this.#reducedMotion.matches) return { ...request, duration_ms };
    return { ...request, type: "crossfade", duration_ms: Math.min(duration_ms, maxReducedMs) };
  }

  /** Records how smooth a transition was. */
  recordResult({ frames, durationMs }: TransitionResult): void {
    if (durationMs < minMeasuredMs) return;
    const framesPerSecond = Math.round((frames / durationMs) * 10_000) / 10;
    this.#slowInARow = framesPerSecond < minFramesPerSecond ? this.#slowInARow + 1 : 0;
    if (this.#slowInARow < maxSlowInARow) return;
    this.#slowInARow = 0;
    this.#simplifiedUntil = performance.now() + simplifiedMs;
    this.#report({ type: "simplified", frames_per_second: framesPerSecond, for_ms: simplifiedMs });
  }
}
