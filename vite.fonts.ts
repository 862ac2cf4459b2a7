// The fonts that the player's page ships: which packages, in which order, and the style sheet that the build makes of them.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Plugin } from "vite";
import { withoutTable } from "./vite.woff2.ts";

/** One package, as a family of the page. */
interface ShippedFont {
  package: string;
  /** The parts that are shipped: `all`, those that are numbered (Chinese, Japanese, Korean), or the named ones. */
  parts: "all" | "numbered" | readonly string[];
  /** In place of the package's: the characters that it draws. `numbered`: those of the numbered parts. */
  range?: string;
  /** In place of the package's: it has one weight, which no browser may thicken. */
  weight?: string;
  /** A table of the font that is left out (vite.woff2.ts). */
  without?: string;
  /** Its letters join by a picture for the joiner. */
  hasJoiner?: true;
}

const variable = (id: string, parts: ShippedFont["parts"] = "all"): ShippedFont => ({ package: `@fontsource-variable/${id}`, parts });
const fixed = (id: string, parts: ShippedFont["parts"]): ShippedFont => ({ package: `@fontsource/${id}`, parts });
/** Only the letters of its script: Latin letters, digits and symbols come from elsewhere in the list. */
const script = (id: string): ShippedFont => variable(`noto-sans-${id}`, [id]);
const serifScript = (id: string): ShippedFont => variable(`noto-serif-${id}`, [id]);
const fixedScript = (id: string): ShippedFont => fixed(`noto-sans-${id}`, [id]);
const words = (text: string): string[] => text.trim().split(/\s+/);

// Mathematical signs and arrows. The package names only Latin letters, although its file has no more of them than they need.
const mathRange =
  "U+2016-2017,U+2032-2037,U+2057,U+2070-209C,U+20D0-20F0,U+2100-214F,U+2190-22FF,U+2308-230B,U+2320-2321,U+239B-23B6,U+23DC-23E1," +
  "U+25A0-25FF,U+266D-266F,U+27C0-27FF,U+2900-2BFF,U+1D400-1D7FF,U+1EE00-1EEFF";

const chinese = { sc: variable("noto-sans-sc", "numbered"), tc: variable("noto-sans-tc", "numbered") };
const japanese = variable("noto-sans-jp", "numbered");
const korean = variable("noto-sans-kr", "numbered");
const east = { sc: chinese.sc, tc: chinese.tc, jp: japanese, kr: korean };

/** Those of the most frequent scripts come first: a browser asks the families in their order. */
const frequentScripts = words(
  "arabic hebrew thai bengali tamil telugu gujarati gurmukhi kannada malayalam oriya sinhala khmer lao georgian armenian ethiopic",
).map((id) => (["sinhala", "malayalam"].includes(id) ? { ...script(id), hasJoiner: true as const } : script(id)));
const otherScripts = [
  fixedScript("myanmar"),
  serifScript("tibetan"),
  fixedScript("mongolian"),
  ...words("thaana cherokee canadian-aboriginal syriac javanese balinese sundanese tai-tham new-tai-lue cham kayah-li").map(script),
  ...words("ol-chiki meetei-mayek adlam hanifi-rohingya bamum lisu").map(script),
  ...words("nko tifinagh vai osage miao limbu buginese coptic rejang syloti-nagri tagalog tai-le tai-viet").map(fixedScript),
];
const symbols = [
  variable("noto-sans-symbols", ["symbols"]),
  { ...fixed("noto-sans-symbols-2", ["symbols", "braille"]), weight: "100 900" },
  { ...fixed("noto-sans-math", ["latin"]), range: mathRange, weight: "100 900" },
];
// The numbered parts have pictures only as SVG, which Chromium does not draw; the whole font has them as COLR too.
const emoji = { ...fixed("noto-color-emoji", ["emoji"]), range: "numbered", weight: "100 900", without: "SVG_" };

const sans = variable("noto-sans");
const serif = variable("noto-serif", words("latin latin-ext vietnamese greek greek-ext cyrillic cyrillic-ext"));
const mono = variable("noto-sans-mono");
const serifScripts = [variable("noto-naskh-arabic", ["arabic"]), ...words("hebrew devanagari thai georgian armenian").map(serifScript)];
const inter = variable("inter");
const jetbrainsMono = variable("jetbrains-mono");

const afterSans = [sans, ...frequentScripts];
const afterSerif = [serif, ...serifScripts, ...afterSans];
/** What each family of the items consists of before the fonts that all share. The names are those of `font_family`, as variables of CSS. */
const families: Record<string, readonly ShippedFont[]> = {
  sans: afterSans,
  serif: afterSerif,
  mono: [mono, ...afterSans],
  inter: [inter, ...afterSans],
  "source-serif": [variable("source-serif-4"), ...afterSerif],
  "roboto-slab": [variable("roboto-slab"), ...afterSerif],
  playfair: [variable("playfair-display"), ...afterSerif],
  "jetbrains-mono": [jetbrainsMono, mono, ...afterSans],
  oswald: [variable("oswald"), ...afterSans],
};
/** After the scripts. The last ones draw Latin letters if the file of the first is missing. */
const shared = [...otherScripts, ...symbols, emoji, inter, serif];

/** Which forms Chinese characters have, by language. The first selector holds where no language is known. */
const eastByLanguage: Record<string, readonly ShippedFont[]> = {
  ":root, [lang]": [east.sc, east.tc, east.jp, east.kr],
  ":lang(zh-Hant), :lang(zh-TW), :lang(zh-HK), :lang(zh-MO), :lang(yue)": [east.tc, east.sc, east.jp, east.kr],
  ":lang(ja)": [east.jp, east.sc, east.tc, east.kr],
  ":lang(ko)": [east.kr, east.sc, east.tc, east.jp],
};

const all = [...new Set([...Object.values(families).flat(), ...Object.values(east), ...shared])];

/** The packages whose fonts the built page contains, for the notices of third parties. */
export const fontPackages: readonly string[] = all.map((font) => font.package);

/** The line of a style sheet that the build replaces by the rules of the shipped fonts. */
const marker = "@shipped-fonts;";

/** Replaces the marker in a style sheet of the page by the shipped fonts. Vite then copies the files that the rules name. */
export function shippedFonts(root: string): Plugin {
  return {
    name: "shipped-fonts",
    enforce: "pre",
    transform(code, id) {
      if (!id.endsWith("/fonts/fonts.css")) return null;
      if (!code.includes(marker)) throw new Error(`${id} has no line "${marker}"`);
      return { code: code.replace(marker, () => styleSheet(root)), map: null };
    },
  };
}

function styleSheet(root: string): string {
  const faces = all.flatMap((font) => facesOf(font, root));
  const names = (fonts: readonly ShippedFont[]): string =>
    [...new Set(fonts.map((font) => familyOf(font, root)))].map((name) => `"${name}"`).join(", ");
  const byLanguage = Object.entries(eastByLanguage).map(([selector, fonts]) => `${selector} { --east: ${names(fonts)}; }`);
  const variables = Object.entries(families).map(
    ([name, fonts]) => `--${name}: ${names(fonts)}, var(--east), ${names(shared)}, "Last Resort";`,
  );
  return [...faces, ...byLanguage, `:root, [lang] {`, ...variables, "}"].join("\n");
}

/** The family's name, such as `Noto Sans Thai`. */
function familyOf({ package: name }: ShippedFont, root: string): string {
  return (JSON.parse(readFileSync(join(root, "node_modules", name, "metadata.json"), "utf8")) as { family: string }).family;
}

/** The rules of a package for the weights and styles that it has. */
function facesOf(font: ShippedFont, root: string): string[] {
  const folder = join(root, "node_modules", font.package);
  const isVariable = font.package.startsWith("@fontsource-variable/");
  const sheets = (isVariable ? ["wght.css", "wght-italic.css"] : ["400.css", "700.css", "emoji-400.css"]).flatMap((name) =>
    readIfThere(join(folder, name)),
  );
  const id = font.package.slice(font.package.indexOf("/") + 1);
  const family = familyOf(font, root);
  const faces = sheets.flatMap((sheet) => [...sheet.matchAll(/\/\* (\S+) \*\/\s*@font-face \{([^}]*)\}/g)]);
  const shipped = faces.filter(([, name]) => isShipped(font, name!.slice(id.length + 1).replace(/-[^-]+-(?:normal|italic)$/, "")));
  if (shipped.length === 0) throw new Error(`${font.package} has none of the parts ${String(font.parts)}`);
  return shipped.map(([, name, rule]) => {
    const value = (property: string): string | undefined => new RegExp(`${property}: ([^;]+);`).exec(rule!)?.[1];
    const file = /url\(\.\/(files\/[^)]+\.woff2)\)/.exec(rule!)?.[1];
    if (file === undefined) throw new Error(`${font.package}: ${name!} has no woff2 file`);
    // An installed font of the same name helps only if the file is missing.
    const path = relative(join(root, "renderer/player/fonts"), shippedFile(font, join(folder, file), root));
    const src = `url("${path}") format("woff2"), local("${family}")`;
    const range = font.range === "numbered" ? numberedRange(folder) : (font.range ?? value("unicode-range")!);
    return `@font-face { font-family: "${family}"; font-style: ${value("font-style")!}; font-weight: ${font.weight ?? value("font-weight")!}; font-display: block; src: ${src}; unicode-range: ${font.hasJoiner === true || font === emoji ? range : withoutJoiners(range)}; }`;
  });
}

/** The file of the package, or a copy without the table that is left out. Making one takes seconds, so it is kept. */
function shippedFile({ without }: ShippedFont, file: string, root: string): string {
  if (without === undefined) return file;
  const font = readFileSync(file);
  const hash = createHash("sha256").update(font).update(without).digest("hex").slice(0, 16);
  const folder = join(root, "node_modules/.cache/signage-fonts", hash);
  const copy = join(folder, file.slice(file.lastIndexOf("/") + 1));
  if (existsSync(copy)) return copy;
  mkdirSync(folder, { recursive: true });
  // Two builds may write it at once.
  writeFileSync(`${copy}.${process.pid}`, withoutTable(font, without));
  renameSync(`${copy}.${process.pid}`, copy);
  return copy;
}

// ZERO WIDTH NON-JOINER and JOINER, the sign for keycaps, and the one that asks for the emoji.
const joiners = [0x200c, 0x200d, 0x20e3, 0xfe0f];

/**
 * The range without what joins letters and emoji. With it, an emoji of several parts would load the fonts of all scripts. Most need no
 * picture for it: what a joiner does is the shaping's work.
 */
function withoutJoiners(range: string): string {
  const parts = range.split(",").flatMap((part) => {
    const [from, to = from] = part
      .trim()
      .slice(2)
      .split("-")
      .map((digits) => Number.parseInt(digits, 16)) as [number, number?];
    // Latin letters come with all of their punctuation: that font is loaded anyway.
    const cuts = from === 0x2000 ? [] : joiners.filter((joiner) => from <= joiner && joiner <= to!);
    const starts = [from, ...cuts.map((joiner) => joiner + 1)];
    const ends = [...cuts.map((joiner) => joiner - 1), to!];
    return starts.map((start, at) => [start, ends[at]!] as const).filter(([start, end]) => start <= end);
  });
  return parts.map(([from, to]) => `U+${from.toString(16)}${to === from ? "" : `-${to.toString(16)}`}`).join(",");
}

function numberedRange(folder: string): string {
  const ranges = JSON.parse(readFileSync(join(folder, "unicode.json"), "utf8")) as Record<string, string>;
  return [...new Set(Object.entries(ranges).flatMap(([part, range]) => (part.startsWith("[") ? range.split(",") : [])))].join(",");
}

function isShipped({ parts }: ShippedFont, part: string): boolean {
  if (parts === "all") return true;
  return parts === "numbered" ? part.startsWith("[") : parts.includes(part);
}

function readIfThere(path: string): string[] {
  try {
    return [readFileSync(path, "utf8")];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
