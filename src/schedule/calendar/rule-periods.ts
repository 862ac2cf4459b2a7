// Expands a recurrence rule within one of its periods: the day, week, month or year that it repeats by (RFC 5545 section 3.3.10).
import { dateOf, dayNumber, weekdayOf } from "./day-numbers.ts";
import type { Rule } from "./rrule.ts";

/** The number of the day, week, month or year that holds `day`. */
export function periodOf({ frequency, weekStart }: Rule, day: number): number {
  switch (frequency) {
    case "DAILY":
      return day;
    case "WEEKLY":
      return Math.floor((day + 3 - weekStart) / 7);
    case "MONTHLY": {
      const { year, month } = dateOf(day);
      return year * 12 + month;
    }
    case "YEARLY":
      return dateOf(day).year;
  }
}

/** The days of one period in order, after all BY parts. */
export function daysOfPeriod(rule: Rule, period: number, startDay: number): readonly number[] {
  return selectPositions(rule, expandPeriod(rule, period, startDay));
}

/** Applies BYSETPOS. */
function selectPositions({ bySetPos }: Rule, days: readonly number[]): readonly number[] {
  if (bySetPos.length === 0) return days;
  const selection = new Set(bySetPos.flatMap((position) => days.at(position > 0 ? position - 1 : position) ?? []));
  return days.filter((day) => selection.has(day));
}

function expandPeriod(rule: Rule, period: number, startDay: number): number[] {
  const { frequency, byDay, byMonthDay, byMonth, weekStart } = rule;
  switch (frequency) {
    case "DAILY": {
      if (!isWeekday(rule, period)) return [];
      if (byMonth.length === 0 && byMonthDay.length === 0) return [period];
      const { year, month, date } = dateOf(period);
      return inMonths(byMonth, month) && isMonthDay(byMonthDay, year, month, date) ? [period] : [];
    }
    case "WEEKLY": {
      const first = period * 7 - 3 + weekStart;
      const isNamed = (day: number) => (byDay.length > 0 ? isWeekday(rule, day) : weekdayOf(day) === weekdayOf(startDay));
      return range(first, 7).filter((day) => isNamed(day) && (byMonth.length === 0 || inMonths(byMonth, dateOf(day).month)));
    }
    case "MONTHLY": {
      const [year, month] = [Math.floor(period / 12), period % 12];
      return inMonths(byMonth, month) ? monthDays(rule, year, month, startDay) : [];
    }
    case "YEARLY":
      return yearDays(rule, period, startDay);
  }
}

function yearDays(rule: Rule, year: number, startDay: number): number[] {
  const { byDay, byMonthDay, byMonth } = rule;
  // Without BYMONTH the number of a weekday counts within the year; BYMONTHDAY then limits the result.
  if (byDay.length > 0 && byMonth.length === 0) {
    const first = dayNumber(year, 0, 1);
    return daysOnWeekdays(rule, first, dayNumber(year + 1, 0, 1) - first).filter((day) => {
      const { month, date } = dateOf(day);
      return isMonthDay(byMonthDay, year, month, date);
    });
  }
  const everyMonth = range(1, 12);
  const start = dateOf(startDay);
  const months = byMonth.length > 0 ? byMonth.toSorted((a, b) => a - b) : byMonthDay.length > 0 ? everyMonth : [start.month + 1];
  return [...new Set(months)].flatMap((month) => monthDays(rule, year, month - 1, startDay));
}

function monthDays(rule: Rule, year: number, month: number, startDay: number): number[] {
  const { byDay, byMonthDay } = rule;
  const first = dayNumber(year, month, 1);
  const length = dayNumber(year, month + 1, 1) - first;
  const weekdaysOfMonth = byDay.length === 0 ? range(first, length) : daysOnWeekdays(rule, first, length);
  if (byMonthDay.length > 0) return weekdaysOfMonth.filter((day) => isMonthDay(byMonthDay, year, month, day - first + 1));
  if (byDay.length > 0) return weekdaysOfMonth;
  const { date } = dateOf(startDay);
  return date <= length ? [first + date - 1] : [];
}

/** The days of a month or a year on the rule's weekdays. A numbered weekday (2MO) is one day of them. */
function daysOnWeekdays({ byDay }: Rule, first: number, length: number): number[] {
  return range(first, length).filter((day) => {
    const fromStart = Math.floor((day - first) / 7) + 1;
    const fromEnd = -Math.floor((first + length - 1 - day) / 7) - 1;
    return byDay.some(
      ({ weekday, ordinal }) => weekday === weekdayOf(day) && (ordinal === 0 || ordinal === fromStart || ordinal === fromEnd),
    );
  });
}

function isWeekday({ byDay }: Rule, day: number): boolean {
  return byDay.length === 0 || byDay.some(({ weekday }) => weekday === weekdayOf(day));
}

function isMonthDay(byMonthDay: readonly number[], year: number, month: number, date: number): boolean {
  if (byMonthDay.length === 0) return true;
  const length = dayNumber(year, month + 1, 1) - dayNumber(year, month, 1);
  return byMonthDay.some((monthDay) => monthDay === date || monthDay === date - length - 1);
}

function inMonths(byMonth: readonly number[], month: number): boolean {
  return byMonth.length === 0 || byMonth.includes(month + 1);
}

function range(first: number, length: number): number[] {
  const days: number[] = [];
  for (let index = 0; index < length; index += 1) days.push(first + index);
  return days;
}
