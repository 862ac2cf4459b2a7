// What a player plays in a span of time, for people: like the forecast, but content that takes turns is named beside what it interrupts.
import { stateAt } from "./decide.ts";
import { forecast, type ForecastInterval } from "./forecast.ts";
import { nextInterventionChange, pauseAt } from "./interventions.ts";
import { defaultContext, type PlayableContent, type PlayerContext } from "./playable-content.ts";

/** An interval of a plan: what plays, and the schedules that take turns with it. */
export interface PlannedInterval extends ForecastInterval {
  /** The ids of the interrupts, the highest rank first. */
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
      for (const held of forecast(content, at, change, context)) yield { ...held, turns: [] };
      at = change;
      continue;
    }
    const { agenda } = stateAt({ content, ...context }, at);
    const active = isOverride ? { interrupts: [], until: change } : agenda.interruptsAt(at, priority);
    const end = Math.min(change, active.until);
    yield { ...interval, from: at, until: end, turns: active.interrupts.map(({ entry }) => entry.schedule.id) };
    at = end;
  }
}

function isSame(a: PlannedInterval, b: PlannedInterval): boolean {
  return (
    a.by === b.by && a.layoutId === b.layoutId && a.turns.length === b.turns.length && a.turns.every((id, index) => id === b.turns[index])
  );
}
