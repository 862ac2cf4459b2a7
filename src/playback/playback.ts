// Turns programs into stages: which item each zone shows now and next, and when a changed loop takes over. A pure state machine.
import { hashText } from "../base/text-hash.ts";
import type { DesiredAsset } from "../protocol/device/desired-state.ts";
import type { SceneZone, Stage } from "../protocol/scene.ts";
import { formatCause } from "../schedule/cause.ts";
import type { Program } from "../schedule/program.ts";
import { isOnDisplay } from "../schedule/wall.ts";
import { isSvg, mediaPath, type ItemContext } from "./scene-item.ts";
import { itemNames, slotOf } from "./slots.ts";
import { changeLoop, inForce, playsFrom, type ZonePlayback } from "./zone-playback.ts";

/** The state of playback. Immutable: {@link applyProgram} returns a new one. */
export interface Playback {
  program: Program;
  /** The image behind the zones. */
  background: DesiredAsset | null;
  zones: ReadonlyMap<string, ZonePlayback>;
}

/**
 * Switches to a program at `instant`. A zone whose current item is unchanged in the new loop finishes that item. A zone
 * whose item was changed or removed, or whose loop starts at another instant, switches at once. Another geometry switches
 * all zones at once.
 * @param assets where the layout's background image is looked up.
 * @param since when the program came into force; plays that had already begun by then appear at that instant.
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
    zones.set(zone.id, old === undefined ? fresh : changeLoop(inForce(old, instant), fresh, instant));
  }
  return { program, background, zones };
}

/** For layouts without feeds. */
const noFeedContent: ItemContext["feedContent"] = () => ({ title: "", entries: [], trouble: null });

/**
 * The stage to draw at `instant`, and the next instant at which a zone changes its item; null without a layout. No play
 * extends beyond `until`, where the program changes.
 */
export function stageAt(
  playback: Playback,
  instant: number,
  deviceTimeZone: string,
  feedContent = noFeedContent,
  until = Number.POSITIVE_INFINITY,
): { stage: Stage; changesAt: number } | null {
  const { program, background } = playback;
  const { layout, wall } = program;
  if (layout === null) return null;
  const cause = program.cause === null ? {} : { cause: formatCause(program.cause) };
  const context: ItemContext = { timezone: program.timezone ?? deviceTimeZone, feedContent };
  let changesAt = Number.POSITIVE_INFINITY;
  const visible = program.zones.filter(({ zone }) => isOnDisplay(zone, layout, wall));
  const zones = visible.map(({ zone }): SceneZone => {
    const zonePlayback = playback.zones.get(zone.id)!;
    const plays = playsFrom(zonePlayback, instant, until);
    if (plays[0] !== undefined) changesAt = Math.min(changesAt, plays[0].endsAt);
    const { id, left, top, width, height, z_index, rotation, background_color } = zone;
    return {
      id,
      left,
      top,
      width,
      height,
      z_index,
      ...(rotation === undefined ? {} : { rotation }),
      ...(background_color === undefined ? {} : { background_color }),
      loop: itemNames(inForce(zonePlayback, instant).current, context),
      slots: plays.map((play) => ({ ...slotOf(play, zone, context), ...cause })),
    };
  });
  const { width, height, background_color, transition } = layout;
  const stage: Stage = {
    key: stageKey(playback),
    width,
    height,
    background_color,
    ...(background === null ? {} : { background_src: mediaPath(background), ...(isSvg(background) && { background_is_svg: true }) }),
    ...(transition === undefined ? {} : { transition }),
    ...(wall === null ? {} : { wall }),
    zones,
  };
  return { stage, changesAt };
}

/** True if a stage has an item or a background image to show. */
export function showsAnything({ zones, background_src }: Stage): boolean {
  return background_src !== undefined || zones.some(({ slots }) => slots.length > 0);
}

/** Equal for equal geometry. Then zones can change their items one by one. */
function stageKey({ program: { layout, zones, wall }, background }: Pick<Playback, "program" | "background">): string {
  const geometry = zones.map(({ zone: { id, left, top, width, height, z_index, rotation, background_color } }) => [
    [id, left, top, width, height, z_index],
    [rotation, background_color],
  ]);
  const whole =
    layout === null ? null : [layout.id, layout.width, layout.height, layout.background_color, background?.sha256, geometry, wall];
  return hashText(JSON.stringify(whole)).slice(0, 12);
}
