// Checks whether a schedule can play, the same way for operators and for players: the complete schemas of a schedule.
import { z } from "zod";
import { dayMs } from "../base/time.ts";
import type { Condition } from "../protocol/scheduling/conditions.ts";
import { isDate, parseMoment, type ParsedMoment } from "../protocol/scheduling/moments.ts";
import { validateOpening } from "../protocol/scheduling/opening-hours.ts";
import { desiredScheduleFields, newScheduleFields, type Schedule } from "../protocol/scheduling/schedules.ts";
import { endMomentOf } from "./calendar/moments.ts";
import { firstDay, scheduleRecurrence } from "./calendar/recurrence.ts";
import { parseRule, RuleError, type Rule } from "./calendar/rrule.ts";
import { floatingClock } from "./calendar/time-zone.ts";

/** The fields whose combination {@link validateSchedule} checks. */
export type ScheduleTiming = Pick<Schedule, "starts_at" | "ends_at" | "rrule" | "exdates" | "conditions">;

/** An RFC 6901 pointer to a field, and the remedy. */
export interface ScheduleFault {
  pointer: string;
  detail: string;
}

const maxRecurringDays = 31;
const searchedDays = 50 * 366;

/** A schedule that an operator creates. */
export const NewSchedule = z.strictObject(newScheduleFields).superRefine(refine).meta({ id: "NewSchedule" });

/** A schedule as a player receives it. */
export const DesiredSchedule = z.object(desiredScheduleFields).superRefine(refine);
export type DesiredSchedule = z.infer<typeof DesiredSchedule>;

/** The faults of a schedule whose fields are valid one by one. None: it can play. */
export function validateSchedule(schedule: ScheduleTiming): ScheduleFault[] {
  const faults = schedule.conditions.flatMap((condition, index) => validateCondition(condition, `/conditions/${index}`));
  const starts = parseMoment(schedule.starts_at);
  const ends = schedule.ends_at === null ? null : endMomentOf(schedule.ends_at);
  // The schema of the field has rejected a text that is not a moment.
  if (starts === null || (ends === null && schedule.ends_at !== null)) return faults;
  faults.push(...validateEnd(schedule, starts, ends));
  return schedule.rrule === null ? faults : [...faults, ...validateRule(schedule.rrule, starts.at, schedule.exdates)];
}

function validateEnd({ starts_at, ends_at, rrule }: ScheduleTiming, starts: ParsedMoment, ends: ParsedMoment | null): ScheduleFault[] {
  const fault = (detail: string): ScheduleFault => ({ pointer: "/ends_at", detail });
  if (ends === null) return rrule === null ? [] : [fault("must be given with rrule: a window that never ends cannot recur")];
  const faults: ScheduleFault[] = [];
  if (ends.isUtc !== starts.isUtc || isDate(ends_at!) !== isDate(starts_at)) {
    faults.push(fault("must be of the same kind as starts_at: both wall times, both dates or both with Z"));
  } else if (ends.at <= starts.at) {
    const remedy = isDate(starts_at)
      ? "must not be before starts_at: it is the last day, and included"
      : "must be after starts_at: a window past midnight ends on the next day";
    faults.push(fault(remedy));
  }
  if (rrule !== null && ends.at - starts.at > maxRecurringDays * dayMs) {
    faults.push(fault(`must be at most ${maxRecurringDays} days after starts_at if there is an rrule`));
  }
  return faults;
}

function validateRule(text: string, start: number, exdates: readonly string[]): ScheduleFault[] {
  let rule: Rule;
  try {
    rule = parseRule(text);
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    return [{ pointer: "/rrule", detail: error.message }];
  }
  const recurrence = scheduleRecurrence(rule, start, exdates, floatingClock);
  if (firstDay(recurrence, recurrence.startDay, recurrence.startDay + searchedDays) !== null) return [];
  return [{ pointer: "/rrule", detail: "never starts: it has no day after starts_at that exdates does not exclude" }];
}

function validateCondition(condition: Condition, pointer: string): ScheduleFault[] {
  switch (condition.type) {
    case "date": {
      const { from, until } = condition;
      return from !== undefined && until !== undefined && until < from
        ? [{ pointer: `${pointer}/until`, detail: "must not be before from" }]
        : [];
    }
    case "daypart":
      return validateOpening(condition, pointer);
    case "hours":
      return condition.open.flatMap((opening, index) => validateOpening(opening, `${pointer}/open/${index}`));
    case "tag":
    case "variable":
    case "calendar":
      return [];
  }
}

function refine(schedule: ScheduleTiming, context: z.RefinementCtx): void {
  for (const { pointer, detail } of validateSchedule(schedule)) {
    const path = pointer.slice(1).split("/");
    context.addIssue({ code: "custom", message: detail, path: path.map((part) => (/^\d+$/.test(part) ? Number(part) : part)) });
  }
}
