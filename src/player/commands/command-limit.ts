// Decides whether a rate limit lets a command start now, by the starts that the journal has. Pure.
import type { CommandLimit } from "./command-module.ts";

/**
 * @param starts when commands of the type have started, ms since the epoch, in any order.
 * @returns null if one more may start at `now`, else the instant from which it may.
 */
export function blockedUntil({ count, perMs }: CommandLimit, starts: readonly number[], now: number): number | null {
  // A start in the future was recorded before the clock was set back: it counts for the same time as any other.
  const counted = starts.filter((at) => Math.abs(now - at) < perMs).toSorted((a, b) => a - b);
  const oldest = counted.at(-count);
  return oldest === undefined ? null : oldest + perMs;
}
