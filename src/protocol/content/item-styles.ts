// How each type of item looks and behaves: the fields that playlists and the player's page share.
import { z } from "zod";
import { dayMs, hourMs, minuteMs } from "../../base/time.ts";
import { Color } from "../common.ts";

/** How an image fills its zone: whole with bars, cropped, or stretched. */
const Fit = z.enum(["contain", "cover", "fill"]);

const Direction = z.enum(["auto", "ltr", "rtl"]).default("auto").describe("`auto`: the direction of the first letter that has one");
const Milliseconds = z.int().min(0).max(dayMs);
const fontSize = z.int().min(4).max(4_096).optional().describe("In layout pixels. Default: as large as the zone allows");
const LanguageTag = z.string().max(35).refine(isLocale, "must be a BCP 47 language tag such as en-GB");
const Locale = LanguageTag.default("en-GB");

/** The font families that the player ships, each with a fallback for every script. Installed fonts are never used. */
export const fontFamilies = [
  "sans",
  "serif",
  "mono",
  "inter",
  "source-serif",
  "roboto-slab",
  "playfair",
  "jetbrains-mono",
  "oswald",
] as const;
const FontFamily = z.enum(fontFamilies, {
  error: `must be one of ${fontFamilies.join(", ")}, the fonts that every screen has. For another font use an SVG with its text as paths, or a bundle (html) that brings the font`,
});
export type FontFamily = z.infer<typeof FontFamily>;
const font = {
  font_family: FontFamily.default("sans").describe(
    "sans, serif and mono are Noto, inter is Inter, source-serif Source Serif 4, roboto-slab Roboto Slab, playfair Playfair Display, jetbrains-mono JetBrains Mono, oswald Oswald. Letters that a family lacks are drawn in Noto",
  ),
  font_weight: z.int().min(100).max(900).optional().describe("400 is regular, 700 is bold"),
  font_style: z.enum(["normal", "italic"]).optional().describe("Default: normal. Families without an italic are slanted"),
};
const language = {
  locale: LanguageTag.optional().describe(
    "The language of the text, a BCP 47 tag: it decides the forms of Chinese characters (zh-Hans, zh-Hant, ja, ko). Default: found by its letters",
  ),
};
const lightOnDark = { color: Color.default("#ffffff"), background_color: Color.default("#000000") };
const sound = {
  muted: z.boolean().default(false),
  volume: z.number().min(0).max(1).default(1).describe("0 is silent, 1 is the recorded volume"),
};
const trim = {
  start_ms: Milliseconds.default(0).describe("Where in the file playback starts"),
  end_ms: Milliseconds.optional().describe("Where in the file playback ends. Default: the end of the file"),
};

export const ImageStyle = { fit: Fit.default("contain") };
export const VideoStyle = { fit: Fit.default("contain"), ...sound, ...trim };
export const AudioStyle = {
  volume: sound.volume,
  ...trim,
  fit: Fit.default("contain").describe("How the artwork fills the zone"),
  background_color: Color.optional().describe("Without it and without artwork the zone is transparent"),
};
export const TextStyle = {
  text: z.string().min(1).max(5_000),
  ...lightOnDark,
  align: z.enum(["start", "center", "end"]).default("center"),
  font_size: fontSize.describe(
    "In layout pixels. Text that does not fit is made smaller, down to half of this, and then cut at its end. Default: as large as the zone allows",
  ),
  ...font,
  ...language,
  direction: Direction,
  padding: z.int().min(0).max(2_000).optional().describe("In layout pixels, on every side. Default: 3 % of the zone"),
};
/** Text that runs across the zone endlessly. Its position depends only on the clock, so synchronized screens show the same. */
const running = {
  speed_px_s: z.int().min(10).max(2_000).default(120).describe("Layout pixels per second"),
  separator: z.string().max(20).default("•").describe("Shown between one round and the next"),
};
export const TickerStyle = {
  text: z.string().min(1).max(5_000),
  ...lightOnDark,
  font_size: fontSize,
  ...font,
  ...language,
  direction: Direction,
  ...running,
};
/** The parts of a date, as `Intl.DateTimeFormat` names them. */
const DateParts = z.strictObject({
  weekday: z.enum(["long", "short", "narrow"]).optional(),
  day: z.enum(["numeric", "2-digit"]).optional(),
  month: z.enum(["numeric", "2-digit", "long", "short", "narrow"]).optional(),
  year: z.enum(["numeric", "2-digit"]).optional(),
  era: z.enum(["long", "short", "narrow"]).optional(),
});
export const ClockStyle = {
  hour12: z.boolean().default(false),
  seconds: z.boolean().default(true),
  date: z.boolean().default(true),
  date_parts: DateParts.default({ weekday: "long", day: "numeric", month: "long" }).describe(
    "The parts of the date, shown in the locale's order",
  ),
  locale: Locale,
  face: z.enum(["digital", "analog"]).default("digital"),
  label: z.string().max(60).optional().describe("Shown below the time, such as the name of a city"),
  ...font,
  ...lightOnDark,
};
export const QrStyle = {
  data: z
    .string()
    .min(1)
    .max(1_200)
    .describe("Text or URL. As UTF-8 at most 2953, 2331, 1663 or 1273 bytes with `error_correction` L, M, Q or H"),
  color: Color.default("#000000"),
  background_color: Color.default("#ffffff").describe("Its contrast to `color` must be at least 3, or cameras cannot read the code"),
  quiet_zone: z.int().min(0).max(16).default(4).describe("Width of the background around the code, in modules. Readers need 4"),
  error_correction: z.enum(["L", "M", "Q", "H"]).default("M").describe("How much of the code may be covered: 7, 15, 25 or 30 %"),
};
export const FeedStyle = {
  style: z.enum(["cards", "ticker"]).default("cards"),
  entry_duration_ms: z
    .int()
    .min(1_000)
    .max(10 * minuteMs)
    .default(8_000)
    .describe("How long each card is shown"),
  summary: z.boolean().default(true),
  date: z.boolean().default(true),
  locale: Locale,
  ...font,
  ...lightOnDark,
  ...running,
};
export const PdfStyle = {
  page_duration_ms: z.int().min(1_000).max(hourMs).default(10_000).describe("How long each page is shown"),
  first_page: z.int().min(1).max(100_000).default(1),
  last_page: z.int().min(1).max(100_000).optional().describe("Default: the last page of the file"),
  background_color: Color.default("#000000"),
};
export const StreamStyle = { protocol: z.enum(["hls", "mjpeg"]), fit: Fit.default("contain"), ...sound };

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false; // A malformed tag throws a RangeError.
  }
}
