// From an item of the scene to the module that draws its kind.
import type { SceneItem } from "../../../src/protocol/scene.ts";
import { createClockFace } from "./clock.ts";
import { createHtml } from "./html.ts";
import { createImage } from "./image.ts";
import type { Item, Surroundings } from "./item.ts";
import { createText } from "./text.ts";
import { createVideo } from "./video.ts";
import { createWeb } from "./web.ts";

/** An item of any kind, not yet prepared. */
export function createItem(item: SceneItem, around: Surroundings): Item {
  switch (item.type) {
    case "image":
      return createImage(item, around);
    case "video":
      return createVideo(item, around);
    case "text":
      return createText(item, around);
    case "clock":
      return createClockFace(item, around);
    case "web":
      return createWeb(item, around);
    case "html":
      return createHtml(item, around);
  }
}
