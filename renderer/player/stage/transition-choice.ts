// Which transition is really run: shortened to its slot, calmed for who asked for less motion, a cut where frames do not hold.
import type { FromPage } from "../../../src/protocol/page-messages.ts";
import type { Transition } from "../../../src/protocol/content/transition.ts";
import type { TransitionResult } from "./transition.ts";

// Film has 24; below this a movement is a row of jumps.
const minFramesPerSecond = 18;
// One rough transition may be a busy moment; three in a row are the screen.
const roughInARow = 3;
const simplifiedMs = 600_000;
// Over fewer frames than this nothing is learned.
const shortestJudgedMs = 250;
const calmMs = 300;

/** Chooses for the whole page, since all zones share one compositor. */
export class TransitionChoice {
  readonly #report: (message: FromPage) => void;
  readonly #lessMotion = matchMedia("(prefers-reduced-motion: reduce)");
  #rough = 0;
  #simplifiedUntil = Number.NEGATIVE_INFINITY;

  constructor(report: (message: FromPage) => void) {
    this.#report = report;
  }

  /** What to run for a picture that stays for `stayMs`; null for a cut. */
  choose(wanted: Transition | undefined, stayMs: number): Transition | null {
    if (wanted === undefined || wanted.type === "cut" || performance.now() < this.#simplifiedUntil) return null;
    const duration_ms = Math.min(wanted.duration_ms, Math.max(0, stayMs) / 2);
    if (duration_ms === 0) return null;
    if (!this.#lessMotion.matches) return { ...wanted, duration_ms };
    return { ...wanted, type: "crossfade", duration_ms: Math.min(duration_ms, calmMs) };
  }

  /** Learns from a transition how smooth this screen is. */
  recordResult({ frames, durationMs }: TransitionResult): void {
    if (durationMs < shortestJudgedMs) return;
    const framesPerSecond = Math.round((frames / durationMs) * 10_000) / 10;
    this.#rough = framesPerSecond < minFramesPerSecond ? this.#rough + 1 : 0;
    if (this.#rough < roughInARow) return;
    this.#rough = 0;
    this.#simplifiedUntil = performance.now() + simplifiedMs;
    this.#report({ type: "simplified", frames_per_second: framesPerSecond, for_ms: simplifiedMs });
  }
}
