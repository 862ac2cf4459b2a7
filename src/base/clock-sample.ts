// An exchange with a reference clock, and the offset that it shows.

/** One exchange with a reference clock (RFC 5905 section 8): all in ms, t0/t3 local, t1/t2 remote. */
export interface ClockSample {
  t0: number;
  t1: number;
  t2: number;
  t3: number;
  /** Bound of the reference's own error; none by default. */
  errorMs?: number;
  /** True if the reference has proven its identity. */
  isAuthenticated?: boolean;
  /** The service unless given. */
  source?: "service" | "time-server";
}

/** Offset of the reference clock from ours, and the bound of its error, both in ms. */
export interface ClockOffset {
  offsetMs: number;
  errorMs: number;
}

// No request waits that long for its response. The error of such an exchange would allow a time before the player was built.
const longestDelayMs = 600_000;

/** The offset that an exchange shows; null if it is impossible: with a round trip that is negative or longer than ten minutes. */
export function offsetOf({ t0, t1, t2, t3, errorMs = 0 }: ClockSample): ClockOffset | null {
  const delayMs = t3 - t0 - (t2 - t1);
  if (!(delayMs >= 0 && delayMs <= longestDelayMs)) return null;
  return { offsetMs: (t1 - t0 + (t2 - t3)) / 2, errorMs: delayMs / 2 + errorMs };
}
