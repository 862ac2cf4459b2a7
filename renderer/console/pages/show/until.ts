// How long something is shown: some usual choices, or an exact time.
import { dayMs, hourMs, iso } from "../../../../src/base/time.ts";
import type { NewShow } from "./shows.ts";

export const untilChoices = ["hour", "day", "tomorrow", "open", "exact"] as const;

export interface Until {
  is: (typeof untilChoices)[number];
  /** For `exact`: as the browser's field has it, in the reader's time zone. */
  at: string;
}

/** The fields of a request; null: there is no valid time, or it is over. */
export function untilFields({ is, at }: Until, now: Date): Pick<NewShow, "from" | "until" | "lasts_ms"> | null {
  switch (is) {
    case "hour":
      return { lasts_ms: hourMs };
    case "day":
      return untilMidnight(now, 1);
    case "tomorrow":
      return untilMidnight(now, 2);
    case "open":
      return { until: null };
    case "exact": {
      const end = new Date(at);
      return Number.isNaN(end.getTime()) || end <= now ? null : { until: end.toISOString() };
    }
  }
}

/**
 * Until midnight on each screen's own clock. It begins a day ago, because screens west of the reader have not reached the reader's
 * local time: they would wait for it.
 */
function untilMidnight(now: Date, days: number): Pick<NewShow, "from" | "until"> {
  return { from: `${localDate(now, -dayMs)}T00:00`, until: `${localDate(now, days * dayMs)}T00:00` };
}

function localDate(now: Date, plusMs: number): string {
  // From noon, so that a day of 23 or 25 hours does not lead to another date.
  const noon = new Date(now.getFullYear(), now.getMonth(), now.getDate(), 12).getTime() + plusMs;
  const date = new Date(noon);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** True if a moment of the API is an instant; otherwise it is a time on each screen's own clock. */
export function isInstant(moment: string): boolean {
  return moment.endsWith("Z");
}

/** A moment of the API some time later, but later than now: an instant stays an instant. */
export function later(moment: string, plusMs: number, now: Date): string {
  if (isInstant(moment)) return iso(Math.max(Date.parse(moment), now.getTime()) + plusMs);
  const at = Date.parse(`${moment.length === 10 ? `${moment}T00:00` : moment}Z`);
  return iso(at + plusMs).slice(0, 19);
}
