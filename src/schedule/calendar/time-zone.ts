// Zones of time: from an instant to the wall clock and back. Asks Intl only for where offsets change, once per zone and year.

/** An IANA zone. Wall times are numbers: UTC ms of what the clock on the wall reads. */
export interface TimeZoneRules {
  readonly name: string;
  /** What the clock on the wall reads at `instant`. */
  wallAt(instant: number): number;
  /**
   * The first instant at which the clock on the wall reads `wall` or later. So a time that the spring change leaves out
   * is the instant of the change, and one that the autumn change repeats is the first of the two. The second is what RFC 5545
   * section 3.3.5 says; the first is our choice: there it is read with the offset before the change, 02:30 as 03:30, and a
   * window from 02:00 to 02:30 in the time left out would play from 03:00 to 03:30 while its neighbours in time do not move.
   */
  instantOf(wall: number): number;
}

/** From `startsAt` on the zone is `offsetMs` ahead of UTC. */
interface Span {
  startsAt: number;
  offsetMs: number;
}

// No zone has changed its offset twice within so few days since 1970.
const sampleMs = 3 * 86_400_000;
// The International Date Line: zones lie between -12 and +14 hours, and have jumped a day.
const furthestMs = 50 * 3_600_000;

// Names are written in many ways (`EUROPE/london`); zones there are some six hundred.
const maxNames = 2_000;
const byName = new Map<string, TimeZoneRules | null>();
const zones = new Map<string, TimeZoneRules>();

/** The zone of this name, null when the system does not know it. */
export function timeZoneRules(name: string): TimeZoneRules | null {
  let zone = byName.get(name);
  if (zone === undefined) {
    if (byName.size >= maxNames) byName.clear();
    zone = find(name);
    byName.set(name, zone);
  }
  return zone;
}

function find(name: string): TimeZoneRules | null {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
  } catch {
    return null; // Intl answers an unknown zone with a RangeError; there is no other way to ask
  }
  const { timeZone } = format.resolvedOptions();
  const zone = zones.get(timeZone) ?? create(timeZone, format);
  zones.set(timeZone, zone);
  return zone;
}

function create(name: string, format: Intl.DateTimeFormat): TimeZoneRules {
  const years = new Map<number, readonly Span[]>();
  const spansOf = (year: number): readonly Span[] => {
    let spans = years.get(year);
    if (spans === undefined) {
      spans = findSpans((instant) => offsetIn(format.format(instant)), year);
      years.set(year, spans);
    }
    return spans;
  };
  const offsetAt = (instant: number): number => {
    const spans = spansOf(new Date(instant).getUTCFullYear());
    return spans.findLast(({ startsAt }) => startsAt <= instant)!.offsetMs;
  };
  // Most questions are about times far from any change, in the span that was asked for last.
  let last = { from: Number.POSITIVE_INFINITY, until: 0, offsetMs: 0 };
  return {
    name,
    wallAt: (instant) => instant + offsetAt(instant),
    instantOf: (wall) => {
      if (wall >= last.from && wall < last.until) return wall - last.offsetMs;
      const earliest = wall - furthestMs;
      const latest = wall + furthestMs;
      for (let year = new Date(earliest).getUTCFullYear(); year <= new Date(latest).getUTCFullYear(); year += 1) {
        const spans = spansOf(year);
        for (const [index, { startsAt, offsetMs }] of spans.entries()) {
          const endsAt = spans[index + 1]?.startsAt ?? Date.UTC(year + 1, 0, 1);
          const reached = Math.max(startsAt, wall - offsetMs);
          if (endsAt <= earliest || reached >= endsAt) continue;
          last = { from: startsAt + furthestMs, until: endsAt - furthestMs, offsetMs };
          return reached;
        }
      }
      throw new RangeError(`${name} never reaches ${wall}`);
    },
  };
}

function findSpans(offsetAt: (instant: number) => number, year: number): Span[] {
  const end = Date.UTC(year + 1, 0, 1);
  let from = Date.UTC(year, 0, 1);
  const spans: Span[] = [{ startsAt: from, offsetMs: offsetAt(from) }];
  while (from < end) {
    const to = Math.min(from + sampleMs, end - 1_000);
    if (to <= from) break;
    const before = spans.at(-1)!.offsetMs;
    const after = offsetAt(to);
    if (after !== before) spans.push({ startsAt: changeBetween(offsetAt, from, to, before), offsetMs: after });
    from = to;
  }
  return spans;
}

/** The second at which the offset stops being `before`. */
function changeBetween(offsetAt: (instant: number) => number, from: number, to: number, before: number): number {
  let [low, high] = [from / 1_000, to / 1_000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * 1_000) === before) low = middle;
    else high = middle;
  }
  return high * 1_000;
}

/** Reads `…, GMT+05:45`, `…, GMT-00:44:30` or `…, GMT`. */
function offsetIn(text: string): number {
  const [, sign, hours, minutes, seconds] = /GMT(?:([+\-\u2212])(\d\d):?(\d\d)?(?::(\d\d))?)?$/.exec(text)!;
  if (sign === undefined) return 0;
  const size = ((Number(hours) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0)) * 1_000;
  return sign === "+" ? size : -size;
}
