// Loads the rules of the Chinese, Japanese and Korean fonts when a text has letters for them. They are most of all rules, and reading them
// would delay the start of every page.
import { createElement } from "../dom.ts";
import { areIn, familiesIn, type Ranges, rangesIn, stripQuotes } from "./css-values.ts";
import jp from "./east/jp.css?url";
import kr from "./east/kr.css?url";
import sc from "./east/sc.css?url";
import tc from "./east/tc.css?url";
import { hasFontFor } from "./font-faces.ts";

/** The style sheets by the family that each declares. */
const sheets = new Map([
  ["Noto Sans SC", sc],
  ["Noto Sans TC", tc],
  ["Noto Sans JP", jp],
  ["Noto Sans KR", kr],
]);
/** How long a style sheet may take. They come from the local disk; a preview's come from the service. */
const timeoutMs = 3_000;
const loads = new Map<string, Promise<boolean>>();
let eastRanges: Ranges | undefined;

/** True if a text has letters whose font may be in a style sheet of its own. */
export function mayNeedRules(text: string): boolean {
  return eastLetters(text).length > 0;
}

/** The families of an element in their order. It is in the document. */
export function familiesOf(element: Element): string[] {
  return familiesIn(getComputedStyle(element).fontFamily);
}

/**
 * Loads the rules for the letters of `text`, family by family until all letters have a font. A style sheet that cannot be loaded, or not in
 * time, holds nothing back: the next family draws the letters. The next call tries again.
 * @returns the families without their rules; of those after an abort of `signal` none are loaded.
 */
export async function loadRules(text: string, families: readonly string[], signal?: AbortSignal): Promise<string[]> {
  const missing: string[] = [];
  let letters = eastLetters(text);
  for (const family of families) {
    if (letters.length === 0 || signal?.aborted === true) break;
    const url = sheets.get(family);
    if (url !== undefined && !(await hasLoaded(url))) missing.push(family);
    letters = letters.filter((letter) => !hasFontFor(family, letter));
  }
  return missing;
}

function eastLetters(text: string): number[] {
  // config/fonts.ts writes it into the page's style sheet.
  eastRanges ??= rangesIn(stripQuotes(getComputedStyle(document.documentElement).getPropertyValue("--east-letters")));
  const ranges = eastRanges;
  return [...new Set(text)].map((letter) => letter.codePointAt(0)!).filter((letter) => areIn(ranges, letter));
}

async function hasLoaded(url: string): Promise<boolean> {
  const load = loads.get(url) ?? loadSheet(url);
  loads.set(url, load);
  const { promise: timeout, resolve: giveUp } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => giveUp(false), timeoutMs);
  try {
    return await Promise.race([load, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves with false if it cannot be loaded: the next call tries again. */
function loadSheet(url: string): Promise<boolean> {
  const link = createElement("link", "");
  link.rel = "stylesheet";
  // A preview's page is of no origin, and reads the rules of its sheets.
  link.crossOrigin = "anonymous";
  link.href = url;
  return new Promise((resolve) => {
    link.addEventListener("load", () => resolve(true));
    link.addEventListener("error", () => {
      link.remove();
      loads.delete(url);
      resolve(false);
    });
    document.head.append(link);
  });
}
