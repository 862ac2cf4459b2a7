// A text item: plain text in its own direction, in the requested size or as large as its zone allows.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import { createElement } from "../../dom.ts";
import { fitOrTruncateText, fitTextOfSize } from "./fit.ts";
import { layOutInFonts, setFont } from "./font.ts";
import { type Item, simpleItem, type ItemContext } from "../item.ts";

const remedy = "shorten the text, lower font_size or enlarge the zone";

/** Creates a text item. */
export function createText(item: Extract<SceneItem, { type: "text" }>, context: ItemContext): Item {
  const words = createElement("div", "words", item.text);
  words.dir = item.direction;
  words.style.textAlign = item.align;
  // With `auto` each line has its own direction.
  if (item.direction !== "auto") words.style.unicodeBidi = "normal";
  const box = createElement("div", "box", words);
  const element = createElement("div", "item text", box);
  setFont(words, item, item.text);
  element.style.color = item.color;
  element.style.backgroundColor = item.background_color;
  if (item.padding !== undefined) box.style.inset = `${item.padding}px`;
  function layOut(): void {
    const { font_size: preferredSize } = item;
    const { size, isWhole } =
      preferredSize === null
        ? fitOrTruncateText(words, box, Math.min(context.height, context.width))
        : fitTextOfSize(words, box, preferredSize);
    const how = preferredSize === null ? `at ${size} px` : `at its font_size of ${preferredSize} px`;
    if (!isWhole) context.onFlaw({ code: "text-too-long", detail: `does not fit its zone ${how} and is cut: ${remedy}` });
    else if (preferredSize !== null && size < preferredSize)
      context.onFlaw({ code: "text-too-long", detail: `does not fit its zone ${how} and is shown in ${size} px: ${remedy}` });
  }

  return simpleItem(element, context, (signal) => layOutInFonts(words, [item.text], context, signal, layOut));
}
