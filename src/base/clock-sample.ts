// An exchange with a reference clock, and the offset that it shows.

/** One exchange with a reference clock (RFC 5905 section 8): all in ms, t0/t3 local, t1/t2 remote. */
export interface ClockSample {
  t0: number;
  t1: number;
  t2: number;
  t3: number;
  /** Bound of the reference's own error; none by default. */
  errorMs?: number;
  /** Whether the reference has proven its identity. */
  isAuthenticated?: boolean;
  /** The service unless given. */
  source?: "service" | "time-server";
}

/** Offset of the reference clock from ours, and the bound of its error, both in ms. */
export interface ClockOffset {
  offsetMs: number;
  errorMs: number;
}

/** The offset that an exchange shows; null if it is impossible: with a negative round trip. */
export function offsetOf({ t0, t1, t2, t3, errorMs = 0 }: ClockSample): ClockOffset | null {
  const delayMs = t3 - t0 - (t2 - t1);
  if (!(delayMs >= 0)) return null;
  return { offsetMs: (t1 - t0 + (t2 - t3)) / 2, errorMs: delayMs / 2 + errorMs };
}
