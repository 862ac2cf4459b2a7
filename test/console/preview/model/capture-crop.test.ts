// Where a zone is in the newest picture of its screen, however the screen stands.
import sharp from "sharp";
import { expect, test } from "vitest";
import { captureCrop, type Crop } from "../../../../renderer/console/preview/capture-crop.ts";
import { finishPicture } from "../../../../src/player/pictures/finish-picture.ts";
import { Orientation, rotationOf } from "../../../../src/protocol/content/orientation.ts";
import type { Stage } from "../../../../src/protocol/scene.ts";

const zone = { id: `zon_${"0".repeat(26)}`, left: 20, top: 100, width: 60, height: 40, z_index: 0, slots: [] };
const stage: Stage = { key: "s", width: 100, height: 200, background_color: "#000000", zones: [zone] };
const panel = { width: 800, height: 480 };
const red = { r: 255, g: 0, b: 0 };

/** The picture that the player sends of a screen on which the stage is as large as possible, with the zone in red. */
async function pictureOf(screen: { width: number; height: number }, orientation: Orientation, maxWidth: number) {
  const scale = Math.min(screen.width / stage.width, screen.height / stage.height);
  const left = (screen.width - stage.width * scale) / 2 + zone.left * scale;
  const top = (screen.height - stage.height * scale) / 2 + zone.top * scale;
  const input = { create: { width: zone.width * scale, height: zone.height * scale, channels: 3, background: red } } as const;
  const upright = await sharp({ create: { ...screen, channels: 3, background: "#000" } })
    .composite([{ input, left, top }])
    .png()
    .toBuffer();
  const rotation = rotationOf(orientation);
  // The browser captures the panel, on which the page turns what it shows.
  const bytes = await sharp(upright).rotate(rotation).png().toBuffer();
  return finishPicture({ bytes, mimeType: "image/png" }, { format: "png", quality: 90, maxWidth }, { rotation, redact: [] });
}

const edge = 4;

/** The colours of a part of a picture, but for its outermost pixels, which scaling mixes. */
async function colorsIn({ bytes, width, height }: { bytes: Buffer; width: number; height: number }, crop: Crop) {
  const area = {
    left: Math.round(crop.left * width) + edge,
    top: Math.round(crop.top * height) + edge,
    width: Math.round(crop.width * width) - 2 * edge,
    height: Math.round(crop.height * height) - 2 * edge,
  };
  const part = await sharp(bytes).removeAlpha().extract(area).png().toBuffer();
  const { channels } = await sharp(part).stats();
  return channels.map(({ min, max }) => [min, max]);
}

test.each(Orientation.options)(
  "[PRV8] on a screen that stands in %s, what cannot run is shown by the right part of its picture",
  async (orientation) => {
    const screen = orientation.startsWith("portrait") ? { width: panel.height, height: panel.width } : panel;
    for (const maxWidth of [screen.width, 223]) {
      const picture = await pictureOf(screen, orientation, maxWidth);
      const crop = captureCrop(zone, stage, screen, picture);
      expect(await colorsIn(picture, crop!)).toEqual([
        [255, 255],
        [0, 0],
        [0, 0],
      ]);
      // No wider or higher than the zone is.
      expect([crop!.width * screen.width, crop!.height * screen.height].map(Math.round)).toEqual(
        orientation.startsWith("portrait") ? [240, 160] : [144, 96],
      );
    }
  },
);

test("[PRV8] a picture of when the screen stood otherwise, of a wall or of a turned zone is not used", () => {
  const size = { width: 480, height: 800 };
  expect(captureCrop(zone, stage, size, panel)).toBeNull();
  const wall = { wall_width: 200, wall_height: 200, left: 0, top: 0, width: 100, height: 200 };
  expect(captureCrop(zone, { ...stage, wall }, size, size)).toBeNull();
  expect(captureCrop({ ...zone, rotation: 90 }, stage, size, size)).toBeNull();
  expect(captureCrop({ ...zone, left: 60 }, stage, size, size)).toBeNull();
});
