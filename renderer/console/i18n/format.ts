// Formats times and sizes for people, in their language.
import { dayMs, hourMs, minuteMs, secondMs } from "../../../src/base/time.ts";
import { isPseudo, locale, pseudoText } from "./locale.ts";

/** Gives a format for each time zone, made once: making one takes a millisecond and much memory. Undefined: the reader's own. */
function inZones(options: Intl.DateTimeFormatOptions): (timeZone: string | undefined) => Intl.DateTimeFormat {
  const cache = new Map<string | undefined, Intl.DateTimeFormat>();
  return (timeZone) => {
    let format = cache.get(timeZone);
    if (format === undefined) cache.set(timeZone, (format = new Intl.DateTimeFormat(locale, { ...options, timeZone })));
    return format;
  };
}

const timeFormat = inZones({ hour: "2-digit", minute: "2-digit" });
const dateTimeFormat = inZones({ dateStyle: "medium", timeStyle: "short" });
const dayFormat = inZones({ weekday: "short", day: "numeric", month: "short" });
const narrowDayFormat = inZones({ weekday: "short", day: "numeric" });
const relativeFormat = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" });

const localize = (text: string): string => (isPseudo ? pseudoText(text) : text);

/** Such as `14:05`, in `timeZone` (IANA) or the reader's own. */
export function formatTime(time: Date, timeZone?: string): string {
  return localize(timeFormat(timeZone).format(time));
}

/** Such as `23 Nov 2026, 14:05`, in `timeZone` (IANA) or the reader's own. */
export function formatDateTime(time: Date, timeZone?: string): string {
  return localize(dateTimeFormat(timeZone).format(time));
}

const weekdayFormat = new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" });

/** Such as `Mon`. @param index 0: Monday */
export function formatWeekday(index: number): string {
  // 1 January 2024 was a Monday.
  return localize(weekdayFormat.format(new Date(Date.UTC(2024, 0, 1 + index))));
}

const steps = [
  { unit: "second", ms: secondMs, below: minuteMs },
  { unit: "minute", ms: minuteMs, below: hourMs },
  { unit: "hour", ms: hourMs, below: dayMs },
  { unit: "day", ms: dayMs, below: Number.POSITIVE_INFINITY },
] as const;

/** Such as `5 min. ago`. */
export function formatAge(time: Date, now: Date): string {
  const ms = time.getTime() - now.getTime();
  const { unit, ms: unitMs } = steps.find(({ below }) => Math.abs(ms) < below)!;
  return localize(relativeFormat.format(Math.trunc(ms / unitMs), unit));
}

const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** Such as `3.4 MB`. */
export function formatBytes(bytes: number): string {
  const step = Math.min(bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3), units.length - 1);
  const format = new Intl.NumberFormat(locale, { style: "unit", unit: units[step]!, maximumFractionDigits: step === 0 ? 0 : 1 });
  return localize(format.format(bytes / 1_000 ** step));
}

/** Such as `Mon 23 Nov`, in `timeZone` (IANA). */
export function formatDay(time: Date, timeZone: string): string {
  return localize(dayFormat(timeZone).format(time));
}

/** Such as `Mon 23`, where there is no room for the month. */
export function formatNarrowDay(time: Date, timeZone: string): string {
  return localize(narrowDayFormat(timeZone).format(time));
}

/** Such as `53.5 °C` or `1,024`. */
export function formatNumber(value: number, options: Intl.NumberFormatOptions = {}): string {
  return localize(new Intl.NumberFormat(locale, { maximumFractionDigits: 1, ...options }).format(value));
}

/**
 * A sentence of the service or a screen with its instants as times in `timeZone` (IANA) or the reader's own. Screens write
 * instants, since they do not know who will read them.
 */
export function readable(sentence: string, timeZone?: string | null): string {
  return sentence.replaceAll(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z| UTC)/g, (instant) => {
    const time = new Date(instant.replace(" UTC", "Z"));
    return Number.isNaN(time.getTime()) ? instant : formatDateTime(time, timeZone ?? undefined);
  });
}

const dateFormat = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });

/** Such as `24 Dec 2026`. @param date as `2026-12-24`, a day anywhere */
export function formatDate(date: string): string {
  return localize(dateFormat.format(new Date(`${date}T00:00:00Z`)));
}

const monthDayFormat = new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", timeZone: "UTC" });

/** Such as `24 December`. @param at UTC ms of the day */
export function formatMonthDay(at: number): string {
  return localize(monthDayFormat.format(at));
}

const hourFormat = new Intl.DateTimeFormat(locale, { hour: "numeric", timeZone: "UTC" });
const hasTwelveHours = hourFormat.resolvedOptions().hour12 === true;
const shortTimeFormat = new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit", timeZone: "UTC" });

/** As short as the language allows: `11 AM`, `11:30 AM`, `11:00`. @param wall UTC ms at which a clock in UTC shows the time */
export function formatShortTime(wall: number): string {
  return localize((hasTwelveHours && wall % hourMs === 0 ? hourFormat : shortTimeFormat).format(wall));
}

const listFormat = new Intl.ListFormat(locale, { type: "conjunction" });

/** Such as `Monday, Tuesday and Friday`. */
export function formatList(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? "") : localize(listFormat.format(words));
}

const monthFormat = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone: "UTC" });

/** Such as `November 2026`. @param at UTC ms of one of its days */
export function formatMonth(at: number): string {
  return localize(monthFormat.format(at));
}

const shortDateFormat = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });

/** Such as `24 Dec`. @param date as `2026-12-24`, a day anywhere */
export function formatShortDate(date: string): string {
  return localize(shortDateFormat.format(new Date(`${date}T00:00:00Z`)));
}
