// Tells when a layout that is due shows nothing, by the rules by which the player chooses the items of its zones. Pure.
import { dayMs } from "../base/time.ts";
import type { DesiredLayout } from "../protocol/device/desired-state.ts";
import type { Interval } from "./calendar/intervals.ts";
import { stateAt, type Decision } from "./decide.ts";
import type { IndexedState } from "./indexed-state.ts";
import type { DecisionInput } from "./playable-content.ts";
import { validTimesOf, type PlayablePlaylist } from "./playlist/playable-playlist.ts";
import { playlistsOf } from "./program.ts";
import { isOnDisplay } from "./wall.ts";

/** True if nothing is shown, until `until` (UTC ms, the end excluded) at least. */
export interface Emptiness {
  isEmpty: boolean;
  until: number;
}

// The times of items are computed for this many days at once.
const blockMs = 8 * dayMs;

/**
 * Tells if the content of `decision`, which was made for `instant`, shows nothing. As on the player, a background image and an
 * item of any kind are something, also one that is only heard. A background color is nothing.
 *
 * Limits of plays never leave a screen empty (`limits`), so they do not count here. Causes that only the player can see count as shown:
 * a feed without entries, a page that does not load, a file that is damaged.
 */
export function emptinessAt(input: DecisionInput, decision: Decision, instant: number): Emptiness {
  const { layout, pause } = decision;
  if (layout === null) return { isEmpty: true, until: decision.until };
  // During a pause neither variables nor the validity of items change.
  const decidedAt = pause?.at ?? instant;
  const { isEmpty, until } = emptinessOf(stateAt(input, decidedAt), { ...decision, layout }, decidedAt);
  return { isEmpty, until: pause === null ? Math.min(until, decision.until) : decision.until };
}

/** The same for a layout alone, while the variables of `state` are in force. */
export function emptinessOf(
  state: IndexedState,
  decision: Pick<Decision, "singleItem"> & { layout: DesiredLayout },
  instant: number,
): Emptiness {
  const { layout } = decision;
  const { files, desired } = state.content;
  const background = layout.background_asset_id;
  if (background !== undefined && state.assets.has(background) && files.has(background)) return always(false);
  const playlists = playlistsOf(decision, state);
  let until = Number.POSITIVE_INFINITY;
  for (const [index, zone] of layout.zones.entries()) {
    if (!isOnDisplay(zone, layout, desired.player.wall ?? null)) continue;
    const zoneEmptiness = emptinessOfPlaylist(playlists[index]!, instant);
    if (!zoneEmptiness.isEmpty) return zoneEmptiness;
    until = Math.min(until, zoneEmptiness.until);
  }
  return { isEmpty: true, until };
}

function emptinessOfPlaylist(playlist: PlayablePlaylist, instant: number): Emptiness {
  const { items, validity } = playlist;
  if (validity.size === 0) return always(items.length === 0);
  if (validity.size < items.length) return always(false);
  const block = Math.floor(instant / blockMs);
  for (const { from, until } of validTimesIn(playlist, block)) {
    if (instant < from) return { isEmpty: true, until: from };
    if (instant < until) return { isEmpty: false, until };
  }
  return { isEmpty: true, until: (block + 1) * blockMs };
}

function always(isEmpty: boolean): Emptiness {
  return { isEmpty, until: Number.POSITIVE_INFINITY };
}

interface ValidTimes {
  block: number;
  times: readonly Interval[];
}

// Asked at each change of layout, and dayparts are slow to compute.
const lastValidTimes = new WeakMap<PlayablePlaylist, ValidTimes>();

function validTimesIn(playlist: PlayablePlaylist, block: number): readonly Interval[] {
  let last = lastValidTimes.get(playlist);
  if (last?.block !== block) {
    last = { block, times: validTimesOf(playlist, block * blockMs, (block + 1) * blockMs) };
    lastValidTimes.set(playlist, last);
  }
  return last.times;
}
