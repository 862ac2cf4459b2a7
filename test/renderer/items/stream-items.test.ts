// Live streams on a real Chromium through the player's real surface: shown, interrupted, resumed.
import sharp from "sharp";
import { expect, test } from "vitest";
import { createSystemClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { OutboundHttp } from "../../../src/base/http/outbound-http.ts";
import { contentPolicy } from "../../../src/player/web-items/outbound-policy.ts";
import { Surface } from "../../../src/player/surface/surface.ts";
import type { Rotation } from "../../../src/protocol/content/orientation.ts";
import type { SceneItem } from "../../../src/protocol/scene.ts";
import type { FromPage } from "../../../src/protocol/page-messages.ts";
import { startCamera, startHlsStream } from "../../support/browser/stream-sources.ts";
import { item, slot, stage, text, zone } from "../scenes.ts";
import { colors, isNear, readScreen } from "../screen.ts";
import { useTestBrowser } from "../setup.ts";

const browser = useTestBrowser();

const long = 600_000;

/** Opens a page with its own surface, which forwards streams of `origin`. */
async function open(origin: string) {
  const clock = createSystemClock();
  const outboundHttp = new OutboundHttp({ policy: contentPolicy(() => true) });
  const source = { url: origin, origins: new Set([origin]) };
  const stream = (key: string) => (key === "hls" ? { ...source, url: `${origin}/live/index.m3u8` } : { ...source, url: `${origin}/video` });
  const surface = await Surface.open({
    owner: "tests",
    port: null,
    rendererFolder: browser.rendererFolder,
    media: () => null,
    stream,
    outboundHttp,
    clock,
    log: silentLog,
  });
  const messages: FromPage[] = [];
  const end = new AbortController();
  surface.onMessage((message) => messages.push(message), end.signal);
  const { url, cookie } = surface.hostPage;
  const context = await browser.chromium.newContext({ viewport: { width: 960, height: 540 } });
  await context.addCookies([{ ...cookie, url: new URL(url).origin, httpOnly: true, sameSite: "Strict" }]);
  const page = await context.newPage();
  const requestedOrigins: string[] = [];
  page.on("request", (request) => requestedOrigins.push(new URL(request.url()).origin));
  await page.goto(url);
  return {
    page,
    requestedOrigins,
    messages,
    origin: new URL(url).origin,
    clock,
    count: (type: FromPage["type"]) => messages.filter((message) => message.type === type).length,
    show: (...items: SceneItem[]) => {
      const start = clock.now() - 100;
      const slots = items.map((each, index) => slot(each, start + index * 4_000, index === items.length - 1 ? long : 4_000));
      surface.show(stage([zone(slots)]));
    },
    /** Shows one item on the whole display, rotated. */
    showRotated: (each: SceneItem, rotation: Rotation) => {
      const [width, height] = rotation % 180 === 0 ? [960, 540] : [540, 960];
      const drawn = zone([slot(each, clock.now() - 100, long)], { width, height });
      surface.show({ ...stage([drawn], { width, height }), rotation });
    },
    async [Symbol.asyncDispose]() {
      end.abort();
      await context.close();
      await surface[Symbol.asyncDispose]();
      await outboundHttp[Symbol.asyncDispose]();
    },
  };
}

const hls = (origin: string): SceneItem =>
  item({ type: "stream", protocol: "hls", src: "/stream/hls", url: `${origin}/live/index.m3u8`, fit: "cover", muted: true });
const camera = (origin: string): SceneItem =>
  item({ type: "stream", protocol: "mjpeg", src: "/stream/mjpeg", url: `${origin}/video`, fit: "cover" });
const jpegOf = (rgb: readonly [number, number, number]): Promise<Buffer> =>
  sharp({ create: { width: 320, height: 180, channels: 3, background: { r: rgb[0], g: rgb[1], b: rgb[2] } } })
    .jpeg()
    .toBuffer();

test("[ITM28] an HLS stream plays, and the page sends requests only to the player", async () => {
  await using live = await startHlsStream("0x1e3cdc", 60);
  await using opened = await open(live.origin);
  opened.show(hls(live.origin));
  await expect.poll(() => opened.count("presented")).toBe(1);
  const position = () => opened.page.evaluate<number>("document.querySelector('video').currentTime");
  const from = await position();
  await expect.poll(position).toBeGreaterThan(from + 1);
  expect(isNear((await readScreen(opened.page))(480, 270), "blue", 40)).toBe(true);
  expect(new Set(opened.requestedOrigins.filter((origin) => origin !== "null"))).toEqual(new Set([opened.origin]));
  expect(opened.count("failed")).toBe(0);
});

test("[ITM29] a stream that is interrupted is reported, its last picture stays until it cannot be connected to either, and it resumes by itself", async () => {
  await using live = await startHlsStream("0x1e3cdc", 120);
  await using opened = await open(live.origin);
  opened.show(hls(live.origin));
  await expect.poll(() => opened.count("presented")).toBe(1);
  const video = (await opened.page.$("video"))!;
  live.isDown = true;
  await expect.poll(() => opened.count("failed")).toBeGreaterThan(0);
  const screen = await readScreen(opened.page);
  // On a slow machine the zone may have given the stream up by then, and shows its fallback.
  if (await video.evaluate((element) => element.isConnected)) expect(isNear(screen(480, 270), "blue", 40)).toBe(true);
  const requestsBefore = live.requestedPaths.length;
  await expect.poll(() => live.requestedPaths.length).toBeGreaterThan(requestsBefore);
  live.isDown = false;
  const moving =
    "(() => { const all = [...document.querySelectorAll('video')]; const now = all.map((each) => each.currentTime).join(); const moved = window.was !== undefined && window.was !== now; window.was = now; return moved; })()";
  await opened.page.evaluate("window.was = undefined");
  await expect.poll(() => opened.page.evaluate(moving)).toBe(true);
  await expect.poll(async () => isNear((await readScreen(opened.page))(480, 270), "blue", 40)).toBe(true);
  // The elements of failed attempts are gone.
  await expect.poll(() => opened.page.locator("video").count()).toBe(1);
});

test.each([
  ["with lengths", true],
  ["without lengths", false],
])("[ITM30] a Motion JPEG camera that sends %s is shown, and shown again after an outage", async (_how, tellsLength) => {
  await using source = await startCamera(await jpegOf(colors.magenta), tellsLength);
  await using opened = await open(source.origin);
  opened.show(camera(source.origin));
  await expect.poll(() => opened.count("presented")).toBe(1);
  expect(isNear((await readScreen(opened.page))(480, 270), "magenta")).toBe(true);
  source.isDown = true;
  await expect.poll(() => opened.count("failed")).toBeGreaterThan(0);
  // Nothing else can be shown meanwhile: the zone shows its fallback and retries the camera.
  await expect.poll(() => opened.count("fallback")).toBe(1);
  source.isDown = false;
  await expect.poll(async () => isNear((await readScreen(opened.page))(480, 270), "magenta")).toBe(true);
  await expect.poll(() => opened.page.locator("canvas").count()).toBe(1);
});

test("[ZON10] a camera's picture rotates with the display", async () => {
  // Red in its upper left quarter, blue elsewhere.
  const corner = { create: { width: 160, height: 90, channels: 3 as const, background: { r: 220, g: 30, b: 40 } } };
  const picture = await sharp(await jpegOf([30, 60, 220]))
    .composite([{ input: corner, left: 0, top: 0 }])
    .jpeg()
    .toBuffer();
  await using source = await startCamera(picture, true);
  await using opened = await open(source.origin);
  const quarters = { 0: [240, 135], 90: [720, 135], 180: [720, 405], 270: [240, 405] } as const;
  for (const rotation of [0, 90, 180, 270] as const) {
    opened.showRotated({ ...camera(source.origin), fit: "fill" } as SceneItem, rotation);
    const redIn = async (): Promise<string[]> => {
      const at = await readScreen(opened.page);
      return Object.entries(quarters).flatMap(([degrees, [x, y]]) => (isNear(at(x, y), [220, 30, 40], 30) ? [degrees] : []));
    };
    await expect.poll(redIn).toEqual([String(rotation)]);
  }
});

test.each([
  ["HLS", hls],
  ["Motion JPEG", camera],
])("[ITM31] a stream (%s) that cannot be connected to is reported, and the zone shows the next item", async (_kind, make) => {
  await using source = await startCamera(await jpegOf(colors.red), true);
  source.isDown = true;
  await using opened = await open(source.origin);
  opened.show(make(source.origin), text("Next", "#203040"));
  await expect.poll(() => opened.count("failed")).toBeGreaterThan(0);
  expect(opened.messages.find(({ type }) => type === "failed")).toMatchObject({ code: "load" });
  await expect.poll(() => opened.count("presented")).toBe(1);
  expect(isNear((await readScreen(opened.page))(5, 5), [0x20, 0x30, 0x40])).toBe(true);
});
