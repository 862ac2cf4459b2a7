// An HTML item: a bundle of files, which the player serves on a site of its own.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import type { Item, ItemContext } from "../item.ts";
import { createSiteItem } from "./site.ts";

/** Creates an html item. Its files never change, so it is never reloaded. */
export function createHtml(item: Extract<SceneItem, { type: "html" }>, context: ItemContext): Item {
  return createSiteItem({ itemId: item.item_id, url: item.url, zoom: item.zoom }, null, context);
}
