// Web and html items with the real page, the player's surface and a real Chromium.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Clock, createSystemClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { createChromiumHost } from "../../../src/host/chromium/host.ts";
import { findChromium } from "../../../src/host/chromium/find-chromium.ts";
import type { IframeEvent, Host } from "../../../src/player/host.ts";
import { programAt } from "../../../src/schedule/program.ts";
import { stageAt, applyProgram } from "../../../src/player/playback/playback.ts";
import { WebItems } from "../../../src/player/web-items/web-items.ts";
import { OutboundHttp } from "../../../src/base/http/outbound-http.ts";
import { contentPolicy } from "../../../src/player/web-items/outbound-policy.ts";
import { Surface } from "../../../src/player/surface/surface.ts";
import type { DesiredAsset } from "../../../src/protocol/device/desired-state.ts";
import type { Rotation } from "../../../src/protocol/content/orientation.ts";
import { PlaylistItem } from "../../../src/protocol/content/items.ts";
import type { Scene, Slot } from "../../../src/protocol/scene.ts";
import type { FromPage } from "../../../src/protocol/page-messages.ts";
import { temporaryFolder as browserFolder } from "../../host/hosts-under-test.ts";
import { killAll, processesNaming, startTimeOf } from "../../host/processes.ts";
import { waitUntil } from "../../support/polling.ts";
import { assetOf, desiredOf, newId, readyOf } from "../../support/states.ts";
import { colouredPage, startWebServer, type WebServer } from "../../support/network/web-server.ts";
import { builtRenderer } from "../../support/page-build.ts";
import { startXvfb, type Xvfb } from "../../support/browser/xvfb.ts";
import { zipOf, type ZipFile } from "../../support/media/zip.ts";

const never = new AbortController().signal;
// Loops are counted from the epoch: at this instant the first item of a loop of hours is due.
const startMs = Date.parse("2026-01-01T00:00:00Z");
const system = createSystemClock();
const clock: Clock = { ...system, now: () => startMs + system.monotonic() };

let folder: string;
let profile: string;
let surface: Surface;
let sites: WebItems;
let host: Host;
let web: WebServer;
let display: Xvfb;
let isDown = false;
const received: FromPage[] = [];
// A loop hangs its page in the same way when each round waits for an answer, and leaves the processor to others.
const loopMs = 50;
const waitsInLoop = "{ const request = new XMLHttpRequest(); request.open('GET', '/later', false); request.send(); }";
/** A page that is green in its upper left quarter and blue elsewhere. */
const quartered = colouredPage("rgb(0,0,200)", "<div style='position:fixed;inset:0 50% 50% 0;background:rgb(0,160,0)'></div>");
// A page that keeps replacing itself reaches this number of documents long before the page's time limit, even on a busy machine.
const documents = 8;
const frames = { loadMs: 10_000, partsMs: 1_000, blankMs: 3_000, documents, probe: { intervalMs: 300, limitMs: 2_000 } };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signage-sites-"));
  await mkdir(join(folder, "content"));
  web = await startWebServer("127.0.0.2", {
    "/green": colouredPage("rgb(0,160,0)"),
    "/blue": colouredPage("rgb(0,0,200)"),
    "/quarters": quartered,
    "/loops": colouredPage("rgb(0,160,0)", `<script>setTimeout(() => { for (;;) ${waitsInLoop} }, 500)</script>`),
    "/later": (_request, response) => void system.wait(loopMs).then(() => response.end()),
    "/counts": (_request, response) => {
      if (isDown) return void response.writeHead(503).end("down");
      const count = web.requests.filter(({ path }) => path === "/counts").length;
      response.writeHead(200, { "content-type": "text/html" }).end(colouredPage(count % 2 === 1 ? "rgb(0,160,0)" : "rgb(0,0,200)"));
    },
    "/hostile": colouredPage(
      "rgb(0,160,0)",
      `<a id=download href="data:application/zip,x" download=x.zip></a><script>
        // One after the other: requests that are under way together may arrive in any order.
        const report = (what, how) => fetch('/report?' + what + '=' + how);
        onload = async () => {
          await report('dialogs', [alert('a'), confirm('b'), prompt('c')].join());
          await report('popup', open('/blue') === null);
          document.querySelector('#download').click();
          await report('permission', await Notification.requestPermission());
          try { top.location = '/blue'; await report('top', 'went') } catch (error) { await report('top', error.name) }
          try { await report('reads', parent.document.title) } catch (error) { await report('reads', error.name) }
          await report('cookie', document.cookie === '' ? 'none' : document.cookie);
          await report('done', 'yes');
        };
      </script>`,
    ),
    "/works":
      "<!doctype html><body><script>new Worker('/worker.js').onmessage = ({ data }) => { document.body.style.background = data }</script>",
    "/worker.js": (_request, response) => {
      // A worker inside a worker: the host has to resume both.
      const inner = "data:text/javascript,postMessage('rgb(0,160,0)')";
      const script = `new Worker(${JSON.stringify(inner)}).onmessage = ({ data }) => postMessage(data)`;
      response.writeHead(200, { "content-type": "text/javascript" }).end(script);
    },
    "/silent": () => {},
    "/for-ever": (_request, response) => response.writeHead(302, { location: "/for-ever" }).end(),
    "/ping": "<script>location.replace('/pong')</script>",
    "/pong": "<script>location.replace('/ping')</script>",
    "/empty": "<!doctype html>",
    "/file": (_request, response) => response.writeHead(200, { "content-type": "application/zip" }).end("x"),
    "/asks-before-leaving": colouredPage(
      "rgb(0,160,0)",
      "<script>onbeforeunload = (event) => event.preventDefault(); setInterval(() => alert('hello'), 50); print()</script>",
    ),
    "/secret": colouredPage("rgb(0,160,0)"),
    "/size": colouredPage(
      "rgb(0,160,0)",
      "<script>onload = () => requestAnimationFrame(() => fetch('/report?size=' + innerWidth + 'x' + innerHeight))</script>",
    ),
  });
  surface = await Surface.open({
    owner: "tests",
    port: null,
    rendererFolder: await builtRenderer(),
    media: () => null,
    stream: () => null,
    outboundHttp: new OutboundHttp({ policy: contentPolicy() }),
    clock,
    log: silentLog,
  });
  surface.onMessage((message) => received.push(message), never);
  profile = await browserFolder();
  display = await startXvfb({ width: 960, height: 540 });
  host = createChromiumHost({
    executable: await findChromium(),
    profileFolder: profile,
    headless: false,
    window: null,
    env: { ...process.env, DISPLAY: display.display },
    log: silentLog,
    clock,
    iframes: frames,
    mayReachLocal: () => true,
  });
  sites = await WebItems.open({ host, surface, media: (name) => ({ folder: join(folder, "content"), name }), log: silentLog });
  await host.open(surface.hostPage, never);
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  await display[Symbol.asyncDispose]();
  await sites[Symbol.asyncDispose]();
  await surface[Symbol.asyncDispose]();
  await web[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
  await rm(profile, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(() => {
  received.length = 0;
  web.requests.length = 0;
  isDown = false;
});

/** An item as the service would send it, with its defaults. */
function item(about: Record<string, unknown>): PlaylistItem {
  return PlaylistItem.parse({ id: newId("itm"), duration_ms: 3_600_000, ...about });
}

/** Draws items in one zone that fills the display, as the player does. Returns a function that draws the loop's current state. */
function draw(items: PlaylistItem[], assets: DesiredAsset[] = [], rotation: Rotation = 0): () => void {
  const desired = desiredOf(items, assets);
  const size = rotation % 180 === 0 ? { width: 960, height: 540 } : { width: 540, height: 960 };
  Object.assign(desired.layout!, size);
  Object.assign(desired.layout!.zones[0]!, size);
  const { program } = programAt(readyOf(desired), clock.now());
  const playback = applyProgram(null, program, clock.now());
  sites.declare(desired);
  const next = (): void => {
    const { stage } = stageAt(playback, clock.now(), "UTC")!;
    const scene: Scene = { screen: { is: "stage", stage: sites.withBundleUrls(stage) }, identify: null, rotation };
    surface.show(scene);
  };
  next();
  return next;
}

/** Draws up to three items one after the other, the first from now on. */
function drawFromNow(items: PlaylistItem[]): void {
  const desired = desiredOf(items, []);
  const size = { width: 960, height: 540 };
  Object.assign(desired.layout!, size);
  Object.assign(desired.layout!.zones[0]!, size);
  sites.declare(desired);
  const { program } = programAt(readyOf(desired), clock.now());
  const stage = sites.withBundleUrls(stageAt(applyProgram(null, program, clock.now()), clock.now(), "UTC")!.stage);
  let at = clock.now();
  const slots = items.map((one): Slot => {
    const slot = stage.zones[0]!.slots.find(({ item: { item_id } }) => item_id === one.id)!;
    const startsAt = at;
    at += one.duration_ms!;
    return { ...slot, key: `${one.id}@${startsAt}`, starts_at: startsAt, ends_at: at, offset_ms: 0 };
  });
  surface.show({ screen: { is: "stage", stage: { ...stage, zones: [{ ...stage.zones[0]!, slots }] } }, identify: null });
}

/** Draws zones side by side, each with one item from now on. */
function drawSideBySide(items: PlaylistItem[]): void {
  const desired = desiredOf(items, []);
  sites.declare(desired);
  const { program } = programAt(readyOf(desired), clock.now());
  const stage = sites.withBundleUrls(stageAt(applyProgram(null, program, clock.now()), clock.now(), "UTC")!.stage);
  const at = clock.now();
  const width = 960 / items.length;
  const zones = items.map((one, index) => {
    const slot = stage.zones[0]!.slots.find(({ item: { item_id } }) => item_id === one.id)!;
    const slots = [{ ...slot, key: `${one.id}@${at}`, starts_at: at, ends_at: at + one.duration_ms!, offset_ms: 0 }];
    return { ...stage.zones[0]!, id: newId("zon"), left: width * index, top: 0, width, height: 540, slots };
  });
  surface.show({ screen: { is: "stage", stage: { ...stage, key: newId("stg"), width: 960, height: 540, zones } }, identify: null });
}

async function message<T extends FromPage["type"]>(type: T, itemId: string): Promise<Extract<FromPage, { type: T }>> {
  const found = () => received.find((one) => one.type === type && "item_id" in one && one.item_id === itemId);
  await waitUntil(`${type} of the item`, () => found() !== undefined).catch((cause: unknown) => {
    throw new Error(`received ${JSON.stringify(received.filter(({ type: kind }) => kind !== "beat" && kind !== "clock"))}`, { cause });
  });
  return found() as Extract<FromPage, { type: T }>;
}

/** Resolves when the page has sent `count` more heartbeats; calls `look` again and again until then. */
async function beatsLater(count: number, look = (): unknown => undefined): Promise<void> {
  const beats = (): number => received.filter(({ type }) => type === "beat").length;
  const wanted = beats() + count;
  await waitUntil("the page's heartbeats", () => (look(), beats() >= wanted));
}

/** The colour on screen at a point. */
async function pixel(x: number, y: number): Promise<number[]> {
  const { bytes } = await host.capture(never);
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  const at = (y * info.width + x) * info.channels;
  return [data[at]!, data[at + 1]!, data[at + 2]!];
}
const isGreen = ([red, green, blue]: number[]): boolean => red! < 40 && green! > 120 && blue! < 40;
const isBlue = ([red, green, blue]: number[]): boolean => red! < 40 && green! < 40 && blue! > 160;
const reported = (what: string): string | undefined =>
  web.requests.map(({ path }) => new URL(path, "http://x").searchParams.get(what)).find((how) => how !== null) ?? undefined;

async function bundle(files: ZipFile[]): Promise<DesiredAsset> {
  const bytes = zipOf(files);
  const asset = assetOf(bytes, { mime_type: "application/zip", width: null, height: null });
  await writeFile(join(folder, "content", asset.sha256), bytes);
  return asset;
}

test("[WEB1] a web item is on screen and painted when it is reported as presented", async () => {
  const page = item({ type: "web", url: `${web.origin}/green` });
  draw([page]);
  await message("presented", page.id);
  expect(await pixel(480, 270)).toSatisfy(isGreen);
  expect(await pixel(955, 535)).toSatisfy(isGreen);
});

test("[WEB14] a framed page receives the origin of the player's page as its referrer, and nothing more: embedded videos need one", async () => {
  const page = item({ type: "web", url: `${web.origin}/green` });
  draw([page]);
  await message("presented", page.id);
  const request = web.requests.find(({ path }) => path === "/green")!;
  expect(request.headers.referer).toBe(`${new URL(surface.hostPage.url).origin}/`);
});

test("[WEB2] a page's dialogs, popups, downloads and prompts do not appear, and it can neither navigate the player's page nor read it", async () => {
  const page = item({ type: "web", url: `${web.origin}/hostile` });
  draw([page]);
  await message("presented", page.id);
  await waitUntil("the page has tried every kind of request", () => reported("done") === "yes");
  expect(reported("dialogs")).toBe(",false,");
  expect(reported("popup")).toBe("true");
  expect(reported("permission")).toBe("denied");
  expect(reported("top")).toBe("SecurityError");
  expect(reported("reads")).toBe("SecurityError");
  expect(reported("cookie")).toBe("none");
  for (const { headers } of web.requests) expect(headers.cookie ?? "").not.toContain(surface.hostPage.cookie.value);
  expect(web.requests.map(({ path }) => path)).not.toContain("/blue");
  expect(await pixel(480, 270)).toSatisfy(isGreen);
});

test("[REM15] of two zones whose pages share a process, the page that crashes it is found and skipped, and the other page is shown again and stays", async () => {
  const good = item({ type: "web", url: `${web.origin}/green` });
  const bad = item({ type: "web", url: `${web.origin}/loops` });
  drawSideBySide([good, bad]);
  const count = (type: FromPage["type"], { id }: PlaylistItem): number =>
    received.filter((one) => one.type === type && "item_id" in one && one.item_id === id).length;
  const loads = (what: string): number => web.requests.filter(({ path }) => path === what).length;
  await waitUntil("both crashed", () => count("failed", good) > 0 && count("failed", bad) > 0);
  const shown = count("presented", good) + count("presented", bad);
  await waitUntil("one page is retried", () => count("presented", good) + count("presented", bad) > shown);
  expect(loads("/green") + loads("/loops")).toBe(3);
  const failures = count("failed", bad);
  await waitUntil("the bad page crashed alone", () => count("failed", bad) > failures);
  // It ends with the bad page once, and once more if it was shown before the bad page was retried: they share the process.
  expect(count("failed", good)).toBeLessThanOrEqual(2);
  await waitUntil(
    "the good page is shown",
    () => received.findLast(({ type }) => type === "presented" || type === "failed")?.type === "presented",
  );
  const [goodLoads, badLoads] = [loads("/green"), loads("/loops")];
  // Until the bad page may be tried again nothing is loaded, and the good page stays.
  await beatsLater(2);
  expect([loads("/green"), loads("/loops")]).toEqual([goodLoads, badLoads]);
  expect(await pixel(240, 270)).toSatisfy(isGreen);
});

test("[WEB3] a page in an endless loop fails, the report names its site, and the next item is shown", async () => {
  const loops = item({ type: "web", url: `${web.origin}/loops` });
  draw([loops]);
  await message("presented", loops.id);
  const failed = await message("failed", loops.id);
  expect(failed).toMatchObject({ code: "stalled", detail: expect.stringContaining(web.origin) });
  // The player's own page still sends heartbeats.
  await beatsLater(1);
  const blue = item({ type: "web", url: `${web.origin}/blue` });
  draw([blue]);
  await message("presented", blue.id);
  expect(await pixel(480, 270)).toSatisfy(isBlue);
});

/** Kills the renderers of framed pages. The player's own page has the renderer that was started first. */
async function killFramedPages(): Promise<void> {
  const renderers = (await processesNaming(profile)).filter(({ type }) => type === "renderer").map(({ pid }) => pid);
  const started = await Promise.all(renderers.map(async (pid) => ({ pid, at: await startTimeOf(pid) })));
  const [, ...framed] = started.toSorted((a, b) => a.at - b.at);
  killAll(framed.map(({ pid }) => pid));
}

/** The reports on an item, in order. */
const reportsOn = ({ id }: PlaylistItem): string[] =>
  received.flatMap((one) => ("item_id" in one && one.item_id === id ? [one.type === "failed" ? `failed ${one.code}` : one.type] : []));

test("[REM5] a page that crashes after it was ready and before its start has failed: it is never shown; the next item is", async () => {
  const painted: IframeEvent[] = [];
  const over = new AbortController();
  host.onIframeEvent((news) => news.is === "shown" && painted.push(news), over.signal);
  const red = item({ type: "text", text: "x", background_color: "#c80000", font_size: 20, duration_ms: 5_000 });
  const dies = item({ type: "web", url: `${web.origin}/green`, duration_ms: 60_000 });
  const last = item({ type: "text", text: "x", background_color: "#0000c8", font_size: 20, duration_ms: 3_600_000 });
  drawFromNow([red, dies, last]);
  await message("presented", red.id);
  await waitUntil("the page has painted while hidden", () => painted.length > 0);
  await killFramedPages();
  expect(await message("failed", dies.id)).toMatchObject({ code: "crashed", detail: expect.stringContaining(web.origin) });
  await message("presented", last.id);
  over.abort();
  expect(reportsOn(dies)).toEqual(["failed crashed"]);
  expect(await pixel(950, 10)).toSatisfy(isBlue);
});

test("[REM6] a page that crashes on screen is hidden as soon as the crash is known: viewers see the fallback, not the browser's error page", async () => {
  const dies = item({ type: "web", url: `${web.origin}/green`, duration_ms: 3_600_000 });
  const slow = item({ type: "web", url: `${web.origin}/silent`, duration_ms: 3_600_000 });
  drawFromNow([dies, slow]);
  await message("presented", dies.id);
  const killedAt = clock.now();
  await killFramedPages();
  const failed = await message("failed", dies.id);
  expect(failed.code).toBe("crashed");
  expect(failed.at).toBeGreaterThan(killedAt - 50);
  // The fallback is dark and bluish, the browser's error page is grey.
  const isFallback = ([red, green, blue]: readonly number[]): boolean => blue! < 80 && blue! > red! && green! < 60;
  await waitUntil("the fallback is shown", () => isFallback(display.framebuffer.pixel(950, 10)));
  const seen = new Set<string>();
  await beatsLater(1, () => seen.add([...display.framebuffer.pixel(950, 10)].join()));
  expect([...seen].map((colour) => colour.split(",").map(Number)).filter((colour) => !isFallback(colour))).toEqual([]);
  expect(reportsOn(dies)).toEqual(["presented", "failed crashed"]);
});

test("[WEB4] a page that cannot be loaded is never shown: the previous one stays", async () => {
  const green = item({ type: "web", url: `${web.origin}/green` });
  draw([green]);
  await message("presented", green.id);
  const missing = item({ type: "web", url: `${web.origin}/missing` });
  draw([missing]);
  expect(await message("failed", missing.id)).toMatchObject({ code: "load", detail: expect.stringContaining("HTTP 404") });
  expect(received.some((one) => one.type === "presented" && one.item_id === missing.id)).toBe(false);
});

test.for([
  ["/silent", "timeout"],
  ["/for-ever", "load"],
  ["/ping", "load"],
  ["/empty", "blank"],
  ["/file", "load"],
] as const)("[BAD4] a page at %s is reported (%s) and skipped, and the zone keeps playing", async ([path, code]) => {
  const bad = item({ type: "web", url: `${web.origin}${path}`, duration_ms: 3_600_000 });
  const blue = item({ type: "web", url: `${web.origin}/blue` });
  const next = draw([bad, blue]);
  expect(await message("failed", bad.id)).toMatchObject({ code });
  next();
  await message("presented", blue.id);
  expect(received.some((one) => one.type === "presented" && one.item_id === bad.id)).toBe(false);
  expect(await pixel(480, 270)).toSatisfy(isBlue);
});

test("[WFR15] workers of a framed page run, and workers inside them", async () => {
  const works = item({ type: "web", url: `${web.origin}/works` });
  draw([works]);
  await message("presented", works.id);
  await expect.poll(() => pixel(480, 270)).toSatisfy(isGreen);
});

test("[BAD5] a page that opens endless dialogs, prints and asks for confirmation before it is left is replaced like any other", async () => {
  const intrusive = item({ type: "web", url: `${web.origin}/asks-before-leaving` });
  draw([intrusive]);
  await message("presented", intrusive.id);
  expect(await pixel(480, 270)).toSatisfy(isGreen);
  const blue = item({ type: "web", url: `${web.origin}/blue` });
  draw([blue]);
  await message("presented", blue.id);
  expect(await pixel(480, 270)).toSatisfy(isBlue);
  expect(received.some(({ type }) => type === "failed")).toBe(false);
});

test("[BAD6] a bundle in an endless loop fails alone, and the next item is shown", async () => {
  const loop = "<script>setTimeout(() => { for (;;); }, 500)</script>";
  const asset = await bundle([{ name: "index.html", bytes: colouredPage("rgb(0,160,0)", loop) }]);
  const loops = item({ type: "html", asset_id: asset.id });
  const blue = item({ type: "web", url: `${web.origin}/blue` });
  const next = draw([loops, blue], [asset]);
  await message("presented", loops.id);
  expect(await message("failed", loops.id)).toMatchObject({ code: expect.stringMatching(/stalled|crashed/) });
  next();
  await message("presented", blue.id);
  expect(await pixel(480, 270)).toSatisfy(isBlue);
});

test("[WEB5] the page has the layout of its zoom and fills its zone", async () => {
  const page = item({ type: "web", url: `${web.origin}/size`, zoom: 2 });
  draw([page]);
  await message("presented", page.id);
  await waitUntil("the page reports its size", () => reported("size") !== undefined);
  expect(reported("size")).toBe("480x270");
  expect(await pixel(955, 535)).toSatisfy(isGreen);
});

test("[WEB6] credentials are sent to the site and are not in anything sent to the page", async () => {
  const page = item({
    type: "web",
    url: `${web.origin}/secret`,
    headers: { "X-Key": "key-4711" },
    basic_auth: { username: "lobby", password: "pass-4711" },
  });
  const shown = vi.spyOn(surface, "show");
  draw([page]);
  await message("presented", page.id);
  expect(web.requests.find(({ path }) => path === "/secret")!.headers).toMatchObject({
    "x-key": "key-4711",
    authorization: `Basic ${Buffer.from("lobby:pass-4711").toString("base64")}`,
  });
  expect(JSON.stringify(shown.mock.calls)).not.toMatch(/(key|pass)-4711/);
});

test("[WEB7] a page is reloaded hidden; when that fails, the page on screen stays", async () => {
  const page = item({ type: "web", url: `${web.origin}/counts`, refresh_interval_ms: 5_000 });
  draw([page]);
  await message("presented", page.id);
  expect(await pixel(480, 270)).toSatisfy(isGreen);
  await waitUntil("the reloaded page is shown", async () => isBlue(await pixel(480, 270)));
  isDown = true;
  const requestCount = () => web.requests.filter(({ path }) => path === "/counts").length;
  const before = requestCount();
  await waitUntil("reloads have failed", () => requestCount() >= before + 2);
  expect(await pixel(480, 270)).toSatisfy(isBlue);
  expect(received.some(({ type }) => type === "failed")).toBe(false);
});

test("[WEB8] a bundle is shown from its own origin and can reach nothing else", async () => {
  const asset = await bundle([
    { name: "index.html", bytes: colouredPage("white", "<script src=app.js></script>") },
    {
      name: "app.js",
      bytes: `const own = fetch('/data.json').then((answer) => answer.json());
        const foreign = fetch('${web.origin}/report?leak=1').then(() => 'went', () => 'refused');
        const image = new Promise((done) => { const i = new Image(); i.onload = i.onerror = done; i.src = '${web.origin}/report?leak=2' });
        let stage = 'refused'; try { stage = parent.document.title } catch {}
        Promise.all([own, foreign, image]).then(([own, foreign]) => {
          const ok = own.ok && foreign === 'refused' && stage === 'refused' && document.cookie === '' && /localhost$/.test(location.hostname);
          document.body.style.background = ok ? 'rgb(0,160,0)' : 'rgb(200,0,0)';
        });`,
    },
    { name: "data.json", bytes: '{"ok":true}' },
  ]);
  const shown = item({ type: "html", asset_id: asset.id });
  draw([shown], [asset]);
  await message("presented", shown.id);
  await waitUntil("the page's script finds no error", async () => isGreen(await pixel(480, 270)));
  expect(reported("leak")).toBeUndefined();
});

test.for(["web", "html"] as const)("[ZON10] an item of another site (%s) rotates with the display", async (type) => {
  const quarters = { 0: [240, 135], 90: [720, 135], 180: [720, 405], 270: [240, 405] } as const;
  for (const rotation of [0, 90, 180, 270] as const) {
    const asset = await bundle([{ name: "index.html", bytes: quartered }]);
    const shown = type === "web" ? item({ type, url: `${web.origin}/quarters` }) : item({ type, asset_id: asset.id });
    draw([shown], [asset], rotation);
    await message("presented", shown.id);
    const green: string[] = [];
    for (const [degrees, [x, y]] of Object.entries(quarters)) if (isGreen(await pixel(x, y))) green.push(degrees);
    expect(green).toEqual([String(rotation)]);
  }
});

test("[WEB9] a hostile bundle is rejected, and the report gives the reason", async () => {
  const asset = await bundle([
    { name: "index.html", bytes: colouredPage("rgb(0,160,0)") },
    { name: "bomb.bin", bytes: Buffer.alloc(64 * 1024 ** 2) },
  ]);
  const shown = item({ type: "html", asset_id: asset.id });
  draw([shown], [asset]);
  expect(await message("failed", shown.id)).toMatchObject({ code: "load", detail: expect.stringContaining("zip bomb") });
});

test("[WEB10] removed iframes leave no process behind", async () => {
  const asset = await bundle([{ name: "index.html", bytes: colouredPage("rgb(0,0,200)") }]);
  const count = async (): Promise<number> => (await processesNaming(profile)).length;
  const pass = async (): Promise<void> => {
    for (const next of [item({ type: "web", url: `${web.origin}/green` }), item({ type: "html", asset_id: asset.id })]) {
      draw([next], [asset]);
      await message("presented", next.id);
    }
  };
  await pass();
  const before = await count();
  for (let passes = 0; passes < 6; passes++) await pass();
  await waitUntil("no more processes than before", async () => (await count()) <= before + 1);
});

test("[WEB11] changes between web, html and text items show no other picture in between", async () => {
  const asset = await bundle([{ name: "index.html", bytes: colouredPage("rgb(0,0,200)") }]);
  const items = [
    item({ type: "web", url: `${web.origin}/green`, duration_ms: 1_000 }),
    item({ type: "html", asset_id: asset.id, duration_ms: 1_000 }),
    item({ type: "text", text: "x", background_color: "#c80000", font_size: 20, duration_ms: 1_000 }),
  ];
  const redraw = draw(items, [asset]);
  const presented = () => received.filter(({ type }) => type === "presented");
  await waitUntil("the loop runs", () => presented().length > 0);
  const isRed = ([red, green, blue]: readonly number[]): boolean => red! > 160 && green! < 40 && blue! < 40;
  const foreign = new Map<string, number>();
  let samples = 0;
  const timer = setInterval(() => {
    for (const [x, y] of [
      [950, 10],
      [950, 530],
    ] as const) {
      const seen = display.framebuffer.pixel(x, y);
      samples++;
      if (!isGreen([...seen]) && !isBlue([...seen]) && !isRed(seen)) foreign.set(seen.join(), (foreign.get(seen.join()) ?? 0) + 1);
    }
  }, 1);
  const redrawing = setInterval(redraw, 300);
  try {
    await waitUntil("twelve changes", () => presented().length >= 13);
  } finally {
    clearInterval(timer);
    clearInterval(redrawing);
  }
  expect([...foreign]).toEqual([]);
  expect(samples).toBeGreaterThan(2_000);
  expect(received.filter(({ type }) => type === "failed")).toEqual([]);
});
