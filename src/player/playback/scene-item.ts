// From an item of a playlist to what the page is told of it: its file's path in place of its asset, nothing left open.
import { createHash } from "node:crypto";
import type { DesiredAsset, DesiredPlaylist } from "../../protocol/device/desired-state.ts";
import type { PlaylistItem } from "../../protocol/content/items.ts";
import type { FeedEntry, SceneItem } from "../../protocol/scene.ts";
import { webSceneItem } from "../web-items/web-items.ts";
import type { TimedItem } from "../../schedule/playlist/playable-playlist.ts";

/** What a feed says at present, and why it says nothing if it does not. */
export interface FeedContent {
  title: string;
  entries: readonly FeedEntry[];
  trouble: string | null;
}

/** What items depend on beside themselves and their files. */
export interface ItemContext {
  /** The player's IANA zone. */
  timezone: string;
  /** The news of a feed by its address. */
  feedContent: (url: string) => FeedContent;
}

/** An item as the page draws it. */
export function sceneItemOf({ item, asset, artwork }: TimedItem, { timezone, feedContent: news }: ItemContext): SceneItem {
  if (item.type === "web" || item.type === "html") return webSceneItem(item);
  const {
    id,
    duration_ms: _duration,
    transition: _transition,
    valid_from: _from,
    valid_until: _until,
    dayparts: _dayparts,
    max_plays_per_hour: _limit,
    max_plays_per_day: _dailyLimit,
    ...look
  } = item;
  const about = { item_id: id, asset_id: asset?.id ?? null };
  switch (look.type) {
    case "image":
    case "pdf":
      return { ...look, ...about, src: mediaPath(asset!) };
    case "video":
      return { ...look, ...about, src: mediaPath(asset!), media_duration_ms: asset!.duration_ms };
    case "audio": {
      const { artwork_asset_id: _artwork, ...rest } = look;
      const artworkSrc = artwork === null ? null : mediaPath(artwork);
      return { ...rest, ...about, src: mediaPath(asset!), media_duration_ms: asset!.duration_ms, artwork_src: artworkSrc };
    }
    case "text":
      return { ...look, ...about, font_size: look.font_size ?? null };
    case "ticker":
    case "qr":
      return { ...look, ...about };
    case "clock":
      return { ...look, ...about, timezone: look.timezone ?? timezone };
    case "feed": {
      const { url, max_entries, refresh_interval_ms: _refresh, ...rest } = look;
      const { title, entries, trouble } = news(url);
      return { ...rest, ...about, timezone, title, entries: entries.slice(0, max_entries), trouble };
    }
    case "stream": {
      const { origins, ...rest } = look;
      return { ...rest, ...about, src: `/stream/${streamKey(look.url, origins)}` };
    }
  }
}

/** The part of an item by which one play is told from another. A feed's news come with the next play, not amid this one. */
export function identityOf(item: SceneItem): unknown {
  if (item.type !== "feed") return item;
  return { ...item, title: "", entries: item.entries.length > 0, trouble: null };
}

/** A feed that the content needs, and how often it is to be looked at. */
export interface WantedFeed {
  url: string;
  refreshIntervalMs: number;
}

/** What may be fetched for a stream: itself, and whatever lies at these origins. */
export interface StreamSource {
  url: string;
  origins: ReadonlySet<string>;
}

/** The feeds that playlists show. */
export function feedsOf(playlists: readonly DesiredPlaylist[]): WantedFeed[] {
  return playlists.flatMap(({ items }) =>
    items.flatMap((item) => (item.type === "feed" ? { url: item.url, refreshIntervalMs: item.refresh_interval_ms } : [])),
  );
}

/** The streams that playlists show, by the key in their path. */
export function streamsOf(playlists: readonly DesiredPlaylist[]): Map<string, StreamSource> {
  const streams = new Map<string, StreamSource>();
  for (const { items } of playlists) {
    for (const item of items) {
      if (item.type !== "stream") continue;
      const origins = new Set([item.url, ...item.origins].map((url) => new URL(url).origin));
      streams.set(streamKey(item.url, item.origins), { url: item.url, origins });
    }
  }
  return streams;
}

/** Names a stream by all that decides what may be fetched for it. */
function streamKey(url: string, origins: readonly string[]): string {
  return createHash("sha256")
    .update(JSON.stringify([url, origins]))
    .digest("base64url")
    .slice(0, 22);
}

/** Where the page finds an asset's file. */
export function mediaPath({ sha256 }: DesiredAsset): string {
  return `/media/${sha256}`;
}
