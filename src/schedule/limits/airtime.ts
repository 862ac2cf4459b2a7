// Which layout is to be seen when, the turns of interrupts counted: what the plays of a day are spread over.
import type { DesiredLayout } from "../../protocol/device/desired-state.ts";
import { isSameWindow, type Agenda, type ActiveSchedule } from "../agenda.ts";
import { turnsBetween } from "../interrupt-grid.ts";
import type { Interval } from "../calendar/windows.ts";

/** A time on end in which a layout is seen. `run`: how long it is due on end, also behind the turns of interrupts; one object for each. */
export interface Airing extends Interval {
  layout: DesiredLayout | null;
  run: Interval;
}

// Yesterday, today and tomorrow.
const maxSpans = 3;
const known = new WeakMap<Agenda, Map<string, readonly Airing[]>>();

/** What schedules and the default layout show from `from` to `until`, overrides left aside, in order and without a hole. */
export function airingsBetween(agenda: Agenda, standing: DesiredLayout | null, from: number, until: number): readonly Airing[] {
  let spans = known.get(agenda);
  if (spans === undefined) known.set(agenda, (spans = new Map<string, readonly Airing[]>()));
  const key = `${from} ${until}`;
  let airings = spans.get(key);
  if (airings === undefined) {
    if (spans.size === maxSpans) spans.delete(spans.keys().next().value!);
    spans.set(key, (airings = find(agenda, standing, from, until)));
  }
  return airings;
}

function find(agenda: Agenda, standing: DesiredLayout | null, from: number, until: number): Airing[] {
  const airings: Airing[] = [];
  let due: { live: ActiveSchedule | null; run: Interval } | null = null;
  for (let at = from; at < until;) {
    const { winner: live, until: outranked } = agenda.winnerAt(at);
    const interrupts = agenda.interruptsAt(at, live?.entry.schedule.priority ?? Number.NEGATIVE_INFINITY);
    const end = Math.min(outranked, interrupts.until, until);
    if (due === null || !isSameWindow(due.live, live)) due = { live, run: { from: at, until: end } };
    const { run } = due;
    run.until = end;
    const layout = live === null ? standing : live.entry.layout;
    for (const turn of turnsBetween(interrupts.interrupts, at, end)) {
      if (at < turn.from) airings.push({ from: at, until: turn.from, layout, run });
      const { from: begins, until: ends } = turn;
      airings.push({ from: begins, until: ends, layout: turn.entry.layout, run: { from: begins, until: ends } });
      at = ends;
    }
    if (at < end) airings.push({ from: at, until: end, layout, run });
    at = end;
  }
  return airings;
}
