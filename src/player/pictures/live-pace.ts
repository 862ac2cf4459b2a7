// How often a live view takes a picture, and how good it is: less over a slow line or on a busy device.
import type { LiveAnswer } from "../../protocol/device/live.ts";

/** The limits that the service sets for the next frames. */
export type LiveWishes = Pick<LiveAnswer, "max_fps" | "max_width" | "quality">;

// Below this the picture is of no use.
const leastScale = 0.3;
const leastQuality = 20;
// Taking pictures may use at most a quarter of the time, so that playback has the rest.
const captureShare = 0.25;
const longestIntervalMs = 5_000;
// A busy device skips frames, but not so many that the view seems to have ended.
const maxSkipped = 4;

export class LivePace {
  #wishes: LiveWishes;
  /** From 1 down: how much less than wanted the line allows. */
  #scale = 1;
  #captureMs = 0;
  #skipped = 0;

  constructor(wishes: LiveWishes) {
    this.#wishes = wishes;
  }

  /** The next picture. */
  get picture(): { format: "jpeg"; quality: number; maxWidth: number } {
    const { quality, max_width: maxWidth } = this.#wishes;
    const wanted = Math.round(quality * this.#scale);
    return {
      format: "jpeg",
      quality: Math.min(quality, Math.max(leastQuality, wanted)),
      maxWidth: Math.max(16, Math.round(maxWidth * Math.max(0.5, this.#scale))),
    };
  }

  /** The time from the start of one frame to the start of the next. An upload that takes longer delays the next frame by itself. */
  get intervalMs(): number {
    return Math.min(longestIntervalMs, Math.max(1_000 / this.#wishes.max_fps, this.#captureMs / captureShare));
  }

  /** True if the next frame has to be left out, because the device has no time for it. */
  skips(isBusy: boolean): boolean {
    this.#skipped = isBusy && this.#skipped < maxSkipped ? this.#skipped + 1 : 0;
    return this.#skipped > 0;
  }

  /** Learns from a frame that the service has accepted. */
  sent(wishes: LiveWishes, captureMs: number, uploadMs: number): void {
    const budgetMs = 1_000 / wishes.max_fps;
    this.#wishes = wishes;
    this.#captureMs = captureMs;
    if (uploadMs > budgetMs) this.lower();
    else if (uploadMs < budgetMs / 2) this.#scale = Math.min(1, this.#scale * 1.1);
  }

  /** Makes the next frames smaller. */
  lower(): void {
    this.#scale = Math.max(leastScale, this.#scale * 0.75);
  }
}
