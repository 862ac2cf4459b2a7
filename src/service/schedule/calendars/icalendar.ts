// Reads the events of an iCalendar file (RFC 5545). The file is untrusted, so time and memory are bounded.
import ICAL from "ical.js";
import { inTurns } from "../../../base/async/in-turns.ts";
import { z } from "zod";
import { dayMs, iso } from "../../../base/time.ts";
import { dayOf } from "../../../schedule/calendar/day-numbers.ts";
import { parseRule, RuleError, type Rule } from "../../../schedule/calendar/rrule.ts";
import { timeZoneRules, timeZoneRulesOrUtc, type TimeZoneRules } from "../../../schedule/calendar/time-zone.ts";
import { removeHiddenCharacters } from "../../../protocol/text.ts";
import { invalidField, type ProblemError } from "../../http/problem.ts";

/** An event of a file. Days are counted from 1970-01-01. */
export interface IcalEvent {
  uid: string | null;
  name: string;
  startDay: number;
  /** How many days each occurrence lasts, also in part. */
  lengthDays: number;
  rule: Rule | null;
  /** The last day on which an occurrence may begin, by UNTIL. */
  lastDay: number;
  /** Days of RDATE. A period counts by its start and is as long as the event. */
  extraDays: number[];
  /** Days of EXDATE. */
  excludedDays: ReadonlySet<number>;
  /** The day of the occurrence that it replaces, of another event with this UID; null: it replaces none. */
  replacesDay: number | null;
  isCancelled: boolean;
}

const Property = z.tuple([z.string(), z.record(z.string(), z.unknown()), z.string()], z.unknown());
type Property = z.infer<typeof Property>;
const Component = z.tuple([z.string(), z.array(Property), z.array(z.unknown())]);
type Component = z.infer<typeof Component>;

/** Thrown for an event that cannot be imported; the message says why. */
class EventError extends Error {}

const maxEventDays = 366;
// The time of the library grows with the square of a line's length; names and descriptions are far shorter.
const maxLineLength = 100_000;
// The library parses all of them in one go. A year of holidays has a few hundred.
const mostLines = 20_000;
// How many events a warning names.
const mostReported = 5;
const maxNameLength = 200;
const maxTimeZones = 100;

/**
 * The events of a file, how many were skipped, and the first reasons. Other requests get their turn meanwhile.
 * @throws ProblemError 422 if the text is not an iCalendar file.
 */
export async function readEvents(text: string): Promise<{ events: IcalEvent[]; skipped: string[]; skippedCount: number }> {
  const events: IcalEvent[] = [];
  const skipped: string[] = [];
  let skippedCount = 0;
  for (const [, properties, parts] of calendarsIn(text)) {
    const timeZones = new FileTimeZones(textOf(properties, "x-wr-timezone"));
    let index = 0;
    for await (const part of inTurns(parts)) {
      const event = Component.parse(part);
      if (event[0] !== "vevent") continue;
      index += 1;
      const name = cleanEventName(textOf(event[1], "summary") ?? "");
      try {
        events.push(eventOf(event[1], name, timeZones));
      } catch (error) {
        if (!(error instanceof EventError)) throw error;
        skippedCount += 1;
        if (skipped.length < mostReported) skipped.push(`${name === "" ? `event ${index}` : `“${name}”`} ${error.message}`);
      }
    }
  }
  return { events, skipped, skippedCount };
}

/** The error for a file that cannot be imported. `detail` names the fault and the remedy. */
export function rejectIcal(detail: string): ProblemError {
  return invalidField("/ical", detail);
}

/** The name of an event as the name of a day: one line of at most 200 characters. */
export function cleanEventName(text: string): string {
  // Do not cut a surrogate pair in half.
  const short = removeHiddenCharacters(text).replaceAll(/\s+/g, " ").trim().slice(0, maxNameLength);
  return short.replace(/[\uD800-\uDBFF]$/, "").trim();
}

function calendarsIn(text: string): Component[] {
  const plain = text.replace(/^\uFEFF/, "");
  const lines = plain.replaceAll(/\r?\n[ \t]/g, "").split("\n");
  if (lines.length > mostLines + 1) {
    throw rejectIcal(`has more than ${mostLines.toLocaleString("en")} lines: export only the coming years, or import it in parts`);
  }
  if (lines.some((line) => line.length > maxLineLength)) {
    throw rejectIcal(`has a line of more than ${maxLineLength} characters: leave attachments out`);
  }
  let parsed: unknown;
  try {
    parsed = ICAL.parse(plain);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.slice(0, 200) : String(cause);
    throw rejectIcal(`is not an iCalendar file that can be read (RFC 5545): ${reason}. Export it again as .ics`);
  }
  // For several calendars in one text the library returns a list.
  const list = z.array(z.unknown()).parse(parsed);
  const found = typeof list[0] === "string" ? [Component.parse(list)] : z.array(Component).parse(list);
  return found.filter(([kind]) => kind === "vcalendar");
}

function eventOf(properties: readonly Property[], name: string, timeZones: FileTimeZones): IcalEvent {
  const [start] = all(properties, "dtstart");
  const timeZone = timeZones.find(start?.[1]["tzid"]);
  const wallsOf = (property: string) =>
    valuesOf(properties, property).map((value) => wallOf(Array.isArray(value) ? value[0] : value, timeZone));
  const [startWall] = wallsOf("dtstart");
  if (startWall === undefined || startWall === null) throw new EventError("has no DTSTART that is a date");
  const rule = ruleOf(properties);
  const until = rule?.until ?? null;
  const untilWall = until === null ? Number.POSITIVE_INFINITY : until.isUtc ? wallAt(until.at, timeZone) : until.at;
  const startDay = dayOf(startWall);
  return {
    uid: textOf(properties, "uid"),
    name,
    startDay,
    lengthDays: lengthOf(properties, startWall, wallsOf("dtend")[0] ?? null),
    rule,
    lastDay: dayOf(untilWall - (startWall - startDay * dayMs)),
    extraDays: daysIn(wallsOf("rdate")),
    excludedDays: new Set(daysIn(wallsOf("exdate"))),
    replacesDay: daysIn(wallsOf("recurrence-id"))[0] ?? null,
    isCancelled: textOf(properties, "status")?.toUpperCase() === "CANCELLED",
  };
}

function lengthOf(properties: readonly Property[], startWall: number, endWall: number | null): number {
  const [duration] = valuesOf(properties, "duration");
  const ends = endWall ?? (duration === undefined ? startWall : startWall + durationMs(duration));
  // An event that ends at midnight does not include the day that begins then.
  const length = Math.max(1, dayOf(ends - 1) - dayOf(startWall) + 1);
  if (length > maxEventDays) throw new EventError(`lasts more than ${maxEventDays} days: split it into several events`);
  return length;
}

function durationMs(value: unknown): number {
  const [, weeks, days, hours, minutes, seconds] =
    /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(String(value)) ?? [];
  const inDays = Number(weeks ?? 0) * 7 + Number(days ?? 0);
  return inDays * dayMs + ((Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0)) * 1_000;
}

function ruleOf(properties: readonly Property[]): Rule | null {
  const [value] = valuesOf(properties, "rrule");
  if (value === undefined) return null;
  // The time of day does not matter for whole days.
  const { byhour: _hour, byminute: _minute, bysecond: _second, ...parts } = z.record(z.string(), z.unknown()).parse(value);
  try {
    return parseRule(ICAL.Recur.fromData(parts).toString());
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    throw new EventError(`has an RRULE that ${error.message}`);
  }
}

/** The wall time of a date or a time, a time in UTC converted to `timeZone`; null: it is neither. */
function wallOf(value: unknown, timeZone: TimeZoneRules): number | null {
  // For a date without VALUE=DATE, which some programs write, the library returns a date followed by T::
  const [, date, time = "00:00:00", utc] =
    /^((?:1[6-9]|2\d)\d\d-\d\d-\d\d)(?:T(?:::|(\d\d:\d\d:\d\d)(Z)?))?$/.exec(typeof value === "string" ? value : "") ?? [];
  if (date === undefined) return null;
  const at = Date.parse(`${date}T${time}Z`);
  if (!Number.isFinite(at) || !iso(at).startsWith(date)) return null;
  return utc === undefined ? at : wallAt(at, timeZone);
}

function daysIn(walls: readonly (number | null)[]): number[] {
  return walls.flatMap((wall) => (wall === null ? [] : dayOf(wall)));
}

function all(properties: readonly Property[], wanted: string): Property[] {
  return properties.filter(([name]) => name === wanted);
}

function valuesOf(properties: readonly Property[], wanted: string): unknown[] {
  return all(properties, wanted).flatMap(([, , , ...values]) => values);
}

function textOf(properties: readonly Property[], wanted: string): string | null {
  const [value] = valuesOf(properties, wanted);
  return typeof value === "string" ? value : null;
}

/** One lookup per value, in years that the file chooses: do not build a table of clock changes. */
function wallAt(instant: number, timeZone: TimeZoneRules): number {
  return instant + timeZone.offsetAt(instant);
}

/** The time zones that a file names. */
class FileTimeZones {
  readonly #byName = new Map<string, TimeZoneRules>();
  readonly #ofFile: TimeZoneRules;

  constructor(ofFile: string | null) {
    this.#ofFile = timeZoneRulesOrUtc(ofFile);
  }

  /** The time zone of this name; the file's own if the system does not know the name, such as those of Windows. */
  find(name: unknown): TimeZoneRules {
    if (typeof name !== "string") return this.#ofFile;
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    // Each new name is slow to look up; no real file has this many.
    if (this.#byName.size === maxTimeZones) return this.#ofFile;
    const found = timeZoneRules(name) ?? this.#ofFile;
    this.#byName.set(name, found);
    return found;
  }
}
