// A web item: a web page shown by its address.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import type { Item, ItemContext } from "../item.ts";
import { createSiteItem } from "./site.ts";

/** Creates a web item. */
export function createWeb(item: Extract<SceneItem, { type: "web" }>, context: ItemContext): Item {
  return createSiteItem({ itemId: item.item_id, url: item.url, zoom: item.zoom }, item.refresh_interval_ms, context);
}
