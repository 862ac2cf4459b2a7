// Converts between instants and the wall clock of an IANA time zone. Intl knows only the offset of one instant; the inverse needs
// a table of its changes, made once per year (not Temporal: Node 24 does not have it).
import { dayMs, hourMs } from "../../base/time.ts";

/** A wall clock, which shows local time. Wall times are numbers: the UTC ms at which a clock in UTC reads the same. */
export interface WallClock {
  /** The wall time at `instant`. */
  wallAt(instant: number): number;
  /**
   * The first instant at which the clock reads `wall` or later. A time that the spring change skips is the instant of the
   * change; a time that the autumn change repeats is the first of the two. The second follows RFC 5545 section 3.3.5. The
   * first does not: the RFC reads 02:30 with the offset before the change, as 03:30, so a window from 02:00 to 02:30 would
   * play from 03:00 to 03:30 while the windows next to it do not move.
   */
  instantOf(wall: number): number;
}

/** The wall clock of an IANA time zone. */
export interface TimeZoneRules extends WallClock {
  readonly name: string;
  /** The offset from UTC at `instant`, in ms. Builds no table: best for one lookup in a year; use {@link wallAt} for many. */
  offsetAt(instant: number): number;
}

/** The clock of an unknown time zone: its instants are wall times. */
export const floatingClock: WallClock = { wallAt: (instant) => instant, instantOf: (wall) => wall };

/** From `startsAt` on the time zone is `offsetMs` ahead of UTC. */
interface OffsetSpan {
  startsAt: number;
  offsetMs: number;
}

// No time zone has changed its offset twice within so few days since 1970.
const sampleMs = 3 * dayMs;
// Time zones lie between -12 and +14 hours of UTC, and some have moved by a day across the date line.
const maxOffsetMs = 50 * hourMs;

// There are some 600 time zones, but a name has many spellings (`EUROPE/london`).
const maxNames = 2_000;
const rulesBySpelling = new Map<string, TimeZoneRules | null>();
const rulesByName = new Map<string, TimeZoneRules>();

/** The time zone of this name; null if the system does not know it. */
export function timeZoneRules(name: string): TimeZoneRules | null {
  let rules = rulesBySpelling.get(name);
  if (rules === undefined) {
    if (rulesBySpelling.size >= maxNames) rulesBySpelling.clear();
    rules = findRules(name);
    rulesBySpelling.set(name, rules);
  }
  return rules;
}

/** The first of these time zones that the system knows, else UTC. */
export function timeZoneRulesOrUtc(...names: (string | null)[]): TimeZoneRules {
  for (const name of names) {
    const rules = name === null ? null : timeZoneRules(name);
    if (rules !== null) return rules;
  }
  return timeZoneRules("UTC")!;
}

function findRules(name: string): TimeZoneRules | null {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
  } catch {
    return null; // Intl has no other way to ask whether a time zone exists.
  }
  const { timeZone } = format.resolvedOptions();
  const rules = rulesByName.get(timeZone) ?? createRules(timeZone, format);
  rulesByName.set(timeZone, rules);
  return rules;
}

function createRules(name: string, format: Intl.DateTimeFormat): TimeZoneRules {
  const offsetAt = (instant: number): number => parseOffset(format.format(instant));
  const years = new Map<number, readonly OffsetSpan[]>();
  const spansOf = (year: number): readonly OffsetSpan[] => {
    let spans = years.get(year);
    if (spans === undefined) {
      spans = findSpans(offsetAt, year);
      years.set(year, spans);
    }
    return spans;
  };
  // Most lookups are for times far from any change, in the same span as the previous lookup.
  let last = { from: Number.POSITIVE_INFINITY, until: 0, offsetMs: 0 };
  return {
    name,
    offsetAt,
    wallAt: (instant) => instant + spansOf(yearOf(instant)).findLast(({ startsAt }) => startsAt <= instant)!.offsetMs,
    instantOf: (wall) => {
      if (wall >= last.from && wall < last.until) return wall - last.offsetMs;
      const earliest = wall - maxOffsetMs;
      const latest = wall + maxOffsetMs;
      for (let year = yearOf(earliest); year <= yearOf(latest); year += 1) {
        const spans = spansOf(year);
        for (const [index, { startsAt, offsetMs }] of spans.entries()) {
          const endsAt = spans[index + 1]?.startsAt ?? startOfYear(year + 1);
          const instant = Math.max(startsAt, wall - offsetMs);
          if (endsAt <= earliest || instant >= endsAt) continue;
          last = { from: startsAt + maxOffsetMs, until: endsAt - maxOffsetMs, offsetMs };
          return instant;
        }
      }
      throw new RangeError(`the clock of ${name} never reads ${wall}`);
    },
  };
}

function findSpans(offsetAt: (instant: number) => number, year: number): OffsetSpan[] {
  const end = startOfYear(year + 1);
  let from = startOfYear(year);
  const spans: OffsetSpan[] = [{ startsAt: from, offsetMs: offsetAt(from) }];
  while (from < end) {
    const to = Math.min(from + sampleMs, end - 1_000);
    if (to <= from) break;
    const before = spans.at(-1)!.offsetMs;
    const after = offsetAt(to);
    if (after !== before) spans.push({ startsAt: findChange(offsetAt, from, to, before), offsetMs: after });
    from = to;
  }
  return spans;
}

/** The second at which the offset stops being `before`. */
function findChange(offsetAt: (instant: number) => number, from: number, to: number, before: number): number {
  let [low, high] = [from / 1_000, to / 1_000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * 1_000) === before) low = middle;
    else high = middle;
  }
  return high * 1_000;
}

function yearOf(instant: number): number {
  return new Date(instant).getUTCFullYear();
}

function startOfYear(year: number): number {
  // Not Date.UTC, which reads the years 0 to 99 as 1900 to 1999.
  return new Date(0).setUTCFullYear(year, 0, 1);
}

/** Reads `…, GMT+05:45`, `…, GMT-00:44:30` or `…, GMT`. */
function parseOffset(text: string): number {
  const [, sign, hours, minutes, seconds] = /GMT(?:([+\-\u2212])(\d\d):?(\d\d)?(?::(\d\d))?)?$/.exec(text)!;
  if (sign === undefined) return 0;
  const size = ((Number(hours) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0)) * 1_000;
  return sign === "+" ? size : -size;
}
