// A random schedule near an instant, in the form in which the API takes it, without its layout and target.
import { timeZoneRulesOrUtc } from "../../src/schedule/calendar/time-zone.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const weekdays = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"] as const;

/** The time zones of the screen and of its schedules. Their clocks change at different hours, one by half an hour, one never. */
export const timeZones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Chatham", "Asia/Kathmandu", "UTC"] as const;

export interface Dice {
  /** A whole number from 0 to below `count`. */
  below(count: number): number;
  isLucky(chance: number): boolean;
  one<T>(of: readonly T[]): T;
}

export function diceOf(random: () => number): Dice {
  const below = (count: number): number => Math.floor(random() * count);
  return { below, isLucky: (chance) => random() < chance, one: (of) => of[below(of.length)]! };
}

/** @param playerZone the time zone of schedules that have none of their own */
export function randomSchedule(dice: Dice, calendarId: string, playerZone: string, instant: number): Record<string, unknown> {
  const timezone = dice.isLucky(0.4) ? dice.one(timeZones) : null;
  const wallNow = timeZoneRulesOrUtc(timezone ?? playerZone).wallAt(instant);
  const lengthMs = (1 + dice.below(10)) * hourMs;
  // Its first window, or that of a day before, mostly includes the instant.
  const beganMs = dice.below(12) * (hourMs / 2);
  const first = Math.floor((wallNow - beganMs) / (hourMs / 2)) * (hourMs / 2);
  const { rrule, daysBefore } = dice.one(rules(dice, first));
  const starts = first - daysBefore * dayMs;
  // `2027-03-28T02:30:00`, or the date alone.
  const written = dice.isLucky(0.15) ? 10 : 19;
  const text = (wall: number): string => new Date(wall).toISOString().slice(0, written);
  return {
    starts_at: text(starts),
    ends_at: text(starts + lengthMs),
    rrule,
    timezone,
    exdates: dice.isLucky(0.1) && rrule !== null ? [new Date(first).toISOString().slice(0, 10)] : [],
    priority: dice.below(3),
    conditions: randomScheduleConditions(dice, calendarId),
    interrupt: dice.isLucky(0.35) ? { share_percent: 10 + dice.below(30), play_ms: 1_000 * (5 + dice.below(60)) } : null,
    loop_from: dice.isLucky(0.3) ? "window" : "epoch",
  };
}

/** Rules that have a window on the day of `first`, with how many days before it they begin. */
function rules(dice: Dice, first: number): { rrule: string | null; daysBefore: number }[] {
  const date = new Date(first);
  const weekday = weekdays[date.getUTCDay()]!;
  const weeks = 1 + dice.below(20);
  const days = 1 + dice.below(40);
  return [
    { rrule: null, daysBefore: 0 },
    { rrule: "FREQ=DAILY", daysBefore: days },
    {
      rrule: `FREQ=WEEKLY;BYDAY=${[weekday, dice.one(["TU", "SA"])].filter((day, index, all) => all.indexOf(day) === index).join()}`,
      daysBefore: 7 * weeks,
    },
    { rrule: `FREQ=WEEKLY;INTERVAL=2;BYDAY=${weekday}`, daysBefore: 14 * weeks },
    // The other week.
    { rrule: `FREQ=WEEKLY;INTERVAL=2;BYDAY=${weekday}`, daysBefore: 7 + 14 * weeks },
    { rrule: `FREQ=MONTHLY;BYMONTHDAY=${date.getUTCDate()},-1`, daysBefore: 0 },
    { rrule: `FREQ=MONTHLY;BYDAY=-1${weekday},2${weekday}`, daysBefore: 7 * weeks },
  ];
}

function randomScheduleConditions(dice: Dice, calendarId: string): Record<string, unknown>[] {
  const conditions = dice.isLucky(0.3) ? randomConditions(dice, calendarId) : [];
  const [from, until] = [timeOfDay(dice), timeOfDay(dice)];
  if (from === until || !dice.isLucky(0.2)) return conditions;
  const times = { from, until };
  return [
    ...conditions,
    dice.isLucky(0.5) ? { type: "daypart", ...times } : { type: "hours", open: [times, { from: "10:00", until: "14:00" }] },
  ];
}

export function randomConditions(dice: Dice, calendarId: string): Record<string, unknown>[] {
  const all = [
    { type: "tag", tag: "bar", is_present: dice.isLucky(0.5) },
    { type: "variable", name: "guests", op: dice.one(["at_least", "at_most"]), value: dice.below(10) },
    { type: "variable", name: "menu", op: dice.one(["equals", "not_equals"]), value: "lunch" },
    { type: "calendar", calendar_id: calendarId, is_listed: dice.isLucky(0.5) },
  ];
  return dice.isLucky(0.75) ? [dice.one(all)] : [dice.one(all.slice(0, 2)), dice.one(all.slice(2))];
}

/** A time of day, as `from` or `until` of an opening. */
export const timeOfDay = (dice: Dice): string => `${String(dice.below(24)).padStart(2, "0")}:${dice.one(["00", "30"])}`;
