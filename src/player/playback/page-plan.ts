// What the page is told at an instant: the stage that is due, its plays up to where the program changes, and the stages that come then. Pure.
import type { UpcomingStage, SceneZone, Stage } from "../../protocol/scene.ts";
import type { FeedContent } from "./scene-item.ts";
import { stageAt, type Playback } from "./playback.ts";

/** What plays from `from` until the program changes, UTC ms, the end excluded. */
export interface ProgramInterval {
  from: number;
  until: number;
  playback: Playback;
}

export interface PagePlan {
  /** Null: no layout is due. */
  stage: Stage | null;
  /** What takes its place next. Of more than one all but the last are on for less than {@link preparingMs}. */
  upcoming: readonly UpcomingStage[];
  /** When the page has to be told more. */
  changesAt: number;
}

/**
 * How long before its start the page is told of another stage, ms. Web pages need several seconds; what is prepared keeps
 * its place in the page's budget for no longer than this.
 */
export const upcomingLeadMs = 15_000;

/** A stage that is on for less leaves no time in which the one after it could be prepared: both are told ahead, ms. */
const preparingMs = 3_000;

// Each is a whole layout behind the screen.
const maxComing = 2;

/**
 * The outlook at `now`, which falls into the first of `acts`. The acts follow each other without a hole. `place` completes a
 * stage with what only its caller knows.
 */
export function pagePlanAt(
  acts: readonly ProgramInterval[],
  now: number,
  deviceZone: string,
  news?: (url: string) => FeedContent,
  place = (stage: Stage): Stage => stage,
): PagePlan {
  const [act] = acts;
  if (act === undefined) return { stage: null, upcoming: [], changesAt: Number.POSITIVE_INFINITY };
  const staged = stageAt(act.playback, now, deviceZone, news, act.until);
  const known = acts.at(-1)!.until;
  const lookAgainAt = known - upcomingLeadMs > now ? known - upcomingLeadMs : Number.POSITIVE_INFINITY;
  const changesAt = Math.min(staged?.changesAt ?? Number.POSITIVE_INFINITY, act.until, lookAgainAt);
  const stageOf = ({ from, until, playback }: ProgramInterval): Stage | null =>
    stageAt(playback, from, deviceZone, news, until)?.stage ?? null;
  const due = goThrough(staged?.stage ?? null, acts, 0, stageOf);
  const whole = withEnd(due.stage, acts, due.end, now);
  const coming: UpcomingStage[] = [];
  for (let start = due.end; coming.length < maxComing;) {
    const act = acts[start];
    const before = coming.at(-1);
    if (act === undefined || (before !== undefined && act.from - before.at >= preparingMs)) break;
    const later = goThrough(stageOf(act), acts, start, stageOf);
    const next = withEnd(later.stage, acts, later.end, now);
    // A screen without a layout has nothing to prepare: it is sent when it is due.
    if (next === null) break;
    coming.push({ at: act.from, stage: place(next) });
    start = later.end;
  }
  return { stage: whole === null ? null : place(whole), upcoming: coming, changesAt };
}

/** Adds to `stage`, which act number `start` begins with, the plays of the acts after it that keep its geometry; `end` is the first that does not. */
function goThrough(stage: Stage | null, acts: readonly ProgramInterval[], start: number, stageOf: (act: ProgramInterval) => Stage | null) {
  let [whole, end] = [stage, start + 1];
  for (; end < acts.length; end += 1) {
    const next = stageOf(acts[end]!);
    if (whole === null || next?.key !== whole.key) break;
    whole = goingOn(whole, next, acts[end]!.from);
  }
  return { stage: whole, end };
}

/** The stage with the instant at which it leaves, where that is near. */
function withEnd(stage: Stage | null, acts: readonly ProgramInterval[], end: number, now: number): Stage | null {
  const leavesAt = acts[end - 1]!.until;
  return stage === null || leavesAt > now + upcomingLeadMs ? stage : { ...stage, until: leavesAt };
}

/** The stage with the plays that its zones have from `from` on, where the program changes and the geometry stays. */
function goingOn(stage: Stage, next: Stage, from: number): Stage {
  const zones = stage.zones.map((zone): SceneZone => {
    const last = zone.slots.at(-1);
    const then = next.zones.find(({ id }) => id === zone.id);
    const more = then?.slots ?? [];
    const first = more[0];
    // An empty zone is emptied first, and the plays of a zone have no hole.
    if (last === undefined || first === undefined || last.ends_at < from) return zone;
    // The items of both loops belong here: whatever comes on before the page hears of the change was not removed.
    const loop = zone.loop === undefined || then?.loop === undefined ? {} : { loop: [...new Set([...zone.loop, ...then.loop])] };
    if (last.key !== first.key) return { ...zone, ...loop, slots: [...zone.slots, ...more] };
    // One play that goes on through the change.
    const { whole_ends_at: _whole, ...whole } = { ...last, ends_at: first.ends_at };
    const joined = first.whole_ends_at === undefined ? whole : { ...whole, whole_ends_at: first.whole_ends_at };
    return { ...zone, ...loop, slots: [...zone.slots.slice(0, -1), joined, ...more.slice(1)] };
  });
  return { ...stage, zones };
}
