// The console in a browser: the size of its first script, its first load beside an empty page of the same weight, and a wall of
// 10,000 screens with 200 changes a second: frame times, memory, and the time from a change to its pixel beside the bare socket.
import { createServer } from "node:http";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { CDPSession, Page } from "playwright";
import { rendererFolder } from "../src/main/folders.ts";
import { EventSubscriber } from "../test/service/events/event-subscriber.ts";
import { desktop, startBrowser, Window } from "../test/support/console/console.ts";
import { playing, startWall, type WallService } from "../test/support/console/wall.ts";
import { buildPageIfStale } from "../test/support/page-build.ts";
import { percentiles, printFigure } from "./lib.ts";

const minutes = Number(process.argv[2] ?? 1);
const screens = Number(process.argv[3] ?? 10_000);
const changesPerSecond = 200;
const loads = 5;
const probes = 40;
const line = { offline: false, downloadThroughput: 10_000_000 / 8, uploadThroughput: 10_000_000 / 8, latency: 40 };

await buildPageIfStale();
printScriptSize();
await using wall = await startWall(
  Array.from({ length: screens }, (_, place) => ({
    name: `Screen ${place + 1}`,
    tags: [`Hall ${place % 40}`],
    says: playing(null, "Menu"),
  })),
);
await using browser = await startBrowser();
await measureFirstLoad();
await measureWall();

/** The entry and everything that it imports at once, compressed. */
function printScriptSize(): void {
  const folder = join(rendererFolder, "console");
  const entry = /<script[^>]* src="\.\/(assets\/[^"]+)"/.exec(readFileSync(join(folder, "index.html"), "utf8"))![1]!;
  const found = new Set<string>();
  const add = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    const code = readFileSync(join(folder, file), "utf8");
    for (const [, name] of code.matchAll(/(?:\bfrom|\bimport)\s*"\.\/([^"]+\.js)"/g)) add(`assets/${name!}`);
  };
  add(entry);
  const bytes = [...found].reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file)), { level: 9 }).length, 0);
  printFigure("first script, kB gzip", { aim: 180, value: Math.round(bytes / 100) / 10, files: found.size });
}

async function measureFirstLoad(): Promise<void> {
  await using signedIn = await Window.open(browser, desktop, { isEverIdle: true });
  await signedIn.signIn(wall.service);
  const storageState = await signedIn.context.storageState();
  const url = wall.service.service.url;
  const times: number[] = [];
  let weight = 0;
  for (let load = 0; load < loads; load += 1) {
    const { ms, bytes } = await timeLoad(url, storageState, (page) =>
      page.getByRole("heading", { name: "Screens", exact: true }).waitFor(),
    );
    times.push(ms);
    weight = bytes;
  }
  // One script of as many bytes, which no transfer can shorten.
  const script = `/*${randomBytes(Math.max(2, Math.floor((weight - 400) / 2))).toString("hex")}*/`;
  const server = createServer((request, response) => {
    const isScript = request.url === "/script.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? script : '<!doctype html><title>Empty</title><body><script src="/script.js"></script><h1>Screens</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const empty: number[] = [];
  for (let load = 0; load < loads; load += 1) {
    empty.push((await timeLoad(`http://127.0.0.1:${port}/`, storageState, (page) => page.getByRole("heading").waitFor())).ms);
  }
  server.closeAllConnections();
  server.close();
  const [ours, bare] = [percentiles(times), percentiles(empty)];
  printFigure("first load over 10 Mbit/s and 40 ms, ms", { ...ours, kilobytes: Math.round(weight / 1_000) });
  printFigure("an empty page of the same weight, ms", bare);
  printFigure("first load against the empty page", { ratio: Math.round((100 * ours.p50) / bare.p50) / 100 });
}

/** The time until a page with an empty cache shows something, and what it has fetched until then. */
async function timeLoad(
  url: string,
  storageState: Awaited<ReturnType<Window["context"]["storageState"]>>,
  shows: (page: Page) => Promise<void>,
) {
  await using window = await Window.open(browser, { ...desktop, storageState }, { isEverIdle: true });
  const session = await window.context.newCDPSession(window.page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", line);
  let bytes = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  const started = performance.now();
  await window.page.goto(url, { waitUntil: "commit" });
  await shows(window.page);
  return { ms: performance.now() - started, bytes };
}

async function measureWall(): Promise<void> {
  await using window = await Window.open(browser, desktop, { isEverIdle: true });
  const { page } = window;
  await window.signIn(wall.service);
  const opened = performance.now();
  await page.goto(wall.service.service.url);
  await page
    .getByText(`${screens.toLocaleString("en")} screens`, { exact: true })
    .first()
    .waitFor({ timeout: 120_000 });
  printFigure(`all ${screens} screens on the wall, ms`, { ms: Math.round(performance.now() - opened) });
  const session = await window.context.newCDPSession(page);
  await page.evaluate(`
    window.frames_ = [];
    let last = performance.now();
    requestAnimationFrame(function loop(at) { window.frames_.push(at - last); last = at; requestAnimationFrame(loop); });
  `);
  printFigure("frames of the wall at rest, ms", await framesOf(page, 5_000));
  const before = await heapOf(session);
  const stop = new AbortController();
  const changing = changeScreens(wall, stop.signal);
  await page.evaluate("window.frames_.length = 0");
  const figures = await Promise.all([framesOf(page, minutes * 60_000), measurePixels(page)]);
  stop.abort();
  const perSecond = await changing;
  printFigure(`frames of the wall with ${changesPerSecond} changes a second, ms`, {
    ...figures[0],
    changes_per_second: perSecond,
    minutes,
  });
  const after = await heapOf(session);
  printFigure("memory of the wall, MB", { before, after, grown: Math.round(10 * (after - before)) / 10, minutes });
}

/** Changes names through the API, those in view among them. @returns how many changes a second the service took. */
async function changeScreens({ service, ids }: WallService, signal: AbortSignal): Promise<number> {
  const started = performance.now();
  let changed = 0;
  const due = (): number => ((performance.now() - started) / 1_000) * changesPerSecond;
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      if (changed >= due()) await new Promise((resolve) => setTimeout(resolve, 5));
      else {
        const place = changed % ids.length;
        changed += 1;
        await service.call("PATCH", `players/${ids[place]!}`, { tags: [`Hall ${place % 40}`, `Round ${changed % 7}`] });
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return Math.round((1_000 * changed) / (performance.now() - started));
}

/** The time from a change to its pixel, and to a bare subscriber of the same events, while everything else changes too. */
async function measurePixels(page: Page): Promise<void> {
  const { service, ids } = wall;
  const bare: number[] = [];
  const pixel: number[] = [];
  const now = (): number => performance.timeOrigin + performance.now();
  for (let probe = 0; probe < probes; probe += 1) {
    const tag = `Probe ${probe}`;
    using subscriber = new EventSubscriber(service.service.url, service.token);
    await subscriber.subscribe(["player_updates"], { players: [ids[0]!] });
    const seen = page.evaluate(`new Promise((resolve) => {
      const look = () => document.body.textContent.includes(${JSON.stringify(tag)}) ? requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now())) : requestAnimationFrame(look);
      look();
    })`) as Promise<number>;
    const started = now();
    const told = subscriber
      .next((message): message is Extract<typeof message, { type: "event" }> => message.type === "event")
      .then(() => now());
    await service.call("PATCH", `players/${ids[0]!}`, { tags: [tag] });
    bare.push((await told) - started);
    pixel.push((await seen) - started);
  }
  const [socket, shown] = [percentiles(bare), percentiles(pixel)];
  printFigure("change to a bare socket, ms", socket);
  printFigure("change to its pixel on the wall, ms", shown);
  printFigure("pixel after the bare socket, ms", {
    p50: Math.round(10 * (shown.p50 - socket.p50)) / 10,
    p99: Math.round(10 * (shown.p99 - socket.p99)) / 10,
  });
}

async function framesOf(page: Page, ms: number): Promise<{ n: number; p50: number; p99: number; min: number; max: number }> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return percentiles((await page.evaluate("window.frames_.splice(0)")) as number[]);
}

/** What the page's scripts hold after a garbage collection, MB. */
async function heapOf(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.enable");
  await session.send("HeapProfiler.collectGarbage");
  return Math.round((await session.send("Runtime.getHeapUsage")).usedSize / 100_000) / 10;
}
