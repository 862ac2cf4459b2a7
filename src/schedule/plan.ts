// What a player plays in a span of time, for people: like the forecast, but content that takes turns is named beside what it interrupts.
import { stateAt } from "./decide.ts";
import { forecast, type ForecastInterval } from "./forecast.ts";
import { nextInterventionChange, pauseAt } from "./interventions.ts";
import { defaultContext, type PlayableContent } from "./playable-content.ts";

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
  const priorities = new Map(lasting.map(({ id, priority }) => [id, typeof priority === "number" ? priority : 0]));
  const base: PlayableContent = { ...content, desired: { ...content.desired, schedules: lasting } };
  const overrides = new Set(context.interventions.flatMap((each) => (each.is === "override" ? each.id : [])));
  let current: PlannedInterval | null = null;
  for (const interval of forecast(base, from, until, context)) {
    for (let at = interval.from; at < interval.until;) {
      const change = Math.min(interval.until, nextInterventionChange(context.interventions, at));
      const isHeld = overrides.has(interval.by) || pauseAt(context.interventions, at) !== null;
      const { agenda } = stateAt({ content, ...context }, at);
      const minPriority = priorities.get(interval.by) ?? Number.NEGATIVE_INFINITY;
      const active = isHeld ? { interrupts: [], until: change } : agenda.interruptsAt(at, minPriority);
      const turns = active.interrupts.map(({ entry }) => entry.schedule.id);
      const next: PlannedInterval = { ...interval, from: at, until: Math.min(change, active.until), turns };
      if (current !== null && current.until > interval.from && isSame(current, next)) current.until = next.until;
      else {
        if (current !== null) yield current;
        current = next;
      }
      at = next.until;
    }
  }
  if (current !== null) yield current;
}

function isSame(a: PlannedInterval, b: PlannedInterval): boolean {
  return a.turns.length === b.turns.length && a.turns.every((id, index) => id === b.turns[index]);
}
