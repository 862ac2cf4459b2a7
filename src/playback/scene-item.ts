// The kinds of items in the player: the form of each for the page, and the files and addresses that the player serves for it.
import { hashText } from "../base/text-hash.ts";
import type { FeedEntry, ItemType } from "../protocol/content/item-kinds.ts";
import type { PlaylistItem } from "../protocol/content/items.ts";
import type { DesiredAsset, DesiredPlaylist } from "../protocol/device/desired-state.ts";
import type { SceneItem } from "../protocol/scene.ts";
import type { TimedItem } from "../schedule/playlist/playable-playlist.ts";

/** The current entries of a feed. `trouble` says why there are none. */
export interface FeedContent {
  title: string;
  entries: readonly FeedEntry[];
  trouble: string | null;
}

/** A stream and the origins that its parts may come from. */
export interface StreamSource {
  url: string;
  origins: ReadonlySet<string>;
}

/** The inputs of a scene item besides the item and its files. */
export interface ItemContext {
  /** The player's IANA time zone. */
  timezone: string;
  /** The current content of the feed at this URL. */
  feedContent: (url: string) => FeedContent;
}

/** An item of a playlist, drawn by the page. */
type DrawnItem = Extract<SceneItem, { type: ItemType }>;
type ItemOf<T extends ItemType> = Extract<PlaylistItem, { type: T }>;
type SceneOf<T extends ItemType> = Extract<SceneItem, { type: T }>;
type TimingField =
  | "duration_ms"
  | "transition"
  | "valid_from"
  | "valid_until"
  | "dayparts"
  | "conditions"
  | "max_plays_per_hour"
  | "max_plays_per_day";
/** An item without its id and the fields that decide when it plays. */
type ItemContent<T extends ItemType> = T extends ItemType ? Omit<ItemOf<T>, "id" | TimingField> : never;

interface ItemFiles extends Pick<TimedItem, "asset" | "artwork"> {
  ids: { item_id: string; asset_id: string | null };
}

/** A kind of item in the player. */
interface PlayedKind<T extends ItemType = ItemType> {
  /** The item as the page draws it. Asset ids become paths, and every default is filled in. */
  scene(content: ItemContent<T>, files: ItemFiles, context: ItemContext): SceneOf<T>;
  /** The part that distinguishes one play from another, if the item may change without a new play. */
  identity?(item: SceneOf<T>): unknown;
  /** The live stream that the player fetches for the page. */
  stream?(item: ItemOf<T>): ItemOf<"stream">;
  /** The web page that an iframe shows. */
  page?(item: ItemOf<T>): ItemOf<"web">;
  /** The bundle of files that the player serves. */
  bundle?(item: ItemOf<T>): ItemOf<"html">;
}

const kinds: { readonly [T in ItemType]: PlayedKind<T> } = {
  image: { scene: (content, { ids, asset }) => ({ ...content, ...ids, src: mediaPath(asset!), ...(isSvg(asset) && { is_svg: true }) }) },
  video: { scene: (content, { ids, asset }) => ({ ...content, ...ids, src: mediaPath(asset!), media_duration_ms: asset!.duration_ms }) },
  audio: {
    scene: ({ artwork_asset_id: _artwork, ...content }, { ids, asset, artwork }) => ({
      ...content,
      ...ids,
      src: mediaPath(asset!),
      media_duration_ms: asset!.duration_ms,
      artwork_src: artwork === null ? null : mediaPath(artwork),
      ...(isSvg(artwork) && { artwork_is_svg: true }),
    }),
  },
  text: { scene: (content, { ids }) => ({ ...content, ...ids, font_size: content.font_size ?? null }) },
  ticker: { scene: (content, { ids }) => ({ ...content, ...ids }) },
  clock: { scene: (content, { ids }, { timezone }) => ({ ...content, ...ids, timezone: content.timezone ?? timezone }) },
  qr: { scene: (content, { ids }) => ({ ...content, ...ids }) },
  feed: {
    scene({ url, max_entries, refresh_interval_ms: _refresh, ...content }, { ids }, { timezone, feedContent }) {
      const { title, entries, trouble } = feedContent(url);
      return { ...content, ...ids, timezone, title, entries: entries.slice(0, max_entries), trouble };
    },
    // New entries appear with the next play, not during this one.
    identity: (item) => ({ ...item, title: "", entries: item.entries.length > 0, trouble: null }),
  },
  pdf: { scene: (content, { ids, asset }) => ({ ...content, ...ids, src: mediaPath(asset!) }) },
  stream: {
    scene: ({ origins, ...content }, { ids }) => ({ ...content, ...ids, src: `/stream/${streamKey({ url: content.url, origins })}` }),
    stream: (item) => item,
  },
  web: {
    scene: (content, { ids }) => {
      const { url, zoom, refresh_interval_ms = null } = content;
      return { type: "web", ...ids, version: versionOf(content, ids.item_id), url, zoom, refresh_interval_ms };
    },
    page: (item) => item,
  },
  html: {
    scene: (content, { ids }) => ({
      type: "html",
      item_id: ids.item_id,
      asset_id: content.asset_id,
      version: versionOf(content, ids.item_id),
      url: "",
      zoom: content.zoom,
    }),
    bundle: (item) => item,
  },
};

function kindOf(type: ItemType): PlayedKind {
  return kinds[type];
}

/** An item as the page draws it. */
export function sceneItemOf({ item, asset, artwork }: TimedItem, context: ItemContext): DrawnItem {
  const {
    id,
    duration_ms: _duration,
    transition: _transition,
    valid_from: _from,
    valid_until: _until,
    dayparts: _dayparts,
    conditions: _conditions,
    max_plays_per_hour: _hourlyLimit,
    max_plays_per_day: _dailyLimit,
    ...content
  } = item;
  return kindOf(item.type).scene(content, { ids: { item_id: id, asset_id: asset?.id ?? null }, asset, artwork }, context);
}

/** The part of an item that distinguishes one play from another. */
export function identityOf(item: DrawnItem): unknown {
  return kindOf(item.type).identity?.(item) ?? item;
}

/** True if the page may get other content of an item without a new play. */
export function changesDuringPlays(type: ItemType): boolean {
  return kindOf(type).identity !== undefined;
}

/** The streams that playlists show, by the last part of their path. */
export function streamsOf(playlists: readonly DesiredPlaylist[]): Map<string, StreamSource> {
  const streams = itemsOf(playlists).flatMap((item) => kindOf(item.type).stream?.(item) ?? []);
  return new Map(
    streams.map((stream) => {
      const origins = new Set([stream.url, ...stream.origins].map((url) => new URL(url).origin));
      return [streamKey(stream), { url: stream.url, origins }];
    }),
  );
}

/** The items that show web pages, and those that show bundles. */
export function framedItemsOf(playlists: readonly DesiredPlaylist[]): { pages: ItemOf<"web">[]; bundles: ItemOf<"html">[] } {
  const items = itemsOf(playlists);
  return {
    pages: items.flatMap((item) => kindOf(item.type).page?.(item) ?? []),
    bundles: items.flatMap((item) => kindOf(item.type).bundle?.(item) ?? []),
  };
}

/** True for an SVG: the page gives it its fonts. */
export function isSvg(asset: DesiredAsset | null): boolean {
  return asset?.mime_type === "image/svg+xml";
}

/** Where the page finds an asset's file. */
export function mediaPath({ sha256 }: DesiredAsset): string {
  return `/media/${sha256}`;
}

/** Equal only for streams for which the player may fetch the same. */
function streamKey({ url, origins }: Pick<ItemOf<"stream">, "url" | "origins">): string {
  return hashText(JSON.stringify([url, origins])).slice(0, 22);
}

/** Covers fields that the page does not get, such as request headers: a change of those makes another item too. */
function versionOf(content: ItemContent<"web" | "html">, id: string): string {
  return hashText(JSON.stringify({ ...content, id })).slice(0, 8);
}

function itemsOf(playlists: readonly DesiredPlaylist[]): PlaylistItem[] {
  return playlists.flatMap(({ items }) => items);
}
