// Gives the reasons why screens are empty in intervals of their plans.
import type { EmptyReason } from "../../../protocol/scheduling/forecast.ts";
import type { ForecastInterval } from "../../../schedule/forecast.ts";
import type { PlayableContent } from "../../../schedule/playable-content.ts";
import { withAllFiles, type PlanInput } from "./plan-input.ts";

/** An interval of a forecast or of a plan. */
type Interval = ForecastInterval & { turns?: readonly string[] };

/** A function that tells why an interval is empty; null: it is not. It indexes each state once. */
export async function emptyReasons(): Promise<(input: PlanInput, interval: Interval) => EmptyReason | null> {
  // Imported when needed: the service must not load the scheduler while it starts.
  const { whyEmpty } = await import("../../../schedule/why.ts");
  const contents = new Map<PlanInput, PlayableContent>();
  return (input, interval) => {
    if (!interval.isEmpty) return null;
    let content = contents.get(input);
    if (content === undefined) contents.set(input, (content = withAllFiles(input.desired)));
    const { from, layoutId, turns = [] } = interval;
    return whyEmpty(content, { from, layoutId, turns }, input);
  };
}
