// Reads values of style sheets about fonts: lists of families, ranges of characters.

/** The names in a value of `font-family`, without quotation marks. */
export function familiesIn(value: string): string[] {
  return (value.match(/"[^"]*"|'[^']*'|[^,]+/g) ?? []).map((name) => unquoted(name.trim())).filter((name) => name !== "");
}

/** A name without its quotation marks. */
export function unquoted(name: string): string {
  return name.replace(/^["']|["']$/g, "");
}

/** Whether a range of CSS such as `U+0-FF, U+131` has the code point. */
export function isInRange(range: string, letter: number): boolean {
  return range.split(",").some((part) => {
    const [from, to = from] = part.trim().slice(2).split("-");
    return Number.parseInt(from!, 16) <= letter && letter <= Number.parseInt(to!, 16);
  });
}
