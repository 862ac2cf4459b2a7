// When schedules are due in some days, as blocks for a calendar: on the wall clock on which each of them is written. Pure.
import { dayMs, minuteMs } from "../../../../../src/base/time.ts";
import { floatingClock, timeZoneRulesOrUtc } from "../../../../../src/schedule/calendar/time-zone.ts";
import { windowsOf } from "../../../../../src/schedule/calendar/windows.ts";
import type { Schedule } from "./form.ts";

/** Dates of calendars by calendar id. */
export type Calendars = ReadonlyMap<string, readonly string[]>;

// With the height of an hour in calendar.css, a block of so many minutes is at least 24 px high for a mouse and 40 px for a finger.
const leastMinutes = 36;

/** A time in which a schedule is due. Wall times are the UTC ms at which a clock in UTC shows the same. */
export interface Due {
  schedule: Schedule;
  from: number;
  /** Infinite: it has no end. */
  until: number;
}

/** A part of a window within one day, with its place beside others at the same time. */
export interface Block extends Due {
  /** Minutes of the day between which it is drawn, 0 to 1,440: its times, but never too few to be clicked. */
  fromMinute: number;
  toMinute: number;
  lane: number;
  lanes: number;
  /** The window began on an earlier day. */
  isContinued: boolean;
}

export interface DayOfCalendar {
  day: number;
  /** Windows that last the whole day. */
  allDay: readonly Due[];
  blocks: readonly Block[];
}

/** The windows of schedules that touch the days from `firstDay` on, in order. @param ownZone in which instants are shown */
export function duesIn(schedules: readonly Schedule[], firstDay: number, count: number, calendars: Calendars, ownZone: string): Due[] {
  const [from, until] = [firstDay * dayMs, (firstDay + count) * dayMs];
  return schedules
    .flatMap((schedule) => windowsOfOne(schedule, from, until, calendars, ownZone).map((window) => ({ schedule, ...window })))
    .toSorted((a, b) => a.from - b.from || b.until - a.until || (a.schedule.id < b.schedule.id ? -1 : 1));
}

function windowsOfOne(
  schedule: Schedule,
  from: number,
  until: number,
  calendars: Calendars,
  ownZone: string,
): { from: number; until: number }[] {
  // A calendar that was just deleted, or is not loaded yet.
  const conditions = schedule.conditions.filter((each) => each.type !== "calendar" || calendars.has(each.calendar_id));
  const windows = windowsOf({ ...schedule, conditions }, floatingClock, calendars);
  if (!schedule.starts_at.endsWith("Z")) return windows.touching(from, until);
  const zone = timeZoneRulesOrUtc(schedule.rrule === null ? ownZone : (schedule.timezone ?? ownZone));
  // The wall clock is at most a day away from UTC.
  return windows
    .touching(from - dayMs, until + dayMs)
    .map((each) => ({ from: zone.wallAt(each.from), until: Number.isFinite(each.until) ? zone.wallAt(each.until) : each.until }))
    .filter((each) => each.from < until && each.until > from);
}

/** The days with their blocks. */
export function daysOf(dues: readonly Due[], firstDay: number, count: number): DayOfCalendar[] {
  return Array.from({ length: count }, (_, index) => {
    const day = firstDay + index;
    const [from, until] = [day * dayMs, (day + 1) * dayMs];
    const here = dues.filter((due) => due.from < until && due.until > from);
    const isWhole = (due: Due): boolean => due.from <= from && due.until >= until;
    return { day, allDay: here.filter(isWhole), blocks: inLanes(here.filter((due) => !isWhole(due)).map((due) => blockOf(due, from))) };
  });
}

function blockOf(due: Due, dayStart: number): Block {
  const minuteOf = (at: number): number => Math.min(1_440, Math.max(0, (at - dayStart) / minuteMs));
  const fromMinute = Math.min(minuteOf(due.from), 1_440 - leastMinutes);
  const toMinute = Math.max(minuteOf(due.until), fromMinute + leastMinutes);
  return { ...due, fromMinute, toMinute, lane: 0, lanes: 1, isContinued: due.from < dayStart };
}

/** Puts blocks that overlap beside each other. */
function inLanes(blocks: readonly Block[]): Block[] {
  const result: Block[] = [];
  let group: Block[] = [];
  let groupEnd = 0;
  const close = (): void => {
    const lanes = Math.max(0, ...group.map(({ lane }) => lane)) + 1;
    result.push(...group.map((block) => ({ ...block, lanes })));
    group = [];
  };
  for (const block of blocks.toSorted((a, b) => a.fromMinute - b.fromMinute || b.toMinute - a.toMinute)) {
    if (group.length > 0 && block.fromMinute >= groupEnd) close();
    const ends = new Map<number, number>();
    for (const { lane, toMinute } of group) ends.set(lane, Math.max(ends.get(lane) ?? 0, toMinute));
    let lane = 0;
    while ((ends.get(lane) ?? 0) > block.fromMinute) lane += 1;
    groupEnd = Math.max(group.length === 0 ? 0 : groupEnd, block.toMinute);
    group.push({ ...block, lane });
  }
  close();
  return result;
}
