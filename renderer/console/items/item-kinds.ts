// The kinds of items in the console: sign, settings, the beginning of a new one, and how each stands in a preview.
import { dayMs, hourMs, minuteMs } from "../../../src/base/time.ts";
import type { SceneItem } from "../../../src/protocol/scene.ts";
import { addressOf } from "../data/website-address.ts";
import type { MessageKey } from "../i18n/catalogue.ts";
import type { IconName } from "../ui/icon-paths.ts";
import type { AssetKind, Field, FieldsOf } from "./fields.ts";
import type { ItemOf, Kind } from "./item.ts";

/** The inputs of a preview's scene besides its items. */
export interface PreviewFiles {
  /** The path below which the ticket opens files, without a slash at its end. */
  files: string;
  isMuted: boolean;
}

/** A kind of item in the console. */
export interface ItemKind<K extends Kind = Kind> {
  icon: IconName;
  /** The message that names the kind. */
  name: MessageKey<"playlists">;
  fields: FieldsOf<K>;
  /** Its file is a picture or has one, which stands for the whole playlist. */
  isPicture?: true;
  /** The duration of a new item, ms. Default: none, so that the service decides. */
  newDurationMs?: number;
  /** Makes a new item of the text that a person types first. Kinds without it begin with a file of the library. */
  start?: { field: FirstField; item(typed: string): Partial<ItemOf<K>> };
  /** The item in a preview. Default: as on a screen. */
  preview?(item: Extract<SceneItem, { type: K }>, files: PreviewFiles): SceneItem;
  /** The messages beside a picture of the screen, and without one, where a preview cannot run the item. */
  capture?: { picture: MessageKey<"preview", { age: string }>; none: MessageKey<"preview"> };
}

type FirstField = "text" | "url" | "data" | "label";
const pageMs = minuteMs;

const fit = { name: "fit", is: "choice", options: ["contain", "cover", "fill"], part: "look" } as const;
const color = { name: "color", is: "color", part: "look" } as const;
const background = { name: "background_color", is: "color", part: "look" } as const;
const families = ["sans", "serif", "mono", "inter", "source-serif", "roboto-slab", "playfair", "jetbrains-mono", "oswald"];
const family = { name: "font_family", is: "choice", options: families, part: "look" } as const;
const slant = { name: "font_style", is: "choice", options: ["normal", "italic"], part: "more", isOptional: true } as const;
const weight = { name: "font_weight", is: "number", min: 100, max: 900, step: 100, part: "look", isOptional: true } as const;
const size = { name: "font_size", is: "number", min: 4, max: 4_096, unit: "px", part: "look", isOptional: true } as const;
const direction = { name: "direction", is: "choice", options: ["auto", "ltr", "rtl"], part: "more" } as const;
const mute = { name: "muted", is: "switch", part: "look" } as const;
const volume = { name: "volume", is: "share", min: 0, max: 1, part: "look" } as const;
const start = { name: "start_ms", is: "time", min: 0, max: dayMs, unit: "s", part: "more" } as const;
const end = { name: "end_ms", is: "time", min: 0, max: dayMs, unit: "s", part: "more", isOptional: true } as const;
const speed = { name: "speed_px_s", is: "number", min: 10, max: 2_000, step: 10, unit: "px/s", part: "look" } as const;
const separator = { name: "separator", is: "text", most: 20, part: "more" } as const;
const language = { name: "locale", is: "language", part: "more" } as const;
const words = { name: "text", is: "text", most: 5_000, lines: true, part: "content" } as const;
const zoom = { name: "zoom", is: "share", min: 0.25, max: 5, part: "look" } as const;
const asset = <const A extends AssetKind>(kind: A) => ({ name: "asset_id", is: "asset", kinds: [kind], part: "content" }) as const;

/** The kinds of items, in the order in which people see them. */
const itemKinds: { readonly [K in Kind]: ItemKind<K> } = {
  image: {
    icon: "image",
    name: "image",
    isPicture: true,
    fields: [asset("image"), fit],
    preview: (item, { files }) => ({ ...item, src: files + item.src }),
  },
  video: {
    icon: "film",
    name: "video",
    isPicture: true,
    fields: [asset("video"), fit, mute, volume, start, end],
    preview: (item, { files, isMuted }) => ({ ...item, src: files + item.src, muted: item.muted || isMuted }),
  },
  audio: {
    icon: "sound",
    name: "audio",
    fields: [
      asset("audio"),
      { name: "artwork_asset_id", is: "asset", kinds: ["image"], part: "content", isOptional: true },
      volume,
      fit,
      { ...background, isOptional: true },
      start,
      end,
    ],
    preview(item, { files, isMuted }) {
      const artwork_src = item.artwork_src === null ? null : files + item.artwork_src;
      return { ...item, src: files + item.src, artwork_src, volume: isMuted ? 0 : item.volume };
    },
  },
  pdf: {
    icon: "document",
    name: "pdf",
    fields: [
      asset("document"),
      { name: "page_duration_ms", is: "time", min: 1_000, max: hourMs, unit: "s", part: "content" },
      background,
      { name: "first_page", is: "number", min: 1, max: 100_000, part: "more" },
      { name: "last_page", is: "number", min: 1, max: 100_000, part: "more", isOptional: true },
    ],
    preview: (item, { files }) => ({ ...item, src: files + item.src }),
  },
  html: {
    icon: "globe",
    name: "html",
    fields: [asset("bundle"), zoom, { name: "network", is: "addresses", most: 20, part: "more" }],
    newDurationMs: pageMs,
    capture: { picture: "bundleCapture", none: "bundleOnly" },
  },
  text: {
    icon: "text",
    name: "text",
    fields: [
      words,
      color,
      background,
      { name: "align", is: "choice", options: ["start", "center", "end"], part: "look" },
      family,
      weight,
      size,
      { name: "padding", is: "number", min: 0, max: 2_000, unit: "px", part: "more", isOptional: true },
      slant,
      direction,
      { ...language, isOptional: true },
    ],
    start: { field: "text", item: (text) => ({ text }) },
  },
  web: {
    icon: "globe",
    name: "web",
    fields: [
      { name: "url", is: "address", part: "content" },
      zoom,
      { name: "refresh_interval_ms", is: "time", min: 5_000, max: dayMs, unit: "min", part: "look", isOptional: true },
      { name: "basic_auth", is: "sign-in", part: "more", isOptional: true },
      { name: "headers", is: "headers", part: "more" },
      { name: "css", is: "text", most: 20_000, lines: true, part: "more", isOptional: true },
    ],
    newDurationMs: pageMs,
    start: { field: "url", item: (input) => ({ url: addressOf(input) }) },
    capture: { picture: "webCapture", none: "webOnly" },
  },
  clock: {
    icon: "clock",
    name: "clock",
    fields: [
      { name: "face", is: "choice", options: ["digital", "analog"], part: "content" },
      { name: "timezone", is: "time-zone", part: "content", isOptional: true },
      { name: "label", is: "text", most: 60, part: "content", isOptional: true },
      { name: "seconds", is: "switch", part: "look" },
      { name: "hour12", is: "switch", part: "look" },
      { name: "date", is: "switch", part: "look" },
      { name: "date_parts", is: "date-parts", part: "look" },
      color,
      background,
      family,
      weight,
      slant,
      language,
    ],
    start: { field: "label", item: (label) => (label === "" ? {} : { label }) },
  },
  ticker: {
    icon: "text",
    name: "ticker",
    fields: [words, color, background, family, weight, size, speed, separator, slant, direction, { ...language, isOptional: true }],
    start: { field: "text", item: (text) => ({ text }) },
  },
  qr: {
    icon: "grid",
    name: "qr",
    fields: [
      { name: "data", is: "text", most: 1_200, lines: true, part: "content" },
      color,
      background,
      { name: "error_correction", is: "choice", options: ["L", "M", "Q", "H"], part: "more" },
      { name: "quiet_zone", is: "number", min: 0, max: 16, unit: "modules", part: "more" },
    ],
    start: { field: "data", item: (data) => ({ data }) },
  },
  feed: {
    icon: "list",
    name: "feed",
    fields: [
      { name: "url", is: "address", part: "content" },
      { name: "style", is: "choice", options: ["cards", "ticker"], part: "content" },
      { name: "max_entries", is: "number", min: 1, max: 20, part: "content" },
      { name: "entry_duration_ms", is: "time", min: 1_000, max: 10 * minuteMs, unit: "s", part: "content" },
      { name: "summary", is: "switch", part: "look" },
      { name: "date", is: "switch", part: "look" },
      color,
      background,
      family,
      weight,
      slant,
      { ...speed, part: "more" },
      separator,
      { name: "refresh_interval_ms", is: "time", min: minuteMs, max: dayMs, unit: "min", part: "more" },
      language,
    ],
    start: { field: "url", item: (input) => ({ url: addressOf(input) }) },
  },
  stream: {
    icon: "broadcast",
    name: "stream",
    fields: [
      { name: "url", is: "address", part: "content" },
      { name: "protocol", is: "choice", options: ["hls", "mjpeg"], part: "content" },
      fit,
      mute,
      volume,
      { name: "origins", is: "addresses", most: 10, part: "more" },
    ],
    newDurationMs: pageMs,
    start: {
      field: "url",
      item: (input) => ({ url: addressOf(input), protocol: /\.m3u8(?:[?#]|$)/i.test(input) ? "hls" : "mjpeg" }),
    },
    capture: { picture: "streamCapture", none: "streamOnly" },
  },
};

export const kinds = Object.keys(itemKinds) as Kind[];
/** The kinds that begin with a typed text or address instead of a file. */
export const typedKinds = kinds.filter((kind) => itemKinds[kind].start !== undefined);

/** The kind of any item. */
export function kindOf(type: Kind): ItemKind {
  return itemKinds[type] as ItemKind;
}

/** The settings of a kind. */
export function fieldsOf(type: Kind): readonly Field[] {
  return itemKinds[type].fields;
}

/** The fields that several items of these kinds can be given together: those of all of them, except the content of each. */
export function sharedFields(all: readonly Kind[]): readonly Field[] {
  const [first, ...others] = [...new Set(all)];
  if (first === undefined) return [];
  const fields = fieldsOf(first);
  if (all.length === 1) return fields;
  const hasSame = (kind: Kind, field: Field): boolean => fieldsOf(kind).some(({ name, is }) => name === field.name && is === field.is);
  return fields.filter(
    (field) =>
      !(field.part === "content" && ["asset", "text", "address"].includes(field.is)) &&
      !["sign-in", "headers"].includes(field.is) &&
      others.every((kind) => hasSame(kind, field)),
  );
}
