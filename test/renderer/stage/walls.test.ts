// Video walls on a real Chromium: each page shows its part of one picture, and none shows the area behind the bezels.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import sharp from "sharp";
import { expect, test } from "vitest";
import { placementOf } from "../../../renderer/player/stage/placement.ts";
import type { Wall } from "../../../src/protocol/content/wall.ts";
import { image, slot, stage, video, zone } from "../scenes.ts";
import { isNear, readScreen, type Rgb } from "../screen.ts";
import { useTestBrowser } from "../setup.ts";

const run = promisify(execFile);
// Two displays of 400 × 300 with 100 between their pictures.
const wall = { wall_width: 900, wall_height: 300 };
const left: Wall = { ...wall, left: 0, top: 0, width: 400, height: 300 };
const right: Wall = { ...wall, left: 500, top: 0, width: 400, height: 300 };
const stripePixels = 50;
const corner = 30;

/** The picture's colour at a point of the wall: vertical stripes, all different, and a white mark in each corner. */
function colorAt(x: number, y: number): Rgb {
  const isMark = (x < corner || x >= wall.wall_width - corner) && (y < corner || y >= wall.wall_height - corner);
  if (isMark) return [255, 255, 255];
  const stripe = Math.floor(x / stripePixels);
  return [(stripe % 3) * 90, (Math.floor(stripe / 3) % 3) * 90, Math.floor(stripe / 9) * 90];
}

const browser = useTestBrowser(async (folder) => {
  const pixels = Buffer.alloc(wall.wall_width * wall.wall_height * 3);
  for (let at = 0; at < pixels.length / 3; at += 1) {
    pixels.set(colorAt(at % wall.wall_width, Math.floor(at / wall.wall_width)), at * 3);
  }
  const file = join(folder, "stripes.png");
  await sharp(pixels, { raw: { width: wall.wall_width, height: wall.wall_height, channels: 3 } })
    .png()
    .toFile(file);
  const video = ["-c:v", "libx264", "-qp", "0", "-pix_fmt", "yuv444p", "-movflags", "+faststart", join(folder, "stripes.mp4")];
  await run("ffmpeg", ["-v", "error", "-loop", "1", "-framerate", "10", "-i", file, "-t", "3", ...video]);
});

test.each([
  ["an image", () => image("stripes.png")],
  ["a video", () => video("stripes.mp4", 3_000)],
])("[WAL1] two displays show the two ends of %s exactly to the pixel, and nothing of the area between them", async (_, make) => {
  for (const part of [left, right]) {
    const { page, server } = await browser.shared(400, 300);
    const play = slot(make(), server.now() - 100, 600_000);
    const whole = zone([play], { width: wall.wall_width, height: wall.wall_height });
    server.draw(stage([whole], { width: wall.wall_width, height: wall.wall_height, wall: part }));
    await server.waitForMessage("presented");
    const pixel = await readScreen(page);
    for (const y of [0, corner - 1, corner, 150, 299]) {
      // The first pixel of each stripe and the last.
      for (let x = 0; x < 400; x += stripePixels) {
        for (const at of [x, x + stripePixels - 1]) {
          const [seen, wanted] = [pixel(at, y), colorAt(part.left + at, y)];
          expect(isNear(seen, wanted, 30), `${seen.join()} at ${at},${y} of the display at ${part.left}, not ${wanted.join()}`).toBe(true);
        }
      }
    }
  }
});

test("[WAL2] a layout with other proportions than the wall is shown whole and centred, over both displays", async () => {
  // 300 wide on a wall of 900: from 300 to 600, of which 400 to 500 is between the displays.
  for (const [part, from, to] of [
    [left, 300, 400],
    [right, 0, 100],
  ] as const) {
    const { page, server } = await browser.shared(400, 300);
    const play = slot(image("red.png"), server.now() - 100, 600_000);
    server.draw(stage([zone([play], { width: 600, height: 600 })], { width: 600, height: 600, wall: part }));
    await server.waitForMessage("presented");
    const pixel = await readScreen(page);
    for (let x = 5; x < 400; x += 10) {
      expect(isNear(pixel(x, 150), x >= from && x < to ? "red" : [0, 0, 0])).toBe(true);
    }
  }
});

test("[WAL3] a part with other proportions than its display is not stretched and shows nothing of its neighbours", async () => {
  const opened = await browser.shared(600, 300);
  const { page, server } = opened;
  const play = slot(image("stripes.png"), server.now() - 100, 600_000);
  const whole = zone([play], { width: wall.wall_width, height: wall.wall_height });
  server.draw(stage([whole], { width: wall.wall_width, height: wall.wall_height, wall: { ...right, left: 300, width: 300 } }));
  await server.waitForMessage("presented");
  const pixel = await readScreen(page);
  for (let x = 5; x < 600; x += 10) {
    const wanted = x < 150 || x >= 450 ? ([0, 0, 0] as Rgb) : colorAt(300 + x - 150, 150);
    expect(isNear(pixel(x, 150), wanted, 30), `at ${x}`).toBe(true);
  }
});

test("[WAL4] at any size a part is placed on whole pixels inside its display, and neighbours have the same scale", () => {
  const size = fc.record({ width: fc.integer({ min: 1, max: 8_000 }), height: fc.integer({ min: 1, max: 8_000 }) });
  fc.assert(
    fc.property(size, size, fc.integer({ min: 0, max: 500 }), size, (display, part, gap, layout) => {
      const whole = { wall_width: 2 * part.width + gap, wall_height: part.height };
      const places = [0, part.width + gap].map((from) =>
        placementOf({ ...layout, wall: { ...whole, left: from, top: 0, ...part } }, display),
      );
      for (const place of places) {
        for (const value of [place.left, place.top, ...Object.values(place.visibleArea)]) expect(Number.isInteger(value)).toBe(true);
        expect(place.visibleArea.left).toBeGreaterThanOrEqual(0);
        expect(place.visibleArea.left + place.visibleArea.width).toBeLessThanOrEqual(display.width);
        expect(place.visibleArea.top + place.visibleArea.height).toBeLessThanOrEqual(display.height);
      }
      const [first, second] = places as [(typeof places)[0], (typeof places)[0]];
      expect(second.scale).toBe(first.scale);
      expect(second.visibleArea).toEqual(first.visibleArea);
      const toDisplay = Math.min(display.width / part.width, display.height / part.height);
      // The second display shows the stage further left by the first display and the gap, apart from rounding.
      expect(Math.abs(first.left - second.left - (part.width + gap) * toDisplay)).toBeLessThanOrEqual(1);
    }),
  );
});
