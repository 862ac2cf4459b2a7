// A picture: loaded, decoded and painted before it is due.
import type { SceneItem } from "../../../src/protocol/scene.ts";
import { make, setSeen } from "../dom.ts";
import { failureOf, type Item, ItemFailure, prepareLimitMs, prime, reveal, type Surroundings, within } from "./item.ts";

/** An image item. */
export function createImage(item: Extract<SceneItem, { type: "image" }>, around: Surroundings): Item {
  const element = make("img", "item");
  element.style.objectFit = item.fit;
  // Otherwise the compositor may draw the layer first and the picture a few frames later.
  element.decoding = "sync";
  element.draggable = false;
  return {
    element,
    async prepare(signal) {
      element.src = item.src;
      const late = (): ItemFailure => new ItemFailure("timeout", `not decoded within ${prepareLimitMs} ms`);
      await within(decode(element, item.src), prepareLimitMs, signal, late);
      await prime(element, around.frames, signal);
      setSeen(element, "no");
    },
    show: () => reveal(element, around),
    playUntil() {},
    hide: () => {
      setSeen(element, "no");
    },
    dispose: () => {
      element.removeAttribute("src");
      element.remove();
    },
  };
}

async function decode(element: HTMLImageElement, src: string): Promise<void> {
  try {
    await element.decode();
  } catch (error) {
    throw await failureOf(src, "decode", String(error));
  }
}
