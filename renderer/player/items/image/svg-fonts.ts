// Gives an SVG the shipped fonts. A picture cannot use the page's fonts, and would be drawn in whatever is installed: the fonts that its
// text needs are put into it.
import type { FontFamily } from "../../../../src/protocol/content/item-styles.ts";
import { createElement } from "../../dom.ts";
import { familiesIn } from "../../fonts/css-values.ts";
import { facesFor, type FontFaceRule } from "../../fonts/font-faces.ts";
import { languageOf } from "../../fonts/language.ts";
import { familiesOf, loadRules } from "../../fonts/rules.ts";

/** A picture's address, and the fonts that it names but nobody has. */
export interface SvgPicture {
  src: string;
  unknownFonts: string[];
}

/** The families of the page by the names that designers give them. Keywords of CSS are among them. */
const shippedNames: Readonly<Record<string, FontFamily>> = {
  "sans-serif": "sans",
  "system-ui": "sans",
  "ui-sans-serif": "sans",
  "noto sans": "sans",
  serif: "serif",
  "ui-serif": "serif",
  "noto serif": "serif",
  monospace: "mono",
  "ui-monospace": "mono",
  "noto sans mono": "mono",
  inter: "inter",
  "source serif 4": "source-serif",
  "roboto slab": "roboto-slab",
  "playfair display": "playfair",
  "jetbrains mono": "jetbrains-mono",
  oswald: "oswald",
};

// A loop shows the same few pictures again and again. Their addresses are those of their content.
const maxKept = 8;
const cache = new Map<string, SvgPicture>();

/**
 * The address of the picture with the fonts of its text in it. Without text, or when it is no valid XML, that of the file itself: it is
 * then drawn as it is. @throws DOMException when `signal` aborts, TypeError when a file cannot be fetched.
 */
export async function withShippedFonts(src: string, signal: AbortSignal): Promise<SvgPicture> {
  const picture = cache.get(src) ?? (await addFonts(src, signal));
  cache.delete(src);
  cache.set(src, picture);
  if (cache.size > maxKept) cache.delete(cache.keys().next().value!);
  return picture;
}

async function addFonts(src: string, signal: AbortSignal): Promise<SvgPicture> {
  const original = { src, unknownFonts: [] };
  const response = await fetch(src, { signal });
  if (!response.ok) return original;
  const file = await response.text();
  if (!/<(?:[\w-]+:)?text[\s>]/.test(file)) return original;
  const picture = new DOMParser().parseFromString(withoutStyles(file), "image/svg+xml");
  if (picture.querySelector("parsererror") !== null) return original;
  const root = picture.documentElement;
  const text = root.textContent;
  const language = languageOf(text, root.getAttribute("lang") ?? root.getAttribute("xml:lang") ?? undefined);
  const families = new PictureFamilies(file, language);
  rewriteAttributes([root, ...root.querySelectorAll(`[font-family], [${hidden}]`)], families);
  if (!root.hasAttribute("font-family")) root.setAttribute("font-family", families.replace("sans-serif"));
  for (const sheet of root.querySelectorAll(hidden)) sheet.textContent = rewriteSheet(sheet.textContent, families);
  for (const list of families.lists) {
    const [missing] = await loadRules(text, list, signal);
    if (missing !== undefined) throw new TypeError(`the font ${missing} cannot be loaded`);
  }
  const styles = /italic|oblique/.test(file) ? ["normal", "italic"] : ["normal"];
  const faces = new Set(families.lists.flatMap((list) => facesFor(text, list, styles)));
  const rules = await Promise.all([...faces].map((face) => embed(face, signal)));
  const style = picture.createElementNS("http://www.w3.org/2000/svg", hidden);
  // As in style.css.
  style.textContent = [...rules, "* { text-rendering: geometricPrecision !important; }"].join("\n");
  root.prepend(style);
  const whole = new Blob([withStyles(new XMLSerializer().serializeToString(picture))], { type: "image/svg+xml" });
  return { src: await dataUrl(whole), unknownFonts: [...families.unknown] };
}

// The name of style elements and attributes while the page reads the picture: its content security policy forbids styles in documents.
const hidden = "signage-style";

function withoutStyles(file: string): string {
  return file.replaceAll(/(<\/?(?:[\w-]+:)?)style(?=[\s/>])/g, `$1${hidden}`).replaceAll(/(\s)style(?=\s*=)/g, `$1${hidden}`);
}

function withStyles(file: string): string {
  return file.replaceAll(/(<\/?(?:[\w-]+:)?)signage-style(?=[\s/>])/g, "$1style").replaceAll(/(\s)signage-style(?=\s*=)/g, "$1style");
}

/** The families that a picture names, and their replacements. */
class PictureFamilies {
  /** Those that the picture brings itself. */
  readonly #own: ReadonlySet<string>;
  readonly #language: string | null;
  readonly #replacements = new Map<string, string>();
  /** The lists of shipped families that it needs. */
  readonly lists: string[][] = [];
  readonly unknown = new Set<string>();

  constructor(file: string, language: string | null) {
    const rules = file.match(/@font-face\s*\{[^}]*\}/g) ?? [];
    this.#own = new Set(rules.flatMap((rule) => familiesIn(/font-family\s*:\s*([^;}]+)/.exec(rule)?.[1] ?? "").map(lower)));
    this.#language = language;
  }

  /** The value of `font-family` in place of the picture's own value. */
  replace(value: string): string {
    const before = this.#replacements.get(value);
    if (before !== undefined) return before;
    const names = familiesIn(value);
    const own = names.filter((name) => this.#own.has(lower(name)));
    const family = names.map((name) => shippedNames[lower(name)]).find((each) => each !== undefined);
    if (own.length === 0 && family === undefined) for (const name of names) this.unknown.add(name);
    const shippedFamilies = shippedList(family ?? likeliest(value), this.#language);
    this.lists.push(shippedFamilies);
    const replacement = [...own, ...shippedFamilies].map((name) => `"${name}"`).join(", ");
    this.#replacements.set(value, replacement);
    return replacement;
  }
}

/** The page's list for a family in a language, as its style sheet has it. */
function shippedList(family: FontFamily, language: string | null): string[] {
  const probe = createElement("span", "font-probe");
  if (language !== null) probe.lang = language;
  probe.style.fontFamily = `var(--${family})`;
  document.body.append(probe);
  const list = familiesOf(probe);
  probe.remove();
  return list;
}

function likeliest(value: string): FontFamily {
  if (/mono|courier|consol|code|menlo/i.test(value)) return "mono";
  return /serif|times|georgia|garamond|minion|palatino|baskerville|bodoni|cambria/i.test(value) && !/sans/i.test(value) ? "serif" : "sans";
}

function rewriteAttributes(elements: readonly Element[], families: PictureFamilies): void {
  for (const element of elements) {
    const family = element.getAttribute("font-family");
    if (family !== null) element.setAttribute("font-family", families.replace(family));
    const style = element.getAttribute(hidden);
    if (style === null || !style.includes("font")) continue;
    const rewritten = rewriteSheet(`x { ${style} }`, families);
    element.setAttribute(hidden, rewritten.slice(rewritten.indexOf("{") + 1, rewritten.lastIndexOf("}")).trim());
  }
}

function rewriteSheet(text: string, families: PictureFamilies): string {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  rewriteRules(sheet.cssRules, families);
  return [...sheet.cssRules].map(({ cssText }) => cssText).join("\n");
}

function rewriteRules(rules: CSSRuleList, families: PictureFamilies): void {
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule && rule.style.fontFamily !== "") rule.style.fontFamily = families.replace(rule.style.fontFamily);
    if ("cssRules" in rule && rule.cssRules instanceof CSSRuleList) rewriteRules(rule.cssRules, families);
  }
}

/** A rule with the font's file in it. */
async function embed({ family, style, weight, range, url }: FontFaceRule, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal });
  // The next font of the list draws its letters.
  if (!response.ok) return "";
  const src = `src: url(${await dataUrl(await response.blob())});`;
  return `@font-face { font-family: "${family}"; font-style: ${style}; font-weight: ${weight}; unicode-range: ${range}; ${src} }`;
}

function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result as string));
    reader.addEventListener("error", () => reject(reader.error ?? new Error("the data cannot be read")));
    reader.readAsDataURL(blob);
  });
}

function lower(name: string): string {
  return name.toLowerCase();
}
