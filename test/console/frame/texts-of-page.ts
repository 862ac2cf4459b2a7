// Finds texts of a page that are not from the catalogue, and texts that are cut off.
import type { Page } from "playwright";

/** Values of the API that a page should not show as they are: they are words of programs. */
const wordsOfPrograms = /^[a-z]+(?:[-_.][a-z]+)*$/;

/**
 * The texts in the pseudo-locale that are neither in ⟦brackets⟧, which the catalogue gets there, nor data.
 * @param data all answers of the API, as JSON
 */
export async function untranslated(page: Page, data: string): Promise<string[]> {
  const texts = (await page.evaluate(readTexts)) as string[];
  const known = stringsIn(data);
  return [...new Set(texts)].filter((text) => {
    const rest = text.replaceAll(/⟦[^⟦⟧]*(?:⟦[^⟦⟧]*⟧[^⟦⟧]*)*⟧/g, "").trim();
    // Single letters are initials; what has no letters needs no translation.
    if (!/\p{L}.*\p{L}/u.test(rest)) return false;
    return !known.some((each) => each.includes(rest) || (each.length > 1 && rest.replaceAll(each, "").match(/\p{L}/u) === null));
  });
}

function stringsIn(data: string): string[] {
  const found = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value === "string") {
      if (!wordsOfPrograms.test(value)) found.add(value.replaceAll(/\s+/g, " ").trim());
    } else if (Array.isArray(value)) value.forEach(collect);
    else if (typeof value === "object" && value !== null) {
      Object.values(value).forEach(collect);
      // Tags, names and the ends of secrets may be any word.
      const { name, tags, tag, hint } = value as { name?: unknown; tags?: unknown; tag?: unknown; hint?: unknown };
      for (const each of [name, tag, hint, ...(Array.isArray(tags) ? tags : [])]) if (typeof each === "string") found.add(each);
    }
  };
  for (const line of data.split("\n")) if (line !== "") collect(JSON.parse(line));
  return [...found];
}

// Runs in the page.
const readTexts = `(() => {
  const texts = [];
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (element.closest("script, style, noscript, kbd, code, pre") !== null || !isShown(element)) continue;
    texts.push(node.textContent);
  }
  for (const element of document.querySelectorAll("[aria-label], [title], [placeholder], [alt], [aria-description], [aria-valuetext]")) {
    if (!isShown(element)) continue;
    for (const name of ["aria-label", "title", "placeholder", "alt", "aria-description", "aria-valuetext"]) texts.push(element.getAttribute(name) ?? "");
  }
  return texts.map((text) => text.replaceAll(/\\s+/g, " ").trim()).filter((text) => text !== "");
})()`;

/** Texts that are cut off without an ellipsis or a way to scroll, and whether the page scrolls sideways. */
export async function overflowing(page: Page): Promise<string[]> {
  return (await page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const found = scrollWidth > clientWidth ? ["the page scrolls sideways by " + (scrollWidth - clientWidth) + " px"] : [];
    for (const element of document.querySelectorAll("button, a, label, h1, h2, h3, p, .badge")) {
      if (!element.checkVisibility() || element.closest(".visually-hidden, .skip-link") !== null) continue;
      const { overflowX, textOverflow } = getComputedStyle(element);
      if (element.scrollWidth > element.clientWidth + 1 && textOverflow !== "ellipsis" && overflowX !== "auto" && element.clientWidth > 0)
        found.push(element.tagName + " is too narrow for " + element.textContent.slice(0, 60));
    }
    return found;
  })()`)) as string[];
}
