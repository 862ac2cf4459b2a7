// Pictures of one colour each, and whether a screenshot shows one of them.
import sharp from "sharp";

export type Color = readonly [number, number, number];

// Scaling of a picture changes its edges.
const colorTolerance = 12;

/** A picture of one colour as an uncompressed PNG, so that almost every bit belongs to a pixel. */
export function storedPicture([r, g, b]: Color): Promise<Buffer> {
  return sharp({ create: { width: 640, height: 360, channels: 3, background: { r, g, b } } })
    .png({ compressionLevel: 0 })
    .toBuffer();
}

/** What is wrong with a screenshot: it must have one colour, that of a picture or black. */
export async function faultOf(screenshot: Buffer, colors: readonly Color[]): Promise<string | null> {
  const { channels } = await sharp(screenshot).stats();
  const seen = channels.slice(0, 3);
  const isAll = (color: Color): boolean =>
    seen.every(({ min, max }, at) => Math.abs(min - color[at]!) <= colorTolerance && Math.abs(max - color[at]!) <= colorTolerance);
  return [...colors, [0, 0, 0] as const].some(isAll)
    ? null
    : `its colours are from ${seen.map(({ min, max }) => `${min} to ${max}`).join(", ")}`;
}
