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
  return stillItem(
    element,
    around,
    (signal) => {
      element.src = item.src;
      const late = (): ItemFailure => new ItemFailure("timeout", `not decoded within ${prepareLimitMs} ms`);
      return within(decode(element, item.src), prepareLimitMs, signal, late);
    },
    () => element.removeAttribute("src"),
  );
}

async function decode(element: HTMLImageElement, src: string): Promise<void> {
  try {
    await element.decode();
  } catch (error) {
    throw await failureOf(src, "decode", String(error));
  }
}
