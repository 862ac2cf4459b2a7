// What is said about an item in a row: its name, its kind, its sign.
import type { Asset } from "../../data/assets.ts";
import { playlists } from "../../i18n/en/playlists.ts";
import { texts } from "../../i18n/texts.ts";
import type { IconName } from "../../ui/icon.tsx";
import type { Item, Kind } from "./model/item.ts";

const text = texts(playlists);

export const itemIcons: Readonly<Record<Kind, IconName>> = {
  image: "image",
  video: "film",
  audio: "sound",
  text: "text",
  ticker: "text",
  clock: "clock",
  qr: "grid",
  feed: "list",
  pdf: "document",
  stream: "broadcast",
  web: "globe",
  html: "globe",
};

/** The name of an item: of its file, else its text or address. @param asset null: it is gone; undefined: none, or not known yet */
export function nameOf(item: Item, asset: Asset | null | undefined): string {
  if (asset === null) return text("fileGone");
  if (asset !== undefined) return asset.name;
  const words = "text" in item ? item.text : "url" in item ? item.url : "data" in item ? item.data : undefined;
  if (words !== undefined && words.trim() !== "") return words.replaceAll(/\s+/g, " ");
  if (item.type === "clock" && item.label !== undefined) return item.label;
  return text("asset_id" in item ? "loading" : item.type);
}

/** Whether the service keeps secrets of the item that only it knows: once removed, they are lost. */
export function hasSecrets(item: Item): boolean {
  return item.type === "web" && (item.basic_auth !== undefined || Object.keys(item.headers ?? {}).length > 0);
}
