// The program of a player in a span of time, for people: like the forecast, with interrupts named beside the content they interrupt.
import type { ActiveSchedule } from "./agenda/active-schedule.ts";
import { stateAt } from "./decide.ts";
import { emptinessOf, type Emptiness } from "./emptiness.ts";
import { forecast, type ForecastInterval } from "./forecast.ts";
import type { IndexedState } from "./indexed-state.ts";
import { nextInterventionChange, pauseAt } from "./interventions.ts";
import { defaultContext, type PlayableContent, type PlayerContext } from "./playable-content.ts";

/** An interval of a plan: its content, and the schedules that take turns with it. */
export interface PlannedInterval extends ForecastInterval {
  /** The ids of the interrupts, the highest rank first. The interval is empty only if none of them shows anything either. */
  turns: readonly string[];
}

/**
 * The intervals from `from` to `until`, UTC ms, without a gap. A forecast has an interval for each turn of an interrupt, hundreds
 * a day; a plan says once that there are turns.
 */
export function* planOf(content: PlayableContent, from: number, until: number, context = defaultContext): Generator<PlannedInterval, void> {
  const { schedules } = content.desired;
  const lasting = schedules.filter(({ interrupt }) => interrupt === null || interrupt === undefined);
  if (lasting.length === schedules.length) {
    for (const interval of forecast(content, from, until, context)) yield { ...interval, turns: [] };
    return;
  }
  const base: PlayableContent = { ...content, desired: { ...content.desired, schedules: lasting } };
  for (const interval of forecast(base, from, until, context)) {
    let current: PlannedInterval | null = null;
    for (const part of withTurns(interval, content, context)) {
      if (current !== null && isSame(current, part)) current.until = part.until;
      else {
        if (current !== null) yield current;
        current = part;
      }
    }
    if (current !== null) yield current;
  }
}

/** An interval without interrupts, cut where others begin or end to take turns with it. */
function* withTurns(interval: ForecastInterval, content: PlayableContent, context: PlayerContext): Generator<PlannedInterval, void> {
  const { interventions } = context;
  const isOverride = interventions.some((each) => each.is === "override" && each.id === interval.by);
  const winner = content.desired.schedules.find(({ id }) => id === interval.by);
  const priority = winner === undefined ? Number.NEGATIVE_INFINITY : typeof winner["priority"] === "number" ? winner["priority"] : 0;
  for (let at = interval.from; at < interval.until;) {
    const change = Math.min(interval.until, nextInterventionChange(interventions, at));
    if (pauseAt(interventions, at) !== null) {
      // A pause may hold a turn.
      for (const part of forecast(content, at, change, context)) yield { ...part, turns: [] };
      at = change;
      continue;
    }
    const state = stateAt({ content, ...context }, at);
    const active = isOverride ? { interrupts: [], until: change } : state.agenda.interruptsAt(at, priority);
    const turns = active.interrupts.map(({ entry }) => entry.schedule.id);
    for (const end = Math.min(change, active.until); at < end;) {
      const emptiness = interval.isEmpty ? emptinessOfTurns(state, active.interrupts, at) : { isEmpty: false, until: end };
      const until = Math.min(end, emptiness.until);
      yield { ...interval, from: at, until, turns, isEmpty: emptiness.isEmpty };
      at = until;
    }
  }
}

/** Tells if no turn shows anything. */
function emptinessOfTurns(state: IndexedState, interrupts: readonly ActiveSchedule[], instant: number): Emptiness {
  let until = Number.POSITIVE_INFINITY;
  for (const { entry } of interrupts) {
    const turn = emptinessOf(state, { layout: entry.layout, singleItem: null }, instant);
    if (!turn.isEmpty) return turn;
    until = Math.min(until, turn.until);
  }
  return { isEmpty: true, until };
}

function isSame(a: PlannedInterval, b: PlannedInterval): boolean {
  if (a.by !== b.by || a.layoutId !== b.layoutId || a.isEmpty !== b.isEmpty) return false;
  return a.turns.length === b.turns.length && a.turns.every((id, index) => id === b.turns[index]);
}
