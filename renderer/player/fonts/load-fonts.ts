// Loads the fonts that a text needs, so that it is never seen in others, and says which could not be loaded.
import { createElement } from "../dom.ts";
import { areIn, rangesIn, stripQuotes } from "./css-values.ts";
import { familiesOf, loadRules } from "./rules.ts";

/** How long a text waits for its fonts. They come from the local disk; a preview's come from the service. */
const timeoutMs = 3_000;

/** The fonts that {@link loadFonts} could not load. */
export interface MissingFonts {
  /** The families; empty if all fonts are loaded. */
  families: string[];
  /** True if some of the page's fonts are still loading, so that those of these families may come late. */
  areLoading: boolean;
}

/**
 * Loads the fonts for every letter of `texts` in the style of `parent`, which is in the document. A broken font does not hold a text back:
 * it is drawn in the next font that has its letters.
 */
export async function loadFonts(parent: Element, texts: readonly string[], signal?: AbortSignal): Promise<MissingFonts> {
  // A browser loads a font when it lays letters out: only those of a list that draw the letters.
  const probe = createElement("div", "font-probe", uniqueClusters(texts));
  parent.append(probe);
  const familyNames = new Set(familiesOf(probe));
  const { fontStyle } = getComputedStyle(probe);
  const { hasLoaded, withoutRules } = await fontsSettled(probe, signal);
  probe.remove();
  const letters = [...new Set(texts.join(""))].map((letter) => letter.codePointAt(0)!);
  const concerns = (face: FontFace): boolean => {
    if (face.style !== fontStyle || !familyNames.has(nameOf(face))) return false;
    const ranges = rangesIn(face.unicodeRange);
    return letters.some((letter) => areIn(ranges, letter));
  };
  const failureStates = hasLoaded ? ["error"] : ["error", "loading"];
  // Most have none: the ranges of all faces need not be read.
  const faces = [...document.fonts].filter((face) => failureStates.includes(face.status));
  const families = new Set([...withoutRules, ...faces.filter(concerns).map(nameOf)]);
  return { families: [...families], areLoading: !hasLoaded };
}

/** The warning for an item whose fonts could not be loaded. */
export function missingFontDetail(families: readonly string[]): string {
  return `the shipped font ${families.join(", ")} could not be loaded, and its letters are drawn in another: reinstall the package (apt install --reinstall signage-player)`;
}

/** The result of loading: all fonts are loaded or broken, and the families without their rules. */
interface Settled {
  hasLoaded: boolean;
  withoutRules: string[];
}

/** Resolves when the fonts of everything in an element of the document are loaded, or cannot be; at the time limit, or when `signal` aborts. */
export async function fontsSettled(element: HTMLElement, signal?: AbortSignal): Promise<Settled> {
  const withoutRules = await loadRules(element.textContent, familiesOf(element), signal);
  const { promise: timeout, resolve: giveUp } = Promise.withResolvers<void>();
  const timer = setTimeout(() => giveUp(), timeoutMs);
  signal?.addEventListener("abort", () => giveUp(), { once: true });
  const endsAt = performance.now() + timeoutMs;
  try {
    // A family that lacks a letter in its style is followed by the next one, which only the next layout asks for.
    while (isLoadingAfterLayout(element)) {
      if (signal?.aborted === true || performance.now() >= endsAt) return { hasLoaded: false, withoutRules };
      await Promise.race([document.fonts.ready, timeout]);
    }
    return { hasLoaded: true, withoutRules };
  } finally {
    clearTimeout(timer);
  }
}

function isLoadingAfterLayout(element: HTMLElement): boolean {
  // Reading a size makes the browser lay out.
  return element.offsetWidth >= 0 && document.fonts.status === "loading";
}

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Each letter of the texts once, with its marks: enough to know their fonts. */
function uniqueClusters(texts: readonly string[]): string {
  const clusters = new Set<string>();
  for (const text of texts) for (const { segment } of segmenter.segment(text)) clusters.add(segment);
  return [...clusters].join(" ");
}

function nameOf(face: FontFace): string {
  return stripQuotes(face.family);
}
