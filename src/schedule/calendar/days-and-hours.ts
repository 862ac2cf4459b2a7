// When the days and hours of a time zone begin, across its clock changes, for reports by day or hour.
import { dayMs, hourMs, iso, minuteMs } from "../../base/time.ts";
import type { TimeZoneRules } from "./time-zone.ts";

const unitMs = { day: dayMs, hour: hourMs } as const;
export type Unit = keyof typeof unitMs;

/** The first instant after `instant` at which a day or an hour of the time zone begins. */
export function nextBoundary(instant: number, unit: Unit, zone: TimeZoneRules): number {
  const length = unitMs[unit];
  const before = offsetAt(zone, instant);
  const wall = (Math.floor((instant + before) / length) + 1) * length;
  const guess = wall - before;
  const after = offsetAt(zone, guess);
  // An hour that is repeated begins twice.
  if ((guess + after) % length === 0) return guess;
  const candidate = wall - after;
  // If the clock skips the boundary itself, the unit begins at the clock change.
  const boundary = offsetAt(zone, candidate) === after ? candidate : Math.max(guess, candidate);
  return boundary > instant ? boundary : instant + length;
}

/** The name of the day (`2026-03-29`) or the hour (`2026-03-29T01:00+01:00`) of the time zone that holds `instant`. */
export function unitName(instant: number, unit: Unit, zone: TimeZoneRules): string {
  const offset = offsetAt(zone, instant);
  const wall = iso(Math.floor((instant + offset) / unitMs[unit]) * unitMs[unit]);
  if (unit === "day") return wall.slice(0, 10);
  const minutes = Math.round(Math.abs(offset) / minuteMs);
  const twoDigits = (value: number) => String(value).padStart(2, "0");
  return `${wall.slice(0, 16)}${offset < 0 ? "-" : "+"}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

function offsetAt(zone: TimeZoneRules, instant: number): number {
  return zone.wallAt(instant) - instant;
}
