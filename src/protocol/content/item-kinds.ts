// The kinds of items: the fields of each in playlists and on the player's page, the assets it shows and how long it lasts.
import { z } from "zod";
import { dayMs, minuteMs } from "../../base/time.ts";
import {
  AudioStyle,
  ClockStyle,
  FeedStyle,
  ImageStyle,
  PdfStyle,
  QrStyle,
  StreamStyle,
  TextStyle,
  TickerStyle,
  VideoStyle,
} from "./item-styles.ts";
import { contrastOf, maxQrBytes, minContrast } from "./qr-legibility.ts";
import { HtmlFields, WebFields } from "./web-items.ts";
import { id, Pixels, RawInstant, SpanMs, TimeZone } from "../common.ts";

/** The kinds of assets. */
export const assetKinds = ["image", "video", "audio", "document", "bundle"] as const;
export type AssetKind = (typeof assetKinds)[number];

/** The duration of items that have none of their own. */
export const defaultItemDurationMs = 10_000;
// The shortest duration that an item may be given.
const minDurationMs = 100;

const DurationMs = z.int().min(minDurationMs).max(dayMs).describe("How long the item is shown, 100 ms to 24 h");
const duration = {
  duration_ms: DurationMs.optional().describe("How long the item is shown, 100 ms to 24 h. Default: the duration of its media, or 10 s"),
};
/** A URL that players fetch. It must not contain secrets, because everybody who may read the playlist sees it. */
const Url = z
  .url({ protocol: /^https?$/, error: "must be an http or https address" })
  .max(2_048)
  .refine((url) => !/^[^/]*\/\/[^/?#]*@/.test(url), "must not contain a user name or password");

/** A path on the page's own origin. */
export const Src = z.string().startsWith("/");
export const IsSvg = z.boolean().optional().describe("Whether it is an SVG, which gets the page's fonts. Default: it is not");
const media = { src: Src, media_duration_ms: SpanMs.nullable() };
const site = {
  url: z.string().describe("For a bundle: where the player serves it"),
  zoom: z.number().min(0).max(100),
  version: z.string().describe("Changes with every change of the item"),
};

/** One entry of a feed: plain text without markup. It may contain HTML character references. */
export const FeedEntry = z.object({
  title: z.string(),
  summary: z.string(),
  published_at: RawInstant.nullable().describe("UTC ms"),
});
export type FeedEntry = z.infer<typeof FeedEntry>;

/** The length of an item's file. */
export interface MediaLength {
  duration_ms: number | null;
  page_count?: number | undefined;
}

/** A feed that an item shows, and how often players fetch it. */
export interface ItemFeed {
  url: string;
  refresh_interval_ms: number;
}

/** An error in one field of an item. */
export interface ItemFault {
  field: string;
  message: string;
}

type Fields<F extends z.ZodRawShape> = z.output<z.ZodObject<F>>;

/** The facts about a kind of item that playlists, players and pages share. */
interface ItemKind<F extends z.ZodRawShape = z.ZodRawShape, S extends z.ZodRawShape = z.ZodRawShape> {
  /** The fields in playlists, besides those that all items have. */
  fields: F;
  /** The fields on the player's page, besides the item's ids. */
  scene: S;
  /** The fields that hold the id of an asset, each with the kind of asset. */
  assets?: { readonly [Name in keyof F]?: AssetKind };
  /** The duration of an item that is given none. Without this rule it is the duration of its file, else ten seconds. */
  durationMs?(item: Fields<F>, file: MediaLength | null): number;
  faults?(item: Fields<F>): ItemFault[];
  feed?(item: Fields<F>): ItemFeed;
}

/** Infers the types of a kind from its schemas. */
function kind<F extends z.ZodRawShape, S extends z.ZodRawShape>(definition: ItemKind<F, S>): ItemKind<F, S> {
  return definition;
}

/** The kinds of items, in the order of the API's description. */
export const itemKinds = {
  image: kind({
    fields: { asset_id: id("ast"), ...duration, ...ImageStyle },
    scene: { src: Src, is_svg: IsSvg, ...ImageStyle },
    assets: { asset_id: "image" },
  }),
  video: kind({
    fields: { asset_id: id("ast"), ...duration, ...VideoStyle },
    scene: { ...media, ...VideoStyle },
    assets: { asset_id: "video" },
    durationMs(item, file) {
      const ms = trimmedMs(item, file);
      // A video of a frame or two is shown like an image: its own duration is too short to be noticed.
      return ms < minDurationMs ? defaultItemDurationMs : ms;
    },
    faults: trimFaults,
  }),
  audio: kind({
    fields: {
      asset_id: id("ast"),
      artwork_asset_id: id("ast").optional().describe("An image that is shown while the audio plays"),
      ...duration,
      ...AudioStyle,
    },
    scene: { ...media, artwork_src: Src.nullable(), artwork_is_svg: IsSvg, ...AudioStyle },
    assets: { asset_id: "audio", artwork_asset_id: "image" },
    durationMs: trimmedMs,
    faults: trimFaults,
  }),
  text: kind({
    fields: { ...duration, ...TextStyle },
    scene: { ...TextStyle, font_size: Pixels.nullable().describe("In layout pixels; null: as large as fits") },
  }),
  ticker: kind({ fields: { ...duration, ...TickerStyle }, scene: TickerStyle }),
  clock: kind({
    fields: { ...duration, timezone: TimeZone.optional().describe("Default: the player's time zone"), ...ClockStyle },
    scene: { timezone: z.string(), ...ClockStyle },
  }),
  qr: kind({ fields: { ...duration, ...QrStyle }, scene: QrStyle, faults: qrFaults }),
  feed: kind({
    fields: {
      url: Url.describe("An RSS, Atom, RDF or JSON feed. Each player fetches it"),
      duration_ms: DurationMs.optional().describe("Default: `max_entries` × `entry_duration_ms`"),
      max_entries: z.int().min(1).max(20).default(10),
      refresh_interval_ms: z
        .int()
        .min(minuteMs)
        .max(dayMs)
        .default(10 * minuteMs),
      ...FeedStyle,
    },
    scene: {
      timezone: z.string(),
      title: z.string(),
      entries: z.array(FeedEntry).describe("Empty while the player has no copy of the feed"),
      trouble: z.string().nullable().describe("Why there are no entries"),
      ...FeedStyle,
    },
    durationMs: ({ max_entries, entry_duration_ms }) => max_entries * entry_duration_ms,
    feed: ({ url, refresh_interval_ms }) => ({ url, refresh_interval_ms }),
  }),
  pdf: kind({
    fields: {
      asset_id: id("ast"),
      duration_ms: DurationMs.optional().describe("Default: `page_duration_ms` for each page shown"),
      ...PdfStyle,
    },
    scene: { src: Src, ...PdfStyle },
    assets: { asset_id: "document" },
    durationMs(item, file) {
      const last = Math.min(item.last_page ?? Number.POSITIVE_INFINITY, file?.page_count ?? Number.POSITIVE_INFINITY);
      return last < item.first_page || last === Number.POSITIVE_INFINITY
        ? defaultItemDurationMs
        : (last - item.first_page + 1) * item.page_duration_ms;
    },
    faults: ({ first_page, last_page }) =>
      last_page !== undefined && last_page < first_page ? [{ field: "last_page", message: "must not come before first_page" }] : [],
  }),
  stream: kind({
    fields: {
      url: Url,
      origins: z
        .array(Url)
        .max(10)
        .default([])
        .describe(
          "More origins that the stream's parts come from, such as `https://cdn.example.com`. The player fetches nothing from other origins",
        ),
      ...duration,
      ...StreamStyle,
    },
    scene: {
      src: Src.describe("Where the player serves the stream. The query parameter `url` selects one of its parts"),
      url: z.string().describe("The stream's own URL. Relative URLs of its parts are resolved against it"),
      ...StreamStyle,
    },
  }),
  web: kind({ fields: { ...duration, ...WebFields }, scene: { ...site, refresh_interval_ms: SpanMs.nullable() } }),
  html: kind({ fields: { asset_id: id("ast"), ...duration, ...HtmlFields }, scene: site, assets: { asset_id: "bundle" } }),
};

export type ItemType = keyof typeof itemKinds;
/** The types of the schemas of all kinds, each with `More` fields. */
export type SchemaOfKinds<Part extends "fields" | "scene", More extends z.ZodRawShape, Config extends z.core.$ZodObjectConfig> = {
  [T in ItemType]: z.ZodObject<{ type: z.ZodLiteral<T> } & (typeof itemKinds)[T][Part] & More, Config>;
}[ItemType];
export const itemTypes = Object.keys(itemKinds) as ItemType[];

/** The type of item that shows an asset of each kind. */
export const typeOfAsset = {
  image: "image",
  video: "video",
  audio: "audio",
  document: "pdf",
  bundle: "html",
} as const satisfies Record<AssetKind, ItemType>;

/** The kind of an item of any type. */
export function kindOf(type: ItemType): ItemKind {
  return itemKinds[type];
}

interface Trim {
  start_ms: number;
  end_ms?: number | undefined;
}

function trimmedMs({ start_ms, end_ms }: Trim, file: MediaLength | null): number {
  const end = end_ms ?? file?.duration_ms ?? null;
  return end === null || end <= start_ms ? defaultItemDurationMs : end - start_ms;
}

function trimFaults({ start_ms, end_ms }: Trim): ItemFault[] {
  return end_ms !== undefined && end_ms < start_ms + 100 ? [{ field: "end_ms", message: "must be at least 100 ms after start_ms" }] : [];
}

/** Why no camera can read a code on any screen. The size of its modules is checked by the player's page, which knows it. */
function qrFaults({ data, color, background_color, error_correction }: Fields<typeof QrStyle>): ItemFault[] {
  const faults: ItemFault[] = [];
  const bytes = new TextEncoder().encode(data).length;
  const maxBytes = maxQrBytes[error_correction];
  if (bytes > maxBytes) {
    const message = `has ${bytes} bytes, but a code with error_correction ${error_correction} holds ${maxBytes}: shorten it or lower error_correction`;
    faults.push({ field: "data", message });
  }
  const contrast = contrastOf(color, background_color);
  if (contrast < minContrast) {
    const message = `has a contrast of ${contrast.toFixed(1)} to color, cameras need ${minContrast}: choose colors that differ more`;
    faults.push({ field: "background_color", message });
  }
  return faults;
}
