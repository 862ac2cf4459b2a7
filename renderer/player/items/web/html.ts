// An HTML bundle, which the player serves on a site of its own.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import type { Item, ItemContext } from "../item.ts";
import { createSiteItem } from "./site.ts";

/** An html item. Its files never change, so there is nothing to load anew. */
export function createHtml(item: Extract<SceneItem, { type: "html" }>, around: ItemContext): Item {
  return createSiteItem({ itemId: item.item_id, url: item.url, zoom: item.zoom }, null, around);
}
