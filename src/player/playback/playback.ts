// Turns programs into scenes: which item each zone shows now and next, and when a new revision may cut in. A pure step machine.
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { DesiredAsset } from "../../protocol/device/desired-state.ts";
import type { Zone } from "../../protocol/operator/resources.ts";
import type { SceneItem, SceneZone, Slot, Stage } from "../../protocol/scene.ts";
import { formatCause } from "../../schedule/cause.ts";
import { identityOf, mediaPath, sceneItemOf, type ItemContext } from "./scene-item.ts";
import { isOnDisplay } from "./wall.ts";
import type { TimedItem } from "../../schedule/playlist/playable-playlist.ts";
import type { Program } from "../../schedule/program.ts";
import { playAt, type Play, type Timeline } from "../../schedule/timeline.ts";

/** A zone's loop in force, and the one that takes over at the boundary of the item on screen. */
interface ZonePlayback {
  current: Timeline;
  /** When the loop came into force, where that is known: no play of it was shown before. */
  since: number;
  next: { timeline: Timeline; from: number } | null;
}

/** What is playing. Immutable: {@link applyProgram} makes another. */
export interface Playback {
  program: Program;
  /** The picture behind the zones. */
  background: DesiredAsset | null;
  zones: ReadonlyMap<string, ZonePlayback>;
}

/** The page is told of the plays of this span, so that it goes on by itself while the player is busy. */
const horizonMs = 5_000;
const fewestSlots = 3;
// It passes over items that cannot be shown: it knows so many different ones, or the whole loop.
const fewestItems = 8;
const maxSlots = 40;

/**
 * Takes over a program at `instant`. A zone whose item on screen is unchanged in the new loop finishes that item;
 * one whose item was changed or removed, or whose loop counts from another instant, switches at once; another geometry
 * switches everything at once. The layout's background is looked up among `assets`. With `since`, plays that have begun
 * by then in their loop come on then.
 */
export function applyProgram(
  before: Playback | null,
  program: Program,
  instant: number,
  assets: readonly DesiredAsset[] = [],
  since = Number.NEGATIVE_INFINITY,
): Playback {
  const background = assets.find(({ id }) => id === program.layout?.background_asset_id) ?? null;
  const sameStage = before !== null && stageKey(before) === stageKey({ program, background });
  const zones = new Map<string, ZonePlayback>();
  for (const { zone, timeline } of program.zones) {
    const old = sameStage ? before.zones.get(zone.id) : undefined;
    const fresh = { current: timeline, since, next: null };
    zones.set(zone.id, old === undefined ? fresh : succeed(inForce(old, instant), fresh, instant));
  }
  return { program, background, zones };
}

/** Knows no feed: for layouts without one. */
const noNews: ItemContext["feedContent"] = () => ({ title: "", entries: [], trouble: null });

/**
 * The stage to draw at `instant` and the next instant at which a zone changes its item; null without a layout. No play
 * goes beyond `until`, where the program changes.
 */
export function stageAt(
  playback: Playback,
  instant: number,
  deviceZone: string,
  news = noNews,
  until = Number.POSITIVE_INFINITY,
): { stage: Stage; changesAt: number } | null {
  const { program, background } = playback;
  if (program.layout === null) return null;
  const cause = program.cause === null ? null : formatCause(program.cause);
  const { layout, wall } = program;
  const { width, height, background_color, transition } = layout;
  const around: ItemContext = { timezone: program.timezone ?? deviceZone, feedContent: news };
  let changesAt = Number.POSITIVE_INFINITY;
  const shown = program.zones.filter(({ zone }) => isOnDisplay(zone, layout, wall));
  const zones = shown.map(({ zone }): SceneZone => {
    const plays = upcoming(playback.zones.get(zone.id)!, instant, until);
    if (plays[0] !== undefined) changesAt = Math.min(changesAt, plays[0].endsAt);
    const { id, left, top, width: w, height: h, z_index, rotation, background_color: color } = zone;
    return {
      id,
      left,
      top,
      width: w,
      height: h,
      z_index,
      ...(rotation === undefined ? {} : { rotation }),
      ...(color === undefined ? {} : { background_color: color }),
      loop: loopNames(inForce(playback.zones.get(zone.id)!, instant).current, around),
      slots: plays.map((play) => ({ ...slotOf(play, zone, around), ...(cause === null ? {} : { cause }) })),
    };
  });
  const stage: Stage = {
    key: stageKey(playback),
    width,
    height,
    background_color,
    ...(background === null ? {} : { background_src: mediaPath(background) }),
    ...(transition === undefined ? {} : { transition }),
    ...(wall === null ? {} : { wall }),
    zones,
  };
  return { stage, changesAt };
}

/** A play cut to the span in which its loop is in force. */
interface CutPlay extends Play {
  offsetMs: number;
  wholeEndsAt: number;
}

function succeed(old: ZonePlayback, fresh: ZonePlayback, instant: number): ZonePlayback {
  const timeline = fresh.current;
  if (isDeepStrictEqual(old.current, timeline)) return { ...old, next: null };
  // Another window, turn or override of the same layout: its loop begins where that says, as on a player just started.
  if (old.current.epochMs !== timeline.epochMs) return fresh;
  // The same loop, skipped, held or let go: that is meant for the item on screen.
  if (isSameLoop(old.current, timeline)) return { ...old, current: timeline, next: null };
  const onScreen = playAt(old.current, instant);
  const stays =
    onScreen !== null && onScreen.startsAt !== instant && allOf(timeline).some((timed) => isDeepStrictEqual(timed, onScreen.timed));
  return stays ? { ...old, next: { timeline, from: onScreen.endsAt } } : fresh;
}

function isSameLoop(a: Timeline, b: Timeline): boolean {
  return a.epochMs === b.epochMs && isDeepStrictEqual(a.items, b.items) && isDeepStrictEqual(a.daily?.items, b.daily?.items);
}

function inForce(zone: ZonePlayback, instant: number): ZonePlayback {
  const { next } = zone;
  return next !== null && instant >= next.from ? { current: next.timeline, since: next.from, next: null } : zone;
}

function upcoming(zone: ZonePlayback, instant: number, until: number): CutPlay[] {
  const plays: CutPlay[] = [];
  const fewest = Math.max(fewestSlots, Math.min(fewestItems, inForce(zone, instant).current.items.length));
  let at = instant;
  while (at < until && plays.length < maxSlots && (plays.length < fewest || at < instant + horizonMs)) {
    const { current, since, next } = inForce(zone, at);
    const play = playAt(current, at);
    if (play === null) break;
    // Joined midway (a new loop took over): it comes on then, as far in as its loop is.
    const startsAt = plays.length === 0 ? Math.max(play.startsAt, Math.min(since, at)) : at;
    const wholeEndsAt = next === null ? play.endsAt : Math.min(play.endsAt, next.from);
    const endsAt = Math.min(wholeEndsAt, until);
    plays.push({ timed: play.timed, startsAt, endsAt, wholeEndsAt, offsetMs: startsAt - play.startsAt });
    at = endsAt;
  }
  return plays;
}

function slotOf({ timed, startsAt, endsAt, wholeEndsAt, offsetMs }: CutPlay, zone: Zone, around: ItemContext): Slot {
  const item = sceneItemOf(timed, around);
  const transition = timed.item.transition ?? zone.transition;
  const content = contentOf(item);
  // Named by when the play began in its loop, not by when it came on: the same play keeps its name.
  return {
    key: `${timed.item.id}@${startsAt - offsetMs}#${content}`,
    of: `${timed.item.id}#${content}`,
    starts_at: startsAt,
    ends_at: endsAt,
    ...(wholeEndsAt === endsAt ? {} : { whole_ends_at: wholeEndsAt }),
    offset_ms: offsetMs,
    item,
    ...(transition === undefined ? {} : { transition }),
    ...(timed.asset === null ? {} : { cost: costOf(timed.asset) }),
  };
}

/** The names of a loop's items, which change with what the items show. */
function loopNames(timeline: Timeline, around: ItemContext): string[] {
  return [...new Set(allOf(timeline).map((timed) => nameOf(timed, around)))];
}

/** All that a loop plays. */
function allOf({ items, daily }: Timeline): readonly TimedItem[] {
  return daily === null ? items : [...items, ...daily.items];
}

// Asked for with each stage, and a loop may hold hundreds of items.
const knownNames = new WeakMap<TimedItem, { timezone: string; name: string }>();

function nameOf(timed: TimedItem, around: ItemContext): string {
  const { timezone } = around;
  const known = knownNames.get(timed);
  // A feed's name depends on whether there are news.
  if (known?.timezone === timezone && timed.item.type !== "feed") return known.name;
  const name = `${timed.item.id}#${contentOf(sceneItemOf(timed, around))}`;
  knownNames.set(timed, { timezone, name });
  return name;
}

/** Equal for items that show the same. */
function contentOf(item: SceneItem): string {
  return createHash("sha256")
    .update(JSON.stringify(identityOf(item)))
    .digest("base64url")
    .slice(0, 8);
}

/** What the page needs to keep an asset ready: a picture lies decoded in memory, a clip takes its file and a decoder. */
function costOf({ mime_type, width, height, size_bytes }: DesiredAsset): NonNullable<Slot["cost"]> {
  const isPicture = mime_type.startsWith("image/") && width !== null && height !== null;
  return { bytes: isPicture ? width * height * 4 : size_bytes, decoders: mime_type.startsWith("video/") ? 1 : 0 };
}

/** Equal for equal geometry: zones may then change their items one by one. */
function stageKey({ program: { layout, zones, wall }, background }: Pick<Playback, "program" | "background">): string {
  const geometry = zones.map(({ zone: { id, left, top, width, height, z_index, rotation, background_color } }) => [
    [id, left, top, width, height, z_index],
    [rotation, background_color],
  ]);
  const whole =
    layout === null ? null : [layout.id, layout.width, layout.height, layout.background_color, background?.sha256, geometry, wall];
  return createHash("sha256").update(JSON.stringify(whole)).digest("base64url").slice(0, 12);
}
