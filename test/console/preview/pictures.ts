// Content of every kind for previews, and the two pictures of it: the player's page by itself, and the console's preview of it.
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
import { createWithFfmpeg, plainImage } from "../../support/media/media.ts";
import { pdfOf } from "../../support/media/pdf.ts";
import { builtRenderer } from "../../support/page-build.ts";

const noFeed = () => ({ title: "", entries: [], trouble: "no copy" });
const extensions: Readonly<Record<string, string>> = {
  "image/png": ".png",
  "image/svg+xml": ".svg",
  "video/mp4": ".mp4",
  "application/pdf": ".pdf",
};
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect width="40" height="20" fill="#264653"/><circle cx="20" cy="10" r="8" fill="#e9c46a"/><path d="M4 16 20 4l16 12" fill="none" stroke="#e76f51"/></svg>';

/** The bytes of the files, by the path of their asset. */
export type Files = ReadonlyMap<string, { bytes: Buffer; mimeType: string }>;

/** A video of one colour for four seconds each, so that a picture a little later is the same. */
function slowVideo(): Promise<Buffer> {
  const inputs = ["0x2a9d8f", "0xf4a261"].flatMap((color) => ["-f", "lavfi", "-i", `color=c=${color}:s=320x180:r=10:d=4`]);
  const encoding = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "10", "-movflags", "+faststart"];
  return createWithFfmpeg([...inputs, "-filter_complex", "concat=n=2:v=1[v]", "-map", "[v]", ...encoding], "mp4");
}

/** A layout of `width` × `height` with one zone for each of these kinds, and the files that it needs. */
export async function showEveryKind(service: TestService, width: number, height: number) {
  const files = new Map<string, { bytes: Buffer; mimeType: string }>();
  const upload = async (bytes: Buffer, mimeType: string): Promise<string> => {
    const { body } = await service.upload(bytes, mimeType);
    files.set(`/media/${body.sha256}`, { bytes, mimeType });
    return body.id;
  };
  const noise = sharp({
    create: { width: 900, height: 700, channels: 3, noise: { type: "gaussian", mean: 120, sigma: 60 }, background: "#000" },
  });
  const items: object[][] = [
    [{ type: "image", asset_id: await upload(await plainImage([200, 60, 40]), "image/png"), duration_ms: 60_000 }],
    [{ type: "image", asset_id: await upload(await noise.png().toBuffer(), "image/png"), fit: "cover", duration_ms: 60_000 }],
    [{ type: "image", asset_id: await upload(Buffer.from(svg), "image/svg+xml"), fit: "contain", duration_ms: 60_000 }],
    [{ type: "video", asset_id: await upload(await slowVideo(), "video/mp4"), fit: "fill" }],
    [
      {
        type: "pdf",
        asset_id: await upload(
          pdfOf([
            [40, 90, 160],
            [160, 90, 40],
          ]),
          "application/pdf",
        ),
        page_duration_ms: 30_000,
        duration_ms: 60_000,
      },
    ],
    [{ type: "text", text: "Mittagstisch\nשלום, 世界 🍲", duration_ms: 60_000 }],
    [{ type: "ticker", text: "Heute: Linsensuppe mit Brot, danach Apfelkuchen", speed_px_s: 40, duration_ms: 60_000 }],
    [{ type: "clock", date: true, seconds: false, duration_ms: 60_000 }],
    [{ type: "qr", data: "https://example.com/menu", duration_ms: 60_000 }],
  ];
  const columns = width > height ? 3 : 2;
  const rows = Math.ceil(items.length / columns);
  const [zoneWidth, zoneHeight] = [Math.floor(width / columns), Math.floor(height / rows)];
  const zones = [];
  for (const [index, playlist] of items.entries()) {
    const { body } = await service.call("POST", "playlists", { name: `Zone ${index}`, items: playlist });
    const left = (index % columns) * zoneWidth;
    const top = Math.floor(index / columns) * zoneHeight;
    zones.push({ name: `Zone ${index}`, left, top, width: zoneWidth, height: zoneHeight, playlist_id: body.id });
  }
  const { body: layout } = await service.call("POST", "layouts", { name: "Every kind", width, height, zones });
  return { layout, files };
}

/** What the player's page shows at `at`, when its clock is set to that instant. */
export async function pictureOfPlayer(
  browser: Browser,
  service: TestService,
  playerId: string,
  at: number,
  size: Size,
  files: Files,
): Promise<Buffer> {
  await using folder = await temporaryFolder();
  for (const [path, { bytes, mimeType }] of files) {
    await writeFile(join(folder.path, `${path.slice("/media/".length)}${extensions[mimeType]}`), bytes);
  }
  await using server = await startPageServer(folder.path, await builtRenderer());
  const { body } = await service.call("GET", `players/${playerId}/desired-state`);
  const { scene } = new PreviewPlayback(previewContentOf(body), noFeed).sceneAt(at);
  const context = await browser.newContext({ viewport: size, reducedMotion: "reduce" });
  try {
    const page = await context.newPage();
    server.clockOffsetMs = at - server.now();
    await page.goto(server.url);
    await server.waitForMessage("hello");
    server.draw(withExtensions({ ...scene, rotation: rotationOf(body.state.player.orientation ?? "landscape") }, files));
    const shown = scene.screen.is === "stage" ? scene.screen.stage.zones.filter(({ slots }) => slots.length > 0) : [];
    for (const { id } of shown) await server.waitForMessage("presented", ({ zone_id }) => zone_id === id);
    await page.evaluate(tickersStoppedAt(at));
    return await page.screenshot();
  } finally {
    await context.close();
  }
}

/** An expression for the page: its clock goes on, so that its tickers are put where they are at exactly `instant`. */
function tickersStoppedAt(instant: number): string {
  return `(() => {
  for (const animation of document.getAnimations()) {
    const { duration, iterations } = animation.effect.getComputedTiming();
    if (iterations == Number.POSITIVE_INFINITY) continue;
    animation.pause();
    animation.currentTime = ${instant} % Number(duration);
  }
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

/** How many pixels differ by more than `tolerance` in any channel. */
export async function differingPixels(a: Buffer, b: Buffer, tolerance = 0): Promise<number> {
  const [one, other] = await Promise.all([a, b].map((png) => sharp(png).removeAlpha().raw().toBuffer()));
  if (one!.length !== other!.length) return Number.POSITIVE_INFINITY;
  let count = 0;
  for (let at = 0; at < one!.length; at += 3) {
    if ([0, 1, 2].some((channel) => Math.abs(one![at + channel]! - other![at + channel]!) > tolerance)) count += 1;
  }
  return count;
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
