// Decides what should be on screen at an instant. Pure: no clock, no disk, no memory of what was.
import type { DesiredLayout } from "../protocol/device/desired-state.ts";
import type { Zone } from "../protocol/operator/resources.ts";
import type { Wall } from "../protocol/content/wall.ts";
import type { ReadyState } from "../player/content/content-cache.ts";
import { playCauseOf, type PlayCause } from "./cause.ts";
import { decide, stateAt, type Decision, type DecisionInput } from "./decide.ts";
import type { Intervention } from "./interventions.ts";
import { indexState, type IndexedState } from "./indexed-state.ts";
import { timelineAt, playablePlaylist, type PlayablePlaylist, type Timeline } from "./timeline.ts";
import { explain, type Reason } from "./why.ts";

export { playAt, skipTargetAt, type Play, type TimedItem, type Timeline } from "./timeline.ts";

/** What each zone of the layout loops. `layout: null` means that nothing is due. */
export interface Program {
  layout: DesiredLayout | null;
  /** Why the layout is on; null without one. */
  cause: PlayCause | null;
  zones: readonly { zone: Zone; timeline: Timeline }[];
  timezone: string | null;
  /** The part of a video wall that the player shows. */
  wall: Wall | null;
}

/** What an answer hangs on besides the ready state and the instant. */
export interface PlayerContext {
  interventions: readonly Intervention[];
  /** IANA zone of the box, for players without one of their own. */
  deviceTimeZone: string;
}

/** What is on from `from` to `until`, UTC ms, the end excluded. */
export interface ForecastInterval {
  from: number;
  until: number;
  layoutId: string | null;
  /** The override, schedule or `default` that brought it. */
  by: string;
  /** The instant from which its loops count; null without a layout. */
  loopsFrom: number | null;
}

const plain: PlayerContext = { interventions: [], deviceTimeZone: "UTC" };

/**
 * The program at `instant` (UTC ms) and the next instant at which it may be another: always later than `instant`, and
 * Infinity when it never is. Until then it is the same.
 */
export function programAt(ready: ReadyState, instant: number, circumstances = plain): { program: Program; changesAt: number } {
  const facts = { ready, ...circumstances };
  const decision = decide(facts, instant);
  const state = stateAt(facts, instant);
  const reels = reelsOf(decision, state);
  let changesAt = decision.until;
  const zones = (decision.layout?.zones ?? []).map((zone, index) => {
    // Held still, items that begin or end to be valid do so when the pause is over.
    const loop = timelineAt(reels[index]!, decision.pause?.at ?? instant, {
      ...decision,
      timeZone: state.timeZone,
      hasPlaylist: (layout) => layout.zones.some(({ playlist_id }) => playlist_id === zone.playlist_id),
    });
    if (decision.pause === null) changesAt = Math.min(changesAt, loop.changesAt);
    return { zone, timeline: { ...loop.timeline, ...happenedTo(zone.id, decision, facts, instant) } };
  });
  const { timezone, wall = null } = ready.desired.player;
  const { layout } = decision;
  const cause = layout === null ? null : playCauseOf(decision.cause, layout.id);
  return { program: { layout, cause, zones, timezone, wall }, changesAt };
}

/** What is on from `from` to `until`, stretch after stretch without a hole; of equal neighbours one. Lazy: take what is needed. */
export function* forecast(ready: ReadyState, from: number, until: number, circumstances = plain): Generator<ForecastInterval, void> {
  const facts = { ready, ...circumstances };
  let open: ForecastInterval | null = null;
  for (let at = from; at < until;) {
    const decision = decide(facts, at);
    const { layout } = decision;
    const next: ForecastInterval = {
      from: at,
      until: Math.min(decision.until, until),
      layoutId: layout?.id ?? null,
      by: nameOf(decision),
      loopsFrom: layout === null ? null : decision.epochMs,
    };
    const isOne = open !== null && open.layoutId === next.layoutId && open.by === next.by;
    if (open !== null && isOne && (open.loopsFrom === next.loopsFrom || !beginsAnew(decision))) open.until = next.until;
    else {
      if (open !== null) yield open;
      open = next;
    }
    at = next.until;
  }
  if (open !== null) yield open;
}

/** Why `instant` shows what it shows: the chain of reasons, what wins first, then what it outranks, then what is set aside. */
export function explainAt(ready: ReadyState, instant: number, circumstances = plain): Reason[] {
  const facts = { ready, ...circumstances };
  const decision = decide(facts, instant);
  const { zones } = programAt(ready, instant, circumstances).program;
  const loops = reelsOf(decision, stateAt(facts, instant)).map((reel, index) => ({ reel, timeline: zones[index]!.timeline }));
  return explain(facts, decision, instant, loops);
}

/** Schedules of the state that cannot play, with the reason: worth a report. */
export function invalidSchedules(ready: ReadyState, deviceZone: string): { scheduleId: string; reason: string }[] {
  const { excluded: setAside } = indexState(ready, deviceZone);
  return setAside.filter(({ is }) => is === "broken").map(({ scheduleId, reason }) => ({ scheduleId, reason }));
}

function reelsOf(
  { layout, singleItem: single }: Decision,
  { assets, playlists: reels, ready, timeZone: zone }: IndexedState,
): PlayablePlaylist[] {
  if (single !== null) return [playablePlaylist([single], assets, ready.files, zone)];
  return (layout?.zones ?? []).map(({ playlist_id }) => (playlist_id === null ? undefined : reels.get(playlist_id)) ?? emptyReel);
}

const emptyReel: PlayablePlaylist = { items: [], validity: new Map() };

/** What was skipped in a zone up to now, and what holds it. */
function happenedTo(
  zoneId: string,
  { pause }: Decision,
  { interventions: records }: DecisionInput,
  instant: number,
): Pick<Timeline, "skips" | "hold"> {
  const skips = records.flatMap((record) => (record.is === "skip" && record.zoneId === zoneId && record.at <= instant ? [record] : []));
  const ordered = skips
    .map(({ itemId, startsAt, at }) => ({ itemId, startsAt, at }))
    .toSorted((a, b) => a.at - b.at || a.startsAt - b.startsAt);
  return { skips: ordered, hold: pause === null ? null : { from: pause.at, until: pause.until } };
}

/** Whether the loops begin anew with each window: windows that touch are then two stretches. */
function beginsAnew({ cause }: Decision): boolean {
  return cause.is === "schedule" && cause.live.entry.schedule.loop_from === "window";
}

function nameOf({ cause }: Decision): string {
  switch (cause.is) {
    case "override":
      return cause.override.id;
    case "interrupt":
    case "schedule":
      return cause.live.entry.schedule.id;
    case "default":
    case "nothing":
      return cause.is;
  }
}
