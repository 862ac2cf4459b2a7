// Reads the schedules of a desired state. A schedule that cannot play is excluded with the reason; the others are not affected.
import { hourMs } from "../../base/time.ts";
import type { DesiredLayout } from "../../protocol/device/desired-state.ts";
import { describeRefusals } from "../../protocol/refusal.ts";
import { calendarIdsOf } from "../../protocol/scheduling/conditions.ts";
import { timeZoneRules, type TimeZoneRules } from "../calendar/time-zone.ts";
import { windowsOf } from "../calendar/windows.ts";
import { DesiredSchedule } from "../validate-schedule.ts";
import type { AgendaEntry } from "./active-schedule.ts";

/** A schedule that does not take part, and why. */
export interface ExcludedSchedule {
  scheduleId: string;
  /** `invalid`: it cannot be read or shown, which is worth a report. `condition`: a condition does not hold. */
  is: "invalid" | "condition";
  reason: string;
}

/** The data needed to read a schedule. */
export interface ReadContext {
  playerTimeZone: TimeZoneRules;
  /** Dates of calendars by calendar id. */
  calendars: ReadonlyMap<string, readonly string[]>;
  layouts: ReadonlyMap<string, DesiredLayout>;
  /** Length of each playlist in ms, by playlist id. */
  playlistLengths: ReadonlyMap<string, number>;
}

type RawSchedule = Record<string, unknown>;
type ParsedSchedule = Pick<AgendaEntry, "schedule" | "windows"> | ExcludedSchedule;

const maxPlayMs = hourMs;
const minPlayMs = 1_000;
// A new revision changes few of many schedules: the others are not parsed again.
const maxParsed = 20_000;
const parsedByKey = new Map<string, ParsedSchedule>();
// Long lists of dates are numbered, so that the keys above contain a number instead of the list.
const maxDateLists = 200;
const numberByDates = new Map<string, number>();
let lastDatesNumber = 0;

/** Reads one schedule of a desired state. */
export function readSchedule(raw: RawSchedule, context: ReadContext): AgendaEntry | ExcludedSchedule {
  const result = parseOnce(raw, context);
  if ("reason" in result) return result;
  const { schedule, windows } = result;
  const layout = context.layouts.get(schedule.layout_id);
  if (layout === undefined) return invalid(raw, `its layout ${schedule.layout_id} does not exist`);
  return { schedule, layout, windows, playMs: playMsOf(schedule, layout, context.playlistLengths) };
}

/** A schedule excluded as invalid. */
export function invalid(raw: RawSchedule, reason: string): ExcludedSchedule {
  return { scheduleId: typeof raw["id"] === "string" ? raw["id"].slice(0, 64) : "unknown", is: "invalid", reason: reason.slice(0, 500) };
}

function parseOnce(raw: RawSchedule, context: ReadContext): ParsedSchedule {
  const json = JSON.stringify(raw);
  const dates = [...context.calendars].flatMap(([id, list]) => (json.includes(id) ? numberOfDates(list) : []));
  const key = [context.playerTimeZone.name, json, ...dates].join(" ");
  let result = parsedByKey.get(key);
  if (result === undefined) {
    if (parsedByKey.size >= maxParsed) parsedByKey.clear();
    result = parse(raw, context);
    parsedByKey.set(key, result);
  }
  return result;
}

/** The number of a list of dates: the same for equal lists, never one that another list had. */
function numberOfDates(dates: readonly string[]): number {
  const key = dates.join();
  let number = numberByDates.get(key);
  if (number === undefined) {
    if (numberByDates.size >= maxDateLists) numberByDates.clear();
    number = lastDatesNumber += 1;
    numberByDates.set(key, number);
  }
  return number;
}

function parse(raw: RawSchedule, { playerTimeZone, calendars }: ReadContext): ParsedSchedule {
  const result = DesiredSchedule.safeParse(raw);
  if (!result.success) return invalid(raw, describeRefusals(result.error));
  const schedule = result.data;
  const timeZone = schedule.timezone === null ? playerTimeZone : timeZoneRules(schedule.timezone);
  if (timeZone === null) return invalid(raw, `this device does not know the time zone ${schedule.timezone}`);
  const missing = calendarIdsOf(schedule.conditions).find((id) => !calendars.has(id));
  if (missing !== undefined) return invalid(raw, `its calendar ${missing} does not exist`);
  return { schedule, windows: windowsOf(schedule, timeZone, calendars) };
}

/** Counts all items of the layout, also those that cannot be shown now: players with the same state share one grid. */
function playMsOf({ interrupt }: DesiredSchedule, layout: DesiredLayout, playlistLengths: ReadonlyMap<string, number>): number {
  if (interrupt?.play_ms !== undefined) return interrupt.play_ms;
  const lengths = layout.zones.map(({ playlist_id: id }) => (id === null ? 0 : (playlistLengths.get(id) ?? 0)));
  return Math.min(Math.max(minPlayMs, ...lengths), maxPlayMs);
}
