// A web page by its address.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import type { Item, Surroundings } from "../item.ts";
import { createSite } from "./site.ts";

/** A web item. */
export function createWeb(item: Extract<SceneItem, { type: "web" }>, around: Surroundings): Item {
  return createSite({ itemId: item.item_id, url: item.url, zoom: item.zoom }, item.refresh_interval_ms, around);
}
