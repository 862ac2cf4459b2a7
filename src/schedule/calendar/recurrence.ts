// Computes the days of a recurrence rule. Arithmetic on day numbers: no time zones, no time of day.
import { dayMs, hourMs } from "../../base/time.ts";
import { dayOf } from "./day-numbers.ts";
import { midnightOf } from "./moments.ts";
import type { Rule } from "./rrule.ts";
import { daysOfPeriod, periodOf } from "./rule-periods.ts";
import { floatingClock, type WallClock } from "./time-zone.ts";

/** A rule with its first and its last day, both included. Days are counted from 1970-01-01. */
export interface Recurrence {
  rule: Rule;
  startDay: number;
  lastDay: number;
  /** Days of the rule that are left out (EXDATE). */
  excludedDays: ReadonlySet<number>;
  /** The days of the last months or years that were computed: consecutive lookups need the same ones. */
  cachedPeriods: Map<number, readonly number[]>;
}

// 2200-01-01: the end of every search.
const maxDay = 84_006;
// A night at the end of a month needs both months.
const maxCachedPeriods = 2;
// Kiritimati is 14 hours ahead of UTC; no time zone is further ahead.
const maxAheadMs = 14 * hourMs;

/**
 * The days of a rule whose first window begins at the wall time `start`.
 * @param clock of the schedule's time zone. With the floating clock an UNTIL in UTC includes the days of any time zone.
 */
export function scheduleRecurrence(rule: Rule, start: number, exdates: readonly string[], clock: WallClock): Recurrence {
  const lastDay = lastDayOf(rule, start - dayOf(start) * dayMs, clock);
  return createRecurrence(rule, dayOf(start), lastDay, new Set(exdates.map((date) => dayOf(midnightOf(date)))));
}

/**
 * The days of `rule` from `startDay` on, which itself counts only if the rule names it.
 * @param lastDay the last day that UNTIL allows; COUNT is applied here.
 */
export function createRecurrence(rule: Rule, startDay: number, lastDay: number, excludedDays: ReadonlySet<number>): Recurrence {
  const all: Recurrence = { rule, startDay, lastDay: Math.min(lastDay, maxDay), excludedDays: none, cachedPeriods: new Map() };
  if (rule.count === null) return { ...all, excludedDays };
  let remainingCount = rule.count;
  // COUNT includes the excluded days (RFC 5545, section 3.8.5.1).
  const last = findDay(all, startDay, all.lastDay, () => (remainingCount -= 1) === 0);
  return { ...all, lastDay: last ?? all.lastDay, excludedDays };
}

/** The days from `from` to `to`, both included, in order. The cost depends on the span, not on how long ago the rule began. */
export function daysBetween(recurrence: Recurrence, from: number, to: number): number[] {
  const days: number[] = [];
  const last = Math.min(to, recurrence.lastDay);
  if (last < from) return days;
  findDay(recurrence, from, last, (day) => {
    if (!recurrence.excludedDays.has(day)) days.push(day);
    return false;
  });
  return days;
}

/** The first day from `from` to `to`; null if there is none. */
export function firstDay(recurrence: Recurrence, from: number, to: number): number | null {
  return findDay(recurrence, from, Math.min(to, recurrence.lastDay), (day) => !recurrence.excludedDays.has(day));
}

const none: ReadonlySet<number> = new Set();

/** The last day whose window begins at UNTIL or before. An UNTIL in UTC is compared as an instant, any other as a wall time. */
function lastDayOf({ until }: Rule, timeOfDay: number, clock: WallClock): number {
  if (until === null) return Number.MAX_SAFE_INTEGER;
  if (!until.isUtc) return dayOf(until.at - timeOfDay);
  if (clock === floatingClock) return dayOf(until.at + maxAheadMs - timeOfDay);
  let day = dayOf(until.at - timeOfDay) + 2;
  while (clock.instantOf(day * dayMs + timeOfDay) > until.at) day -= 1;
  return day;
}

/** The first day of the rule from `from` to `to` for which `matches` is true, ignoring excluded days; null if there is none. */
function findDay(recurrence: Recurrence, from: number, to: number, matches: (day: number) => boolean): number | null {
  const { rule, startDay } = recurrence;
  const first = Math.max(from, startDay);
  const startPeriod = periodOf(rule, startDay);
  const periodsBefore = Math.max(0, periodOf(rule, first) - startPeriod);
  const lastPeriod = periodOf(rule, to);
  let period = startPeriod + Math.ceil(periodsBefore / rule.interval) * rule.interval;
  for (; period <= lastPeriod; period += rule.interval) {
    for (const day of daysIn(recurrence, period)) {
      if (day >= first && day <= to && matches(day)) return day;
    }
  }
  return null;
}

/** The days of one period in order. */
function daysIn({ rule, startDay, cachedPeriods }: Recurrence, period: number): readonly number[] {
  const fromCache = cachedPeriods.get(period);
  if (fromCache !== undefined) return fromCache;
  const days = daysOfPeriod(rule, period, startDay);
  if (rule.frequency === "MONTHLY" || rule.frequency === "YEARLY") {
    if (cachedPeriods.size === maxCachedPeriods) cachedPeriods.clear();
    cachedPeriods.set(period, days);
  }
  return days;
}
