// A text: plain, in its own direction, as large as asked for or as its zone allows.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import { createElement } from "../../dom.ts";
import { fitOrCutText, fitTextOfSize } from "./fit.ts";
import { setFont } from "./font.ts";
import { type Item, simpleItem, type ItemContext } from "../item.ts";

const remedy = "shorten the text, lower font_size or enlarge the zone";

/** A text item. */
export function createText(item: Extract<SceneItem, { type: "text" }>, around: ItemContext): Item {
  const words = createElement("div", "words", item.text);
  words.dir = item.direction;
  words.style.textAlign = item.align;
  // What a text says is its direction, line by line, unless one is laid down for all of it.
  if (item.direction !== "auto") words.style.unicodeBidi = "normal";
  const box = createElement("div", "box", words);
  const element = createElement("div", "item text", box);
  setFont(words, item);
  element.style.color = item.color;
  element.style.backgroundColor = item.background_color;
  if (item.padding !== undefined) box.style.inset = `${item.padding}px`;
  return simpleItem(element, around, () => {
    const { font_size: asked } = item;
    const { size, isWhole } =
      asked === null ? fitOrCutText(words, box, Math.min(around.height, around.width)) : fitTextOfSize(words, box, asked);
    const how = asked === null ? `at ${size} px` : `at its font_size of ${asked} px`;
    if (!isWhole) around.onFlaw({ code: "text-too-long", detail: `does not fit its zone ${how}, and is cut: ${remedy}` });
    else if (asked !== null && size < asked)
      around.onFlaw({ code: "text-too-long", detail: `does not fit its zone ${how}, and is set in ${size} px: ${remedy}` });
  });
}
