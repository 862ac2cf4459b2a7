// Tells whether windows are open at an instant, and until when that stays so. Pure.
import { dayMs } from "../../base/time.ts";
import type { Windows } from "./daily-windows.ts";

// An opening occurs within a week, unless a clock change skips it.
const lookaheadMs = 8 * dayMs;

/** UTC ms, the end excluded. */
export interface OpenPeriod {
  from: number;
  until: number;
  isOpen: boolean;
}

/** Tells if one of `windows` is open at `instant`, and until when that stays so: at most eight days ahead where none opens. */
export function openPeriodAt(windows: Windows, instant: number): OpenPeriod {
  const [next] = windows.touching(instant, instant + lookaheadMs);
  if (next === undefined) return { from: instant, until: instant + lookaheadMs, isOpen: false };
  const isOpen = next.from <= instant;
  return { from: instant, until: isOpen ? next.until : next.from, isOpen };
}
