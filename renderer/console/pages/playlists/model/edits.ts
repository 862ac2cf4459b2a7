// The edits of a person of rows: each function returns new rows and leaves the others as they are. Pure.
import type { Item } from "../../../items/item.ts";
import type { Row } from "./rows.ts";

type Keys = ReadonlySet<string>;

/** The rows with those of `keys`, in their order, before or after another one. */
export function moveRows(rows: readonly Row[], keys: Keys, target: string, side: "before" | "after"): Row[] {
  if (keys.has(target)) return [...rows];
  const rest = rows.filter(({ key }) => !keys.has(key));
  const place = rest.findIndex(({ key }) => key === target);
  if (place === -1) return [...rows];
  return rest.toSpliced(place + (side === "after" ? 1 : 0), 0, ...rows.filter(({ key }) => keys.has(key)));
}

/** The rows with those of `keys` one place further; at the end they stay. Rows that are not beside each other each move by one. */
export function shiftRows(rows: readonly Row[], keys: Keys, by: -1 | 1): Row[] {
  const next = [...rows];
  const indexes = next.flatMap(({ key }, index) => (keys.has(key) ? [index] : []));
  for (const index of by === -1 ? indexes : indexes.toReversed()) {
    const other = index + by;
    if (other < 0 || other >= next.length || keys.has(next[other]!.key)) continue;
    [next[index], next[other]] = [next[other]!, next[index]!];
  }
  return next;
}

/** The rows with those of `keys` at the start or the end. */
export function sendRowsTo(rows: readonly Row[], keys: Keys, end: "start" | "end"): Row[] {
  const [selection, rest] = [rows.filter(({ key }) => keys.has(key)), rows.filter(({ key }) => !keys.has(key))];
  return end === "start" ? [...selection, ...rest] : [...rest, ...selection];
}

/** Two rows in each other's places. */
export function swapRows(rows: readonly Row[], one: string, other: string): Row[] {
  const [a, b] = [one, other].map((id) => rows.findIndex(({ key }) => key === id)) as [number, number];
  return a === -1 || b === -1 ? [...rows] : rows.with(a, rows[b]!).with(b, rows[a]!);
}

/** The rows without those of `keys`. */
export function removeRows(rows: readonly Row[], keys: Keys): Row[] {
  return rows.filter(({ key }) => !keys.has(key));
}

/** The rows with more of them after the row `after`; null: at the end. */
export function insertRows(rows: readonly Row[], more: readonly Row[], after: string | null): Row[] {
  const place = after === null ? -1 : rows.findIndex(({ key }) => key === after);
  return place === -1 ? [...rows, ...more] : rows.toSpliced(place + 1, 0, ...more);
}

/** The rows with copies of those of `keys` right after the last of them. @param copy makes rows with keys of their own */
export function duplicateRows(rows: readonly Row[], keys: Keys, copy: (items: readonly Item[]) => Row[]): { rows: Row[]; copies: Row[] } {
  const originals = rows.filter(({ key }) => keys.has(key));
  const copies = copy(originals.map(({ item }) => item));
  return { rows: insertRows(rows, copies, originals.at(-1)?.key ?? null), copies };
}

/** A change of some fields; undefined takes a field away. */
export type Changes = Readonly<Record<string, unknown>>;

/** The item with some fields changed. */
function itemWith(item: Item, changes: Changes): Item {
  const fields = Object.entries({ ...item, ...changes }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields) as unknown as Item;
}

/** The rows with some fields of those of `keys` changed. */
export function changeRows(rows: readonly Row[], keys: Keys, changes: Changes): Row[] {
  return rows.map((row) => (keys.has(row.key) ? { ...row, item: itemWith(row.item, changes) } : row));
}
