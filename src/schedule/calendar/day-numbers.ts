// Days counted from 1970-01-01, and their dates and weekdays.
import { dayMs, iso } from "../../base/time.ts";

/** The number of the day of a wall time. */
export function dayOf(wallMs: number): number {
  return Math.floor(wallMs / dayMs);
}

/** The number of a day; `month` is 0 to 11, and 12 is January of the next year. */
export function dayNumber(year: number, month: number, date: number): number {
  return Date.UTC(year, month, date) / dayMs;
}

/** The date of a day; `month` is 0 to 11. */
export function dateOf(day: number): { year: number; month: number; date: number } {
  const at = new Date(day * dayMs);
  return { year: at.getUTCFullYear(), month: at.getUTCMonth(), date: at.getUTCDate() };
}

/** The date of a day as a text, such as `2026-11-21`. */
export function dateText(day: number): string {
  return iso(day * dayMs).slice(0, 10);
}

/** The weekday of a day, Monday 0 to Sunday 6. 1970-01-01 was a Thursday. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}
