// Merges the edits of two people of the same rows, by key and field: no edit of either is lost. Pure.
import { isSameValue } from "./same-value.ts";
import type { Item } from "../../../items/item.ts";
import type { Row } from "./rows.ts";

/** The edits of both of the same row that cannot both be kept. */
export interface Conflict {
  key: string;
  /** The item as it is named to a person: mine if there is one. */
  item: Item;
  /** `fields`: both set the same fields differently. `they-removed` a row that I changed or moved. `i-removed` one that they changed. */
  is: "fields" | "they-removed" | "i-removed";
  /** The fields that both set differently. */
  fields: readonly string[];
}

export interface Merged {
  /** Both together. Where there is a conflict, a change wins over a removal, and mine over theirs. */
  rows: Row[];
  conflicts: readonly Conflict[];
}

type ByKey = ReadonlyMap<string, Row>;
const byKey = (rows: readonly Row[]): ByKey => new Map(rows.map((row) => [row.key, row]));

/** @param base the rows that both began with */
export function merge(base: readonly Row[], mine: readonly Row[], theirs: readonly Row[]): Merged {
  if (isSameRows(mine, base)) return { rows: [...theirs], conflicts: [] };
  if (isSameRows(theirs, base)) return { rows: [...mine], conflicts: [] };
  const [inBase, inMine, inTheirs] = [byKey(base), byKey(mine), byKey(theirs)];
  const moves = movedKeys(base, mine);
  const conflicts: Conflict[] = [];
  const mergedRows = new Map<string, Row>();
  for (const key of new Set([...inTheirs.keys(), ...inMine.keys()])) {
    const [old, own, other] = [inBase.get(key), inMine.get(key), inTheirs.get(key)];
    if (old === undefined) mergedRows.set(key, own ?? other!);
    else if (own !== undefined && other !== undefined) mergedRows.set(key, mergeRow(old, own, other, conflicts));
    else if (own !== undefined) {
      const isChanged = !isSameValue(own.item, old.item);
      if (isChanged) mergedRows.set(key, own);
      if (isChanged || moves.has(key)) conflicts.push({ key, item: own.item, is: "they-removed", fields: [] });
    } else if (!isSameValue(other!.item, old.item)) {
      mergedRows.set(key, other!);
      conflicts.push({ key, item: other!.item, is: "i-removed", fields: [] });
    }
  }
  const order = mergeOrder(mine, theirs, mergedRows, new Set([...moves, ...mine.flatMap(({ key }) => (inTheirs.has(key) ? [] : [key]))]));
  return { rows: order.map((key) => mergedRows.get(key)!), conflicts };
}

function mergeRow(old: Row, own: Row, other: Row, conflicts: Conflict[]): Row {
  if (isSameValue(own.item, old.item)) return other;
  if (isSameValue(other.item, old.item) || isSameValue(own.item, other.item)) return own;
  const [before, ours, others] = [old.item, own.item, other.item].map((item) => item as unknown as Record<string, unknown>) as [
    Record<string, unknown>,
    Record<string, unknown>,
    Record<string, unknown>,
  ];
  const fields: Record<string, unknown> = {};
  const conflictFields: string[] = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(ours), ...Object.keys(others)])) {
    const isMine = !isSameValue(ours[name], before[name]);
    const isTheirs = !isSameValue(others[name], before[name]);
    if (isMine && isTheirs && !isSameValue(ours[name], others[name])) conflictFields.push(name);
    const value = isMine ? ours[name] : others[name];
    if (value !== undefined) fields[name] = value;
  }
  if (conflictFields.length > 0) conflicts.push({ key: old.key, item: own.item, is: "fields", fields: conflictFields });
  return { key: old.key, item: fields as unknown as Item };
}

/** Their order, with the rows that I moved or added after the row that each follows in mine. */
function mergeOrder(mine: readonly Row[], theirs: readonly Row[], rowsByKey: ByKey, own: ReadonlySet<string>): string[] {
  const order = theirs.map(({ key }) => key).filter((key) => rowsByKey.has(key) && !own.has(key));
  let last: string | null = null;
  for (const { key } of mine) {
    if (!rowsByKey.has(key)) continue;
    if (own.has(key)) order.splice(last === null ? 0 : order.indexOf(last) + 1, 0, key);
    last = key;
  }
  return order;
}

/** The fewest rows of `base` whose move makes the order of `rows`: those outside of a longest increasing sequence. */
export function movedKeys(base: readonly Pick<Row, "key">[], rows: readonly Pick<Row, "key">[]): Set<string> {
  const places = new Map(base.map(({ key }, index) => [key, index]));
  const commonRows = rows.filter(({ key }) => places.has(key));
  // By length of a sequence: the index in `known` of the smallest place that ends one.
  const ends: number[] = [];
  const before: (number | undefined)[] = [];
  const placeAt = (index: number): number => places.get(commonRows[index]!.key)!;
  for (let index = 0; index < commonRows.length; index += 1) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (placeAt(ends[middle]!) < placeAt(index)) low = middle + 1;
      else high = middle;
    }
    before[index] = ends[low - 1];
    ends[low] = index;
  }
  const inSequence = new Set<string>();
  for (let index = ends.at(-1); index !== undefined; index = before[index]) inSequence.add(commonRows[index]!.key);
  return new Set(commonRows.flatMap(({ key }) => (inSequence.has(key) ? [] : [key])));
}

/** True if both lists have the same rows in the same order. */
export function isSameRows(one: readonly Row[], other: readonly Row[]): boolean {
  return (
    one.length === other.length &&
    one.every((row, index) => row === other[index] || (row.key === other[index]!.key && isSameValue(row.item, other[index]!.item)))
  );
}
