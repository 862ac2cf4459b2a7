// Logs both halves of the screen: the left half shows an item, the right half the mark of its layout.
import type { Framebuffer, Rgb } from "../../test/support/browser/framebuffer.ts";

/** The colours of the items in the left half. The bench's own server draws the web page. */
export const itemColors = {
  red: [220, 30, 40],
  green: [20, 160, 60],
  blue: [30, 60, 200],
  limited: [140, 200, 255],
  web: [150, 110, 60],
} as const satisfies Record<string, Rgb>;

/** The colours of the marks in the right half, one per layout. */
export const markColors = {
  home: [240, 240, 240],
  one: [240, 240, 20],
  two: [20, 240, 240],
  three: [240, 20, 240],
  between: [250, 140, 10],
  above: [130, 20, 130],
  alarm: [10, 90, 110],
} as const satisfies Record<string, Rgb>;

export type Item = keyof typeof itemColors;
export type LayoutName = keyof typeof markColors;

/** What one half shows from one instant to another, in UTC ms; `layout` is null if the right half shows no mark. */
export interface ObservedSpan {
  zone: "left" | "right";
  /** An item, a mark, `plate`, `blank` or `foreign`. */
  sight: string;
  layout: LayoutName | null;
  from: number;
  until: number;
  /** How long before the start and the end the previous sample was. */
  blur: { fromMs: number; untilMs: number };
}

/** The log, and how often the screen was sampled. */
export interface ScreenLog {
  spans: ObservedSpan[];
  /** The time between two samples. */
  gapsMs: number[];
}

const sampleEveryMs = 10;
const tolerance = 6;
const darkest = 16;
// The background of a zone that can show nothing: a gradient between these colours (`.plate` of the page).
const plate = { least: [14, 20, 31], most: [26, 37, 54] } as const;
// Three points of each half, as shares of the width.
const points = { left: [0.1, 0.25, 0.4], right: [0.6, 0.75, 0.9] } as const;

/** Logs until `signal` aborts. */
export async function logScreen(framebuffer: Framebuffer, signal: AbortSignal): Promise<ScreenLog> {
  const row = Buffer.allocUnsafe(framebuffer.stride);
  const log: ScreenLog = { spans: [], gapsMs: [] };
  const open = new Map<ObservedSpan["zone"], ObservedSpan>();
  let previous = Date.now();
  while (!signal.aborted) {
    const now = Date.now();
    const gapMs = now - previous;
    const sights = sampleRow(framebuffer, row);
    const layout = Object.hasOwn(markColors, sights.right) ? (sights.right as LayoutName) : null;
    for (const zone of ["left", "right"] as const) {
      const before = open.get(zone);
      if (before !== undefined && before.sight === sights[zone] && before.layout === layout) continue;
      if (before !== undefined) log.spans.push(ended(before, now, gapMs));
      open.set(zone, { zone, sight: sights[zone], layout, from: now, until: now, blur: { fromMs: gapMs, untilMs: 0 } });
    }
    log.gapsMs.push(gapMs);
    previous = now;
    await new Promise((resolve) => setTimeout(resolve, sampleEveryMs));
  }
  for (const span of open.values()) log.spans.push(ended(span, previous, 0));
  return log;
}

function ended(span: ObservedSpan, until: number, untilMs: number): ObservedSpan {
  return { ...span, until, blur: { ...span.blur, untilMs } };
}

/** What both halves show, from one row. A row that the X server is writing contains parts of two pictures, so it is read again. */
function sampleRow(framebuffer: Framebuffer, row: Buffer): { left: string; right: string } {
  const y = Math.floor(framebuffer.height / 2);
  const read = () => {
    framebuffer.row(y, row);
    return { left: sightOf(row, framebuffer.width, "left"), right: sightOf(row, framebuffer.width, "right") };
  };
  const sights = read();
  return sights.left === "foreign" || sights.right === "foreign" ? read() : sights;
}

function sightOf(row: Buffer, width: number, zone: ObservedSpan["zone"]): string {
  const pixels = points[zone].map((share): Rgb => {
    const at = 4 * Math.floor(share * width);
    return [row[at + 2]!, row[at + 1]!, row[at]!];
  });
  const isAll = (color: Rgb): boolean =>
    pixels.every((pixel) => pixel.every((value, channel) => Math.abs(value - color[channel]!) <= tolerance));
  const known = Object.entries(zone === "left" ? itemColors : markColors).find(([, color]) => isAll(color));
  if (known !== undefined) return known[0];
  const isPlate = (pixel: Rgb): boolean =>
    pixel.every((value, channel) => value >= plate.least[channel]! - 1 && value <= plate.most[channel]! + 1);
  if (pixels.every(isPlate)) return "plate";
  return pixels.every((pixel) => pixel.every((value) => value < darkest)) ? "blank" : "foreign";
}
