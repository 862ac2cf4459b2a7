// The name of an item in a row, and its secrets.
import type { Asset } from "../data/assets.ts";
import { texts } from "../i18n/texts.ts";
import type { Item } from "./item.ts";
import { kindOf } from "./item-kinds.ts";

const text = texts("playlists");

/** The name of an item: of its file, else its text or address. @param asset null: it is gone; undefined: none, or not known yet */
export function nameOf(item: Item, asset: Asset | null | undefined): string {
  if (asset === null) return text("fileGone");
  if (asset !== undefined) return asset.name;
  const { start, name } = kindOf(item.type);
  const words = start === undefined ? undefined : (item as { [Name in typeof start.field]?: string })[start.field];
  if (words !== undefined && words.trim() !== "") return words.replaceAll(/\s+/g, " ");
  return text("asset_id" in item ? "loading" : name);
}

/** True if the item has secrets that only the service can read: once removed, they are lost. */
export function hasSecrets(item: Item): boolean {
  return ("basic_auth" in item && item.basic_auth !== undefined) || ("headers" in item && Object.keys(item.headers ?? {}).length > 0);
}
