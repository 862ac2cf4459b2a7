// Reads the picture that the page shows: colours at a point, and every frame that the compositor presents.
import type { Page } from "playwright";
import sharp from "sharp";

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

/** Takes a screenshot and returns a function that reads its pixels. */
export async function readScreen(page: Page): Promise<(x: number, y: number) => Rgb> {
  const png = await page.screenshot({ type: "png" });
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return (x, y) => {
    const at = (Math.round(y) * info.width + Math.round(x)) * info.channels;
    return [data[at]!, data[at + 1]!, data[at + 2]!];
  };
}

/** The colours at a point (shares of width and height) in every frame that the compositor presents while `act` runs. */
export async function recordScreen(page: Page, point: [number, number], act: () => Promise<void>): Promise<Rgb[]> {
  return (await recordScreenTimes(page, point, act)).map(({ color }) => color);
}

/** Like {@link recordScreen}, each colour with the time at which it was presented, in UTC ms of this machine. */
export async function recordScreenTimes(
  page: Page,
  point: [number, number],
  act: () => Promise<void>,
): Promise<{ color: Rgb; at: number }[]> {
  const session = await page.context().newCDPSession(page);
  const frames: { png: Buffer; at: number }[] = [];
  let isOver = false;
  session.on("Page.screencastFrame", ({ data, sessionId, metadata: { timestamp = 0 } }) => {
    frames.push({ png: Buffer.from(data, "base64"), at: timestamp * 1_000 });
    // The last acknowledgements may fail because the recording has ended, or the page with a test that failed.
    session.send("Page.screencastFrameAck", { sessionId }).catch((error: unknown) => {
      if (!isOver && !page.isClosed()) throw error;
    });
  });
  await session.send("Page.startScreencast", {
    format: "png",
    everyNthFrame: 1,
    maxWidth: 480,
    maxHeight: 270,
  });
  await act();
  isOver = true;
  await session.send("Page.stopScreencast");
  await session.detach();
  const seen: { color: Rgb; at: number }[] = [];
  for (const { png, at: presentedAt } of frames) {
    const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const x = Math.round(point[0] * (info.width - 1));
    const y = Math.round(point[1] * (info.height - 1));
    const at = (y * info.width + x) * info.channels;
    seen.push({ color: [data[at]!, data[at + 1]!, data[at + 2]!], at: presentedAt });
  }
  return seen;
}
