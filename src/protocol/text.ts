// Text that people, devices and feeds send: which characters no name may hold, and how they are taken out of what is not refused.
import { z } from "zod";

/**
 * Characters that are not shown, or that change how the text around them is read: controls, line and paragraph separators,
 * bidirectional embeddings, overrides, isolates and the deprecated ones after them, halves of surrogate pairs, the byte order mark, noncharacters, tags.
 * Not among them, since names need them: the marks LRM, RLM and ALM (Arabic, Hebrew), ZWJ and ZWNJ (emoji, Hindi, Persian) and
 * variation selectors (emoji, Japanese). Tags are let pass in the three flags that are made of them: England's, Scotland's, Wales's.
 * @see Unicode Technical Standard 51, annex C; Unicode Technical Report 36
 */
const hidden = String.raw`[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u2028-\u202e\u2065-\u206f\ufeff\u{e0000}-\u{e007f}]`;
const flag = String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`;
const flags = new RegExp(flag, "gu");
const firstHidden = new RegExp(hidden, "u");
const flagOrHidden = new RegExp(`(${flag})|${hidden}`, "gu");
const lineBreaks = /\r\n|[\t\n\v\f\r\u0085\u2028\u2029]/g;

/**
 * The same for descriptions, as far as every tool can read it: Python's `re`, RE2, Java and ECMA-262 with and without `u` differ in
 * escapes beyond `\xhh` and in what a character beyond the basic plane is. So ranges of what is allowed, whose ends are plain
 * characters; what is beyond them (halves of pairs, the byte order mark, noncharacters, tags) {@link findHiddenCharacter} finds.
 */
// oxlint-disable-next-line no-control-regex -- from there on is all that is in the basic plane
export const visiblePattern = new RegExp("^(?:[ -~\\xa0-\u2027\u202f-\u2064\u2070-\ufffd]|[^\\x00-\ufffd])*$");

/** The first character of `text` that no name may hold, as `U+202E`; null: there is none. */
export function findHiddenCharacter(text: string): string | null {
  const found = firstHidden.exec(text.replace(flags, ""))?.[0].codePointAt(0);
  return found === undefined ? null : `U+${found.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** `text` without the characters that no name may hold; `instead` stands in their place. Line breaks and tabs become spaces. */
export function removeHiddenCharacters(text: string, instead = ""): string {
  return text.replace(lineBreaks, " ").replace(flagOrHidden, (_all, kept: string | undefined) => kept ?? instead);
}

/** One line of at most `longest` UTF-16 units; U+FFFD stands for each character that no name may hold. */
export function cleanText(text: string, longest: number): string {
  // What is cut away is not looked at: a device may send a megabyte.
  const clean = removeHiddenCharacters(text.slice(0, longest + 1), "\ufffd");
  if (clean.length <= longest && text.length <= longest) return clean;
  // A cut must not halve a character of two units.
  return `${clean.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** What a device says of itself. Nothing of it is refused, since a player must not be locked out for its Wi-Fi's name: it is cleaned. */
export function deviceText(longest: number) {
  return z
    .string()
    .overwrite((text) => cleanText(text, longest))
    .max(longest);
}

const longestInside = 4_000;
const longestKey = 200;
const deepest = 16;

/** A JSON object that a device sent, with every text in it cleaned: names of fields to 200 characters, the rest to 4,000. */
export function cleanRecord(record: Record<string, unknown>): Record<string, unknown> {
  return cleanInside(record, 0) as Record<string, unknown>;
}

function cleanInside(value: unknown, depth: number): unknown {
  if (typeof value === "string") return cleanText(value, longestInside);
  if (typeof value !== "object" || value === null) return value;
  if (depth === deepest) return null;
  if (Array.isArray(value)) return value.map((each) => cleanInside(each, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [cleanText(key, longestKey), cleanInside(each, depth + 1)]));
}
