// Openings: a time of day on days of the week. One is a daypart, several together are opening hours.
import { z } from "zod";
import { weekdays } from "../../schedule/calendar/rrule.ts";

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;

const TimeOfDay = z.string().regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$|^24:00$/, "must be a time of day from 00:00 to 24:00");

/** The fields of an opening. A weekday is that of the day on which it begins, also past midnight. */
export const opening = {
  weekdays: z.array(z.enum(weekdays)).min(1).max(7).optional().describe("The days on which it begins; all without it"),
  from: TimeOfDay.default("00:00"),
  until: TimeOfDay.default("24:00").describe("Not after `from`: on the next day"),
};
export const Opening = z.strictObject(opening);
export type Opening = z.infer<typeof Opening>;

/** In ms of the wall clock, the end excluded. */
export interface Span {
  from: number;
  until: number;
}

/** What makes an opening impossible: RFC 6901 pointer below `pointer`, and remedy. */
export function validateOpening({ from, until }: Opening, pointer: string): { pointer: string; detail: string }[] {
  if (until === from) return [{ pointer: `${pointer}/until`, detail: "must differ from `from`: for the whole day leave both out" }];
  if (from === "24:00") return [{ pointer: `${pointer}/from`, detail: "must be before 24:00: use 00:00 of the day after" }];
  return [];
}

/** When the opening begins on each of its weekdays (0 = Monday), after midnight, and how long it lasts, both in ms. */
export function partsOf({ weekdays: wanted, from, until }: Opening): { days: number[]; timeMs: number; lengthMs: number } {
  const days = [...weekdays.keys()].filter((day) => wanted === undefined || wanted.includes(weekdays[day]!));
  const [timeMs, end] = [timeOf(from), timeOf(until)];
  return { days, timeMs, lengthMs: end > timeMs ? end - timeMs : end - timeMs + dayMs };
}

/**
 * When at least one of `openings` is open, since Monday 00:00, in order of the beginning, which lies in that week. Those that
 * touch or overlap are one, also over the end of the week. Null: always.
 */
export function openingsOfWeek(openings: readonly Opening[]): Span[] | null {
  const spans = openings.flatMap((each) => {
    const { days, timeMs, lengthMs } = partsOf(each);
    return days.map((day) => ({ from: day * dayMs + timeMs, until: day * dayMs + timeMs + lengthMs }));
  });
  // The week before and the one after as well: they go on over its ends.
  const weeks = joinSpans([-weekMs, 0, weekMs].flatMap((by) => spans.map(({ from, until }) => ({ from: from + by, until: until + by }))));
  if (weeks.some(({ from, until }) => until - from >= weekMs)) return null;
  return weeks.filter(({ from }) => from >= 0 && from < weekMs);
}

/** The same time in spans that neither touch nor overlap, in order. */
export function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const { from, until } of spans.toSorted((a, b) => a.from - b.from)) {
    const before = joined.at(-1);
    if (before !== undefined && from <= before.until) before.until = Math.max(before.until, until);
    else joined.push({ from, until });
  }
  return joined;
}

function timeOf(text: string): number {
  const [hours, minutes] = text.split(":");
  return (Number(hours) * 60 + Number(minutes)) * 60_000;
}
