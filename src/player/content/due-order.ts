// Decides in which order files are fetched: those that the screen needs first come first. Pure.
import { dayMs } from "../../base/time.ts";
import { assetIdsOf } from "../../protocol/content/items.ts";
import type { DesiredAsset, DesiredLayout, DesiredPlaylist, DesiredState } from "../../protocol/device/desired-state.ts";
import { defaultContext, type PlayerContext } from "../../schedule/playable-content.ts";
import { programAt, type Program } from "../../schedule/program.ts";
import { nextPlayStarts, playAt } from "../../schedule/timeline.ts";

const lookaheadMs = 2 * dayMs;
// Bounds the work for programs that change every few seconds and for long playlists: some milliseconds.
const maxPrograms = 500;
const maxPlays = 50_000;

/**
 * The SHA-256 of each file of `desired`, the one that the screen needs first at the front: the program at `instant` in the order of its
 * plays, the picture for withheld content, the next program, the default layout, the programs of the two days after `instant`, and the
 * rest as listed.
 */
export function dueOrder(desired: DesiredState, instant: number, context: PlayerContext = defaultContext): string[] {
  const ids = new Set<string>();
  const add = (more: Iterable<string | undefined>): void => {
    for (const id of more) if (id !== undefined) ids.add(id);
  };
  const { assets, layout, layouts, player } = desired;
  const playlists = new Map(desired.playlists.map((playlist) => [playlist.id, playlist]));
  const content = { desired, files: new Map(assets.map(({ id, sha256 }) => [id, sha256])) };
  let [plays, present, isNextKnown]: [number, string | undefined, boolean] = [0, undefined, false];
  for (let [at, number] = [instant, 0]; number < maxPrograms && plays < maxPlays && at < instant + lookaheadMs; number += 1) {
    const { program, changesAt } = programAt(content, at, context);
    add(assetsOf(program, at, changesAt));
    if (number === 0) {
      add([player.safe_asset_id]);
      present = program.layout?.id;
    } else if (!isNextKnown && program.layout?.id !== present) {
      add(listedAssets(layout, playlists));
      isNextKnown = true;
    }
    plays += program.zones.reduce((sum, { timeline }) => sum + timeline.items.length, 1);
    at = changesAt;
  }
  for (const each of [layout, ...layouts]) add(listedAssets(each, playlists));
  const byId = new Map(assets.map((asset) => [asset.id, asset.sha256]));
  return [...new Set([...[...ids].flatMap((id) => byId.get(id) ?? []), ...byId.values()])];
}

/** A file to fetch. */
export interface WantedFile {
  asset: DesiredAsset;
  /** True if it is fetched at any time: the content that plays has lost it, or there is nothing to show without it. */
  isUrgent: boolean;
}

/**
 * The files to fetch, in order: those that the content `onScreen` has lost, then the `missing` ones of `desired`.
 * @param onScreen the state that plays, with the files that are here; null: none does.
 */
export function filesToFetch(
  desired: DesiredState,
  missing: readonly DesiredAsset[],
  onScreen: { desired: DesiredState; files: ReadonlyMap<string, string> } | null,
  instant: number,
  context: PlayerContext,
): WantedFile[] {
  const lost = onScreen?.desired.assets.filter(({ id }) => !onScreen.files.has(id)) ?? [];
  const lostHashes = new Set(lost.map(({ sha256 }) => sha256));
  const newFiles = missing.filter(({ sha256 }) => !lostHashes.has(sha256));
  const isUrgent = onScreen === null || !canShow(onScreen.desired, onScreen.files);
  return [
    ...sorted(lost, onScreen?.desired ?? desired, instant, context).map((asset) => ({ asset, isUrgent: true })),
    ...sorted(newFiles, desired, instant, context).map((asset) => ({ asset, isUrgent })),
  ];
}

/** True if the state has content, and any of its files if it has files. */
function canShow({ layout, layouts, assets }: DesiredState, files: ReadonlyMap<string, string>): boolean {
  return (layout !== null || layouts.length > 0) && (assets.length === 0 || files.size > 0);
}

/** One of `files` per hash, in the order in which the screen needs them. */
function sorted(files: readonly DesiredAsset[], desired: DesiredState, instant: number, context: PlayerContext): DesiredAsset[] {
  const byHash = new Map(files.map((asset) => [asset.sha256, asset]));
  return byHash.size < 2 ? [...byHash.values()] : dueOrder(desired, instant, context).flatMap((sha256) => byHash.get(sha256) ?? []);
}

/** The assets of a program from `from` to `until`, in the order in which they are shown. */
function assetsOf({ layout, zones }: Program, from: number, until: number): (string | undefined)[] {
  const plays = zones.flatMap(({ timeline }) => {
    const current = playAt(timeline, from)?.timedItem.item.id;
    const starts = nextPlayStarts(timeline, from);
    return [...timeline.items, ...(timeline.dailyPlays?.plays ?? []).map(({ timedItem }) => timedItem)].map(({ item }) => ({
      item,
      startsAt: item.id === current ? from : (starts.get(item.id) ?? Number.POSITIVE_INFINITY),
    }));
  });
  const due = plays.filter(({ startsAt }) => startsAt < until).toSorted((a, b) => a.startsAt - b.startsAt);
  return [layout?.background_asset_id, ...due.flatMap(({ item }) => assetIdsOf(item))];
}

/** All assets of a layout, in the order of its zones and playlists. */
function listedAssets(layout: DesiredLayout | null, playlists: ReadonlyMap<string | null, DesiredPlaylist>): (string | undefined)[] {
  const items = layout?.zones.flatMap(({ playlist_id }) => playlists.get(playlist_id)?.items ?? []) ?? [];
  return [layout?.background_asset_id, ...items.flatMap(assetIdsOf)];
}
