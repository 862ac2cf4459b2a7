// Bounds of a JSON value from outside. They hold before a schema examines the value, since that takes time for each entry.

/** How deep lists and objects may contain each other. The deepest document of the API has 12. */
export const mostJsonDepth = 64;
/** The most entries of one list, and the most fields of one object. The longest list of the API has as many. */
export const mostJsonEntries = 10_000;
/** The most values in all: entries and fields of all lists and objects together. */
export const mostJsonValues = 100_000;

/** Which bound a value exceeds. */
export interface JsonExcess {
  /** To the list or the object that exceeds it; empty for the whole value. */
  path: readonly PropertyKey[];
  /** What is too much, and the remedy. */
  detail: string;
}

interface Level {
  /** The entries of a list, or the fields of an object. */
  values: readonly unknown[];
  /** The names of an object's fields; null for a list. */
  names: readonly string[] | null;
  /** Which of `values` is examined next. */
  next: number;
}

/** The bound that a parsed JSON value exceeds; null if it exceeds none. Without recursion: the value may be of any depth. */
export function findJsonExcess(json: unknown): JsonExcess | null {
  const open: Level[] = [];
  let [value, count] = [json, 0];
  for (;;) {
    if (typeof value === "object" && value !== null) {
      if (open.length === mostJsonDepth) return { path: [], detail: `is nested more than ${mostJsonDepth} deep: send it flatter` };
      const names = Array.isArray(value) ? null : Object.keys(value);
      if ((names ?? (value as unknown[])).length > mostJsonEntries) {
        const path = open.map((level) => level.names?.[level.next - 1] ?? level.next - 1);
        return { path, detail: tooMany(mostJsonEntries, names === null ? "entries" : "fields") };
      }
      const values = names === null ? (value as unknown[]) : Object.values(value);
      count += values.length;
      if (count > mostJsonValues) return { path: [], detail: tooMany(mostJsonValues, "values in all") };
      open.push({ values, names, next: 0 });
    }
    while (open.length > 0 && open.at(-1)!.next === open.at(-1)!.values.length) open.pop();
    const level = open.at(-1);
    if (level === undefined) return null;
    value = level.values[level.next];
    level.next += 1;
  }
}

function tooMany(most: number, what: string): string {
  return `has more than ${most.toLocaleString("en")} ${what}: send fewer at a time`;
}
