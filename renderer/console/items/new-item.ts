// New items, complete except for the value that only the person can give. Pure.
import { typeOfAsset } from "../../../src/protocol/content/item-kinds.ts";
import type { AssetKind } from "./fields.ts";
import type { Item, Kind } from "./item.ts";
import { kindOf } from "./item-kinds.ts";

/** A new item of a kind, made of the typed text. */
export function newItem(type: Kind, input: string): Item {
  const { start, newDurationMs } = kindOf(type);
  return withDuration({ type, ...start?.item(input.trim()) }, newDurationMs);
}

/** The item that plays a file; null: its bytes have not arrived. */
export function itemOfAsset({ id: asset_id, kind }: { id: string; kind: AssetKind | null }): Item | null {
  if (kind === null) return null;
  const type = typeOfAsset[kind];
  return withDuration({ type, asset_id }, kindOf(type).newDurationMs);
}

function withDuration(item: object, duration_ms: number | undefined): Item {
  return { ...item, ...(duration_ms === undefined ? {} : { duration_ms }) } as Item;
}
