// An item that cannot run in a preview, such as a web page: its part of a screenshot, with a line that says so.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import { createElement } from "../../dom.ts";
import { waitForFonts } from "../text/font.ts";
import { type Item, simpleItem, type ItemContext } from "../item.ts";

// The line's height as a share of the zone's shorter side, and its limits in layout pixels.
const lineShare = 0.06;
const lineLimits = { min: 12, max: 48 };

/** Creates the picture of an item that cannot run. Without a picture, or if it cannot be loaded, the line stands alone. */
export function createCapture(item: Extract<SceneItem, { type: "capture" }>, context: ItemContext): Item {
  const line = createElement("div", "line", item.label);
  line.dir = "auto";
  const element = createElement("div", "item capture", line);
  const side = Math.min(context.width, context.height) * lineShare;
  element.style.fontSize = `${Math.min(lineLimits.max, Math.max(lineLimits.min, side))}px`;
  return simpleItem(element, context, async (signal) => {
    await waitForFonts(line, [item.label], context, signal);
    if (item.src === null) return;
    const picture = createElement("img", "whole");
    picture.src = item.src;
    const { left, top, width, height } = item.crop;
    // Percentages of the item's box: the part fills it, and the rest of the picture is cut off.
    picture.style.width = `${100 / width}%`;
    picture.style.height = `${100 / height}%`;
    picture.style.left = `${(-100 * left) / width}%`;
    picture.style.top = `${(-100 * top) / height}%`;
    const isDrawable = await picture.decode().then(
      () => true,
      () => false,
    );
    if (isDrawable) element.prepend(picture);
  });
}
