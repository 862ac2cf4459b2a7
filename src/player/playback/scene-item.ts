// Turns an item of a playlist into the form that the page draws: asset ids become paths, and every default is filled in.
import { hashText } from "../../base/text-hash.ts";
import type { DesiredAsset, DesiredPlaylist } from "../../protocol/device/desired-state.ts";
import type { PlaylistItem } from "../../protocol/content/items.ts";
import type { FeedEntry, SceneItem } from "../../protocol/scene.ts";
import type { TimedItem } from "../../schedule/playlist/playable-playlist.ts";
import { streamPath } from "./stream-sources.ts";

/** The current entries of a feed. `trouble` says why there are none. */
export interface FeedContent {
  title: string;
  entries: readonly FeedEntry[];
  trouble: string | null;
}

/** A feed that the content shows, and how often it is fetched. */
export interface WantedFeed {
  url: string;
  refreshIntervalMs: number;
}

/** The inputs of a scene item besides the item and its files. */
export interface ItemContext {
  /** The player's IANA time zone. */
  timezone: string;
  /** The current content of the feed at this URL. */
  feedContent: (url: string) => FeedContent;
}

/** An item as the page draws it. */
export function sceneItemOf({ item, asset, artwork }: TimedItem, { timezone, feedContent }: ItemContext): SceneItem {
  const whole = shownPart(item);
  if (whole.type === "web" || whole.type === "html") return webSceneItem(whole);
  const { id, ...shown } = whole;
  const ids = { item_id: id, asset_id: asset?.id ?? null };
  switch (shown.type) {
    case "image":
      return { ...shown, ...ids, src: mediaPath(asset!), ...(isSvg(asset) && { is_svg: true }) };
    case "pdf":
      return { ...shown, ...ids, src: mediaPath(asset!) };
    case "video":
      return { ...shown, ...ids, src: mediaPath(asset!), media_duration_ms: asset!.duration_ms };
    case "audio": {
      const { artwork_asset_id: _artwork, ...rest } = shown;
      const artworkSrc = artwork === null ? null : mediaPath(artwork);
      return {
        ...rest,
        ...ids,
        src: mediaPath(asset!),
        media_duration_ms: asset!.duration_ms,
        artwork_src: artworkSrc,
        ...(isSvg(artwork) && { artwork_is_svg: true }),
      };
    }
    case "text":
      return { ...shown, ...ids, font_size: shown.font_size ?? null };
    case "ticker":
    case "qr":
      return { ...shown, ...ids };
    case "clock":
      return { ...shown, ...ids, timezone: shown.timezone ?? timezone };
    case "feed": {
      const { url, max_entries, refresh_interval_ms: _refresh, ...rest } = shown;
      const { title, entries, trouble } = feedContent(url);
      return { ...rest, ...ids, timezone, title, entries: entries.slice(0, max_entries), trouble };
    }
    case "stream": {
      const { origins, ...rest } = shown;
      return { ...rest, ...ids, src: streamPath(shown.url, origins) };
    }
  }
}

/** Whether an asset is an SVG, to which the page gives its fonts. */
export function isSvg(asset: DesiredAsset | null): boolean {
  return asset?.mime_type === "image/svg+xml";
}

/** The part of an item that distinguishes one play from another. New feed entries appear with the next play, not during this one. */
export function identityOf(item: SceneItem): unknown {
  if (item.type !== "feed") return item;
  return { ...item, title: "", entries: item.entries.length > 0, trouble: null };
}

/** The feeds that playlists show. */
export function feedsOf(playlists: readonly DesiredPlaylist[]): WantedFeed[] {
  return playlists.flatMap(({ items }) =>
    items.flatMap((item) => (item.type === "feed" ? { url: item.url, refreshIntervalMs: item.refresh_interval_ms } : [])),
  );
}

/** Where the page finds an asset's file. */
export function mediaPath({ sha256 }: DesiredAsset): string {
  return `/media/${sha256}`;
}

type ShownPart = ReturnType<typeof shownPart>;

/** An item without the fields that decide when it plays. */
function shownPart(item: PlaylistItem) {
  const {
    duration_ms: _duration,
    transition: _transition,
    valid_from: _from,
    valid_until: _until,
    dayparts: _dayparts,
    conditions: _conditions,
    max_plays_per_hour: _hourlyLimit,
    max_plays_per_day: _dailyLimit,
    ...shown
  } = item;
  return shown;
}

/** An item that shows another site. It contains no secret, because the page must not know any. */
function webSceneItem(item: Extract<ShownPart, { type: "web" | "html" }>): SceneItem {
  // The version covers fields that the page does not get, such as request headers: a change of those makes another item too.
  const version = hashText(JSON.stringify(item)).slice(0, 8);
  const { id: item_id, zoom } = item;
  if (item.type === "html") return { type: "html", item_id, asset_id: item.asset_id, version, url: "", zoom };
  return { type: "web", item_id, asset_id: null, version, url: item.url, zoom, refresh_interval_ms: item.refresh_interval_ms ?? null };
}
