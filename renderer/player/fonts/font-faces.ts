// The shipped fonts as the page's style sheets declare them, for pictures that cannot use the page's fonts and must contain their own.
import { areIn, type Ranges, rangesIn, stripQuotes } from "./css-values.ts";

/** A rule `@font-face` of the page. */
export interface FontFaceRule {
  family: string;
  style: string;
  weight: string;
  range: string;
  ranges: Ranges;
  url: string;
}

/** The rules of each sheet by family, as far as a family was asked for. Sheets with the fonts of a language may follow (rules.ts). */
const sheets = new Map<CSSStyleSheet, Map<string, CSSFontFaceRule[]>>();
const read = new Map<CSSFontFaceRule, FontFaceRule>();

function facesOf(family: string): FontFaceRule[] {
  return [...document.styleSheets].flatMap((sheet) => {
    const families = sheets.get(sheet) ?? Map.groupBy(rulesOf(sheet), ({ style }) => stripQuotes(style.getPropertyValue("font-family")));
    sheets.set(sheet, families);
    return (families.get(family) ?? []).map((rule) => {
      const face = read.get(rule) ?? readRule(rule, sheet.href ?? location.href);
      read.set(rule, face);
      return face;
    });
  });
}

function rulesOf(sheet: CSSStyleSheet): CSSFontFaceRule[] {
  return [...sheet.cssRules].filter((rule) => rule instanceof CSSFontFaceRule);
}

function readRule({ style }: CSSFontFaceRule, base: string): FontFaceRule {
  const value = (name: string, otherwise: string): string => style.getPropertyValue(name) || otherwise;
  const range = value("unicode-range", "U+0-10FFFF");
  return {
    family: stripQuotes(style.getPropertyValue("font-family")),
    style: value("font-style", "normal"),
    weight: value("font-weight", "400"),
    range,
    ranges: rangesIn(range),
    url: new URL(/url\("([^"]+)"\)/.exec(style.getPropertyValue("src"))?.[1] ?? "", base).href,
  };
}

/** True if the rules of the page give a family a font for the letter. */
export function hasFontFor(family: string, letter: number): boolean {
  return facesOf(family).some(({ ranges }) => areIn(ranges, letter));
}

/**
 * The rules that a text needs: for each of its letters those of the first family of `families` that has it, in each of `styles` that the
 * family has, or upright where it has none of them.
 */
export function facesFor(text: string, families: readonly string[], styles: readonly string[]): FontFaceRule[] {
  const faces = new Set<FontFaceRule>();
  for (const letter of new Set(text)) {
    const code = letter.codePointAt(0)!;
    for (const family of families) {
      const having = facesOf(family).filter(({ ranges }) => areIn(ranges, code));
      if (having.length === 0) continue;
      const matches = having.filter(({ style }) => styles.includes(style));
      for (const face of matches.length > 0 ? matches : having) faces.add(face);
      break;
    }
  }
  return [...faces];
}
