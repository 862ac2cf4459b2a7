// Cuts windows by the dates of a calendar. Pure arithmetic on day numbers: the player and the check of shares have it in common.
import { dayOf } from "./recurrence.ts";

/** From `from` to `until` in ms, the end excluded; Infinity when it is open. */
interface Span {
  from: number;
  until: number;
}

/** From an instant to what the clock on the wall reads, and back. */
interface WallClock {
  wallAt(instant: number): number;
  instantOf(wall: number): number;
}

/** Days counted from 1970-01-01; the end excluded. */
interface Run {
  first: number;
  end: number;
}

interface Days {
  all: ReadonlySet<number>;
  /** Listed days that follow one another are one run. */
  listed: readonly Run[];
  unlisted: readonly Run[];
}

const dayMs = 86_400_000;
// Many schedules ask for one calendar: its days are worked out once.
const worked = new WeakMap<readonly string[], Days>();

/**
 * What `dates` leave of `spans` within what is asked. A span of at most a day on the wall clock counts by the day on which it
 * begins: a night out on the 24th belongs to the 24th, as its weekday does. A longer one is cut to whole days.
 * @param isListed true: only on the dates; false: except on them.
 * @param asked only what touches it need be told.
 */
export function cutByDates(spans: readonly Span[], dates: readonly string[], isListed: boolean, clock: WallClock, asked: Span): Span[] {
  const days = daysOf(dates);
  const kept = spans.flatMap((span): readonly Span[] => {
    const beginsAt = clock.wallAt(span.from);
    // Its last millisecond, since an end in the hour that the spring change leaves out reads as an hour later.
    const isShort = Number.isFinite(span.until) && clock.wallAt(span.until - 1) - beginsAt < dayMs;
    if (isShort) return days.all.has(dayOf(beginsAt)) === isListed ? [span] : [];
    return cut(span, isListed ? days.listed : days.unlisted, clock, asked);
  });
  return kept.toSorted((a, b) => a.from - b.from);
}

function cut(span: Span, runs: readonly Run[], clock: WallClock, asked: Span): Span[] {
  // Two days more on either side: clocks on the wall are less than that from UTC.
  const first = dayOf(Math.max(asked.from, span.from)) - 2;
  const last = dayOf(Math.min(asked.until, span.until)) + 2;
  return runs.flatMap((run): Span[] => {
    if (run.end < first || run.first > last) return [];
    const from = Math.max(span.from, instantOf(run.first, clock));
    const until = Math.min(span.until, instantOf(run.end, clock));
    return from < until ? [{ from, until }] : [];
  });
}

function instantOf(day: number, clock: WallClock): number {
  return Number.isFinite(day) ? clock.instantOf(day * dayMs) : day;
}

function daysOf(dates: readonly string[]): Days {
  let days = worked.get(dates);
  if (days === undefined) worked.set(dates, (days = workOut(dates)));
  return days;
}

function workOut(dates: readonly string[]): Days {
  const numbers = dates.map((date) => dayOf(Date.parse(`${date}T00:00Z`))).toSorted((a, b) => a - b);
  const listed: Run[] = [];
  for (const day of numbers) {
    const last = listed.at(-1);
    if (last !== undefined && day <= last.end) last.end = Math.max(last.end, day + 1);
    else listed.push({ first: day, end: day + 1 });
  }
  const starts = [Number.NEGATIVE_INFINITY, ...listed.map(({ end }) => end)];
  const unlisted = starts.map((first, index): Run => ({ first, end: listed[index]?.first ?? Number.POSITIVE_INFINITY }));
  return { all: new Set(numbers), listed, unlisted };
}
