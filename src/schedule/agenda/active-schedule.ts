// A schedule that can play, a schedule in one of its windows, and which of several wins.
import type { DesiredLayout } from "../../protocol/device/desired-state.ts";
import type { Windows } from "../calendar/daily-windows.ts";
import type { Interval } from "../calendar/intervals.ts";
import type { DesiredSchedule } from "../validate-schedule.ts";

/** A schedule that can play. */
export interface AgendaEntry {
  schedule: DesiredSchedule;
  layout: DesiredLayout;
  windows: Windows;
  /** Length of one play as an interrupt. */
  playMs: number;
}

/** A schedule in one of its windows. */
export interface ActiveSchedule extends Interval {
  entry: AgendaEntry;
}

/** Sorts the winner first: by priority, then the window that began last, then the newest schedule, which has the greatest id. */
export function byRank(a: ActiveSchedule, b: ActiveSchedule): number {
  const [first, second] = [a.entry.schedule, b.entry.schedule];
  if (first.priority !== second.priority) return second.priority - first.priority;
  if (a.from !== b.from) return b.from - a.from;
  return first.id < second.id ? 1 : first.id > second.id ? -1 : 0;
}

/** True if `a` may follow `b` without a visible change. If loops begin with the window, only the same window may. */
export function isSameWindow(a: ActiveSchedule | null, b: ActiveSchedule | null): boolean {
  if (a?.entry !== b?.entry) return false;
  return a?.entry.schedule.loop_from !== "window" || a.from === b?.from;
}
