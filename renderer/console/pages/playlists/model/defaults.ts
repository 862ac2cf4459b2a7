// The defaults and the faults of items, by the same schemas as the service's.
import { NewPlaylistItem } from "../../../../../src/protocol/content/items.ts";
import { Transition } from "../../../../../src/protocol/content/transition.ts";
import type { Item, Kind } from "./rows.ts";

/** A field of a schema, as far as defaults need it. */
interface FieldSchema {
  safeParse(value: unknown): { success: boolean; data?: unknown };
}

/** The fields of each kind by their schemas. */
export const fieldSchemas: ReadonlyMap<Kind, Readonly<Record<string, FieldSchema>>> = new Map(
  NewPlaylistItem.options.map(({ shape }) => [shape.type.value, shape]),
);

/** The item with every default that the service would add. It may be incomplete otherwise. */
export function withDefaults(item: Item): Item {
  const given = item as Readonly<Record<string, unknown>>;
  const complete: Record<string, unknown> = { ...given };
  for (const [name, schema] of Object.entries(fieldSchemas.get(item.type) ?? {})) {
    if (given[name] !== undefined) continue;
    const { success, data } = schema.safeParse(undefined);
    if (success && data !== undefined) complete[name] = data;
  }
  return complete as Item;
}

/** A transition of this type, with every default. */
export function newTransition(type: Transition["type"]): Transition {
  return Transition.parse({ type });
}

/** What is wrong with an item: a field's name, and what to do in the words that the service would use. */
export interface Fault {
  field: string;
  detail: string;
}

/** What the service would refuse of the item by itself. It knows more, such as whether a file still exists. */
export function faultsOf(item: Item): readonly Fault[] {
  const { success, error } = NewPlaylistItem.safeParse(item);
  const own = success ? [] : error.issues.map(({ path, message }) => ({ field: String(path[0] ?? ""), detail: message }));
  const { valid_from, valid_until } = item;
  const isReversed = valid_from !== undefined && valid_until !== undefined && Date.parse(valid_until) <= Date.parse(valid_from);
  return isReversed ? [...own, { field: "valid_until", detail: "must be after the beginning" }] : own;
}
