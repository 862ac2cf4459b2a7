// Computes which layout is on screen when, turns of interrupts included: the time over which the plays of a day are spread.
import type { DesiredLayout } from "../../protocol/device/desired-state.ts";
import { isSameWindow, type ActiveSchedule } from "../agenda/active-schedule.ts";
import type { Agenda } from "../agenda/agenda.ts";
import { turnsBetween } from "../agenda/interrupt-grid.ts";
import type { Interval } from "../calendar/intervals.ts";

/** An interval in which one layout is on screen. */
export interface Airing extends Interval {
  layout: DesiredLayout | null;
  /**
   * The longer interval in which the layout is due, also while interrupts take their turns. Airings of one run share
   * the object: while the airings are computed, its end is moved in place as the run continues.
   */
  run: Interval;
}

// Yesterday, today and tomorrow.
const maxRanges = 3;
const airingsByAgenda = new WeakMap<Agenda, Map<string, readonly Airing[]>>();

/** The airings of schedules and of the default layout from `from` to `until`, ignoring overrides, in order and without a gap. */
export function airingsBetween(agenda: Agenda, defaultLayout: DesiredLayout | null, from: number, until: number): readonly Airing[] {
  let ranges = airingsByAgenda.get(agenda);
  if (ranges === undefined) airingsByAgenda.set(agenda, (ranges = new Map<string, readonly Airing[]>()));
  const key = `${from} ${until}`;
  let airings = ranges.get(key);
  if (airings === undefined) {
    if (ranges.size === maxRanges) ranges.delete(ranges.keys().next().value!);
    ranges.set(key, (airings = computeAirings(agenda, defaultLayout, from, until)));
  }
  return airings;
}

function computeAirings(agenda: Agenda, defaultLayout: DesiredLayout | null, from: number, until: number): Airing[] {
  const airings: Airing[] = [];
  let due: { winner: ActiveSchedule | null; run: Interval } | null = null;
  for (let at = from; at < until;) {
    const { winner, until: winsUntil } = agenda.winnerAt(at);
    const active = agenda.interruptsAt(at, winner?.entry.schedule.priority ?? Number.NEGATIVE_INFINITY);
    const end = Math.min(winsUntil, active.until, until);
    if (due === null || !isSameWindow(due.winner, winner)) due = { winner, run: { from: at, until: end } };
    const { run } = due;
    // Also extends the run of the airings that were added before.
    run.until = end;
    const layout = winner === null ? defaultLayout : winner.entry.layout;
    for (const turn of turnsBetween(active.interrupts, at, end)) {
      if (at < turn.from) airings.push({ from: at, until: turn.from, layout, run });
      const { from: turnFrom, until: turnUntil } = turn;
      airings.push({ from: turnFrom, until: turnUntil, layout: turn.entry.layout, run: { from: turnFrom, until: turnUntil } });
      at = turnUntil;
    }
    if (at < end) airings.push({ from: at, until: end, layout, run });
    at = end;
  }
  return airings;
}
