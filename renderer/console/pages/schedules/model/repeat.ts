// How a schedule recurs, as people say it: read from a rule (RFC 5545) and written as one. Pure.
import { parseMoment } from "../../../../../src/protocol/scheduling/moments.ts";
import { weekdays } from "../../../../../src/protocol/scheduling/opening-hours.ts";
import { dateOf, dayOf, weekdayOf } from "../../../../../src/schedule/calendar/day-numbers.ts";
import { parseRule, RuleError, type Rule } from "../../../../../src/schedule/calendar/rrule.ts";

export type Weekday = (typeof weekdays)[number];

/** The day of a month: by its number, -1 being the last day, or as the second or, with -1, the last Tuesday. */
export type MonthDay = { by: "date"; day: number } | { by: "weekday"; ordinal: number; weekday: Weekday };

/** When it ends. `date` is the last day on which it may begin. */
export type RepeatEnd = { is: "never" } | { is: "until"; date: string } | { is: "count"; count: number };

/** A recurrence that the form can show. */
export type Repeat = { every: number; end: RepeatEnd } & (
  | { unit: "day" }
  /** Monday first, at least one. */
  | { unit: "week"; on: readonly Weekday[] }
  | { unit: "month"; on: MonthDay }
  | { unit: "year" }
);

/** The weekday of a schedule's first day. @param startsAt a moment, such as `2026-11-21T16:00` */
export function weekdayOfStart(startsAt: string): Weekday {
  return weekdays[weekdayOf(startDay(startsAt))]!;
}

/** The days of a month that the first day of a schedule can stand for: the 10th, the second Tuesday, the last Tuesday. */
export function monthDaysOf(startsAt: string): MonthDay[] {
  const { year, month, date } = dateOf(startDay(startsAt));
  const weekday = weekdayOfStart(startsAt);
  const inMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const ordinal = Math.ceil(date / 7);
  return [
    { by: "date", day: date },
    ...(date === inMonth ? [{ by: "date", day: -1 } as const] : []),
    // Not each month has a fifth one.
    ...(ordinal < 5 ? [{ by: "weekday", ordinal, weekday } as const] : []),
    ...(inMonth - date < 7 ? [{ by: "weekday", ordinal: -1, weekday } as const] : []),
  ];
}

/** The rule of a recurrence. */
export function ruleOf(repeat: Repeat): string {
  const parts = [`FREQ=${{ day: "DAILY", week: "WEEKLY", month: "MONTHLY", year: "YEARLY" }[repeat.unit]}`];
  if (repeat.every > 1) parts.push(`INTERVAL=${repeat.every}`);
  if (repeat.unit === "week") parts.push(`BYDAY=${weekdays.filter((day) => repeat.on.includes(day)).join(",")}`);
  if (repeat.unit === "month") {
    const { on } = repeat;
    parts.push(on.by === "date" ? `BYMONTHDAY=${on.day}` : `BYDAY=${on.ordinal}${on.weekday}`);
  }
  if (repeat.end.is === "until") parts.push(`UNTIL=${repeat.end.date.replaceAll("-", "")}`);
  if (repeat.end.is === "count") parts.push(`COUNT=${repeat.end.count}`);
  return parts.join(";");
}

/** The recurrence that a rule means for a schedule that starts at `startsAt`; null: the form has no words for it. */
export function repeatOf(rrule: string, startsAt: string): Repeat | null {
  let rule: Rule;
  try {
    rule = parseRule(rrule);
  } catch (error) {
    if (error instanceof RuleError) return null;
    throw error;
  }
  const end = endOf(rule);
  // From which day weeks are counted matters only if some are left out.
  if (end === null || rule.bySetPos.length > 0 || (rule.weekStart !== 0 && rule.frequency === "WEEKLY" && rule.interval > 1)) return null;
  return withUnit(rule, { every: rule.interval, end }, startsAt);
}

function withUnit(rule: Rule, common: { every: number; end: RepeatEnd }, startsAt: string): Repeat | null {
  const { frequency, byDay, byMonth, byMonthDay } = rule;
  const on = weekdays.filter((_, number) => byDay.some(({ weekday }) => weekday === number));
  const isPlain = byDay.length + byMonth.length + byMonthDay.length === 0;
  switch (frequency) {
    case "DAILY":
      if (isPlain) return { ...common, unit: "day" };
      return byMonth.length + byMonthDay.length === 0 && common.every === 1 ? { ...common, unit: "week", on } : null;
    case "WEEKLY":
      if (byMonth.length > 0) return null;
      return { ...common, unit: "week", on: on.length > 0 ? on : [weekdayOfStart(startsAt)] };
    case "MONTHLY": {
      const day = monthDayOf(rule, startsAt);
      return day === null ? null : { ...common, unit: "month", on: day };
    }
    case "YEARLY": {
      const { month, date } = dateOf(startDay(startsAt));
      const namesStart = byDay.length === 0 && byMonth.join() === `${month + 1}` && byMonthDay.join() === `${date}`;
      return isPlain || namesStart ? { ...common, unit: "year" } : null;
    }
  }
}

function monthDayOf({ byDay, byMonth, byMonthDay }: Rule, startsAt: string): MonthDay | null {
  if (byMonth.length > 0 || byDay.length + byMonthDay.length > 1) return null;
  const [firstDay] = byDay;
  if (firstDay !== undefined) {
    return firstDay.ordinal === 0 ? null : { by: "weekday", ordinal: firstDay.ordinal, weekday: weekdays[firstDay.weekday]! };
  }
  return { by: "date", day: byMonthDay[0] ?? dateOf(startDay(startsAt)).date };
}

/** Null: it ends at an instant, for which the form has no field. */
function endOf({ count, until }: Rule): RepeatEnd | null {
  if (count !== null) return { is: "count", count };
  if (until === null) return { is: "never" };
  return until.isUtc ? null : { is: "until", date: new Date(until.at).toISOString().slice(0, 10) };
}

function startDay(startsAt: string): number {
  return dayOf(parseMoment(startsAt)?.at ?? 0);
}
