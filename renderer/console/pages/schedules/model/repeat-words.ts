// A recurrence in words: “Every second Tuesday, 11:00 to 14:00, until 31 Mar 2027”.
import { dayMs } from "../../../../../src/base/time.ts";
import { parseMoment } from "../../../../../src/protocol/scheduling/moments.ts";
import { weekdays } from "../../../../../src/protocol/scheduling/opening-hours.ts";
import { formatDate, formatList, formatMonthDay, formatShortTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import type { Values } from "./form.ts";
import type { MonthDay, Repeat, RepeatEnd, Weekday } from "./repeat.ts";

const text = texts("repeat");

/** The times of day of a schedule. */
export type Times = Pick<Values, "isAllDay" | "startDate" | "startTime" | "endDate" | "endTime" | "hasEnd">;

/** Such as `Every second Tuesday, 11:00 to 14:00, until 31 Mar 2027`. @param startsAt of the schedule, for a yearly one */
export function repeatInWords(repeat: Repeat, startsAt: string, times: Times): string {
  return [daysInWords(repeat, startsAt), timesInWords(times), endInWords(repeat.end)].filter((part) => part !== "").join(", ");
}

/** Such as `11:00 to 14:00`; empty while a time is missing. */
export function timesInWords({ isAllDay, startDate, startTime, endDate, endTime, hasEnd }: Times): string {
  const days = (Date.parse(endDate) - Date.parse(startDate)) / dayMs;
  if (isAllDay) return days > 0 ? text("allDays", { days: days + 1 }) : text("allDay");
  if (startTime === "" || (hasEnd && endTime === "")) return "";
  const formatTime = (time: string): string => formatShortTime(Date.parse(`1970-01-01T${time}Z`));
  const from = formatTime(startTime);
  if (!hasEnd) return text("fromOn", { from });
  const to = formatTime(endTime);
  // Past midnight it is plain that the end is on the next day.
  const isPlain = !(days > 0) || (days === 1 && endTime <= startTime);
  return isPlain ? text("fromTo", { from, to }) : text("fromToLater", { from, to, days });
}

function daysInWords(repeat: Repeat, startsAt: string): string {
  const { every } = repeat;
  switch (repeat.unit) {
    case "day":
      return text("everyDay", { every });
    case "week":
      return everyWeek(every, repeat.on);
    case "month":
      return text("everyMonth", { every, day: monthDayInWords(repeat.on) });
    case "year":
      return text("everyYear", { every, day: formatMonthDay(parseMoment(startsAt)?.at ?? 0) });
  }
}

function everyWeek(every: number, on: readonly Weekday[]): string {
  const [firstWeekday] = on;
  if (on.length === 1) return text("everyWeekday", { every, day: text(firstWeekday!) });
  if (on.length === weekdays.length && every === 1) return text("everyDay", { every });
  if (every === 1 && on.join() === weekdays.slice(0, 5).join()) return text("workdays");
  return text("everyWeek", { every, days: formatList(weekdays.filter((day) => on.includes(day)).map((day) => text(day))) });
}

/** Such as `the second Tuesday`. */
export function monthDayInWords(day: MonthDay): string {
  if (day.by === "date")
    return day.day === -1 ? text("lastDay") : text(day.day < 0 ? "dayFromEnd" : "dayOfMonth", { day: Math.abs(day.day) });
  const { ordinal, weekday } = day;
  return text(ordinal < 0 ? "lastWeekday" : "weekdayOfMonth", { ordinal: Math.abs(ordinal), weekday: text(weekday) });
}

function endInWords(end: RepeatEnd): string {
  if (end.is === "never") return "";
  return end.is === "until" ? text("until", { date: formatDate(end.date) }) : text("times", { count: end.count });
}
