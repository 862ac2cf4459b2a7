// Hidden characters in text from people, devices and feeds: rejects them in names and removes them elsewhere.
import { z } from "zod";

/**
 * Characters that are invisible or change how the text around them is read: control characters, line and paragraph separators,
 * bidirectional embeddings, overrides and isolates and the deprecated characters after them, lone surrogates, the byte order
 * mark, noncharacters, tags. Names need some invisible characters, which are allowed: the marks LRM, RLM and ALM (Arabic,
 * Hebrew), ZWJ and ZWNJ (emoji, Hindi, Persian) and variation selectors (emoji, Japanese). Tags are allowed only in the three
 * flags that consist of them: those of England, Scotland and Wales.
 * @see Unicode Technical Standard 51, annex C; Unicode Technical Report 36
 */
const hidden = String.raw`[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u2028-\u202e\u2065-\u206f\ufeff\u{e0000}-\u{e007f}]`;
const flag = String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`;
const flags = new RegExp(flag, "gu");
const firstHidden = new RegExp(hidden, "u");
const flagOrHidden = new RegExp(`(${flag})|${hidden}`, "gu");
const lineBreaks = /\r\n|[\t\n\v\f\r\u0085\u2028\u2029]/g;

/**
 * The same rule as a pattern for the API description, as far as every tool can read it. Python's `re`, RE2, Java and ECMA-262
 * with and without `u` differ in escapes other than `\xhh` and in characters beyond the basic plane. So the pattern lists allowed
 * ranges between literal characters. It misses lone surrogates, the byte order mark, noncharacters and tags, which
 * {@link findHiddenCharacter} finds.
 */
// oxlint-disable-next-line no-control-regex -- matches everything beyond the basic plane
export const visiblePattern = new RegExp("^(?:[ -~\\xa0-\u2027\u202f-\u2064\u2070-\ufffd]|[^\\x00-\ufffd])*$");

/** The first hidden character of `text`, such as `U+202E`; null if there is none. */
export function findHiddenCharacter(text: string): string | null {
  const codePoint = firstHidden.exec(text.replace(flags, ""))?.[0].codePointAt(0);
  return codePoint === undefined ? null : `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** `text` with each hidden character replaced by `replacement`. Line breaks and tabs become spaces. */
export function removeHiddenCharacters(text: string, replacement = ""): string {
  return text.replace(lineBreaks, " ").replace(flagOrHidden, (_all, flag: string | undefined) => flag ?? replacement);
}

/** One line of at most `maxLength` UTF-16 units. Each hidden character becomes U+FFFD. */
export function cleanText(text: string, maxLength: number): string {
  // A device may send a megabyte, so cut the text before cleaning it.
  const clean = removeHiddenCharacters(text.slice(0, maxLength + 1), "\ufffd");
  if (clean.length <= maxLength && text.length <= maxLength) return clean;
  // The cut must not split a surrogate pair.
  return `${clean.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Text that a device sends about itself. It is cleaned and never rejected: the name of a Wi-Fi network must not lock out a player. */
export function deviceText(maxLength: number) {
  return z
    .string()
    .overwrite((text) => cleanText(text, maxLength))
    .max(maxLength);
}

const maxTextLength = 4_000;
const maxKeyLength = 200;
const maxDepth = 16;

/** A JSON object that a device sent, with every text cleaned: field names to 200 characters, other texts to 4,000. */
export function cleanRecord(record: Record<string, unknown>): Record<string, unknown> {
  return cleanValue(record, 0) as Record<string, unknown>;
}

function cleanValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return cleanText(value, maxTextLength);
  if (typeof value !== "object" || value === null) return value;
  if (depth === maxDepth) return null;
  if (Array.isArray(value)) return value.map((each) => cleanValue(each, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [cleanText(key, maxKeyLength), cleanValue(each, depth + 1)]));
}
