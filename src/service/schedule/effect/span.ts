// The span of time that a forecast of many screens, or the effect of a change, is about.
import type { Clock } from "../../../base/clock.ts";
import { dayMs } from "../../../base/time.ts";
import { maxTimelineDays } from "../../../protocol/scheduling/timeline.ts";
import { invalidField } from "../../http/problem.ts";

interface Given {
  from?: string | undefined;
  to?: string | undefined;
}

interface Span {
  from: number;
  to: number;
}

/** The span of a request, UTC ms. @param place the prefix of its fields' names in errors @throws ProblemError 422. */
export function spanOf(clock: Clock, given: Given, place: "?" | "/", usualDays: number): Span {
  const from = given.from === undefined ? Math.trunc(clock.now()) : Date.parse(given.from);
  const to = given.to === undefined ? from + usualDays * dayMs : Date.parse(given.to);
  if (to <= from) throw invalidField(`${place}to`, "must be after from");
  if (to - from > maxTimelineDays * dayMs) throw invalidField(`${place}to`, `must be at most ${maxTimelineDays} days after from`);
  return { from, to };
}

/** The span of an effect, UTC ms, which cannot begin in the past. @throws ProblemError 422. */
export function earliestNow(clock: Clock, given: Given): Span {
  const span = spanOf(clock, given, "/", maxTimelineDays - 1);
  if (given.from !== undefined && span.from < Math.trunc(clock.now())) {
    throw invalidField("/from", "must not be in the past: what was shown does not change");
  }
  return span;
}
