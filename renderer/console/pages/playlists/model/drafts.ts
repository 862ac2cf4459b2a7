// Items that a person begins: complete but for what only they can say. Pure.
import { addressOf } from "../../../data/typed-address.ts";
import type { OtherKind } from "./fields.ts";
import type { Item } from "./item.ts";

const pageMs = 60_000;

/** What is typed first for each kind that shows no file. */
export const firstField: Readonly<Record<OtherKind, "text" | "url" | "data" | "label">> = {
  text: "text",
  ticker: "text",
  web: "url",
  feed: "url",
  stream: "url",
  qr: "data",
  clock: "label",
};

/** A new item of a kind, with what was typed. */
export function newItem(kind: OtherKind, typed: string): Item {
  const words = typed.trim();
  switch (kind) {
    case "text":
    case "ticker":
      return { type: kind, text: words } as Item;
    case "qr":
      return { type: kind, data: words } as Item;
    case "clock":
      return { type: kind, ...(words === "" ? {} : { label: words }) } as Item;
    case "web":
      return { type: kind, url: addressOf(words), duration_ms: pageMs } as Item;
    case "feed":
      return { type: kind, url: addressOf(words) } as Item;
    case "stream":
      return {
        type: kind,
        url: addressOf(words),
        protocol: /\.m3u8(?:[?#]|$)/i.test(words) ? "hls" : "mjpeg",
        duration_ms: pageMs,
      } as Item;
  }
}

const kindOfAsset = { image: "image", video: "video", audio: "audio", document: "pdf", bundle: "html" } as const;

/** The item that plays a file; null: its bytes have not arrived. */
export function itemOfAsset({ id: asset_id, kind }: { id: string; kind: keyof typeof kindOfAsset | null }): Item | null {
  if (kind === null) return null;
  return { type: kindOfAsset[kind], asset_id, ...(kind === "bundle" ? { duration_ms: pageMs } : {}) } as Item;
}
