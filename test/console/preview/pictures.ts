// The two pictures of the same content at the same instant: the player's page by itself, and the console's preview of it.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright";
import sharp from "sharp";
import { expect } from "vitest";
import { previewContentOf } from "../../../renderer/console/preview/content.ts";
import { PreviewPlayback } from "../../../renderer/console/preview/playback.ts";
import { rotationOf } from "../../../src/protocol/content/orientation.ts";
import type { Scene } from "../../../src/protocol/scene.ts";
import { heartbeat, type TestService } from "../../service/harness.ts";
import { startPageServer } from "../../support/browser/page-server.ts";
import type { Window } from "../../support/console/console.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { builtRenderer } from "../../support/page-build.ts";
import type { EveryKind, Files } from "./every-kind.ts";

const extensions: Readonly<Record<string, string>> = {
  "image/png": ".png",
  "image/svg+xml": ".svg",
  "video/mp4": ".mp4",
  "application/pdf": ".pdf",
};

/** What the player's page shows at `at`, when its clock is set to that instant, on a screen with this panel; turned upright. */
export async function pictureOfPlayer(
  browser: Browser,
  service: TestService,
  playerId: string,
  at: number,
  panel: Size,
  { files, feedContent }: EveryKind,
): Promise<Buffer> {
  await using folder = await temporaryFolder();
  for (const [path, { bytes, mimeType }] of files) {
    await writeFile(join(folder.path, `${path.slice("/media/".length)}${extensions[mimeType]}`), bytes);
  }
  await using server = await startPageServer(folder.path, await builtRenderer());
  const { body } = await service.call("GET", `players/${playerId}/desired-state`);
  const { scene } = new PreviewPlayback(previewContentOf(body), feedContent).sceneAt(at);
  const rotation = rotationOf(body.state.player.orientation ?? "landscape");
  const context = await browser.newContext({ viewport: panel, reducedMotion: "reduce" });
  try {
    const page = await context.newPage();
    server.clockOffsetMs = at - server.now();
    await page.goto(server.url);
    await server.waitForMessage("hello");
    server.draw(withExtensions({ ...scene, rotation }, files));
    const shown = scene.screen.is === "stage" ? scene.screen.stage.zones.filter(({ slots }) => slots.length > 0) : [];
    for (const { id } of shown) await server.waitForMessage("presented", ({ zone_id }) => zone_id === id);
    await page.evaluate(stoppedAt(at, videoPositionIn(scene, at)));
    return await sharp(await steadyPicture(page))
      .rotate(-rotation)
      .png()
      .toBuffer();
  } finally {
    await context.close();
  }
}

/** A picture of a page on which nothing moves any more. The compositor may draw the frame of a video some frames after it was presented. */
async function steadyPicture(page: Page): Promise<Buffer> {
  let before = await page.screenshot();
  for (let equal = 0; equal < 2;) {
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    const next = await page.screenshot();
    equal = next.equals(before) ? equal + 1 : 0;
    before = next;
  }
  return before;
}

/** The position of the scene's video at an instant, by the times of its play, in seconds. */
function videoPositionIn({ screen }: Scene, at: number): number {
  const slots = screen.is === "stage" ? screen.stage.zones.flatMap((zone) => zone.slots) : [];
  const slot = slots.find(({ item, starts_at, ends_at }) => item.type === "video" && starts_at <= at && at < ends_at);
  if (slot?.item.type !== "video") return 0;
  return ((at - slot.starts_at + slot.offset_ms) % slot.item.media_duration_ms!) / 1_000;
}

/**
 * An expression for the page, whose clock goes on: puts its tickers and its video where they are at exactly `instant`. A ticker that ran
 * is drawn again: the layer of a running one lies between pixels.
 */
function stoppedAt(instant: number, videoPosition: number): string {
  return `(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (const animation of document.getAnimations()) {
      const { duration, iterations } = animation.effect.getComputedTiming();
      if (iterations !== Number.POSITIVE_INFINITY) continue;
      animation.pause();
      animation.currentTime = ${instant} % Number(duration);
      const { style } = animation.effect.target;
      style.display = "none";
      await frame();
      await frame();
      style.display = "";
    }
    for (const video of document.querySelectorAll("video")) {
      video.pause();
      // Each is another frame than the one before, so that a frame is presented; one that was on its way may come before it.
      for (const position of [6.5, ${videoPosition}]) {
        const presented = new Promise((resolve) => {
          const check = (_, { mediaTime }) =>
            Math.abs(mediaTime - position) < 0.11 ? resolve() : video.requestVideoFrameCallback(check);
          video.requestVideoFrameCallback(check);
        });
        video.currentTime = position;
        await presented;
      }
    }
    await frame();
    await frame();
  })()`;
}

/** A screen of this size. */
export async function pairScreen(service: TestService, resolution: Size): Promise<string> {
  const device = await service.pairDevice("Lobby");
  const socket = await device.connect();
  socket.send({ type: "heartbeat", data: heartbeat({ resolution }) });
  await socket.next("heartbeat.answer");
  socket.socket.close();
  return device.playerId;
}

export interface Size {
  width: number;
  height: number;
}

/** What the console's preview on this page shows, once it is drawn, at the full size of the screen. */
export async function pictureOfPreview({ page }: Window, { width, height }: Size): Promise<Buffer> {
  const frame = page.locator("iframe");
  await frame.waitFor();
  await page.getByText("The picture is being prepared").waitFor({ state: "detached" });
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
  await expect.poll(() => frame.evaluate((element) => element.getBoundingClientRect().width)).toBe(width);
  return page.screenshot({ clip: { x: 0, y: 0, width, height } });
}

/** Where a picture shows a layout: the layout's point in its left upper corner, and its pixels for each of the layout's. */
export interface View {
  left: number;
  top: number;
  scale: number;
}

/** How many pixels of each zone differ between two pictures; a zone of which nothing is to be seen is left out. `beside`: of no zone. */
export async function differingPixels(a: Buffer, b: Buffer, zones: EveryKind["zones"], view: View): Promise<Record<string, number>> {
  const read = (png: Buffer) => sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const [one, other] = await Promise.all([read(a), read(b)]);
  expect([other.info.width, other.info.height]).toEqual([one.info.width, one.info.height]);
  const counts: Record<string, number> = { beside: 0 };
  for (let y = 0; y < one.info.height; y += 1) {
    for (let x = 0; x < one.info.width; x += 1) {
      const point = { left: view.left + (x + 0.5) / view.scale, top: view.top + (y + 0.5) / view.scale };
      const zone = zones.find(
        ({ left, top, width, height }) => left <= point.left && point.left < left + width && top <= point.top && point.top < top + height,
      );
      const name = zone?.name ?? "beside";
      const offset = (y * one.info.width + x) * 3;
      const isEqual = one.data.compare(other.data, offset, offset + 3, offset, offset + 3) === 0;
      counts[name] = (counts[name] ?? 0) + (isEqual ? 0 : 1);
    }
  }
  return counts;
}

function withExtensions(scene: Scene, files: Files): Scene {
  const json = JSON.stringify(scene).replaceAll(/"(\/media\/[0-9a-f]{64})"/g, (_, path: string) =>
    JSON.stringify(path + extensions[files.get(path)!.mimeType]),
  );
  return JSON.parse(json) as Scene;
}

/** Opens the preview of a screen at an instant. */
export async function openPreview(window: Window, service: TestService, playerId: string, at: number): Promise<Page> {
  await window.signIn(service, `/screens/${playerId}?tab=preview&at=${new Date(at).toISOString()}`);
  return window.page;
}
