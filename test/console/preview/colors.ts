// Content of plain colours, and which of them a preview shows.
import type { Page } from "playwright";
import sharp from "sharp";
import { expect } from "vitest";
import type { TestService } from "../../service/harness.ts";
import { plainImage } from "../../support/media/media.ts";

const colors = { red: [220, 30, 30], green: [30, 180, 60], blue: [30, 60, 220] } as const;
export type ColorName = keyof typeof colors;

/** A playlist that shows these colours, for some seconds each. */
export async function playlistOf(service: TestService, name: string, ...plays: (readonly [ColorName, number])[]) {
  const items = [];
  for (const [color, seconds] of plays) {
    const { body } = await service.upload(await plainImage([...colors[color]]), "image/png");
    items.push({ type: "image", asset_id: body.id, duration_ms: seconds * 1_000 });
  }
  return (await service.call("POST", "playlists", { name, items })).body;
}

/** A layout that shows these colours, for some seconds each. */
export async function layoutOf(service: TestService, name: string, ...plays: (readonly [ColorName, number])[]) {
  const { id } = await playlistOf(service, name, ...plays);
  const size = { width: 640, height: 360 };
  const zones = [{ name: "Main", left: 0, top: 0, ...size, playlist_id: id }];
  return (await service.call("POST", "layouts", { name, ...size, zones })).body;
}

/** Waits for a colour in the middle of the preview, as long as it takes to play until there. */
export const shown = (page: Page) => expect.poll(() => colorOf(page), { timeout: 25_000 });

async function colorOf(page: Page): Promise<string | undefined> {
  const box = await page.locator("iframe").boundingBox();
  if (box === null) return undefined;
  const { data, info } = await sharp(await page.screenshot({ clip: box }))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  // Not the very middle, where a zone of a stage may have its name or a handle.
  const place = (Math.floor(info.height * 0.4) * info.width + Math.floor(info.width * 0.4)) * 3;
  return Object.entries(colors).find(([, rgb]) => rgb.every((value, channel) => Math.abs(value - data[place + channel]!) < 20))?.[0];
}
