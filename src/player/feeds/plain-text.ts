// Takes the markup out of a stranger's text. What is left is only ever shown as text; character references stay for the page.

// Nobody reads more of it on a screen; it also bounds what the patterns below may cost.
const longestRead = 8_000;
const unseen = /<(script|style|title|textarea|template|noscript)\b[^>]*>[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->/gi;
const breaks = /<\/?(?:p|div|br|li|ul|ol|tr|td|th|h[1-6]|blockquote|hr)\b[^<>]*>/gi;
// Neither holds a "<": otherwise a row of them would be read once for each.
const tag = /<\/?[a-z!?][^<>]*>/gi;
const openTag = /<[a-z/!?][^<>]*$/i;

/** At most `longest` characters, cut at a word. */
export function textWithoutMarkup(html: string, longest: number): string {
  const text = html
    .slice(0, longestRead)
    .replace(unseen, " ")
    .replace(breaks, " ")
    .replace(tag, "")
    .replace(openTag, "")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
  if (text.length <= longest) return text;
  const cut = text.slice(0, longest - 1);
  const space = cut.lastIndexOf(" ");
  return `${cut.slice(0, space > longest / 2 ? space : undefined).trimEnd()}…`;
}
