// The values in the form of a schedule, read from a schedule and written as a change of it. Pure.
import { dayMs, iso } from "../../../../../src/base/time.ts";
import { isDate } from "../../../../../src/protocol/scheduling/moments.ts";
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { isEmptyTarget, noTarget, type Target } from "../../show/target.ts";
import { isComplete, type Condition } from "./conditions.ts";
import { monthDaysOf, repeatOf, ruleOf, weekdayOfStart, type Repeat } from "./repeat.ts";

export type Schedule = Schemas["Schedule"];
export type ScheduleChange = Schemas["ScheduleChange"];
export type Interrupt = NonNullable<Schedule["interrupt"]>;

/** How it recurs: not, as the form shows it, or by a rule for which it has no words and which stays as it is. */
export type Recurrence = { is: "once" } | { is: "repeat"; repeat: Repeat } | { is: "rule"; rrule: string };

/** The values of the form. Dates are such as `2026-12-24`, times such as `11:00`. */
export interface Values {
  name: string;
  layoutId: string | null;
  target: Target;
  isAllDay: boolean;
  startDate: string;
  startTime: string;
  /** With whole days: the last one, included. */
  endDate: string;
  endTime: string;
  hasEnd: boolean;
  recurrence: Recurrence;
  exdates: readonly string[];
  /** Null: each screen's own. */
  timezone: string | null;
  priority: number;
  conditions: readonly Condition[];
  interrupt: Interrupt | null;
  loopFrom: Schedule["loop_from"];
  isEnabled: boolean;
}

/** A new schedule, without a recurrence. @param from `2026-11-21T11:00`, or a date for whole days; @param until the same */
export function newValues(from: string, until: string): Values {
  return {
    name: "",
    layoutId: null,
    target: noTarget,
    ...timesOf(from, until),
    hasEnd: true,
    recurrence: { is: "once" },
    exdates: [],
    timezone: null,
    priority: 0,
    conditions: [],
    interrupt: null,
    loopFrom: "epoch",
    isEnabled: true,
  };
}

export function valuesOf(schedule: Schedule): Values {
  const { name, layout_id, starts_at, ends_at, rrule, exdates, timezone, priority, conditions, interrupt, loop_from, enabled } = schedule;
  const repeat = rrule === null ? null : repeatOf(rrule, starts_at);
  return {
    name,
    layoutId: layout_id,
    target: pickedTarget(schedule.target),
    ...timesOf(starts_at, ends_at),
    hasEnd: ends_at !== null,
    recurrence: rrule === null ? { is: "once" } : repeat === null ? { is: "rule", rrule } : { is: "repeat", repeat },
    exdates,
    timezone,
    priority,
    conditions,
    interrupt,
    loopFrom: loop_from,
    isEnabled: enabled,
  };
}

/** True if all values are there without which the service takes no schedule. */
export function isFilled({ layoutId, target, conditions, ...times }: Values): boolean {
  const { startDate, startTime, endDate, endTime, hasEnd } = times;
  return (
    layoutId !== null &&
    !isEmptyTarget(target) &&
    [startDate, startTime, ...(hasEnd ? [endDate, endTime] : [])].every((part) => part !== "") &&
    conditions.every(isComplete)
  );
}

/** The change from the schedule to the form: only the fields that differ. @param before as it was read; null: it is new */
export function changeOf(values: Values, before: Schedule | null): ScheduleChange {
  const all = fieldsOf(values, before);
  if (before === null) return all;
  const isNew = ([name, value]: [string, unknown]): boolean => JSON.stringify(value) !== JSON.stringify(before[name as keyof Schedule]);
  return Object.fromEntries(Object.entries(all).filter(isNew));
}

/** @param before whose texts stay where the form shows no change */
function fieldsOf(values: Values, before: Schedule | null): ScheduleChange {
  const original = before === null ? null : valuesOf(before);
  const isInstant = before?.starts_at.endsWith("Z") === true && values.isAllDay === original?.isAllDay;
  const start = momentOf(values.isAllDay, values.startDate, values.startTime, isInstant);
  const end = values.hasEnd ? momentOf(values.isAllDay, values.endDate, values.endTime, isInstant) : null;
  const isKept = (of: (each: Values) => unknown): boolean =>
    original !== null && JSON.stringify(of(original)) === JSON.stringify(of(values));
  return {
    name: values.name.trim(),
    ...(values.layoutId === null ? {} : { layout_id: values.layoutId }),
    ...(isKept(({ target }) => target) ? { target: before!.target } : { target: scheduleTarget(values.target) }),
    // A moment may have seconds, which the fields do not show.
    starts_at: isKept((each) => [each.isAllDay, each.startDate, each.startTime]) ? before!.starts_at : start,
    ends_at: isKept((each) => [each.isAllDay, each.hasEnd, each.endDate, each.endTime]) ? before!.ends_at : end,
    rrule: isKept(({ recurrence }) => recurrence) ? before!.rrule : ruleText(values.recurrence),
    exdates: values.recurrence.is === "once" ? [] : [...values.exdates],
    timezone: values.timezone,
    priority: values.priority,
    conditions: [...values.conditions],
    interrupt: values.interrupt,
    ...(values.interrupt === null ? { loop_from: values.loopFrom } : {}),
    enabled: values.isEnabled,
  };
}

function ruleText(recurrence: Recurrence): string | null {
  if (recurrence.is === "once") return null;
  return recurrence.is === "rule" ? recurrence.rrule : ruleOf(recurrence.repeat);
}

/** The values after the start was moved: the end moves with it. */
export function withStart(values: Values, startDate: string, startTime: string): Values {
  const length = wallOf(values.endDate, values.endTime) - wallOf(values.startDate, values.startTime);
  const at = wallOf(startDate, startTime);
  if (!Number.isFinite(at) || !Number.isFinite(length)) return { ...values, startDate, startTime };
  const end = iso(at + length);
  const recurrence = withStartOf(values.recurrence, values.startDate, startDate);
  return { ...values, startDate, startTime, endDate: end.slice(0, 10), endTime: end.slice(11, 16), recurrence };
}

/** A recurrence on the day of its start stays on it. */
function withStartOf(recurrence: Recurrence, before: string, after: string): Recurrence {
  if (recurrence.is !== "repeat") return recurrence;
  const { repeat } = recurrence;
  if (repeat.unit === "week" && repeat.on.join() === weekdayOfStart(before)) {
    return { is: "repeat", repeat: { ...repeat, on: [weekdayOfStart(after)] } };
  }
  if (repeat.unit !== "month") return recurrence;
  const { by } = repeat.on;
  const isOnStart = monthDaysOf(before).some((day) => JSON.stringify(day) === JSON.stringify(repeat.on));
  const on = isOnStart ? monthDaysOf(after).find((day) => day.by === by) : undefined;
  return on === undefined ? recurrence : { is: "repeat", repeat: { ...repeat, on } };
}

function timesOf(startsAt: string, endsAt: string | null): Pick<Values, "isAllDay" | "startDate" | "startTime" | "endDate" | "endTime"> {
  const startDate = startsAt.slice(0, 10);
  if (isDate(startsAt)) return { isAllDay: true, startDate, startTime: "09:00", endDate: endsAt ?? startDate, endTime: "17:00" };
  const startTime = startsAt.slice(11, 16);
  // For a schedule without an end, one that is offered when it gets one.
  const end = endsAt ?? iso(wallOf(startDate, startTime) + dayMs);
  return { isAllDay: false, startDate, startTime, endDate: end.slice(0, 10), endTime: end.slice(11, 16) };
}

function momentOf(isAllDay: boolean, date: string, time: string, isInstant: boolean): string {
  if (isAllDay) return date;
  return isInstant ? `${date}T${time}:00Z` : `${date}T${time}`;
}

/** UTC ms at which a clock in UTC shows this; NaN: a field is empty. */
function wallOf(date: string, time: string): number {
  return Date.parse(`${date}T${time}Z`);
}

function pickedTarget(target: Schedule["target"]): Target {
  const all = target.type === "any" ? target.of : [target];
  if (all.some(({ type }) => type === "team")) return { ...noTarget, everywhere: true };
  return {
    tags: all.flatMap((each) => (each.type === "tag" ? each.tag : [])),
    players: all.flatMap((each) => (each.type === "player" ? each.player_id : [])),
  };
}

function scheduleTarget({ tags, players, everywhere = false }: Target): Schedule["target"] {
  if (everywhere) return { type: "team" };
  const of = [
    ...tags.map((tag) => ({ type: "tag" as const, tag })),
    ...players.map((player_id) => ({ type: "player" as const, player_id })),
  ];
  return of.length === 1 ? of[0]! : { type: "any", of };
}
