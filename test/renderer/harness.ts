// A real Chromium, the built page and generated media for the page's tests, and readers of what is on its glass.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium, type Page } from "playwright";
import sharp from "sharp";
import { build } from "vite";
import type { z } from "zod";
import { type Scene, SceneItem, type SceneZone, type Slot, type Stage } from "../../src/protocol/scene.ts";
import { hexOf } from "../support/media/media.ts";
import { type PageServer, startPageServer } from "../support/browser/page-server.ts";

const run = promisify(execFile);

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

/** Whether two colours are the same to within what video coding changes. */
export function isNear(seen: Rgb, wanted: Rgb | ColorName, tolerance = 26): boolean {
  const target = typeof wanted === "string" ? colors[wanted] : wanted;
  return seen.every((value, channel) => Math.abs(value - target[channel]!) <= tolerance);
}

/** Browser and media, made once per file. */
export interface TestBrowser extends AsyncDisposable {
  browser: Browser;
  mediaFolder: string;
  /** Folder of the built page. */
  pageFolder: string;
  /** A page of its own at a server of its own. */
  open(width?: number, height?: number): Promise<OpenedPage>;
}

export interface OpenedPage extends AsyncDisposable {
  page: Page;
  server: PageServer;
}

/** Builds the page, makes the media and starts Chromium. */
export async function startTestBrowser(): Promise<TestBrowser> {
  const root = join(import.meta.dirname, "../..");
  const folder = await mkdtemp(join(tmpdir(), "signage-page-"));
  // A build of one's own: test files run side by side, and dist/ may be in use.
  const built = join(folder, "page");
  await build({
    configFile: join(root, "vite.config.ts"),
    logLevel: "warn",
    build: { outDir: built },
  });
  const media = join(folder, "media");
  await mkdir(media);
  await Promise.all([
    ...Object.entries(colors).map(([name, rgb]) => makeImage(join(media, `${name}.png`), rgb)),
    makeClip(join(media, "blue.mp4"), colors.blue, 5),
    makeClip(join(media, "green.mp4"), colors.green, 2),
    makeSteps(join(media, "steps.mp4")),
    writeFile(join(media, "broken.mp4"), "this is no clip"),
    writeFile(join(media, "broken.png"), "this is no picture"),
  ]);
  const browser = await chromium.launch({
    executablePath: "/usr/lib/chromium/chromium",
    args: ["--no-sandbox", "--autoplay-policy=no-user-gesture-required", "--disable-gpu"],
  });
  return {
    browser,
    mediaFolder: media,
    pageFolder: built,
    async open(width = 960, height = 540) {
      const server = await startPageServer(media, built);
      const page = await browser.newPage({ viewport: { width, height } });
      await page.goto(server.url);
      await server.waitForMessage("hello");
      return {
        page,
        server,
        async [Symbol.asyncDispose]() {
          await page.close();
          await server[Symbol.asyncDispose]();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function makeImage(file: string, [r, g, b]: Rgb): Promise<void> {
  await sharp({ create: { width: 640, height: 360, channels: 3, background: { r, g, b } } })
    .png()
    .toFile(file);
}

const encoding = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "15", "-movflags", "+faststart"];

async function makeClip(file: string, rgb: Rgb, seconds: number): Promise<void> {
  const source = `color=c=0x${hexOf(rgb)}:s=640x360:r=30:d=${seconds}`;
  await run("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", source, ...encoding, file]);
}

/** Six seconds, two each of red, yellow and magenta: its colour tells the position. */
async function makeSteps(file: string): Promise<void> {
  const part = (name: ColorName): string[] => ["-f", "lavfi", "-i", `color=c=0x${hexOf(colors[name])}:s=640x360:r=30:d=2`];
  const inputs = [...part("red"), ...part("yellow"), ...part("magenta")];
  const join3 = ["-filter_complex", "[0][1][2]concat=n=3:v=1[v]", "-map", "[v]"];
  await run("ffmpeg", ["-v", "error", ...inputs, ...join3, ...encoding, file]);
}

let serial = 0;
/** A new id of a kind. */
function newId(prefix: string): string {
  serial += 1;
  return `${prefix}_${String(serial).padStart(26, "0")}`;
}

/** What an item of the scene takes beside its ids, with the defaults of its kind left out. */
type Sketch = z.input<typeof SceneItem> extends infer Each ? (Each extends unknown ? Omit<Each, "item_id" | "asset_id"> : never) : never;

/** An item of any kind. */
export function item(sketch: Sketch): SceneItem {
  const assetId = "src" in sketch && sketch.type !== "stream" ? newId("ast") : null;
  return SceneItem.parse({ ...sketch, item_id: newId("itm"), asset_id: assetId });
}

export function image(name: string): SceneItem {
  return item({ type: "image", src: `/media/${name}`, fit: "cover" });
}

export function video(name: string, durationMs: number | null): SceneItem {
  return item({ type: "video", src: `/media/${name}`, fit: "cover", muted: true, media_duration_ms: durationMs });
}

export function text(words: string, background: string, options: { align?: "start" | "center" | "end"; size?: number } = {}): SceneItem {
  return item({
    type: "text",
    text: words,
    background_color: background,
    align: options.align ?? "center",
    font_size: options.size ?? null,
  });
}

export function clockFace(background: string): SceneItem {
  return item({ type: "clock", timezone: "UTC", background_color: background });
}

export function slot(item: SceneItem, startsAt: number, durationMs: number): Slot {
  return {
    key: `${item.item_id}@${startsAt}`,
    starts_at: startsAt,
    ends_at: startsAt + durationMs,
    offset_ms: 0,
    item,
  };
}

/** Slots one after the other. */
export function consecutiveSlots(startsAt: number, plays: [SceneItem, number][]): Slot[] {
  let at = startsAt;
  return plays.map(([item, durationMs]) => {
    const play = slot(item, at, durationMs);
    at += durationMs;
    return play;
  });
}

export function zone(slots: Slot[], box: Partial<SceneZone> = {}): SceneZone {
  return { id: newId("zon"), left: 0, top: 0, width: 960, height: 540, z_index: 0, ...box, slots };
}

export function stage(zones: SceneZone[], options: Partial<Stage> = {}): Scene {
  const drawn: Stage = {
    key: newId("stg"),
    width: 960,
    height: 540,
    background_color: "#102030",
    ...options,
    zones,
  };
  return { screen: { is: "stage", stage: drawn }, identify: null };
}

/** Reads pixels from a picture of the glass. */
export async function readScreen(page: Page): Promise<(x: number, y: number) => Rgb> {
  const png = await page.screenshot({ type: "png" });
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return (x, y) => {
    const at = (Math.round(y) * info.width + Math.round(x)) * info.channels;
    return [data[at]!, data[at + 1]!, data[at + 2]!];
  };
}

/** Every frame the compositor presents while `act` runs, as colours at the given point. */
export async function recordScreen(page: Page, point: [number, number], act: () => Promise<void>): Promise<Rgb[]> {
  return (await recordScreenTimes(page, point, act)).map(({ color }) => color);
}

/** The same, each with when the compositor presented it, in UTC ms of this machine. */
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
    // The last frames may come when nobody takes their acknowledgement any more.
    session.send("Page.screencastFrameAck", { sessionId }).catch((error: unknown) => {
      if (!isOver) throw error;
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
