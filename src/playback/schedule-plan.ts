// Plans the programs of one content: the interval that is current and those that begin soon. Pure: the caller keeps the plan before.
import type { DesiredAsset } from "../protocol/device/desired-state.ts";
import type { Intervention } from "../schedule/interventions.ts";
import type { PlayableContent, PlayerContext } from "../schedule/playable-content.ts";
import { programAt } from "../schedule/program.ts";
import { upcomingLeadMs, type ProgramInterval } from "./page-plan.ts";
import { applyProgram } from "./playback.ts";

/** The current and the next program intervals, computed from one content and its interventions. Never empty. */
export interface SchedulePlan<Content extends PlayableContent = PlayableContent> {
  content: Content;
  interventions: readonly Intervention[];
  intervals: readonly ProgramInterval[];
}

// After a longer sleep the plan is computed from scratch instead of change by change.
const maxIntervals = 20;

/** The plan at `now`: the plan before moved forward, or computed from scratch if it does not lead here. */
export function schedulePlanAt<Content extends PlayableContent>(
  before: SchedulePlan<Content> | null,
  content: Content,
  now: number,
  context: PlayerContext,
): SchedulePlan<Content> {
  const plan = advancedPlan(before, content, now, context) ?? createPlan(before, content, now, context);
  const intervals = [...plan.intervals];
  for (let last = intervals.at(-1)!; last.until <= now + upcomingLeadMs && intervals.length < maxIntervals; last = intervals.at(-1)!) {
    intervals.push(nextInterval(content, last, context));
  }
  return { ...plan, intervals };
}

/** The plan before, moved forward to `now`; null if it does not lead there. */
export function advancedPlan<Content extends PlayableContent>(
  plan: SchedulePlan<Content> | null,
  content: Content,
  now: number,
  context: PlayerContext,
): SchedulePlan<Content> | null {
  // A clock that was set back makes the plan as outdated as a changed state does.
  if (plan?.content !== content || plan.interventions !== context.interventions || plan.intervals[0]!.from > now) return null;
  let { intervals } = plan;
  // Apply every change at its own instant: a late player must decide as it would have in time.
  for (let changes = 0; intervals[0]!.until <= now; changes += 1) {
    if (changes === maxIntervals) return null;
    intervals = intervals.length > 1 ? intervals.slice(1) : [nextInterval(content, intervals[0]!, context)];
  }
  return { ...plan, intervals };
}

function createPlan<Content extends PlayableContent>(
  before: SchedulePlan<Content> | null,
  content: Content,
  now: number,
  context: PlayerContext,
): SchedulePlan<Content> {
  const { program, changesAt } = programAt(content, now, context);
  const playback = applyProgram(before?.intervals[0]?.playback ?? null, program, now, presentAssets(content));
  return { content, interventions: context.interventions, intervals: [{ from: now, until: changesAt, playback }] };
}

function nextInterval(
  content: PlayableContent,
  { until: from, playback: before }: ProgramInterval,
  context: PlayerContext,
): ProgramInterval {
  const { program, changesAt: until } = programAt(content, from, context);
  return { from, until, playback: applyProgram(before, program, from, presentAssets(content), from) };
}

function presentAssets({ desired, files }: PlayableContent): DesiredAsset[] {
  return desired.assets.filter(({ id }) => files.has(id));
}
