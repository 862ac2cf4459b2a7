// Pictures of the console's preview of a screen.
import type { Page } from "playwright";
import sharp from "sharp";
import { expect } from "vitest";
import { heartbeat, type TestService } from "../../service/harness.ts";
import type { Window } from "../../support/console/console.ts";
import { frameInRow } from "../../support/media/media.ts";
import type { Place } from "./differing-pixels.ts";
import { patienceMs, type Size } from "./player-page.ts";

/** A screen of this size. */
export async function pairScreen(service: TestService, resolution: Size): Promise<string> {
  const device = await service.pairDevice("Lobby");
  const socket = await device.connect();
  socket.send({ type: "heartbeat", data: heartbeat({ resolution }) });
  await socket.next("heartbeat.answer");
  socket.socket.close();
  return device.playerId;
}

/** The address of the preview of a screen at an instant. */
export const previewPath = (playerId: string, at: number): string => `/screens/${playerId}?tab=preview&at=${new Date(at).toISOString()}`;

/** Opens the preview of a screen at an instant. */
export async function openPreview(window: Window, service: TestService, playerId: string, at: number): Promise<Page> {
  await window.signIn(service, previewPath(playerId, at));
  return window.page;
}

/** Waits until the console's preview on this page is drawn, and gives it the full size of the screen. */
export async function enlargePreview({ page }: Window, { width, height }: Size): Promise<void> {
  const frame = page.locator("iframe");
  await frame.waitFor();
  await page.getByText("The picture is being prepared").waitFor({ state: "detached" });
  // As large as its place allows, and in the middle of it, in the screen's proportions.
  const [box, place] = [await frame.locator("..").boundingBox(), await frame.locator("../..").boundingBox()];
  expect(box!.width / box!.height).toBeCloseTo(width / height, 1);
  expect(box!.x - place!.x).toBeCloseTo(place!.x + place!.width - box!.x - box!.width, 0);
  // The place of a preview has any size: here it has the screen's, and lies on whole pixels.
  await frame.evaluate(
    (element, size) => {
      Object.assign(element.parentElement!.style, {
        position: "fixed",
        inset: "0 auto auto 0",
        zIndex: "99",
        maxBlockSize: "none",
        borderRadius: "0",
        width: `${size.width}px`,
        height: `${size.height}px`,
      });
    },
    { width, height },
  );
  await expect.poll(() => frame.evaluate((element) => element.getBoundingClientRect().width), { timeout: patienceMs }).toBe(width);
  const root = frame.contentFrame().locator(":root");
  await root.evaluate(async (element) => void (await element.ownerDocument.fonts.ready));
}

/** Takes upright pictures until the video in `place` shows `frame`: the compositor draws a frame some time after the page has presented it. */
export async function pictureWithFrame(take: () => Promise<Buffer>, { left, top, width, height }: Place, frame: number): Promise<Buffer> {
  const row = { left, width, top: Math.round(top + height / 2), height: 1 };
  let picture: Buffer = Buffer.alloc(0);
  const frameShown = async (): Promise<number | null> => {
    picture = await take();
    return frameInRow(await sharp(picture).extract(row).ensureAlpha().raw().toBuffer(), width);
  };
  await expect.poll(frameShown, { timeout: patienceMs }).toBe(frame);
  return picture;
}
