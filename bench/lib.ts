// What the measurements share: figures as JSON lines, percentiles, and a watch on pixels of an Xvfb screen.
import type { Framebuffer, Rgb } from "../test/support/framebuffer.ts";

/** Prints one figure as one JSON line. */
export function figure(name: string, about: Record<string, number | string>): void {
  process.stdout.write(`${JSON.stringify({ figure: name, ...about })}\n`);
}

/** p50, p99, least and greatest of `values`, rounded to a tenth. */
export function spread(values: readonly number[]): { n: number; p50: number; p99: number; min: number; max: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(10 * sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!) / 10;
  return { n: sorted.length, p50: at(0.5), p99: at(0.99), min: at(0), max: at(1) };
}

/** Resolves to the instant (performance.now(), ms) at which the pixel has the colour; looked at about every millisecond. */
export async function whenPixel(framebuffer: Framebuffer, color: Rgb, x = 960, y = 540): Promise<number> {
  for (;;) {
    if (framebuffer.pixel(x, y).every((value, channel) => Math.abs(value - color[channel]!) <= 6)) return performance.now();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
