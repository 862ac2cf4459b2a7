// Identifies the content of a display from one row of its framebuffer: an item of a known loop, a fade between two, blank, or foreign.
import type { Framebuffer, Rgb } from "./framebuffer.ts";
import { frameInRow } from "../media/media.ts";

/** How an item looks in the observed row: one colour, or the bars of a numbered video. */
export type Appearance = { name: string; color: Rgb } | { name: string; video: true };

/** One observation: an item (a video with its frame), a fade between two items, black, or something foreign. */
export interface Observation {
  is: "item" | "fade" | "blank" | "foreign";
  name: string;
  frame: number | null;
}

/** An observation and its duration in ms; `at` on the performance clock. */
export interface ObservedSpan extends Observation {
  at: number;
  ms: number;
}

// The bars of a numbered video, as the screen shows them.
const bars: readonly Rgb[] = [
  [255, 255, 255],
  [0, 0, 0],
];
const cells = 16;
const tolerance = 10;
const fadeSteps = 64;

/** Identifies the content of a row. Only fades between neighbours in the loop are considered. */
function sightOf(row: Buffer, width: number, loop: readonly Appearance[]): Observation {
  const points = Array.from({ length: cells }, (_, cell): Rgb => {
    const at = 4 * Math.floor(((cell + 0.5) * width) / cells);
    return [row[at + 2]!, row[at + 1]!, row[at]!];
  });
  for (const look of loop) {
    if ("color" in look && points.every((point) => isNear(point, look.color))) return { is: "item", name: look.name, frame: null };
  }
  const video = loop.find((look) => "video" in look);
  const frame = video === undefined ? null : frameInRow(row, width);
  if (video !== undefined && frame !== null) return { is: "item", name: video.name, frame };
  if (points.every((point) => point.every((value) => value < 16))) return { is: "blank", name: "blank", frame: null };
  for (const [place, one] of loop.entries()) {
    const other = loop[(place + 1) % loop.length]!;
    if (isFade(points, one, other)) return { is: "fade", name: `${one.name}>${other.name}`, frame: null };
  }
  return { is: "foreign", name: points.map((point) => point.join(",")).join(" "), frame: null };
}

/** Observes row `y` about every millisecond until `done`, and calls back at the end of each observed span. */
export async function watchScreen(
  framebuffer: Framebuffer,
  { y, loop }: { y: number; loop: readonly Appearance[] },
  over: (span: ObservedSpan) => void,
  done: () => boolean,
): Promise<{ looks: number; slowestLookMs: number }> {
  const row = Buffer.allocUnsafe(framebuffer.stride);
  let span: ObservedSpan | null = null;
  let looks = 0;
  let slowestLookMs = 0;
  let previous = performance.now();
  while (!done()) {
    const at = performance.now();
    const sight = lookAt(framebuffer, y, row, loop);
    if (looks > 0) slowestLookMs = Math.max(slowestLookMs, at - previous);
    if (span !== null && (span.name !== sight.name || span.frame !== sight.frame)) {
      over({ ...span, ms: at - span.at });
      span = null;
    }
    span ??= { ...sight, at, ms: 0 };
    previous = at;
    looks += 1;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return { looks, slowestLookMs };
}

/** Reads and identifies the row. A foreign row is read once more, because the X server may have been writing it. */
function lookAt(framebuffer: Framebuffer, y: number, row: Buffer, loop: readonly Appearance[]): Observation {
  const sight = sightOf(framebuffer.row(y, row), framebuffer.width, loop);
  return sight.is === "foreign" ? sightOf(framebuffer.row(y, row), framebuffer.width, loop) : sight;
}

function isFade(points: readonly Rgb[], one: Appearance, other: Appearance): boolean {
  // Every frame of a video begins with a light and a dark bar, unlike a blank page.
  const colors = (look: Appearance, cell: number): readonly Rgb[] => ("color" in look ? [look.color] : cell < 2 ? [bars[cell]!] : bars);
  for (let step = 0; step <= fadeSteps; step += 1) {
    const share = step / fadeSteps;
    const explains = (point: Rgb, cell: number): boolean =>
      colors(one, cell).some((from) => colors(other, cell).some((to) => isNear(point, mixOf(from, to, share))));
    if (points.every(explains)) return true;
  }
  return false;
}

function mixOf(from: Rgb, to: Rgb, share: number): Rgb {
  const mix = (channel: 0 | 1 | 2): number => from[channel] + (to[channel] - from[channel]) * share;
  return [mix(0), mix(1), mix(2)];
}

function isNear(point: Rgb, color: Rgb): boolean {
  return point.every((value, channel) => Math.abs(value - color[channel]!) <= tolerance);
}
