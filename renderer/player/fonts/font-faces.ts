// The shipped fonts as the page's style sheet declares them, for pictures that cannot use the page's fonts and must contain their own.
import { isInRange, unquoted } from "./css-values.ts";

/** A rule `@font-face` of the page. */
export interface FontFaceRule {
  family: string;
  style: string;
  weight: string;
  range: string;
  url: string;
}

let known: FontFaceRule[] | undefined;

/** The rules, in the order of the style sheet. */
function faceRules(): readonly FontFaceRule[] {
  known ??= [...document.styleSheets].flatMap((sheet) =>
    [...sheet.cssRules].flatMap((rule) => (rule instanceof CSSFontFaceRule ? [readRule(rule, sheet.href ?? location.href)] : [])),
  );
  return known;
}

function readRule({ style }: CSSFontFaceRule, base: string): FontFaceRule {
  const value = (name: string, otherwise: string): string => style.getPropertyValue(name) || otherwise;
  return {
    family: unquoted(style.getPropertyValue("font-family")),
    style: value("font-style", "normal"),
    weight: value("font-weight", "400"),
    range: value("unicode-range", "U+0-10FFFF"),
    url: new URL(/url\("([^"]+)"\)/.exec(style.getPropertyValue("src"))?.[1] ?? "", base).href,
  };
}

// Families whose ranges promise more letters than they have: the next one may be needed too.
const isGenerous = (family: string): boolean => /Symbols|Math/.test(family);

/**
 * The rules that a text needs: for each of its letters those of the first family of `families` that has it, in each of `styles` that the
 * family has, or upright where it has none of them.
 */
export function facesFor(text: string, families: readonly string[], styles: readonly string[]): FontFaceRule[] {
  const byFamily = Map.groupBy(faceRules(), ({ family }) => family);
  const faces = new Set<FontFaceRule>();
  for (const letter of new Set(text)) {
    const code = letter.codePointAt(0)!;
    for (const family of families) {
      const having = (byFamily.get(family) ?? []).filter(({ range }) => isInRange(range, code));
      if (having.length === 0) continue;
      const styled = having.filter(({ style }) => styles.includes(style));
      for (const face of styled.length > 0 ? styled : having) faces.add(face);
      if (!isGenerous(family)) break;
    }
  }
  return [...faces];
}
