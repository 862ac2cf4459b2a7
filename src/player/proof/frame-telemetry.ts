// Sums up the frames that the page reports, from one heartbeat to the next.
import type { Clock } from "../../base/clock.ts";
import type { FrameCounts } from "../../protocol/device/telemetry.ts";
import type { FromPage } from "../../protocol/page-messages.ts";

export class FrameTelemetry {
  readonly #clock: Clock;
  #counts = { presented: 0, dropped: 0, late: 0 };
  #since: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  handleMessage(message: FromPage): void {
    if (message.type !== "beat") return;
    const { frames, video_frames: videoFrames = 0, dropped = 0, late = 0 } = message;
    this.#counts.presented += frames + videoFrames;
    this.#counts.dropped += dropped;
    this.#counts.late += late;
  }

  /** The frames since the last call. */
  take(): FrameCounts {
    const now = this.#clock.monotonic();
    const counts = { ...this.#counts, interval_ms: Math.round(now - this.#since) };
    this.#counts = { presented: 0, dropped: 0, late: 0 };
    this.#since = now;
    return counts;
  }
}
