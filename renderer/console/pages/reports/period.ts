// The instants of a report's period in a time zone.
import { Temporal } from "temporal-polyfill";
import { ownTimeZone } from "../../data/zones.ts";
import type { ReportSearch } from "./search.ts";

/** Instants as the API takes them, and the days that they cover. */
export interface Span {
  from: string;
  /** Excluded. */
  to: string;
  timezone: string;
  days: number;
  /** It ends now, and grows. */
  isOpen: boolean;
}

/** The time zone that the address names, else the reader's. */
export function zoneOf({ zone }: ReportSearch): string {
  return zone !== undefined && isZone(zone) ? zone : ownTimeZone;
}

/** The period that the address names; null: its first day comes after its last. */
export function spanOf(search: ReportSearch, nowMs: number): Span | null {
  const timezone = zoneOf(search);
  const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timezone).toPlainDate();
  const [first, last] = daysOf(search, today);
  if (Temporal.PlainDate.compare(first, last) > 0) return null;
  const isOpen = Temporal.PlainDate.compare(last, today) >= 0;
  return {
    from: startOf(first, timezone),
    // Tomorrow's midnight, so that the address of a report stays the same all day.
    to: startOf(last.add({ days: 1 }), timezone),
    timezone,
    days: first.until(last, { largestUnit: "day" }).days + 1,
    isOpen,
  };
}

/** The days of the fields for a period of its own choice. */
export function customDays(search: ReportSearch, nowMs: number): { from: string; to: string } {
  const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zoneOf(search)).toPlainDate();
  const [first, last] = daysOf(search, today);
  return { from: first.toString(), to: last.toString() };
}

/** The dates of a time from its first to its last day, but none after today. */
export function datesOf({ from, to, timezone }: Pick<Span, "from" | "to" | "timezone">, nowMs: number): string[] {
  const dateAt = (ms: number): Temporal.PlainDate => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate();
  const last = dateAt(Math.min(Date.parse(to) - 1, nowMs));
  const dates: string[] = [];
  for (let date = dateAt(Date.parse(from)); Temporal.PlainDate.compare(date, last) <= 0; date = date.add({ days: 1 })) {
    dates.push(date.toString());
  }
  return dates;
}

function daysOf({ period = "last30", from, to }: ReportSearch, today: Temporal.PlainDate): [Temporal.PlainDate, Temporal.PlainDate] {
  const monthStart = today.with({ day: 1 });
  switch (period) {
    case "today":
      return [today, today];
    case "last7":
      return [today.subtract({ days: 6 }), today];
    case "last30":
      return [today.subtract({ days: 29 }), today];
    case "thisMonth":
      return [monthStart, today];
    case "lastMonth":
      return [monthStart.subtract({ months: 1 }), monthStart.subtract({ days: 1 })];
    case "custom":
      return [dateOf(from) ?? today.subtract({ days: 29 }), dateOf(to) ?? today];
  }
}

function startOf(date: Temporal.PlainDate, timeZone: string): string {
  return new Date(date.toZonedDateTime({ timeZone }).epochMilliseconds).toISOString();
}

function dateOf(text: string | undefined): Temporal.PlainDate | null {
  if (text === undefined) return null;
  try {
    return Temporal.PlainDate.from(text);
  } catch (error) {
    // Such as the 31st of February in an address.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function isZone(name: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
