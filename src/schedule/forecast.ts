// Forecasts which layouts play in a span of time, and when they show nothing, by deciding for each instant at which that changes.
import { decide, type Decision } from "./decide.ts";
import { emptinessAt } from "./emptiness.ts";
import { defaultContext, type DecisionInput, type PlayableContent } from "./playable-content.ts";

/** The content that plays from `from` to `until`, UTC ms, the end excluded. */
export interface ForecastInterval {
  from: number;
  until: number;
  layoutId: string | null;
  /** The id of the override or schedule, `default` or `nothing`. */
  by: string;
  /** The instant from which its loops count; null without a layout. */
  loopsFrom: number | null;
  /** Nothing is shown: there is no layout, or it has nothing that can be shown. */
  isEmpty: boolean;
}

/** The intervals from `from` to `until`, without a gap; equal neighbours are joined. Lazy: computes only the intervals that are read. */
export function* forecast(
  content: PlayableContent,
  from: number,
  until: number,
  context = defaultContext,
): Generator<ForecastInterval, void> {
  const input = { content, ...context };
  let current: ForecastInterval | null = null;
  for (let at = from; at < until;) {
    const decision = decide(input, at);
    const end = Math.min(decision.until, until);
    while (at < end) {
      const next = intervalAt(input, decision, at, end);
      if (current !== null && isSame(current, next, restartsInWindow(decision))) {
        current.until = next.until;
      } else {
        if (current !== null) yield current;
        current = next;
      }
      at = next.until;
    }
  }
  if (current !== null) yield current;
}

/** The interval from `from` to `end` at most, in which `decision` holds. */
function intervalAt(input: DecisionInput, decision: Decision, from: number, end: number): ForecastInterval {
  const { layout } = decision;
  const { isEmpty, until } = emptinessAt(input, decision, from);
  return {
    from,
    until: Math.min(until, end),
    layoutId: layout?.id ?? null,
    by: idOf(decision),
    loopsFrom: layout === null ? null : decision.epochMs,
    isEmpty,
  };
}

function isSame(a: ForecastInterval, b: ForecastInterval, restarts: boolean): boolean {
  return a.layoutId === b.layoutId && a.by === b.by && a.isEmpty === b.isEmpty && (a.loopsFrom === b.loopsFrom || !restarts);
}

/** True if loops restart with each window, so that windows that touch are two intervals. */
function restartsInWindow({ cause }: Decision): boolean {
  return cause.is === "schedule" && cause.active.entry.schedule.loop_from === "window";
}

function idOf({ cause }: Decision): string {
  switch (cause.is) {
    case "override":
      return cause.override.id;
    case "interrupt":
    case "schedule":
      return cause.active.entry.schedule.id;
    case "default":
    case "nothing":
      return cause.is;
  }
}
