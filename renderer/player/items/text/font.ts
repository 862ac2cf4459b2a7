// The font family, weight, style and language of texts, and the wait for their fonts.
import type { FontFamily } from "../../../../src/protocol/content/item-styles.ts";
import { languageOf } from "../../fonts/language.ts";
import { loadFonts, missingFontDetail } from "../../fonts/load-fonts.ts";
import type { ItemContext } from "../item.ts";

/** The fields of an item that decide its font. */
interface FontFields {
  font_family: FontFamily;
  font_weight?: number | undefined;
  font_style?: "normal" | "italic" | undefined;
  locale?: string | undefined;
}

/** Sets the family and, if given, weight, style and language. `text` decides the forms of Chinese characters where no language is given. */
export function setFont(element: HTMLElement, { font_family, font_weight, font_style, locale }: FontFields, text: string): void {
  const { style, classList } = element;
  // vite.fonts.ts has the fonts of each family, one list for each language. The variable is that of an element with `lang`.
  const language = languageOf(text, locale);
  if (language !== null) element.lang = language;
  style.fontFamily = `var(--${font_family})`;
  if (font_style === "italic") style.fontStyle = font_style;
  if (font_weight === undefined) return;
  style.fontWeight = String(font_weight);
  // This class overrides the weights of individual parts.
  classList.add("weighted");
}

/**
 * Loads the fonts for `texts` in the style of `element`, reports those that are missing, and calls `layOut`, which may measure sizes.
 * Calls it again when fonts have come that did not come in time, if `element` is still in the document.
 */
export async function layOutInFonts(
  element: HTMLElement,
  texts: readonly string[],
  context: ItemContext,
  signal: AbortSignal,
  layOut: () => void,
): Promise<void> {
  const { families, late } = await loadFonts(element, texts, signal);
  signal.throwIfAborted();
  if (families.length > 0) context.onFlaw({ code: "font-missing", detail: missingFontDetail(families) });
  layOut();
  void late?.then(() => {
    if (element.isConnected) layOut();
  });
}
