// The fonts that the player's page ships: which packages, in which order, and the style sheets that the build makes of them.
import { dirname } from "node:path";
import type { Plugin } from "vite";
import { Faces, type ShippedFont } from "../scripts/fonts/faces.ts";
import { licensesText } from "../scripts/fonts/licenses.ts";
import { roughRangeOf } from "../scripts/fonts/ranges.ts";

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
const emoji = { ...fixed("noto-color-emoji", ["emoji"]), range: "numbered", weight: "100 900", without: "SVG_", hasJoiner: true as const };

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

const common = [...new Set([...Object.values(families).flat(), ...shared])];

/** The packages whose fonts the built page contains, for the notices of third parties. */
export const fontPackages: readonly string[] = [...common, ...Object.values(east)].map((font) => font.package);

/** The line of a style sheet that the build replaces by rules: those that each page needs, or those of one font of `east`. */
const marker = /^@shipped-fonts(?: (\w+))?;$/m;

/** Replaces the marker in style sheets of the page by the shipped fonts. Vite then copies the files that the rules name. */
export function shippedFonts(root: string): Plugin {
  const faces = new Faces(root);
  return {
    name: "shipped-fonts",
    enforce: "pre",
    transform(code, id) {
      const [path, query] = id.split("?") as [string, string?];
      // With the query `url` it is the module that has the sheet's address.
      if (query === "url" || !/\/player\/fonts\/.*\.css$/.test(path)) return null;
      const [line, name] = marker.exec(code) ?? [];
      if (line === undefined) throw new Error(`${path} has no line "@shipped-fonts;"`);
      const folder = dirname(path);
      const rules = name === undefined ? commonRules(faces, folder) : faces.rulesOf(eastNamed(name), folder);
      return { code: code.replace(line, () => rules.join("\n")), map: null };
    },
    // Wherever the fonts go, their licences go too.
    generateBundle() {
      this.emitFile({ type: "asset", fileName: "font-licenses.txt", source: licensesText(fontPackages, root) });
    },
  };
}

function eastNamed(name: string): ShippedFont {
  const font = (east as Record<string, ShippedFont>)[name];
  if (font === undefined) throw new Error(`there is no font "${name}"`);
  return font;
}

/** The rules that every page needs: all but those of the Chinese, Japanese and Korean fonts, and the lists of families. */
function commonRules(faces: Faces, folder: string): string[] {
  const rules = common.flatMap((font) => faces.rulesOf(font, folder));
  const names = (fonts: readonly ShippedFont[]): string =>
    [...new Set(fonts.map((font) => faces.familyOf(font)))].map((name) => `"${name}"`).join(", ");
  const byLanguage = Object.entries(eastByLanguage).map(([selector, fonts]) => `${selector} { --east: ${names(fonts)}; }`);
  const variables = Object.entries(families).map(
    ([name, fonts]) => `--${name}: ${names(fonts)}, var(--east), ${names(shared)}, "Last Resort";`,
  );
  return [...rules, ...byLanguage, `:root { --east-letters: "${eastLetters(faces)}"; }`, ":root, [lang] {", ...variables, "}"];
}

/**
 * The letters for which the page loads the rules of `east`: those that no family has before them. Letters that no other font has either may
 * be among them, which makes the range short.
 */
function eastLetters(faces: Faces): string {
  const inEast = Object.values(east).flatMap((font) => faces.charactersOf(font));
  const before = new Set(afterSans.flatMap((font) => faces.charactersOf(font)));
  const elsewhere = new Set(common.flatMap((font) => faces.charactersOf(font)));
  const wanted = new Set(inEast.filter((character) => !before.has(character)));
  return roughRangeOf(wanted, (character) => !elsewhere.has(character));
}
