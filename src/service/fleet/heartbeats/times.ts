// How times of heartbeats are compared with now, also those that a clock that was ahead has written.
import type { Clock } from "../../../base/clock.ts";

/**
 * A time that is so much later than now was written while a clock was ahead, ms: by a node of a version that went by its machine's, or
 * before the database's was set back.
 */
export const futureMs = 2_000;

/** When it was `wall` time, in monotonic time: now at the latest. */
export function monotonicOf(clock: Clock, wall: number): number {
  return clock.monotonic() - Math.max(0, clock.now() - wall);
}

/** True if a clock that was ahead has written a time: a record with an earlier time may be newer. */
export function isFuture(clock: Clock, wall: number): boolean {
  return wall > clock.now() + futureMs;
}
