// Reads values of style sheets about fonts: lists of families, ranges of characters.

/** The names in a value of `font-family`, without quotation marks. */
export function familiesIn(value: string): string[] {
  return (value.match(/"[^"]*"|'[^']*'|[^,]+/g) ?? []).map((name) => stripQuotes(name.trim())).filter((name) => name !== "");
}

/** A name without its quotation marks. */
export function stripQuotes(name: string): string {
  return name.replace(/^["']|["']$/g, "");
}

/** The first and the last code point of each part of a range of CSS such as `U+0-FF, U+131`. */
export type Ranges = readonly (readonly [first: number, last: number])[];

export function rangesIn(range: string): Ranges {
  return range.split(",").map((part) => {
    const [first, last = first] = part.trim().slice(2).split("-");
    return [Number.parseInt(first!, 16), Number.parseInt(last!, 16)];
  });
}

export function areIn(ranges: Ranges, letter: number): boolean {
  return ranges.some(([first, last]) => first <= letter && letter <= last);
}
