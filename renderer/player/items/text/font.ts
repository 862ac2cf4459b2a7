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
  // config/fonts.ts has the fonts of each family, one list for each language. The variable is that of an element with `lang`.
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
 * Loads the fonts for `texts` in the style of `element`, and reports those that are missing.
 * @returns whether fonts are still loading.
 */
export async function waitForFonts(
  element: HTMLElement,
  texts: readonly string[],
  context: ItemContext,
  signal: AbortSignal,
): Promise<boolean> {
  const { families, areLoading } = await loadFonts(element, texts, signal);
  signal.throwIfAborted();
  if (families.length > 0) context.onFlaw({ code: "font-missing", detail: missingFontDetail(families) });
  return areLoading;
}

/** How to lay out the elements that did not get their fonts in time. */
const waiting = new Map<HTMLElement, () => void>();
document.fonts.addEventListener("loadingdone", () => {
  const all = [...waiting];
  waiting.clear();
  for (const [element, layOut] of all) if (element.isConnected) layOut();
});

/**
 * Waits for the fonts as {@link waitForFonts} does, and calls `layOut`, which may measure sizes. Calls it again when fonts have come that
 * did not come in time, if `element` is still in the document.
 */
export async function layOutInFonts(
  element: HTMLElement,
  texts: readonly string[],
  context: ItemContext,
  signal: AbortSignal,
  layOut: () => void,
): Promise<void> {
  const areLoading = await waitForFonts(element, texts, context, signal);
  layOut();
  if (!areLoading) return;
  // A font that never comes must not keep the elements of all plays in memory.
  for (const other of waiting.keys()) if (!other.isConnected) waiting.delete(other);
  waiting.set(element, layOut);
}
