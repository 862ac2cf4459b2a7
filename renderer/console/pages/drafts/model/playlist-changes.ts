// The differences of two versions of a playlist: items added, removed, moved or changed, in the order of the newer one. Pure.
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { movedKeys } from "../../playlists/model/merge.ts";
import { isSameValue } from "../../playlists/model/same-value.ts";

export type Playlist = Schemas["Playlist"];
export type StoredItem = Schemas["PlaylistItem"];

/** A field that has another value. Undefined: the item does not have it. */
export interface FieldChange {
  name: string;
  before: unknown;
  after: unknown;
}

export interface ItemChange {
  key: string;
  is: "added" | "removed" | "moved" | "changed" | "same";
  /** As it is afterwards; of a removed one, as it was. */
  item: StoredItem;
  /** Its place in the playlist, from 1; null: it is not in that version. */
  from: number | null;
  to: number | null;
  /** True if it has another place among those that stay. A changed item may also be moved. */
  isMoved: boolean;
  fields: readonly FieldChange[];
}

/** All items of both versions. A removed one is at its old place, after the item that it followed. */
export function itemChanges(before: readonly StoredItem[], after: readonly StoredItem[]): ItemChange[] {
  const old = new Map(before.map((item, index) => [item.id, { item, place: index + 1 }]));
  const newIds = new Set(after.map(({ id }) => id));
  const keysOf = (items: readonly StoredItem[]): { key: string }[] => items.map(({ id }) => ({ key: id }));
  const moves = movedKeys(keysOf(before), keysOf(after));
  const changes = after.map((item, index): ItemChange => {
    const was = old.get(item.id);
    const own = { key: item.id, item, to: index + 1 };
    if (was === undefined) return { ...own, is: "added", from: null, isMoved: false, fields: [] };
    const fields = fieldChanges(was.item, item);
    const isMoved = moves.has(item.id);
    return { ...own, is: fields.length > 0 ? "changed" : isMoved ? "moved" : "same", from: was.place, isMoved, fields };
  });
  for (const [index, item] of before.entries()) {
    if (newIds.has(item.id)) continue;
    const previous = before[index - 1]?.id;
    const place = previous === undefined ? 0 : changes.findIndex(({ key }) => key === previous) + 1;
    changes.splice(place, 0, { key: item.id, is: "removed", item, from: index + 1, to: null, isMoved: false, fields: [] });
  }
  return changes;
}

/** The fields of two resources that differ, but the `without`. */
export function fieldChanges(before: object, after: object, without: readonly string[] = ["id"]): FieldChange[] {
  const [old, next] = [before as Record<string, unknown>, after as Record<string, unknown>];
  return [...new Set([...Object.keys(old), ...Object.keys(next)])]
    .filter((name) => !without.includes(name) && !isSameValue(old[name], next[name]))
    .map((name) => ({ name, before: old[name], after: next[name] }));
}

/** A row of the list: a changed item, or the number of equal items between changed ones. */
export type ItemRow = { is: "same"; key: string; count: number } | (ItemChange & { is: Exclude<ItemChange["is"], "same"> });

export function rowsOf(changes: readonly ItemChange[]): ItemRow[] {
  const rows: ItemRow[] = [];
  for (const change of changes) {
    const last = rows.at(-1);
    if (change.is !== "same") rows.push(change as ItemRow);
    else if (last?.is === "same") rows[rows.length - 1] = { ...last, count: last.count + 1 };
    else rows.push({ is: "same", key: `same ${change.key}`, count: 1 });
  }
  return rows;
}
