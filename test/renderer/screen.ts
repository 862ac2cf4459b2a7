// Reads the picture that the page shows: colours at a point, and every frame that the compositor presents.
import type { Page } from "playwright";
import sharp from "sharp";
import { drivenTimeOf } from "../support/browser/driven-page.ts";

export type Rgb = [number, number, number];
export const colors = {
  red: [220, 30, 30],
  green: [30, 180, 60],
  blue: [30, 60, 220],
  yellow: [230, 210, 30],
  magenta: [200, 40, 200],
} as const satisfies Record<string, Rgb>;
export type ColorName = keyof typeof colors;
export const colorNames = Object.keys(colors) as ColorName[];

/** Whether two colours are equal within the tolerance of video coding. */
export function isNear(seen: Rgb, wanted: Rgb | ColorName, tolerance = 26): boolean {
  const target = typeof wanted === "string" ? colors[wanted] : wanted;
  return seen.every((value, channel) => Math.abs(value - target[channel]!) <= tolerance);
}

/** The names of the colours in `seen`, without repetitions; a colour that has no name is spelled out. */
export function colorSequence(seen: readonly Rgb[]): string[] {
  const names = seen.map((color) => colorNames.find((name) => isNear(color, name)) ?? String(color));
  return names.filter((name, index) => name !== names[index - 1]);
}

/** Takes a screenshot (of the next frame, where the test drives them) and returns a function that reads its pixels. */
export async function readScreen(page: Page): Promise<(x: number, y: number) => Rgb> {
  const png = (await drivenTimeOf(page)?.picture()) ?? (await page.screenshot({ type: "png" }));
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return (x, y) => {
    const at = (Math.round(y) * info.width + Math.round(x)) * info.channels;
    return [data[at]!, data[at + 1]!, data[at + 2]!];
  };
}

/** The colours at a point (shares of width and height) in every frame that a driven page draws while `act` runs. */
export async function recordScreen(page: Page, point: [number, number], act: () => Promise<void>): Promise<Rgb[]> {
  return (await recordScreenTimes(page, point, act)).map(({ color }) => color);
}

/** Like {@link recordScreen}, each colour with the time of its frame, in corrected UTC ms. */
export async function recordScreenTimes(
  page: Page,
  point: [number, number],
  act: () => Promise<void>,
): Promise<{ color: Rgb; at: number }[]> {
  const time = drivenTimeOf(page);
  if (time === undefined) throw new Error("only the frames of a driven page are recorded");
  const seen: { color: Rgb; at: number }[] = [];
  let before: { png: Buffer; color: Rgb } | undefined;
  for (const { png, at: drawnAt } of await time.record(act)) {
    // Most frames are equal to the one before.
    if (before?.png.equals(png) === true) {
      seen.push({ color: before.color, at: drawnAt });
      continue;
    }
    const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const x = Math.round(point[0] * (info.width - 1));
    const y = Math.round(point[1] * (info.height - 1));
    const at = (y * info.width + x) * info.channels;
    before = { png, color: [data[at]!, data[at + 1]!, data[at + 2]!] };
    seen.push({ color: before.color, at: drawnAt });
  }
  return seen;
}
