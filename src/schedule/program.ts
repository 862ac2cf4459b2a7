// Computes the program that should be on screen at an instant. Pure: no clock, no disk, no memory of the past.
import type { Wall } from "../protocol/content/wall.ts";
import type { DesiredLayout } from "../protocol/device/desired-state.ts";
import type { Zone } from "../protocol/operator/resources.ts";
import { playCauseOf, type PlayCause } from "./cause.ts";
import { decide, stateAt, type Decision } from "./decide.ts";
import { indexState, type IndexedState } from "./indexed-state.ts";
import type { Intervention } from "./interventions.ts";
import { defaultContext, type PlayableContent } from "./playable-content.ts";
import { emptyPlaylist, playablePlaylist, type PlayablePlaylist } from "./playlist/playable-playlist.ts";
import { timelineAt } from "./playlist/zone-timeline.ts";
import type { Timeline } from "./timeline.ts";

/** A layout with the loop of each of its zones. */
export interface Program {
  /** Null: nothing is due. */
  layout: DesiredLayout | null;
  /** Why the layout plays; null without one. */
  cause: PlayCause | null;
  zones: readonly { zone: Zone; timeline: Timeline }[];
  timezone: string | null;
  /** The part of a video wall that the player shows. */
  wall: Wall | null;
}

/**
 * The program at `instant` (UTC ms), and the next instant at which it may change: always later than `instant`, Infinity if
 * it never does.
 */
export function programAt(content: PlayableContent, instant: number, context = defaultContext): { program: Program; changesAt: number } {
  const input = { content, ...context };
  const decision = decide(input, instant);
  // During a pause neither variables nor the validity of items change.
  const decidedAt = decision.pause?.at ?? instant;
  const state = stateAt(input, decidedAt);
  const playlists = playlistsOf(decision, state);
  let changesAt = decision.until;
  const zones = (decision.layout?.zones ?? []).map((zone, index) => {
    const loop = timelineAt(playlists[index]!, decidedAt, {
      ...decision,
      timeZone: state.timeZone,
      hasPlaylist: (layout) => layout.zones.some(({ playlist_id }) => playlist_id === zone.playlist_id),
    });
    if (decision.pause === null) changesAt = Math.min(changesAt, loop.changesAt);
    return { zone, timeline: { ...loop.timeline, ...skipsAndPause(zone.id, decision, context.interventions, instant) } };
  });
  const { timezone, wall = null } = content.desired.player;
  const { layout } = decision;
  const cause = layout === null ? null : playCauseOf(decision.cause, layout.id);
  return { program: { layout, cause, zones, timezone, wall }, changesAt };
}

/** The playlist of each zone of the decision's layout. */
export function playlistsOf(
  { layout, singleItem }: Pick<Decision, "layout" | "singleItem">,
  { assets, playlists, content, timeZone }: IndexedState,
): PlayablePlaylist[] {
  if (singleItem !== null) {
    return [playablePlaylist([singleItem], { assets, files: content.files, calendars: new Map(), tags: [], timeZone })];
  }
  return (layout?.zones ?? []).map(({ playlist_id: id }) => (id === null ? undefined : playlists.get(id)) ?? emptyPlaylist);
}

/** The schedules of the content that cannot play, with the reason, for a report. */
export function invalidSchedules(content: PlayableContent, deviceTimeZone: string): { scheduleId: string; reason: string }[] {
  const { exclusions } = indexState(content, deviceTimeZone);
  return exclusions.filter(({ is }) => is === "invalid").map(({ scheduleId, reason }) => ({ scheduleId, reason }));
}

/** The skips of a zone until now, and its pause. */
function skipsAndPause(
  zoneId: string,
  { pause }: Decision,
  interventions: readonly Intervention[],
  instant: number,
): Pick<Timeline, "skips" | "pause"> {
  const skips = interventions.flatMap((each) => (each.is === "skip" && each.zoneId === zoneId && each.at <= instant ? [each] : []));
  const sortedSkips = skips
    .map(({ itemId, startsAt, at }) => ({ itemId, startsAt, at }))
    .toSorted((a, b) => a.at - b.at || a.startsAt - b.startsAt);
  return { skips: sortedSkips, pause: pause === null ? null : { from: pause.at, until: pause.until } };
}
