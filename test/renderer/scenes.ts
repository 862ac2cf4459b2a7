// Builds scenes for the page: items, slots, zones and stages with the defaults of their kind.
import type { z } from "zod";
import { type Scene, SceneItem, type SceneZone, type Slot, type Stage } from "../../src/protocol/scene.ts";

let serial = 0;
/** A new id of a kind. */
function newId(prefix: string): string {
  serial += 1;
  return `${prefix}_${String(serial).padStart(26, "0")}`;
}

/** What an item of the scene takes beside its ids, with the defaults of its kind left out. */
type Sketch = z.input<typeof SceneItem> extends infer Each ? (Each extends unknown ? Omit<Each, "item_id" | "asset_id"> : never) : never;

/** An item of any kind. */
export function item(sketch: Sketch): SceneItem {
  const assetId = "src" in sketch && sketch.type !== "stream" ? newId("ast") : null;
  return SceneItem.parse({ ...sketch, item_id: newId("itm"), asset_id: assetId });
}

export function image(name: string): SceneItem {
  return item({ type: "image", src: `/media/${name}`, fit: "cover" });
}

export function video(name: string, durationMs: number | null): SceneItem {
  return item({ type: "video", src: `/media/${name}`, fit: "cover", muted: true, media_duration_ms: durationMs });
}

export function text(words: string, background: string, options: { align?: "start" | "center" | "end"; size?: number } = {}): SceneItem {
  return item({
    type: "text",
    text: words,
    background_color: background,
    align: options.align ?? "center",
    font_size: options.size ?? null,
  });
}

export function clockFace(background: string): SceneItem {
  return item({ type: "clock", timezone: "UTC", background_color: background });
}

export function slot(item: SceneItem, startsAt: number, durationMs: number): Slot {
  return {
    key: `${item.item_id}@${startsAt}`,
    starts_at: startsAt,
    ends_at: startsAt + durationMs,
    offset_ms: 0,
    item,
  };
}

/** Slots one after the other. */
export function consecutiveSlots(startsAt: number, plays: [SceneItem, number][]): Slot[] {
  let at = startsAt;
  return plays.map(([item, durationMs]) => {
    const play = slot(item, at, durationMs);
    at += durationMs;
    return play;
  });
}

export function zone(slots: Slot[], box: Partial<SceneZone> = {}): SceneZone {
  return { id: newId("zon"), left: 0, top: 0, width: 960, height: 540, z_index: 0, ...box, slots };
}

export function stage(zones: SceneZone[], options: Partial<Stage> = {}): Scene {
  const drawn: Stage = {
    key: newId("stg"),
    width: 960,
    height: 540,
    background_color: "#102030",
    ...options,
    zones,
  };
  return { screen: { is: "stage", stage: drawn }, identify: null };
}
