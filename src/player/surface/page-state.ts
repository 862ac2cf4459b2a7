// The connection of the player's page, and the time of its last frame.
import type { Clock } from "../../base/clock.ts";
import type { Heartbeat } from "../../protocol/device/heartbeat.ts";
import { pageHeartbeatMs } from "../../protocol/page-messages.ts";

/** Times on the monotonic clock, ms. */
export type PageState =
  | { is: "away"; since: number }
  | {
      is: "here";
      since: number;
      viewport: { width: number; height: number };
      lastFrameAt: number | null;
      /** Consecutive reports of the page, newest last, that it presented no frame. */
      reportsWithoutFrame: number;
    };

// One report may be late, or two on a device that is busy decoding a large video.
const renderingLimitMs = 4 * pageHeartbeatMs;

/** The heartbeat's share of the page. */
export function reportPage(page: PageState, clock: Clock): Pick<Heartbeat, "resolution" | "rendering" | "last_frame_at"> {
  if (page.is === "away") return { resolution: null, rendering: false, last_frame_at: null };
  const { width, height } = page.viewport;
  const frameAgeMs = page.lastFrameAt === null ? null : clock.monotonic() - page.lastFrameAt;
  return {
    resolution: { width: Math.round(width), height: Math.round(height) },
    rendering: frameAgeMs !== null && frameAgeMs < renderingLimitMs,
    last_frame_at: frameAgeMs === null ? null : new Date(clock.now() - frameAgeMs).toISOString(),
  };
}

/** How long no frame has been presented, ms. */
export function stillMs(page: PageState, clock: Clock): number {
  return clock.monotonic() - (page.is === "here" && page.lastFrameAt !== null ? page.lastFrameAt : page.since);
}
