// Groups publications by the day on which they happened, on the reader's clock. Pure.
import { dayMs } from "../../../../../src/base/time.ts";

export interface Day<T> {
  /** Such as `2026-11-23`. */
  date: string;
  /** How many days ago. */
  ago: number;
  entries: T[];
}

/** @param entries the newest first; @param dateOf the reader's date at an instant, such as `2026-11-23` */
export function byDay<T extends { created_at: string }>(entries: readonly T[], now: Date, dateOf: (at: Date) => string): Day<T>[] {
  const days: Day<T>[] = [];
  const today = Date.parse(dateOf(now));
  for (const entry of entries) {
    const date = dateOf(new Date(entry.created_at));
    const last = days.at(-1);
    if (last?.date === date) last.entries.push(entry);
    else days.push({ date, ago: Math.round((today - Date.parse(date)) / dayMs), entries: [entry] });
  }
  return days;
}
