// Reads the part of RFC 5545's recurrence rules that screens need: whole days, weeks, months and years.

export type Frequency = "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY";

/** A weekday, Monday 0 to Sunday 6; `ordinal` 2 is the second of its month or year, -1 the last, 0 every one. */
export interface ByDay {
  weekday: number;
  ordinal: number;
}

/** A parsed RRULE. Empty lists are absent parts. */
export interface Rule {
  frequency: Frequency;
  interval: number;
  count: number | null;
  /** Wall time as UTC ms, included. `isUtc`: it is an instant. */
  until: { at: number; isUtc: boolean } | null;
  byDay: readonly ByDay[];
  byMonthDay: readonly number[];
  /** 1 to 12. */
  byMonth: readonly number[];
  bySetPos: readonly number[];
  weekStart: number;
}

export const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;

const dayMs = 86_400_000;
const maxInterval = 1_000;
const maxCount = 10_000;
const longestRule = 500;

/** Thrown by {@link parseRule}; its message says what is wrong and what to write instead. */
export class RuleError extends Error {
  override readonly name = "RuleError";
}

/**
 * Parses the value of an RRULE (RFC 5545 section 3.3.10), with or without `RRULE:` before it. Taken are FREQ DAILY to
 * YEARLY, INTERVAL, COUNT, UNTIL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS and WKST.
 * @throws RuleError
 */
export function parseRule(text: string): Rule {
  if (text.length > longestRule) throw new RuleError(`is longer than ${longestRule} characters`);
  const parts = partsOf(
    text
      .trim()
      .toUpperCase()
      .replace(/^RRULE:/, ""),
  );
  const rule: Rule = {
    frequency: frequencyOf(parts.get("FREQ")),
    interval: numberOf(parts, "INTERVAL", 1, maxInterval) ?? 1,
    count: numberOf(parts, "COUNT", 1, maxCount),
    until: untilOf(parts.get("UNTIL")),
    byDay: listOf(parts.get("BYDAY"), byDayOf),
    byMonthDay: listOf(parts.get("BYMONTHDAY"), (item) => signed("BYMONTHDAY", item, 31)),
    byMonth: listOf(parts.get("BYMONTH"), (item) => within("BYMONTH", item, 1, 12)),
    bySetPos: listOf(parts.get("BYSETPOS"), (item) => signed("BYSETPOS", item, 366)),
    weekStart: parts.has("WKST") ? weekdayOf(parts.get("WKST")!) : 0,
  };
  checkTogether(rule);
  return rule;
}

const known = ["FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS", "WKST"];

function partsOf(text: string): Map<string, string> {
  const parts = new Map<string, string>();
  for (const part of text.replace(/;$/, "").split(";")) {
    const [, name, value] = /^([A-Z]+)=(.+)$/.exec(part) ?? [];
    if (name === undefined || value === undefined) throw new RuleError(`has a part “${part}” that is not NAME=VALUE`);
    if (!known.includes(name)) throw new RuleError(`has ${name}, which is not taken here: use ${known.join(", ")}`);
    if (parts.has(name)) throw new RuleError(`has ${name} twice`);
    parts.set(name, value);
  }
  return parts;
}

function frequencyOf(value: string | undefined): Frequency {
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
      throw new RuleError(`recurs too often: FREQ=${value} is not taken. Use DAILY or longer, and an interrupt for several times an hour`);
    default:
      throw new RuleError(`has FREQ=${value}: use DAILY, WEEKLY, MONTHLY or YEARLY`);
  }
}

function numberOf(parts: ReadonlyMap<string, string>, name: string, least: number, most: number): number | null {
  const value = parts.get(name);
  return value === undefined ? null : within(name, value, least, most);
}

function within(name: string, value: string, least: number, most: number): number {
  const number = /^[+-]?\d{1,6}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= least && number <= most)) throw new RuleError(`has ${name}=${value}: from ${least} to ${most}`);
  return number;
}

function signed(name: string, value: string, most: number): number {
  const number = within(name, value, -most, most);
  if (number === 0) throw new RuleError(`has ${name}=0: counted from 1, or from -1 backwards`);
  return number;
}

function listOf<T>(value: string | undefined, itemOf: (item: string) => T): T[] {
  return value === undefined ? [] : value.split(",").map(itemOf);
}

function weekdayOf(value: string): number {
  const weekday = (weekdays as readonly string[]).indexOf(value);
  if (weekday === -1) throw new RuleError(`has the weekday ${value}: use ${weekdays.join(", ")}`);
  return weekday;
}

function byDayOf(value: string): ByDay {
  const [, ordinal = "", weekday = ""] = /^([+-]?\d{0,2})([A-Z]*)$/.exec(value) ?? [];
  return { weekday: weekdayOf(weekday), ordinal: ordinal === "" ? 0 : signed("BYDAY", ordinal, 53) };
}

function untilOf(value: string | undefined): Rule["until"] {
  if (value === undefined) return null;
  const [, year, month, day, hour, minute, second, zone] = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/.exec(value) ?? [];
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const isReal =
    new Date(date).getUTCDate() === Number(day) && Number(hour ?? 0) < 24 && Number(minute ?? 0) < 60 && Number(second ?? 0) < 60;
  if (year === undefined || !isReal) throw new RuleError(`has UNTIL=${value}: such as 20261231, 20261231T235959 or 20261231T235959Z`);
  // A date alone means that whole day.
  if (hour === undefined) return { at: date + dayMs - 1, isUtc: false };
  return { at: date + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1_000, isUtc: zone === "Z" };
}

/** What RFC 5545 forbids in company. */
function checkTogether({ frequency, count, until, byDay, byMonthDay, byMonth, bySetPos }: Rule): void {
  if (count !== null && until !== null) throw new RuleError("has COUNT and UNTIL: only one of them may be there");
  if (frequency === "WEEKLY" && byMonthDay.length > 0) throw new RuleError("has BYMONTHDAY with FREQ=WEEKLY: use FREQ=MONTHLY");
  const hasOrdinal = byDay.some(({ ordinal }) => ordinal !== 0);
  if (hasOrdinal && (frequency === "DAILY" || frequency === "WEEKLY")) {
    throw new RuleError(`has BYDAY with a number, which needs FREQ=MONTHLY or YEARLY, not ${frequency}`);
  }
  if (bySetPos.length > 0 && byDay.length + byMonthDay.length + byMonth.length === 0) {
    throw new RuleError("has BYSETPOS alone: it picks from what BYDAY, BYMONTHDAY or BYMONTH give");
  }
}
