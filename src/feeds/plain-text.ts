// Removes the markup from a feed's text. The page shows the result as text only and decodes character references itself.
import { findHiddenCharacter, removeHiddenCharacters } from "../protocol/text.ts";

// More text is of no use on a screen. The limit also bounds the cost of the patterns below.
const maxInputLength = 8_000;
const invisibleElements = /<(script|style|title|textarea|template|noscript)\b[^>]*>[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->/gi;
const blockTags = /<\/?(?:p|div|br|li|ul|ol|tr|td|th|h[1-6]|blockquote|hr)\b[^<>]*>/gi;
// Neither pattern matches "<" inside a tag: otherwise a row of "<" would take quadratic time.
const tag = /<\/?[a-z!?][^<>]*>/gi;
const unclosedTag = /<[a-z/!?][^<>]*$/i;

// Like browsers, accepts a missing semicolon and any number of leading zeros.
const numericReference = /&#(?:x0*([0-9a-f]{1,6})|0*([0-9]{1,7}));?/gi;

/** Browsers read such a number as a character of Windows-1252 (HTML, 13.2.5.80). */
function isWindows1252(number: number): boolean {
  return number >= 0x80 && number <= 0x9f;
}

/** The text without markup and hidden characters, at most `maxLength` characters, cut at a word. */
export function textWithoutMarkup(html: string, maxLength: number): string {
  const text = html
    .slice(0, maxInputLength)
    .replace(invisibleElements, " ")
    .replace(blockTags, " ")
    .replace(tag, "")
    .replace(unclosedTag, "");
  const visible = removeHiddenCharacters(text)
    .replace(numericReference, (reference, hex: string | undefined, decimal: string) => {
      const number = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      // Use a space: the characters around it could otherwise form another reference.
      return number <= 0x10_ff_ff && findHiddenCharacter(String.fromCodePoint(number)) !== null && !isWindows1252(number) ? " " : reference;
    })
    .replace(/\s+/g, " ")
    .trim();
  if (visible.length <= maxLength) return visible;
  const cut = visible.slice(0, maxLength - 1);
  const space = cut.lastIndexOf(" ");
  return `${cut.slice(0, space > maxLength / 2 ? space : undefined).trimEnd()}…`;
}
