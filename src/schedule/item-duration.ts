// How long a playlist item is shown.
import { defaultItemDurationMs, type DesiredAsset } from "../protocol/device/desired-state.ts";
import type { PlaylistItem } from "../protocol/content/items.ts";

// The shortest duration that an item may be given.
const minDurationMs = 100;

/** The duration of an item, ms: the one it is given, else that of its media, entries or pages, else ten seconds. */
export function itemDurationMs(item: PlaylistItem, asset: DesiredAsset | null): number {
  if (item.duration_ms !== undefined) return item.duration_ms;
  switch (item.type) {
    case "video":
    case "audio": {
      const end = item.end_ms ?? asset?.duration_ms ?? null;
      if (end === null || end <= item.start_ms) return defaultItemDurationMs;
      // A video of a frame or two is shown like an image: its own duration is too short to be noticed.
      return item.type === "video" && end - item.start_ms < minDurationMs ? defaultItemDurationMs : end - item.start_ms;
    }
    case "feed":
      return item.max_entries * item.entry_duration_ms;
    case "pdf": {
      const last = Math.min(item.last_page ?? Number.POSITIVE_INFINITY, asset?.page_count ?? Number.POSITIVE_INFINITY);
      return last < item.first_page || last === Number.POSITIVE_INFINITY
        ? defaultItemDurationMs
        : (last - item.first_page + 1) * item.page_duration_ms;
    }
    case "image":
    case "text":
    case "ticker":
    case "clock":
    case "qr":
    case "stream":
    case "web":
    case "html":
      return asset?.duration_ms ?? defaultItemDurationMs;
  }
}
