// The rows of the editor: items with keys that stay the same while an item is new, is saved, and is read again. Pure.
import { withDefaults } from "./defaults.ts";
import type { Item, StoredItem } from "../../../items/item.ts";
import { isSameValue } from "./same-value.ts";

/** One row. The item has no `id`: {@link RowKeys} knows it. Equal rows are the same object wherever possible. */
export interface Row {
  readonly key: string;
  readonly item: Item;
}

/** Knows which key belongs to which stored item. */
export class RowKeys {
  readonly #ids = new Map<string, string>();
  readonly #keys = new Map<string, string>();
  #rowsByKey: ReadonlyMap<string, Row> = new Map();
  #next = 1;

  /** The rows of stored items: the same objects as the last time for those that have not changed. */
  rowsOf(items: readonly StoredItem[]): Row[] {
    const rows = items.map(({ id, ...item }): Row => {
      const key = this.#keys.get(id) ?? id;
      this.#ids.set(key, id);
      const before = this.#rowsByKey.get(key);
      return before !== undefined && isSameValue(before.item, item) ? before : { key, item: item as Item };
    });
    this.#rowsByKey = new Map(rows.map((row) => [row.key, row]));
    return rows;
  }

  /** New rows, complete with the defaults that the service would give them, so that saving changes nothing in them. */
  newRows(items: readonly Item[]): Row[] {
    return items.map((item) => {
      const { id: _, ...fields } = item;
      return { key: `new-${this.#next++}`, item: withDefaults(fields as Item) };
    });
  }

  /** Notes the ids that saved rows got. The service answers with the items in the order in which they were sent. */
  learn(rows: readonly Row[], response: readonly StoredItem[]): void {
    for (const [index, { key }] of rows.entries()) {
      const id = response[index]?.id;
      if (id === undefined) continue;
      this.#ids.set(key, id);
      this.#keys.set(id, key);
    }
  }

  /** The items to send. An item that is no longer stored, such as one that was removed and brought back, is sent as a new one. */
  itemsOf(rows: readonly Row[], base: readonly StoredItem[]): Item[] {
    const baseIds = new Set<string>(base.map(({ id }) => id));
    return rows.map(({ key, item }) => {
      const id = this.#ids.get(key);
      return id !== undefined && baseIds.has(id) ? { ...item, id } : item;
    });
  }
}
