// Bounds of JSON from outside. They hold before it is parsed and examined by a schema, since both take time for each entry.

/** How deep lists and objects may contain each other. */
export const mostJsonDepth = 64;
/** The most entries of one list, and the most fields of one object. The longest list of the API has as many. */
export const mostJsonEntries = 10_000;
/** The most values in all: entries and fields of all lists and objects together. */
const mostJsonValues = 100_000;

/** Which bound a text exceeds. */
export interface JsonExcess {
  /** To the list or the object that exceeds it; empty for the whole text. */
  path: readonly PropertyKey[];
  /** The excess, and the remedy. */
  detail: string;
}

/** A list or an object that is not closed yet. */
interface Level {
  isList: boolean;
  commas: number;
  /** Where the name of the newest field is written, with its quotation marks. */
  name: { start: number; end: number };
}

const [quote, comma, colon, backslash] = [0x22, 0x2c, 0x3a, 0x5c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The first bound that a JSON text exceeds; null if it exceeds none. It need not be valid: its parser reports syntax errors. */
export function findJsonExcess(text: string): JsonExcess | null {
  const open: Level[] = [];
  let level: Level | undefined;
  let values = 0;
  let name = { start: 0, end: 0 };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfText(text, at);
      name = { start: at, end };
      at = end;
    } else if (code === colon) {
      if (level !== undefined) level.name = name;
    } else if (code === comma) {
      if (level === undefined) continue;
      level.commas += 1;
      values += 1;
      if (level.commas === mostJsonEntries) {
        const path = open.slice(0, -1).map((each) => (each.isList ? each.commas : text.slice(each.name.start + 1, each.name.end)));
        return { path, detail: tooMany(mostJsonEntries, level.isList ? "entries" : "fields") };
      }
    } else if (code === openList || code === openObject) {
      if (open.length === mostJsonDepth) return { path: [], detail: `is nested more than ${mostJsonDepth} deep: send it flatter` };
      level = { isList: code === openList, commas: 0, name };
      open.push(level);
      values += 1;
    } else if (code === closeList || code === closeObject) {
      open.pop();
      level = open.at(-1);
    }
    if (values > mostJsonValues) return { path: [], detail: tooMany(mostJsonValues, "values in all") };
  }
  return null;
}

/** Where the quotation mark is that closes the one at `start`. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    if (code === backslash) at += 1;
  }
  return text.length;
}

function tooMany(most: number, what: string): string {
  return `has more than ${most.toLocaleString("en")} ${what}: send fewer at a time`;
}
