// Arithmetic on the moments of a schedule: when it ends, and the same times for players that do not support dates.
import { dayMs } from "../../base/time.ts";
import { isDate, parseMoment, type ParsedMoment } from "../../protocol/scheduling/moments.ts";
import type { Schedule } from "../../protocol/scheduling/schedules.ts";

// Moments exist before 2200. The last day ends a second early, so that its end is a valid moment too.
const lastEnd = Date.UTC(2200, 0, 1) - 1_000;

/** The beginning and the end of a schedule's first window. */
export type StartAndEnd = Pick<Schedule, "starts_at" | "ends_at">;

/**
 * The moment at which a window with this `ends_at` is over. A date alone is included, as people mean it (and unlike DTEND of
 * RFC 5545), so the window is over when the next day begins.
 */
export function endMomentOf(endsAt: string): ParsedMoment | null {
  const moment = parseMoment(endsAt);
  return moment !== null && isDate(endsAt) ? { ...moment, at: Math.min(moment.at + dayMs, lastEnd) } : moment;
}

/** The same window with dates replaced by wall times, for players of versions that do not support dates. */
export function withWallTimes({ starts_at, ends_at }: StartAndEnd): StartAndEnd {
  if (!isDate(starts_at)) return { starts_at, ends_at };
  const end = ends_at === null ? null : endMomentOf(ends_at)!.at;
  return { starts_at: `${starts_at}T00:00:00`, ends_at: end === null ? null : new Date(end).toISOString().slice(0, 19) };
}

/** Midnight at the beginning of a date, as UTC ms of the wall clock. */
export function midnightOf(date: string): number {
  return Date.parse(`${date}T00:00Z`);
}
