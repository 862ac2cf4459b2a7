// The defaults and the faults of items, by the same schemas as the service's.
import type { z } from "zod";
import { NewPlaylistItem } from "../../../../../src/protocol/content/items.ts";
import { Transition } from "../../../../../src/protocol/content/transition.ts";
import type { Item, Kind } from "../../../items/item.ts";

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
  const fields = item as Readonly<Record<string, unknown>>;
  const complete: Record<string, unknown> = { ...fields };
  for (const [name, schema] of Object.entries(fieldSchemas.get(item.type) ?? {})) {
    if (fields[name] !== undefined) continue;
    const { success, data } = schema.safeParse(undefined);
    if (success && data !== undefined) complete[name] = data;
  }
  return complete as Item;
}

/** A transition of this type, with every default. */
export function newTransition(type: Transition["type"]): Transition {
  return Transition.parse({ type });
}

/** A fault in a field of an item. */
export interface Fault {
  field: string;
  /** The remedy, in the words that the service would use; null: the field is empty and must not be. */
  detail: string | null;
}

// With each change, all items of a playlist are asked for, and only one of them is new.
const faultCache = new WeakMap<Item, readonly Fault[]>();

/** The faults for which the service would refuse the item by itself. It knows more, such as whether a file still exists. */
export function faultsOf(item: Item): readonly Fault[] {
  const faults = faultCache.get(item) ?? findFaults(item);
  faultCache.set(item, faults);
  return faults;
}

function findFaults(item: Item): readonly Fault[] {
  const { success, error } = NewPlaylistItem.safeParse(item, { reportInput: true });
  const own = success
    ? []
    : error.issues.map((issue) => ({ field: String(issue.path[0] ?? ""), detail: isEmpty(issue) ? null : issue.message }));
  const { valid_from, valid_until } = item;
  const isReversed = valid_from !== undefined && valid_until !== undefined && Date.parse(valid_until) <= Date.parse(valid_from);
  return isReversed ? [...own, { field: "valid_until", detail: "must be after the beginning" }] : own;
}

function isEmpty({ code, input, ...issue }: z.core.$ZodIssue): boolean {
  return (code === "invalid_type" && input === undefined) || (code === "too_small" && "minimum" in issue && issue.minimum === 1);
}
