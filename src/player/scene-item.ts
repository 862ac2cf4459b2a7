// From an item of a playlist to what the page is told of it: its file's path in place of its asset, nothing left open.
import type { SceneItem } from "../protocol/scene.ts";
import { siteSceneItem } from "./sites.ts";
import type { TimedItem } from "./schedule.ts";

/** An item as the page draws it; `timezone` is the player's zone. */
export function sceneItemOf({ item, asset }: TimedItem, timezone: string): SceneItem {
  switch (item.type) {
    case "image":
      return {
        type: "image",
        item_id: item.id,
        asset_id: item.asset_id,
        src: `/media/${asset!.sha256}`,
        fit: item.fit,
      };
    case "video":
      return {
        type: "video",
        item_id: item.id,
        asset_id: item.asset_id,
        src: `/media/${asset!.sha256}`,
        fit: item.fit,
        muted: item.muted,
        media_duration_ms: asset!.duration_ms,
      };
    case "text": {
      const { text, color, background_color, align } = item;
      return {
        type: "text",
        item_id: item.id,
        asset_id: null,
        text,
        color,
        background_color,
        align,
        font_size: item.font_size ?? null,
      };
    }
    case "clock": {
      const { hour12, seconds, date, locale, color, background_color } = item;
      return {
        type: "clock",
        item_id: item.id,
        asset_id: null,
        timezone: item.timezone ?? timezone,
        hour12,
        seconds,
        date,
        locale,
        color,
        background_color,
      };
    }
    case "web":
    case "html":
      return siteSceneItem(item);
  }
}
