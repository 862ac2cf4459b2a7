// Keeps animations at the position that the clock gives them, also while a preview's clock stands still or is set.
import type { PageClock } from "./clock.ts";

/** Lets `animations`, which begin at `beginsAt` (corrected wall time), follow the clock until `signal` aborts. */
export function followClock(animations: readonly Animation[], beginsAt: number, clock: PageClock, signal: AbortSignal): void {
  const place = (): void => {
    for (const animation of animations) {
      if (clock.rate === 0) {
        animation.pause();
        animation.currentTime = clock.now() - beginsAt;
      } else {
        animation.playbackRate = clock.rate;
        // The position depends on the clock, even if frames are lost or the page is late.
        animation.startTime = performanceTimeOf(beginsAt, clock);
      }
    }
  };
  place();
  clock.onSet(place, signal);
}

/** When the clock shows `wallTime`, on the performance clock. The clock must be running. */
function performanceTimeOf(wallTime: number, clock: PageClock): number {
  const now = performance.now();
  return now + (wallTime - clock.toWallTime(now)) / clock.rate;
}
