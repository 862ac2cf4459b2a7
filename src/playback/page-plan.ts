// Computes the page's plan at an instant: the stage that is due, its plays across program changes, and the next stages. Pure.
import type { SceneZone, Stage, UpcomingStage } from "../protocol/scene.ts";
import type { FeedContent } from "./scene-item.ts";
import { stageAt, type Playback } from "./playback.ts";

/** The playback of one program, from `from` to `until` (UTC ms, the end excluded). */
export interface ProgramInterval {
  from: number;
  until: number;
  playback: Playback;
}

export interface PagePlan {
  /** Null: no layout is due. */
  stage: Stage | null;
  /** The next stage, and the one after it if the next is on the screen for less than {@link prepareMs}. */
  upcoming: readonly UpcomingStage[];
  /** When the page needs a new plan. */
  changesAt: number;
}

/**
 * How long before its start the page gets an upcoming stage, ms. Web pages take several seconds to load. A prepared stage
 * occupies memory of the page for no longer than this.
 */
export const upcomingLeadMs = 15_000;

/** During a shorter stage the page cannot prepare the next one, so it gets both in advance, ms. */
const prepareMs = 3_000;

// Each is a whole layout that the page keeps hidden.
const maxUpcoming = 2;

/**
 * The plan at `now`, which is in the first of `intervals`. The intervals follow each other without a gap.
 * @param complete adds the data to a stage that only the caller knows.
 */
export function pagePlanAt(
  intervals: readonly ProgramInterval[],
  now: number,
  deviceTimeZone: string,
  feedContent?: (url: string) => FeedContent,
  complete = (stage: Stage): Stage => stage,
): PagePlan {
  const [current] = intervals;
  if (current === undefined) return { stage: null, upcoming: [], changesAt: Number.POSITIVE_INFINITY };
  const stageNow = stageAt(current.playback, now, deviceTimeZone, feedContent, current.until);
  const knownUntil = intervals.at(-1)!.until;
  const lookAheadAt = knownUntil - upcomingLeadMs > now ? knownUntil - upcomingLeadMs : Number.POSITIVE_INFINITY;
  const changesAt = Math.min(stageNow?.changesAt ?? Number.POSITIVE_INFINITY, current.until, lookAheadAt);
  const firstStageOf = ({ from, until, playback }: ProgramInterval): Stage | null =>
    stageAt(playback, from, deviceTimeZone, feedContent, until)?.stage ?? null;
  const due = extendStage(stageNow?.stage ?? null, intervals, 0, firstStageOf);
  const stage = withEnd(due.stage, intervals, due.end, now);
  const upcoming: UpcomingStage[] = [];
  for (let start = due.end; upcoming.length < maxUpcoming;) {
    const interval = intervals[start];
    const before = upcoming.at(-1);
    if (interval === undefined || (before !== undefined && interval.from - before.at >= prepareMs)) break;
    const later = extendStage(firstStageOf(interval), intervals, start, firstStageOf);
    const next = withEnd(later.stage, intervals, later.end, now);
    // A screen without a layout needs no preparation. The page gets it when it is due.
    if (next === null) break;
    upcoming.push({ at: interval.from, stage: complete(next) });
    start = later.end;
  }
  return { stage: stage === null ? null : complete(stage), upcoming, changesAt };
}

/**
 * `stage` is the first stage of interval number `start`. Appends the plays of the intervals that follow, as long as their stage has
 * the same key (the same geometry), so that the page keeps one stage. `end` is the number of the first interval that differs.
 */
function extendStage(
  stage: Stage | null,
  intervals: readonly ProgramInterval[],
  start: number,
  firstStageOf: (interval: ProgramInterval) => Stage | null,
): { stage: Stage | null; end: number } {
  let [result, end] = [stage, start + 1];
  for (; end < intervals.length; end += 1) {
    const next = firstStageOf(intervals[end]!);
    if (result === null || next?.key !== result.key) break;
    result = appendPlays(result, next, intervals[end]!.from);
  }
  return { stage: result, end };
}

/** The stage with the instant at which it leaves the screen, if that is soon. */
function withEnd(stage: Stage | null, intervals: readonly ProgramInterval[], end: number, now: number): Stage | null {
  const leavesAt = intervals[end - 1]!.until;
  return stage === null || leavesAt > now + upcomingLeadMs ? stage : { ...stage, until: leavesAt };
}

/** Appends the plays of `next`, the same geometry after a program change at `from`. */
function appendPlays(stage: Stage, next: Stage, from: number): Stage {
  const zones = stage.zones.map((zone): SceneZone => {
    const last = zone.slots.at(-1);
    const nextZone = next.zones.find(({ id }) => id === zone.id);
    const nextSlots = nextZone?.slots ?? [];
    const first = nextSlots[0];
    // The plays of a zone must have no gap. A zone that is empty in between is emptied first.
    if (last === undefined || first === undefined || last.ends_at < from) return zone;
    // With the items of both loops, the page does not mistake an item of the next loop for a removed one.
    const loop = zone.loop === undefined || nextZone?.loop === undefined ? {} : { loop: [...new Set([...zone.loop, ...nextZone.loop])] };
    if (last.key !== first.key) return { ...zone, ...loop, slots: [...zone.slots, ...nextSlots] };
    // The play continues through the change: join its two parts.
    const { whole_ends_at: _whole, ...whole } = { ...last, ends_at: first.ends_at };
    const slot = first.whole_ends_at === undefined ? whole : { ...whole, whole_ends_at: first.whole_ends_at };
    return { ...zone, ...loop, slots: [...zone.slots.slice(0, -1), slot, ...nextSlots.slice(1)] };
  });
  return { ...stage, zones };
}
