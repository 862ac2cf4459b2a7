// What is said about an item in a row: its name, its kind, how long it plays.
import { useQuery } from "@tanstack/react-query";
import { assetQuery, type Asset } from "../../data/assets.ts";
import { playlists } from "../../i18n/en/playlists.ts";
import { texts } from "../../i18n/texts.ts";
import type { IconName } from "../../ui/icon.tsx";
import type { NewItem } from "./playlists.ts";

const text = texts(playlists);
const defaultMs = 10_000;

export const itemIcons: Readonly<Record<NewItem["type"], IconName>> = {
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

/** The file of an item; undefined: it has none, or it is not known yet; null: it is gone. */
export function useAssetOf(item: NewItem): Asset | null | undefined {
  const id = "asset_id" in item ? item.asset_id : null;
  const { data, isError } = useQuery({ ...assetQuery(id ?? ""), enabled: id !== null });
  if (id === null) return undefined;
  return isError ? null : data;
}

/** The name of an item: of its file, else its text or address. */
export function nameOf(item: NewItem, asset: Asset | null | undefined): string {
  if (asset === null) return text("fileGone");
  if (asset !== undefined) return asset.name;
  if ("text" in item) return item.text.replaceAll(/\s+/g, " ");
  if ("url" in item) return item.url;
  if ("data" in item) return item.data;
  return text("asset_id" in item ? "loading" : item.type);
}

/** How long the item plays, as far as that is known; null: as long as the file. */
export function durationOf(item: NewItem, asset: Asset | null | undefined): number | null {
  if (item.duration_ms !== undefined) return item.duration_ms;
  if (item.type === "video" || item.type === "audio") return asset?.duration_ms ?? null;
  if (item.type === "pdf" || item.type === "feed") return null;
  return defaultMs;
}

/** Whether the item does not play in every round. Saving keeps these settings. */
export function isLimited(item: NewItem): boolean {
  const limits = [item.valid_from, item.valid_until, item.dayparts, item.max_plays_per_day, item.max_plays_per_hour];
  return limits.some((limit) => limit !== undefined);
}

let nextKey = 1;
const keys = new WeakMap<NewItem, string>();

/** A key for lists: an item that is not saved yet has no id. */
export function keyOf(item: NewItem): string {
  if (item.id !== undefined) return item.id;
  const key = keys.get(item) ?? `new-${nextKey++}`;
  keys.set(item, key);
  return key;
}
