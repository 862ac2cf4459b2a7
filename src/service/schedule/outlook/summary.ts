// Describes the times of a schedule for people: “Fridays 22:00 to 02:00, Berlin”.
import { dayMs, iso } from "../../../base/time.ts";
import type { Condition } from "../../../protocol/scheduling/conditions.ts";
import { isDate, parseMoment } from "../../../protocol/scheduling/moments.ts";
import { weekdays, type Opening } from "../../../protocol/scheduling/opening-hours.ts";
import type { Schedule } from "../../../protocol/scheduling/schedules.ts";
import { endMomentOf, midnightOf } from "../../../schedule/calendar/moments.ts";
import { dayOf } from "../../../schedule/calendar/day-numbers.ts";
import { parseRule, type ByDay, type Rule } from "../../../schedule/calendar/rrule.ts";

type ScheduleTimes = Pick<Schedule, "starts_at" | "ends_at" | "rrule" | "exdates" | "timezone" | "conditions" | "interrupt">;
type CalendarNames = ReadonlyMap<string, { name: string }>;

const weekdayNames = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;
const months = "January February March April May June July August September October November December".split(" ");

/**
 * Describes a schedule in one line of English.
 * @param calendars the calendars that its conditions refer to, by id.
 */
export function describeSchedule(schedule: ScheduleTimes, calendars: CalendarNames): string {
  const { rrule, exdates, timezone, starts_at, conditions, interrupt } = schedule;
  const timeZone = starts_at.endsWith("Z") && rrule === null ? "UTC" : timezone === null ? "each screen's own time" : cityOf(timezone);
  const parts = [rrule === null ? describeOnce(schedule) : describeRecurring(schedule, rrule), timeZone];
  if (exdates.length > 0) parts.push(`except ${exdates.length === 1 ? dateOf(exdates[0]!) : `on ${exdates.length} days`}`);
  parts.push(...conditions.map((condition) => describeCondition(condition, calendars)));
  if (interrupt !== null) parts.push(`${interrupt.share_percent} % of each hour`);
  return parts.join(", ");
}

function describeOnce({ starts_at, ends_at }: ScheduleTimes): string {
  const start = parseMoment(starts_at)!.at;
  if (ends_at === null) return `From ${isDate(starts_at) ? dayName(start) : instantOf(start)} on`;
  const end = parseMoment(ends_at)!.at;
  if (isDate(starts_at)) return `All day, ${dateRange(start, end)}`;
  return dayOf(start) === dayOf(end) ? `${dayName(start)} ${timeOf(start)} to ${timeOf(end)}` : `${instantOf(start)} to ${instantOf(end)}`;
}

/** “3 to 5 May 2026”: omits the month and the year of the first day if the last has the same. */
function dateRange(first: number, last: number): string {
  const [from, to] = [new Date(first), new Date(last)];
  if (first === last) return dayName(first);
  if (from.getUTCFullYear() !== to.getUTCFullYear()) return `${dayName(first)} to ${dayName(last)}`;
  const month = from.getUTCMonth() === to.getUTCMonth() ? "" : ` ${months[from.getUTCMonth()]}`;
  return `${from.getUTCDate()}${month} to ${dayName(last)}`;
}

function describeRecurring({ starts_at, ends_at }: ScheduleTimes, text: string): string {
  const start = parseMoment(starts_at)!.at;
  const end = endMomentOf(ends_at!)!.at;
  const rule = parseRule(text);
  const days = Math.floor((end - start) / dayMs);
  const isWholeDays = (end - start) % dayMs === 0 && timeOf(start) === "00:00";
  const later = days === 0 ? "" : ` ${days === 1 ? "the day after" : `${days} days later`}`;
  const time = isWholeDays ? (days === 1 ? "all day" : `for ${days} days`) : `${timeOf(start)} to ${timeOf(end)}${later}`;
  const { count, until } = rule;
  const ends = count !== null ? `, ${count} times` : until !== null ? `, until ${dayName(until.at)}` : "";
  return `${capital(daysOf(rule, start))} ${time}${ends}`;
}

function daysOf(rule: Rule, start: number): string {
  const { frequency, interval, byDay, byMonthDay, byMonth, bySetPos } = rule;
  if (bySetPos.length > 0) return `on the days of a rule (${frequency.toLowerCase()} with BYSETPOS)`;
  const inMonths = byMonth.length === 0 ? "" : ` in ${list(byMonth.map((month) => months[month - 1]!))}`;
  const dates = byMonthDay.length === 0 ? "" : `on ${list(byMonthDay.map(monthDay))}`;
  const started = new Date(start);
  switch (frequency) {
    case "DAILY": {
      const every = interval === 1 ? "daily" : `every ${interval} days`;
      return [every, byDay.length > 0 ? `on ${weekdaysInPlural(byDay)}` : "", dates].filter(Boolean).join(" ") + inMonths;
    }
    case "WEEKLY": {
      const on = byDay.length > 0 ? weekdaysInPlural(byDay) : `${weekdayNames[(started.getUTCDay() + 6) % 7]}s`;
      return (interval === 1 ? on : `every ${interval} weeks on ${on}`) + inMonths;
    }
    case "MONTHLY": {
      const every = interval === 1 ? "of each month" : `of every ${interval} months`;
      const on = [byDay.length > 0 ? `on ${list(byDay.map(numberedWeekday))}` : "", dates].filter(Boolean).join(" that falls ");
      return `${on === "" ? `on ${monthDay(started.getUTCDate())}` : on} ${byMonth.length === 0 ? every : inMonths.trim()}`;
    }
    case "YEARLY": {
      const every = interval === 1 ? "every year" : `every ${interval} years`;
      const on = [byDay.length > 0 ? `on ${list(byDay.map(numberedWeekday))}` : "", dates].filter(Boolean).join(" that falls ");
      const plain = `on ${started.getUTCDate()} ${months[started.getUTCMonth()]}`;
      return on === "" && byMonth.length === 0
        ? `${every} ${plain}`
        : `${every} ${on === "" ? `on ${monthDay(started.getUTCDate())}` : on}${inMonths}`;
    }
  }
}

function describeCondition(condition: Condition, calendars: CalendarNames): string {
  switch (condition.type) {
    case "tag":
      return `${condition.is_present ? "with" : "without"} the tag “${condition.tag}”`;
    case "variable":
      return `when ${condition.name} ${operators[condition.op]} ${String(condition.value)}`;
    case "date": {
      const { from, until } = condition;
      return [from === undefined ? "" : `from ${dateOf(from)}`, until === undefined ? "" : `until ${dateOf(until)}`]
        .filter(Boolean)
        .join(" ");
    }
    case "daypart": {
      const on = weekdaysOf(condition);
      return `only ${on === "" ? "" : `${on} `}${condition.from} to ${condition.until}`;
    }
    case "hours":
      return `only ${describeOpenings(condition.open)}`;
    case "calendar":
      return describeCalendarCondition(condition, calendars);
  }
}

/** “Mondays to Fridays 08:00 to 12:00 and 14:00 to 18:00; Saturdays 10:00 to 13:00”. */
export function describeOpenings(openings: readonly Opening[]): string {
  const byDays = [...Map.groupBy(openings, weekdaysOf)];
  return byDays.map(([on, open]) => [on, list(open.map(timesOf))].filter(Boolean).join(" ")).join("; ");
}

function weekdaysOf({ weekdays: named }: Opening): string {
  return named === undefined ? "" : weekdaysInPlural(named.map((name) => ({ weekday: weekdays.indexOf(name), ordinal: 0 })));
}

function timesOf({ from, until }: Opening): string {
  return from === "00:00" && until === "24:00" ? "all day" : `${from} to ${until}`;
}

/** “except on Public holidays”. */
export function describeCalendarCondition({ calendar_id, is_listed }: Condition & { type: "calendar" }, calendars: CalendarNames): string {
  return `${is_listed ? "only" : "except"} on ${calendars.get(calendar_id)?.name ?? "a calendar that does not exist"}`;
}

const operators = { equals: "is", not_equals: "is not", at_least: "is at least", at_most: "is at most" } as const;

function weekdaysInPlural(days: readonly ByDay[]): string {
  const numbers = [...new Set(days.map(({ weekday }) => weekday))].toSorted((a, b) => a - b);
  if (numbers.length > 2 && numbers.at(-1)! - numbers[0]! === numbers.length - 1)
    return `${weekdayNames[numbers[0]!]}s to ${weekdayNames[numbers.at(-1)!]}s`;
  return list(numbers.map((number) => `${weekdayNames[number]}s`));
}

function numberedWeekday({ weekday, ordinal }: ByDay): string {
  const name = weekdayNames[weekday]!;
  if (ordinal === 0) return `each ${name}`;
  return ordinal > 0 ? `the ${ordinalOf(ordinal)} ${name}` : `the ${ordinal === -1 ? "" : `${ordinalOf(-ordinal)} `}last ${name}`;
}

function monthDay(day: number): string {
  return day > 0 ? `the ${ordinalOf(day)}` : `the ${day === -1 ? "" : `${ordinalOf(-day)} `}last day`;
}

function ordinalOf(number: number): string {
  const tens = Math.floor((number % 100) / 10);
  const suffix = tens === 1 ? "th" : (["th", "st", "nd", "rd"][number % 10] ?? "th");
  return `${number}${suffix}`;
}

function list(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)!}`;
}

function instantOf(at: number): string {
  return `${dayName(at)} ${timeOf(at)}`;
}

function dateOf(date: string): string {
  return dayName(midnightOf(date));
}

function dayName(at: number): string {
  const date = new Date(at);
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

function timeOf(at: number): string {
  const text = iso(at);
  return text.slice(17, 19) === "00" ? text.slice(11, 16) : text.slice(11, 19);
}

function cityOf(timeZone: string): string {
  return timeZone.slice(timeZone.lastIndexOf("/") + 1).replaceAll("_", " ");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
