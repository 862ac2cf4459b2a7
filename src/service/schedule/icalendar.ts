// Reads the events of an iCalendar file (RFC 5545). Bounded: anybody may have written it.
import ICAL from "ical.js";
import { z } from "zod";
import { dayOf } from "../../schedule/calendar/recurrence.ts";
import { parseRule, RuleError, type Rule } from "../../schedule/calendar/rrule.ts";
import { removeHiddenCharacters } from "../../protocol/text.ts";
import { invalidField, type ProblemError } from "../http/problem.ts";
import { wallAt } from "../../schedule/calendar/local-time.ts";

/** An event of a file. Days are counted from 1970-01-01. */
export interface IcalEvent {
  uid: string | null;
  name: string;
  startDay: number;
  /** How many days each occurrence touches. */
  lengthDays: number;
  rule: Rule | null;
  /** The last day on which UNTIL lets an occurrence begin. */
  lastDay: number;
  /** Days of RDATE. Of a period its start counts; it is as long as the event. */
  extraDays: number[];
  /** Days of EXDATE. */
  excludedDays: ReadonlySet<number>;
  /** The day of the occurrence of another event of this UID that it stands for; null: it stands for itself. */
  replacesDay: number | null;
  isCancelled: boolean;
}

const Property = z.tuple([z.string(), z.record(z.string(), z.unknown()), z.string()], z.unknown());
type Property = z.infer<typeof Property>;
const Component = z.tuple([z.string(), z.array(Property), z.array(z.unknown())]);
type Component = z.infer<typeof Component>;

/** An event that is left out, with the reason. */
class Skipped extends Error {}

const dayMs = 86_400_000;
const longestDays = 366;
// The library's time grows with the square of a line's length; names and descriptions are far shorter.
const longestLine = 100_000;
const longestName = 200;
const maxZones = 100;

/**
 * The events of a file, and what kept the others out.
 * @throws Refusal 422 when the text is no iCalendar file.
 */
export function readEvents(text: string): { events: IcalEvent[]; skipped: string[] } {
  const events: IcalEvent[] = [];
  const skipped: string[] = [];
  for (const [, properties, parts] of calendarsIn(text)) {
    const zones = new Zones(textOf(properties, "x-wr-timezone"));
    const own = parts.map((part) => Component.parse(part)).filter(([kind]) => kind === "vevent");
    for (const [index, event] of own.entries()) {
      const name = cleanEventName(textOf(event[1], "summary") ?? "");
      try {
        events.push(eventOf(event[1], name, zones));
      } catch (error) {
        if (!(error instanceof Skipped)) throw error;
        skipped.push(`${name === "" ? `event ${index + 1}` : `“${name}”`} ${error.message}`);
      }
    }
  }
  return { events, skipped };
}

/** Refuses the text with what is wrong and the remedy. */
export function rejectIcal(detail: string): ProblemError {
  return invalidField("/ical", detail);
}

/** What may stand as a day's name: one line of at most 200 characters. */
export function cleanEventName(text: string): string {
  // A cut must not halve a character of two units.
  const short = removeHiddenCharacters(text).replaceAll(/\s+/g, " ").trim().slice(0, longestName);
  return short.replace(/[\uD800-\uDBFF]$/, "").trim();
}

function calendarsIn(text: string): Component[] {
  const plain = text.replace(/^\uFEFF/, "");
  if (
    plain
      .replaceAll(/\r?\n[ \t]/g, "")
      .split("\n")
      .some((line) => line.length > longestLine)
  ) {
    throw rejectIcal(`has a line of more than ${longestLine} characters: leave attachments out`);
  }
  let parsed: unknown;
  try {
    parsed = ICAL.parse(plain);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.slice(0, 200) : String(cause);
    throw rejectIcal(`is not an iCalendar file that can be read (RFC 5545): ${reason}. Export it again as .ics`);
  }
  // Several calendars in one text are a list of them.
  const list = z.array(z.unknown()).parse(parsed);
  const found = typeof list[0] === "string" ? [Component.parse(list)] : z.array(Component).parse(list);
  return found.filter(([kind]) => kind === "vcalendar");
}

function eventOf(properties: readonly Property[], name: string, zones: Zones): IcalEvent {
  const [start] = all(properties, "dtstart");
  const zone = zones.of(start?.[1]["tzid"]);
  const wallsOf = (property: string) =>
    valuesOf(properties, property).map((value) => wallOf(Array.isArray(value) ? value[0] : value, zone));
  const [startWall] = wallsOf("dtstart");
  if (startWall === undefined || startWall === null) throw new Skipped("has no DTSTART that is a date");
  const rule = ruleOf(properties);
  const until = rule?.until ?? null;
  const untilWall = until === null ? Number.POSITIVE_INFINITY : until.isUtc ? wallAt(until.at, zone) : until.at;
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
  // One that ends at midnight does not touch the day that begins then.
  const length = Math.max(1, dayOf(ends - 1) - dayOf(startWall) + 1);
  if (length > longestDays) throw new Skipped(`lasts more than ${longestDays} days: make several events of it`);
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
  // Which hour of the day it is does not matter.
  const { byhour: _hour, byminute: _minute, bysecond: _second, ...parts } = z.record(z.string(), z.unknown()).parse(value);
  try {
    return parseRule(ICAL.Recur.fromData(parts).toString());
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    throw new Skipped(`has an RRULE that ${error.message}`);
  }
}

/** The wall time of a date or a time as UTC ms, times in UTC by the clock of `zone`; null: it is none. */
function wallOf(value: unknown, zone: string): number | null {
  // A date without VALUE=DATE, which programs write, comes out of the library as a time of two colons.
  const [, date, time = "00:00:00", utc] =
    /^((?:1[6-9]|2\d)\d\d-\d\d-\d\d)(?:T(?:::|(\d\d:\d\d:\d\d)(Z)?))?$/.exec(typeof value === "string" ? value : "") ?? [];
  if (date === undefined) return null;
  const at = Date.parse(`${date}T${time}Z`);
  if (!Number.isFinite(at) || !new Date(at).toISOString().startsWith(date)) return null;
  return utc === undefined ? at : wallAt(at, zone);
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

/** The zones that a file names, as this system spells them. */
class Zones {
  readonly #known = new Map<string, string>();
  readonly #ofFile: string;

  constructor(ofFile: string | null) {
    this.#ofFile = "UTC";
    this.#ofFile = this.of(ofFile);
  }

  /** The zone of this name; the file's own where the system does not know it, as those of Windows. */
  of(name: unknown): string {
    if (typeof name !== "string") return this.#ofFile;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    // Each name costs time to look up; no real file has so many.
    if (this.#known.size === maxZones) return this.#ofFile;
    const found = spelled(name) ?? this.#ofFile;
    this.#known.set(name, found);
    return found;
  }
}

function spelled(name: string): string | null {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null; // Intl answers an unknown zone with a RangeError; there is no other way to ask
  }
}
