// Times of other time zones: the wall clock there, with its changes.
import { Temporal } from "temporal-polyfill";
import { hourMs, iso } from "../../../src/base/time.ts";

/** The reader's own time zone, IANA. */
export const ownTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const inZone = (instant: string, timeZone: string): Temporal.ZonedDateTime => Temporal.Instant.from(instant).toZonedDateTimeISO(timeZone);

/** The value of a field `datetime-local` for an instant. */
export function localValueOf(instant: string, timeZone: string): string {
  return inZone(instant, timeZone)
    .toPlainDateTime()
    .round({ smallestUnit: "minute", roundingMode: "floor" })
    .toString({ smallestUnit: "minute" });
}

/** The instant of a field's value; null: it is no time. A time that a clock change skips is the one after the change. */
export function instantOf(local: string, timeZone: string): string | null {
  try {
    const at = Temporal.PlainDateTime.from(local).toZonedDateTime(timeZone);
    return iso(at.epochMilliseconds);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** A day in a time zone. */
export interface ZoneDay {
  /** Such as `2026-10-25`. */
  date: string;
  startMs: number;
  endMs: number;
  /** 24, but on the days of clock changes. */
  hours: number;
  /** The hour of the wall clock, 0 to 24, at an instant of this day. An hour that comes twice has half a share for each. */
  hourAt: (ms: number) => number;
}

/** The days in `timeZone` that follow the instant, `count` of them, the first being the one that it is in. */
export function daysFrom(instant: string, timeZone: string, count: number): ZoneDay[] {
  const first = inZone(instant, timeZone).toPlainDate();
  return Array.from({ length: count }, (_, index) => {
    const date = first.add({ days: index });
    const start = date.toZonedDateTime({ timeZone });
    const end = date.add({ days: 1 }).toZonedDateTime({ timeZone });
    const [startMs, endMs] = [start.epochMilliseconds, end.epochMilliseconds];
    return { date: date.toString(), startMs, endMs, hours: (endMs - startMs) / hourMs, hourAt: hourAtOf(start, startMs, endMs) };
  });
}

function hourAtOf(start: Temporal.ZonedDateTime, startMs: number, endMs: number): (ms: number) => number {
  const excess = (endMs - startMs) / hourMs - 24;
  const linear = (ms: number): number => (ms - startMs) / hourMs;
  const changeAt = start.getTimeZoneTransition("next");
  if (excess === 0 || changeAt === null || changeAt.epochMilliseconds >= endMs) return linear;
  const change = linear(changeAt.epochMilliseconds);
  if (excess < 0) return (ms) => (linear(ms) < change ? linear(ms) : linear(ms) - excess);
  // The hours before and after the change share the same hours of the wall clock.
  return (ms) => {
    const hour = linear(ms);
    if (hour <= change - excess) return hour;
    return hour >= change + excess ? hour - excess : change - excess + (hour - change + excess) / 2;
  };
}
