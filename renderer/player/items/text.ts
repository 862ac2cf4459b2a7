// A text: plain, in its own direction, as large as asked for or as its zone allows.
import type { SceneItem } from "../../../src/protocol/scene.ts";
import { make } from "../dom.ts";
import { fitText } from "./fit.ts";
import { type Item, stillItem, type Surroundings } from "./item.ts";

/** A text item. */
export function createText(item: Extract<SceneItem, { type: "text" }>, around: Surroundings): Item {
  const words = make("div", "words", item.text);
  words.dir = "auto";
  const box = make("div", "box", words);
  const element = make("div", "item text", box);
  element.style.color = item.color;
  element.style.backgroundColor = item.background_color;
  words.style.textAlign = item.align;
  return stillItem(element, around, () => {
    if (item.font_size === null) fitText(words, box, Math.min(around.height, around.width));
    else words.style.fontSize = `${item.font_size}px`;
  });
}
