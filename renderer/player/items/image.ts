// A picture: loaded, decoded and painted before it is due.
import type { SceneItem } from "../../../src/protocol/scene.ts";
import { make } from "../dom.ts";
import { failureOf, type Item, ItemFailure, prepareLimitMs, stillItem, type Surroundings, within } from "./item.ts";

/** An image item. */
export function createImage(item: Extract<SceneItem, { type: "image" }>, around: Surroundings): Item {
  const element = make("img", "item");
  element.style.objectFit = item.fit;
  // Otherwise the compositor may draw the layer first and the picture a few frames later.
  element.decoding = "sync";
  element.draggable = false;
  let isDecoding = false;
  return stillItem(
    element,
    around,
    (signal) => {
      element.src = item.src;
      isDecoding = true;
      const decoded = decode(element, item.src).finally(() => (isDecoding = false));
      const late = (): ItemFailure => new ItemFailure("timeout", `not decoded within ${prepareLimitMs} ms`);
      return within(decoded, prepareLimitMs, signal, late);
    },
    () => {
      // Taken away while it is decoded, its source would leave the promise pending for ever, and the element in memory.
      if (!isDecoding) element.removeAttribute("src");
    },
  );
}

async function decode(element: HTMLImageElement, src: string): Promise<void> {
  try {
    await element.decode();
  } catch (error) {
    throw await failureOf(src, "decode", String(error));
  }
}
