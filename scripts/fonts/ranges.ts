// Ranges of characters, as style sheets write them: for which letters the rule of a font is, and for which its style sheet is needed.
import { rangesIn } from "../../renderer/player/fonts/css-values.ts";

export function charactersIn(range: string): number[] {
  return rangesIn(range).flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index));
}

/** The range of characters, such as `U+61-7a,U+e4`. */
export function rangeOf(characters: Iterable<number>): string {
  return roughRangeOf(characters, () => false);
}

/** A shorter range with further characters between the wanted ones, if they are all `allowed`. */
export function roughRangeOf(characters: Iterable<number>, allowed: (character: number) => boolean): string {
  const parts: [first: number, last: number][] = [];
  for (const character of [...characters].toSorted((a, b) => a - b)) {
    const part = parts.at(-1);
    let next = (part?.[1] ?? Number.NaN) + 1;
    while (next < character && allowed(next)) next += 1;
    if (part !== undefined && next >= character) part[1] = character;
    else parts.push([character, character]);
  }
  return parts.map(([first, last]) => `U+${first.toString(16)}${last === first ? "" : `-${last.toString(16)}`}`).join(",");
}

// ZERO WIDTH NON-JOINER and JOINER, the sign for keycaps, and the one that asks for the emoji.
const joiners = new Set([0x200c, 0x200d, 0x20e3, 0xfe0f]);

/**
 * The characters of a package's range that its font draws: packages name more, and a rule that promises too much would hide the font that
 * follows. Joiners are left out unless `hasJoiner`: an emoji of several parts would load the fonts of all scripts. Most need no picture
 * for it: what a joiner does is the shaping's work.
 */
export function shownBy(font: ReadonlySet<number>, promised: readonly number[], hasJoiner: boolean): number[] {
  // Latin letters come with all of their punctuation: that font is loaded anyway.
  const isLatin = promised.includes(0x2000);
  return promised.filter((character) => {
    if (joiners.has(character)) return hasJoiner || (isLatin && character < 0x2070);
    return font.has(character) || isInvisible(character) || isComposed(character, font);
  });
}

function isInvisible(character: number): boolean {
  return /[\p{Cc}\p{White_Space}\p{Default_Ignorable_Code_Point}]/u.test(String.fromCodePoint(character));
}

/** Whether the font has its parts: shaping puts them together. */
function isComposed(character: number, font: ReadonlySet<number>): boolean {
  return [...String.fromCodePoint(character).normalize("NFD")].every((part) => font.has(part.codePointAt(0)!));
}
