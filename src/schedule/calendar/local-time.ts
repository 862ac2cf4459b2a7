// Where days and hours begin in an IANA zone, across its clock changes.

const formats = new Map<string, Intl.DateTimeFormat>();
/** Lengths of the two units, ms. */
const unitMs = { day: 86_400_000, hour: 3_600_000 } as const;
export type Unit = keyof typeof unitMs;

/** What is added to UTC at `instant` to get the zone's local time, ms. */
function offsetAt(instant: number, zone: string): number {
  let format = formats.get(zone);
  if (format === undefined) {
    const digits = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" } as const;
    format = new Intl.DateTimeFormat("en-US-u-hc-h23", { timeZone: zone, era: "short", ...digits });
    formats.set(zone, format);
  }
  const part = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  const year = part["era"] === "BC" ? 1 - Number(part["year"]) : Number(part["year"]);
  const date = new Date(0);
  date.setUTCFullYear(year, Number(part["month"]) - 1, Number(part["day"]));
  date.setUTCHours(Number(part["hour"]), Number(part["minute"]), Number(part["second"]));
  return date.getTime() - Math.floor(instant / 1_000) * 1_000;
}

/** What the clock on the wall reads at `instant`, as UTC ms. */
export function wallAt(instant: number, zone: string): number {
  return instant + offsetAt(instant, zone);
}

/** The first instant after `instant` (ms since the epoch) at which a day or hour of the zone begins. */
export function nextBoundary(instant: number, unit: Unit, zone: string): number {
  const length = unitMs[unit];
  const before = offsetAt(instant, zone);
  const local = (Math.floor((instant + before) / length) + 1) * length;
  const guess = local - before;
  const after = offsetAt(guess, zone);
  // The hour that comes twice begins twice.
  if ((guess + after) % length === 0) return guess;
  const set = local - after;
  // Where the clock leaps over the boundary itself, the unit begins with the leap.
  const found = offsetAt(set, zone) === after ? set : Math.max(guess, set);
  return found > instant ? found : instant + length;
}

/** The day (`2026-03-29`) or the hour (`2026-03-29T01:00+01:00`) of the zone that `instant` falls in. */
export function nameOf(instant: number, unit: Unit, zone: string): string {
  const offset = offsetAt(instant, zone);
  const local = new Date(Math.floor((instant + offset) / unitMs[unit]) * unitMs[unit]).toISOString();
  if (unit === "day") return local.slice(0, 10);
  const minutes = Math.round(Math.abs(offset) / 60_000);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${local.slice(0, 16)}${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
