// The value that several items have in common in a field. Pure.
import { isSameValue } from "./same-value.ts";
import type { Item } from "../../../items/item.ts";

export interface Shared {
  /** The value of all; undefined: they have none, or differ. */
  value: unknown;
  isMixed: boolean;
}

export function sharedValue(items: readonly Item[], name: string): Shared {
  const [first, ...others] = items.map((item) => (item as unknown as Record<string, unknown>)[name]);
  const isMixed = others.some((each) => !isSameValue(each, first));
  return { value: isMixed ? undefined : first, isMixed };
}
