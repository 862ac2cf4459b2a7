// Parses recurrence rules (RFC 5545), limited to the parts that screens need: days, weeks, months and years.
import { dayMs } from "../../base/time.ts";
import { weekdays } from "../../protocol/scheduling/opening-hours.ts";

export type Frequency = "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY";

/** A weekday, Monday 0 to Sunday 6; `ordinal` 2 is the second of its month or year, -1 the last, 0 every one. */
export interface ByDay {
  weekday: number;
  ordinal: number;
}

/** A parsed RRULE. An empty list is an absent part. */
export interface Rule {
  frequency: Frequency;
  interval: number;
  count: number | null;
  /** The last possible start: a wall time, or with `isUtc` an instant. */
  until: { at: number; isUtc: boolean } | null;
  byDay: readonly ByDay[];
  byMonthDay: readonly number[];
  /** 1 to 12. */
  byMonth: readonly number[];
  bySetPos: readonly number[];
  weekStart: number;
}

const maxInterval = 1_000;
const maxCount = 10_000;
const maxLength = 500;

/** Thrown by {@link parseRule}; its message names the fault and the remedy. */
export class RuleError extends Error {
  override readonly name = "RuleError";
}

/**
 * Parses the value of an RRULE (RFC 5545 section 3.3.10), with or without `RRULE:` before it. Supported are FREQ DAILY
 * to YEARLY, INTERVAL, COUNT, UNTIL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS and WKST.
 * @throws RuleError
 */
export function parseRule(text: string): Rule {
  if (text.length > maxLength) throw new RuleError(`is longer than ${maxLength} characters`);
  const parts = splitParts(
    text
      .trim()
      .toUpperCase()
      .replace(/^RRULE:/, ""),
  );
  const rule: Rule = {
    frequency: parseFrequency(parts.get("FREQ")),
    interval: parseNumber(parts, "INTERVAL", 1, maxInterval) ?? 1,
    count: parseNumber(parts, "COUNT", 1, maxCount),
    until: parseUntil(parts.get("UNTIL")),
    byDay: parseList(parts.get("BYDAY"), parseByDay),
    byMonthDay: parseList(parts.get("BYMONTHDAY"), (item) => parseSigned("BYMONTHDAY", item, 31)),
    byMonth: parseList(parts.get("BYMONTH"), (item) => parseInRange("BYMONTH", item, 1, 12)),
    bySetPos: parseList(parts.get("BYSETPOS"), (item) => parseSigned("BYSETPOS", item, 366)),
    weekStart: parts.has("WKST") ? parseWeekday(parts.get("WKST")!) : 0,
  };
  checkCombination(rule);
  return rule;
}

const supportedParts = ["FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS", "WKST"];

function splitParts(text: string): Map<string, string> {
  const parts = new Map<string, string>();
  for (const part of text.replace(/;$/, "").split(";")) {
    const [, name, value] = /^([A-Z]+)=(.+)$/.exec(part) ?? [];
    if (name === undefined || value === undefined) throw new RuleError(`has a part “${part}” that is not NAME=VALUE`);
    if (!supportedParts.includes(name)) throw new RuleError(`has ${name}, which is not supported: use ${supportedParts.join(", ")}`);
    if (parts.has(name)) throw new RuleError(`has ${name} twice`);
    parts.set(name, value);
  }
  return parts;
}

function parseFrequency(value: string | undefined): Frequency {
  switch (value) {
    case "DAILY":
    case "WEEKLY":
    case "MONTHLY":
    case "YEARLY":
      return value;
    case undefined:
      throw new RuleError("needs FREQ, such as FREQ=DAILY");
    case "SECONDLY":
    case "MINUTELY":
    case "HOURLY":
      throw new RuleError(
        `recurs too often: FREQ=${value} is not supported. Use DAILY or longer, and an interrupt to play several times an hour`,
      );
    default:
      throw new RuleError(`has FREQ=${value}: use DAILY, WEEKLY, MONTHLY or YEARLY`);
  }
}

function parseNumber(parts: ReadonlyMap<string, string>, name: string, min: number, max: number): number | null {
  const value = parts.get(name);
  return value === undefined ? null : parseInRange(name, value, min, max);
}

function parseInRange(name: string, value: string, min: number, max: number): number {
  const number = /^[+-]?\d{1,6}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max)) throw new RuleError(`has ${name}=${value}: must be from ${min} to ${max}`);
  return number;
}

function parseSigned(name: string, value: string, max: number): number {
  const number = parseInRange(name, value, -max, max);
  if (number === 0) throw new RuleError(`has ${name}=0: count from 1, or backwards from -1`);
  return number;
}

function parseList<T>(value: string | undefined, parseItem: (item: string) => T): T[] {
  return value === undefined ? [] : value.split(",").map(parseItem);
}

function parseWeekday(value: string): number {
  const weekday = (weekdays as readonly string[]).indexOf(value);
  if (weekday === -1) throw new RuleError(`has the weekday ${value}: use ${weekdays.join(", ")}`);
  return weekday;
}

function parseByDay(value: string): ByDay {
  const [, ordinal = "", weekday = ""] = /^([+-]?\d{0,2})([A-Z]*)$/.exec(value) ?? [];
  return { weekday: parseWeekday(weekday), ordinal: ordinal === "" ? 0 : parseSigned("BYDAY", ordinal, 53) };
}

function parseUntil(value: string | undefined): Rule["until"] {
  if (value === undefined) return null;
  const [, year, month, day, hour, minute, second, zone] = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/.exec(value) ?? [];
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const exists =
    new Date(date).getUTCDate() === Number(day) && Number(hour ?? 0) < 24 && Number(minute ?? 0) < 60 && Number(second ?? 0) < 60;
  if (year === undefined || !exists)
    throw new RuleError(`has UNTIL=${value}: must be such as 20261231, 20261231T235959 or 20261231T235959Z`);
  // A date without a time includes the whole day.
  if (hour === undefined) return { at: date + dayMs - 1, isUtc: false };
  return { at: date + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1_000, isUtc: zone === "Z" };
}

/** Rejects combinations of parts that RFC 5545 forbids. */
function checkCombination({ frequency, count, until, byDay, byMonthDay, byMonth, bySetPos }: Rule): void {
  if (count !== null && until !== null) throw new RuleError("has COUNT and UNTIL: give only one of them");
  if (frequency === "WEEKLY" && byMonthDay.length > 0) throw new RuleError("has BYMONTHDAY with FREQ=WEEKLY: use FREQ=MONTHLY");
  const hasOrdinal = byDay.some(({ ordinal }) => ordinal !== 0);
  if (hasOrdinal && (frequency === "DAILY" || frequency === "WEEKLY")) {
    throw new RuleError(`has BYDAY with a number, which requires FREQ=MONTHLY or YEARLY, not ${frequency}`);
  }
  if (bySetPos.length > 0 && byDay.length + byMonthDay.length + byMonth.length === 0) {
    throw new RuleError("has BYSETPOS alone: it selects from the days of BYDAY, BYMONTHDAY or BYMONTH");
  }
}
