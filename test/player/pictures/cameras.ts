// Cameras for tests: drawn captures in place of a browser's, and settings that a test changes.
import sharp from "sharp";
import type { Clock } from "../../../src/base/clock.ts";
import type { Capture } from "../../../src/player/host.ts";
import { Camera, type CameraDependencies } from "../../../src/player/pictures/camera.ts";

export const never = new AbortController().signal;

/** A white screen as a browser captures it. @param marks black bars from the top, as parts of the height, each as wide as the picture. */
export async function captureOf(width: number, height: number, format: "jpeg" | "png" = "jpeg", marks: number[] = []): Promise<Capture> {
  const white = { r: 255, g: 255, b: 255 };
  const bars = marks.map((share, place) => ({
    input: { create: { width, height: Math.max(1, Math.round(share * height)), channels: 3 as const, background: { r: 0, g: 0, b: 0 } } },
    left: 0,
    top: Math.round((place / marks.length) * height),
  }));
  const picture = sharp({ create: { width, height, channels: 3, background: white } }).composite(bars);
  return { bytes: await picture.toFormat(format, { quality: 90 }).toBuffer(), mimeType: `image/${format}` };
}

/** A camera of a display that is on, without rules. */
export function cameraOf(clock: Clock, more: Partial<CameraDependencies> = {}): Camera {
  return new Camera({
    capture: (_signal, options) => captureOf(320, 180, options?.format),
    displayPower: async () => "on",
    fault: () => null,
    rules: () => ({ rotation: 0, redact: [] }),
    clock,
    ...more,
  });
}

/** The brightest value of a part of a picture, in percent of it. */
export async function brightest(bytes: Buffer, part: { left: number; top: number; width: number; height: number }): Promise<number> {
  const { data, info } = await sharp(bytes).greyscale().raw().toBuffer({ resolveWithObject: true });
  const at = (percent: number, size: number): number => Math.round((percent * size) / 100);
  let most = 0;
  for (let y = at(part.top, info.height); y < at(part.top + part.height, info.height); y += 1) {
    for (let x = at(part.left, info.width); x < at(part.left + part.width, info.width); x += 1) {
      most = Math.max(most, data[y * info.width + x]!);
    }
  }
  return most;
}
