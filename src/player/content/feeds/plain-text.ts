// Takes the markup out of a stranger's text. What is left is only ever shown as text; character references stay for the page.
import { findHiddenCharacter, removeHiddenCharacters } from "../../../protocol/text.ts";

// Nobody reads more of it on a screen; it also bounds what the patterns below may cost.
const longestRead = 8_000;
const unseen = /<(script|style|title|textarea|template|noscript)\b[^>]*>[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->/gi;
const breaks = /<\/?(?:p|div|br|li|ul|ol|tr|td|th|h[1-6]|blockquote|hr)\b[^<>]*>/gi;
// Neither holds a "<": otherwise a row of them would be read once for each.
const tag = /<\/?[a-z!?][^<>]*>/gi;
const openTag = /<[a-z/!?][^<>]*$/i;

// As browsers read them: without a semicolon too, with any number of zeros before.
const numericReference = /&#(?:x0*([0-9a-f]{1,6})|0*([0-9]{1,7}));?/gi;

/** Such a number is read as the character that Windows-1252 has there (HTML, 13.2.5.80). */
function isWindows1252(number: number): boolean {
  return number >= 0x80 && number <= 0x9f;
}

/** At most `longest` characters, cut at a word. */
export function textWithoutMarkup(html: string, longest: number): string {
  const text = html.slice(0, longestRead).replace(unseen, " ").replace(breaks, " ").replace(tag, "").replace(openTag, "");
  const seen = removeHiddenCharacters(text)
    .replace(numericReference, (reference, hex: string | undefined, decimal: string) => {
      const number = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      // A space, since what stands before and after it may be parts of another one.
      return number <= 0x10_ff_ff && findHiddenCharacter(String.fromCodePoint(number)) !== null && !isWindows1252(number) ? " " : reference;
    })
    .replace(/\s+/g, " ")
    .trim();
  if (seen.length <= longest) return seen;
  const cut = seen.slice(0, longest - 1);
  const space = cut.lastIndexOf(" ");
  return `${cut.slice(0, space > longest / 2 ? space : undefined).trimEnd()}…`;
}
