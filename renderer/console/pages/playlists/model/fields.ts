// The settings of each kind of item: one typed table, from which the editor makes its forms. Pure.
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import type { ItemOf, Kind } from "./item.ts";

/** The kind of a file. */
type AssetKind = NonNullable<Schemas["Asset"]["kind"]>;

/** How a field is edited. Numbers are those of the API, but times, which are shown in seconds or minutes. */
export type FieldType =
  | { is: "text"; most: number; lines?: true }
  | { is: "address" }
  | { is: "choice"; options: readonly string[] }
  | { is: "switch" }
  | { is: "number"; min: number; max: number; step?: number; unit?: "px" | "px/s" | "modules" | "pages" }
  | { is: "time"; min: number; max: number; unit: "s" | "min" }
  /** A factor that is shown in percent. */
  | { is: "share"; min: number; max: number }
  | { is: "color" }
  | { is: "asset"; kinds: readonly AssetKind[] }
  | { is: "time-zone" }
  | { is: "language" }
  | { is: "addresses"; most: number }
  | { is: "headers" }
  | { is: "sign-in" }
  | { is: "date-parts" };

/** `content`: what is shown. `look`: how. `more`: what few people need. */
export type FieldPart = "content" | "look" | "more";

export type Field<N extends string = string> = FieldType & {
  name: N;
  part: FieldPart;
  /** It can be left out; the service then decides. */
  isOptional?: true;
};

type FieldsOf<K extends Kind> = readonly Field<Exclude<keyof ItemOf<K>, CommonField | "type"> & string>[];

/** The fields that every item has; see `rules-form.tsx`. */
export type CommonField =
  | "id"
  | "duration_ms"
  | "valid_from"
  | "valid_until"
  | "dayparts"
  | "conditions"
  | "max_plays_per_hour"
  | "max_plays_per_day"
  | "transition";

const fit = { name: "fit", is: "choice", options: ["contain", "cover", "fill"], part: "look" } as const;
const color = { name: "color", is: "color", part: "look" } as const;
const background = { name: "background_color", is: "color", part: "look" } as const;
const families = ["sans", "serif", "mono", "inter", "source-serif", "roboto-slab", "playfair", "jetbrains-mono", "oswald"];
const family = { name: "font_family", is: "choice", options: families, part: "look" } as const;
const slant = { name: "font_style", is: "choice", options: ["normal", "italic"], part: "more", isOptional: true } as const;
const weight = { name: "font_weight", is: "number", min: 100, max: 900, step: 100, part: "look", isOptional: true } as const;
const size = { name: "font_size", is: "number", min: 4, max: 4_096, unit: "px", part: "look", isOptional: true } as const;
const direction = { name: "direction", is: "choice", options: ["auto", "ltr", "rtl"], part: "more" } as const;
const muted = { name: "muted", is: "switch", part: "look" } as const;
const volume = { name: "volume", is: "share", min: 0, max: 1, part: "look" } as const;
const start = { name: "start_ms", is: "time", min: 0, max: 86_400_000, unit: "s", part: "more" } as const;
const end = { name: "end_ms", is: "time", min: 0, max: 86_400_000, unit: "s", part: "more", isOptional: true } as const;
const speed = { name: "speed_px_s", is: "number", min: 10, max: 2_000, step: 10, unit: "px/s", part: "look" } as const;
const separator = { name: "separator", is: "text", most: 20, part: "more" } as const;
const language = { name: "locale", is: "language", part: "more" } as const;
const words = { name: "text", is: "text", most: 5_000, lines: true, part: "content" } as const;
const zoom = { name: "zoom", is: "share", min: 0.25, max: 5, part: "look" } as const;
const asset = <const A extends AssetKind>(kind: A) => ({ name: "asset_id", is: "asset", kinds: [kind], part: "content" }) as const;

export const kindFields: { readonly [K in Kind]: FieldsOf<K> } = {
  image: [asset("image"), fit],
  video: [asset("video"), fit, muted, volume, start, end],
  audio: [
    asset("audio"),
    { name: "artwork_asset_id", is: "asset", kinds: ["image"], part: "content", isOptional: true },
    volume,
    fit,
    { ...background, isOptional: true },
    start,
    end,
  ],
  text: [
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
  ticker: [words, color, background, family, weight, size, speed, separator, slant, direction, { ...language, isOptional: true }],
  clock: [
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
  qr: [
    { name: "data", is: "text", most: 1_200, lines: true, part: "content" },
    color,
    background,
    { name: "error_correction", is: "choice", options: ["L", "M", "Q", "H"], part: "more" },
    { name: "quiet_zone", is: "number", min: 0, max: 16, unit: "modules", part: "more" },
  ],
  feed: [
    { name: "url", is: "address", part: "content" },
    { name: "style", is: "choice", options: ["cards", "ticker"], part: "content" },
    { name: "max_entries", is: "number", min: 1, max: 20, part: "content" },
    { name: "entry_duration_ms", is: "time", min: 1_000, max: 600_000, unit: "s", part: "content" },
    { name: "summary", is: "switch", part: "look" },
    { name: "date", is: "switch", part: "look" },
    color,
    background,
    family,
    weight,
    slant,
    { ...speed, part: "more" },
    separator,
    { name: "refresh_interval_ms", is: "time", min: 60_000, max: 86_400_000, unit: "min", part: "more" },
    language,
  ],
  pdf: [
    asset("document"),
    { name: "page_duration_ms", is: "time", min: 1_000, max: 3_600_000, unit: "s", part: "content" },
    background,
    { name: "first_page", is: "number", min: 1, max: 100_000, part: "more" },
    { name: "last_page", is: "number", min: 1, max: 100_000, part: "more", isOptional: true },
  ],
  stream: [
    { name: "url", is: "address", part: "content" },
    { name: "protocol", is: "choice", options: ["hls", "mjpeg"], part: "content" },
    fit,
    muted,
    volume,
    { name: "origins", is: "addresses", most: 10, part: "more" },
  ],
  web: [
    { name: "url", is: "address", part: "content" },
    zoom,
    { name: "refresh_interval_ms", is: "time", min: 5_000, max: 86_400_000, unit: "min", part: "look", isOptional: true },
    { name: "basic_auth", is: "sign-in", part: "more", isOptional: true },
    { name: "headers", is: "headers", part: "more" },
    { name: "css", is: "text", most: 20_000, lines: true, part: "more", isOptional: true },
  ],
  html: [asset("bundle"), zoom, { name: "network", is: "addresses", most: 20, part: "more" }],
};

/** The kinds in the order in which people see them. */
export const kinds = ["image", "video", "audio", "text", "ticker", "clock", "qr", "feed", "pdf", "stream", "web", "html"] as const;

/** The kinds that show a file of the library. */
export type FileKind = "image" | "video" | "audio" | "pdf" | "html";
export type OtherKind = Exclude<Kind, FileKind>;
export const otherKinds: readonly OtherKind[] = ["text", "web", "clock", "ticker", "qr", "feed", "stream"];

/** The fields that several items of these kinds can be given together: those of all of them, but not what each shows. */
export function sharedFields(all: readonly Kind[]): readonly Field[] {
  const [first, ...others] = [...new Set(all)];
  if (first === undefined) return [];
  const fields: readonly Field[] = kindFields[first];
  if (all.length === 1) return fields;
  const hasSame = (kind: Kind, field: Field): boolean =>
    (kindFields[kind] as readonly Field[]).some(({ name, is }) => name === field.name && is === field.is);
  return fields.filter(
    (field) =>
      !(field.part === "content" && ["asset", "text", "address"].includes(field.is)) &&
      !["sign-in", "headers"].includes(field.is) &&
      others.every((kind) => hasSame(kind, field)),
  );
}
