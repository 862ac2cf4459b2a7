// Reads the cells of a table: durations, times, weekdays, and whatever a field of the API takes.
import type { z } from "zod";
import { iso } from "../../base/time.ts";
import { weekdays, type Opening } from "../../protocol/scheduling/opening-hours.ts";
import type { TimeZoneRules } from "../../schedule/calendar/time-zone.ts";

/** A duration in ms: seconds as `12.5`, or `1:05` and `1:00:00`; null: it is none. */
export function durationOf(cell: string): number | null {
  const clock = /^(?:([0-9]{1,2}):)?([0-9]{1,3}):([0-5][0-9](?:\.[0-9]{1,3})?)$/.exec(cell);
  if (clock !== null) return Math.round(((Number(clock[1] ?? 0) * 60 + Number(clock[2])) * 60 + Number(clock[3])) * 1_000);
  // Spreadsheets of many languages write a comma.
  const seconds = /^[0-9]+(?:[.,][0-9]+)?\s*s?$/.test(cell) ? Number.parseFloat(cell.replace(",", ".")) : Number.NaN;
  return Number.isNaN(seconds) ? null : Math.round(seconds * 1_000);
}

/** An instant: `2026-12-01T08:00:00Z`, or a date or a time on the wall clock of a zone; null: it is none. */
export function instantOf(cell: string, zone: TimeZoneRules): string | null {
  const [, date, time = "00:00", seconds = "00", isUtc] =
    /^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?(Z)?)?$/.exec(cell) ?? [];
  const wall = date === undefined ? Number.NaN : Date.parse(`${date}T${time}:${seconds}Z`);
  // Date.parse accepts 31 April as 1 May.
  if (Number.isNaN(wall) || !iso(wall).startsWith(date!)) return null;
  return iso(isUtc === "Z" ? wall : zone.instantOf(wall));
}

type Weekday = (typeof weekdays)[number];

/** Weekdays: `MO TU WE`, `Mon-Fri`, `SA,SU`; null: they are none. */
export function weekdaysOf(cell: string): Weekday[] | null {
  const found = new Set<Weekday>();
  for (const part of cell.split(/[\s,;|/]+/).filter((each) => each !== "")) {
    const ends = part.split(/[-–]/);
    const [first, last = first] = ends.map((end) => weekdays.findIndex((day) => end.toUpperCase().startsWith(day)));
    if (ends.length > 2 || first === undefined || first === -1 || last === undefined || last === -1) return null;
    for (let day = first; ; day = (day + 1) % weekdays.length) {
      found.add(weekdays[day]!);
      if (day === last) break;
    }
  }
  return found.size === 0 ? null : weekdays.filter((day) => found.has(day));
}

/** A time of day, also without its first zero. */
export function timeOfDay(cell: string): string {
  return /^[0-9]:[0-5][0-9]$/.test(cell) ? `0${cell}` : cell;
}

/** The hours that the columns `days`, `from` and `until` give; undefined: none. */
export function openingOf(cells: ReadonlyMap<string, string>): { opening: Partial<Opening>; isFaulty: boolean } | undefined {
  const [days, from, until] = [cells.get("days"), cells.get("from"), cells.get("until")];
  if (days === undefined && from === undefined && until === undefined) return undefined;
  const named = days === undefined ? undefined : weekdaysOf(days);
  return {
    isFaulty: named === null,
    opening: {
      ...(named === undefined || named === null || named.length === weekdays.length ? {} : { weekdays: named }),
      ...(from === undefined ? {} : { from: timeOfDay(from) }),
      ...(until === undefined ? {} : { until: timeOfDay(until) }),
    },
  };
}

/** The value of a cell for a field: as a text if the field takes it, else as JSON, else the text, whose fault is then told. */
export function valueFor(schema: z.ZodType, cell: string): unknown {
  if (schema.safeParse(cell).success) return cell;
  const words = cell.toLowerCase();
  const parsed = words === "yes" ? true : words === "no" ? false : parseJson(words === "true" || words === "false" ? words : cell);
  return parsed !== undefined && schema.safeParse(parsed).success ? parsed : typeof parsed === "number" ? parsed : cell;
}

function parseJson(cell: string): unknown {
  try {
    return JSON.parse(cell.replace(/^([0-9]+),([0-9]+)$/, "$1.$2"));
  } catch {
    return undefined; // Most texts are no JSON: they are taken as they are.
  }
}
