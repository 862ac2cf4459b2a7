// Forecasts which layouts play in a span of time, by deciding for each instant at which the decision changes.
import { decide, type Decision } from "./decide.ts";
import { defaultContext, type PlayableContent } from "./playable-content.ts";

/** The content that plays from `from` to `until`, UTC ms, the end excluded. */
export interface ForecastInterval {
  from: number;
  until: number;
  layoutId: string | null;
  /** The id of the override or schedule, `default` or `nothing`. */
  by: string;
  /** The instant from which its loops count; null without a layout. */
  loopsFrom: number | null;
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
    const { layout } = decision;
    const next: ForecastInterval = {
      from: at,
      until: Math.min(decision.until, until),
      layoutId: layout?.id ?? null,
      by: idOf(decision),
      loopsFrom: layout === null ? null : decision.epochMs,
    };
    const hasSameLayout = current !== null && current.layoutId === next.layoutId && current.by === next.by;
    if (current !== null && hasSameLayout && (current.loopsFrom === next.loopsFrom || !restartsInWindow(decision))) {
      current.until = next.until;
    } else {
      if (current !== null) yield current;
      current = next;
    }
    at = next.until;
  }
  if (current !== null) yield current;
}

/** Whether loops restart with each window, so that windows that touch are two intervals. */
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
