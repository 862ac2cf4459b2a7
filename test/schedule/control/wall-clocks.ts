// A plain model of wall clocks for oracles: walks through a year minute by minute, with the offsets that Intl tells.

export const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Phoenix", "Asia/Kathmandu"] as const;
export const minuteMs = 60_000;
const dayMs = 86_400_000;
// No offset changes within a quarter of an hour that begins at a whole one in UTC, nor twice within a day.
const sampleMs = 15 * minuteMs;

export interface Minute {
  /** UTC ms. */
  at: number;
  /**
   * The latest time that the wall clock has read so far, as UTC ms of a clock in UTC: a time that comes twice counts the first time, and
   * one that is skipped is reached with the change.
   */
  reached: number;
  /** The same a minute before. */
  before: number;
}

/** The minutes from `from` until `to`. Begins two days earlier, so that the clock changes just before count. */
export function* minutes(zone: string, from: number, to: number): Generator<Minute> {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  const offsetAt = (at: number): number => offsetOf(format.format(at));
  let offset = offsetAt(from - 2 * dayMs);
  let tomorrow = offset;
  let reached = Number.NEGATIVE_INFINITY;
  for (let at = from - 2 * dayMs; at < to; at += minuteMs) {
    if (at % dayMs === 0) [offset, tomorrow] = [offsetAt(at), offsetAt(at + dayMs)];
    else if (at % sampleMs === 0 && offset !== tomorrow) offset = offsetAt(at);
    const before = reached;
    reached = Math.max(reached, at + offset);
    if (at >= from) yield { at, reached, before };
  }
}

function offsetOf(text: string): number {
  const [, sign, hours, rest] = /GMT(?:([+-])(\d\d):(\d\d))?$/.exec(text)!;
  if (sign === undefined) return 0;
  return (sign === "+" ? 1 : -1) * (Number(hours) * 60 + Number(rest)) * minuteMs;
}

const dates = new Map<number, string>();

/** The date of a wall time, such as 2026-03-29. */
export function dateOf(wall: number): string {
  const day = Math.floor(wall / dayMs);
  let date = dates.get(day);
  if (date === undefined) dates.set(day, (date = new Date(wall).toISOString().slice(0, 10)));
  return date;
}

/** The wall time at the beginning of the day of a wall time. */
export function midnightOf(wall: number): number {
  return Math.floor(wall / dayMs) * dayMs;
}

/** Remembers what `make` makes of each day: a year of minutes asks 1,440 times for each. */
export function perDay<T>(make: (midnight: number) => readonly T[]): (midnight: number) => readonly T[] {
  const made = new Map<number, readonly T[]>();
  return (midnight) => {
    let all = made.get(midnight);
    if (all === undefined) made.set(midnight, (all = make(midnight)));
    return all;
  };
}

/** The weekday of a wall time, as RFC 5545 abbreviates it. */
export function weekdayOf(wall: number): string {
  return ["SU", "MO", "TU", "WE", "TH", "FR", "SA"][new Date(wall).getUTCDay()]!;
}

/** Minutes after midnight. */
export function minutesOf(time: string): number {
  const [hours, rest] = time.split(":");
  return Number(hours) * 60 + Number(rest);
}
