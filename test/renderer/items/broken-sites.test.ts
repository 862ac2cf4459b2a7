// Web and html items that crash, hang, or cannot be shown.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { IframeEvent } from "../../../src/player/host.ts";
import type { PlaylistItem } from "../../../src/protocol/content/items.ts";
import type { FromPage } from "../../../src/protocol/page-messages.ts";
import { killAll, processesNaming, startTimeOf } from "../../host/processes.ts";
import { colouredPage } from "../../support/network/web-server.ts";
import { waitUntil } from "../../support/polling.ts";
import { clock, isBlue, isGreen, item, SiteScreen } from "./site-screen.ts";

let screen: SiteScreen;

beforeAll(async () => {
  screen = await SiteScreen.start();
});
afterAll(() => screen[Symbol.asyncDispose]());
beforeEach(() => screen.reset());

test("[REM15] of two zones whose pages share a process, the page that crashes it is found and skipped, and the other page is shown again and stays", async () => {
  const good = item({ type: "web", url: `${screen.web.origin}/green` });
  const bad = item({ type: "web", url: `${screen.web.origin}/loops` });
  screen.drawSideBySide([good, bad]);
  const count = (type: FromPage["type"], { id }: PlaylistItem): number =>
    screen.received.filter((one) => one.type === type && "item_id" in one && one.item_id === id).length;
  const loads = (what: string): number => screen.web.requests.filter(({ path }) => path === what).length;
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
    () => screen.received.findLast(({ type }) => type === "presented" || type === "failed")?.type === "presented",
  );
  const [goodLoads, badLoads] = [loads("/green"), loads("/loops")];
  // Until the bad page may be tried again nothing is loaded, and the good page stays.
  await screen.beatsLater(2);
  expect([loads("/green"), loads("/loops")]).toEqual([goodLoads, badLoads]);
  expect(await screen.pixel(240, 270)).toSatisfy(isGreen);
});

test("[WEB3] a page in an endless loop fails, the report names its site, and the next item is shown", async () => {
  const loops = item({ type: "web", url: `${screen.web.origin}/loops` });
  screen.draw([loops]);
  await screen.message("presented", loops.id);
  const failed = await screen.message("failed", loops.id);
  expect(failed).toMatchObject({ code: "stalled", detail: expect.stringContaining(screen.web.origin) });
  // The player's own page still sends heartbeats.
  await screen.beatsLater(1);
  const blue = item({ type: "web", url: `${screen.web.origin}/blue` });
  screen.draw([blue]);
  await screen.message("presented", blue.id);
  expect(await screen.pixel(480, 270)).toSatisfy(isBlue);
});

/** Kills the renderers of framed pages. The player's own page has the renderer that was started first. */
async function killFramedPages(): Promise<void> {
  const renderers = (await processesNaming(screen.profile)).filter(({ type }) => type === "renderer").map(({ pid }) => pid);
  const started = await Promise.all(renderers.map(async (pid) => ({ pid, at: await startTimeOf(pid) })));
  const [, ...framed] = started.toSorted((a, b) => a.at - b.at);
  killAll(framed.map(({ pid }) => pid));
}

/** The reports on an item, in order. */
const reportsOn = ({ id }: PlaylistItem): string[] =>
  screen.received.flatMap((one) =>
    "item_id" in one && one.item_id === id ? [one.type === "failed" ? `failed ${one.code}` : one.type] : [],
  );

test("[REM5] a page that crashes after it was ready and before its start has failed: it is never shown, and the next item is shown in its place", async () => {
  const painted: IframeEvent[] = [];
  const over = new AbortController();
  screen.host.onIframeEvent((news) => news.is === "shown" && painted.push(news), over.signal);
  const red = item({ type: "text", text: "x", background_color: "#c80000", font_size: 20, duration_ms: 5_000 });
  const dies = item({ type: "web", url: `${screen.web.origin}/green`, duration_ms: 60_000 });
  const last = item({ type: "text", text: "x", background_color: "#0000c8", font_size: 20, duration_ms: 3_600_000 });
  screen.drawFromNow([red, dies, last]);
  await screen.message("presented", red.id);
  await waitUntil("the page has painted while hidden", () => painted.length > 0);
  await killFramedPages();
  expect(await screen.message("failed", dies.id)).toMatchObject({ code: "crashed", detail: expect.stringContaining(screen.web.origin) });
  await screen.message("presented", last.id);
  over.abort();
  expect(reportsOn(dies)).toEqual(["failed crashed"]);
  expect(await screen.pixel(950, 10)).toSatisfy(isBlue);
});

test("[REM6] a page that crashes on screen is hidden as soon as the crash is known: viewers see the fallback, not the browser's error page", async () => {
  const dies = item({ type: "web", url: `${screen.web.origin}/green`, duration_ms: 3_600_000 });
  const slow = item({ type: "web", url: `${screen.web.origin}/silent`, duration_ms: 3_600_000 });
  screen.drawFromNow([dies, slow]);
  await screen.message("presented", dies.id);
  const killedAt = clock.now();
  await killFramedPages();
  const failed = await screen.message("failed", dies.id);
  expect(failed.code).toBe("crashed");
  expect(failed.at).toBeGreaterThan(killedAt - 50);
  // The fallback is dark and bluish, the browser's error page is grey.
  const isFallback = ([red, green, blue]: readonly number[]): boolean => blue! < 80 && blue! > red! && green! < 60;
  await waitUntil("the fallback is shown", () => isFallback(screen.display.framebuffer.pixel(950, 10)));
  const seen = new Set<string>();
  await screen.beatsLater(1, () => seen.add([...screen.display.framebuffer.pixel(950, 10)].join()));
  expect([...seen].map((colour) => colour.split(",").map(Number)).filter((colour) => !isFallback(colour))).toEqual([]);
  expect(reportsOn(dies)).toEqual(["presented", "failed crashed"]);
});

test("[WEB4] a page that cannot be loaded is never shown: the previous one stays", async () => {
  const green = item({ type: "web", url: `${screen.web.origin}/green` });
  screen.draw([green]);
  await screen.message("presented", green.id);
  const missing = item({ type: "web", url: `${screen.web.origin}/missing` });
  screen.draw([missing]);
  expect(await screen.message("failed", missing.id)).toMatchObject({ code: "load", detail: expect.stringContaining("HTTP 404") });
  expect(screen.received.some((one) => one.type === "presented" && one.item_id === missing.id)).toBe(false);
});

test.for([
  ["/silent", "timeout"],
  ["/for-ever", "load"],
  ["/ping", "load"],
  ["/empty", "blank"],
  ["/file", "load"],
] as const)("[BAD4] a page at %s is reported (%s) and skipped, and the zone keeps playing", async ([path, code]) => {
  const bad = item({ type: "web", url: `${screen.web.origin}${path}`, duration_ms: 3_600_000 });
  const blue = item({ type: "web", url: `${screen.web.origin}/blue` });
  const next = screen.draw([bad, blue]);
  expect(await screen.message("failed", bad.id)).toMatchObject({ code });
  next();
  await screen.message("presented", blue.id);
  expect(screen.received.some((one) => one.type === "presented" && one.item_id === bad.id)).toBe(false);
  expect(await screen.pixel(480, 270)).toSatisfy(isBlue);
});

test("[BAD5] a page that opens endless dialogs, prints and asks for confirmation before it is left is replaced like any other", async () => {
  const intrusive = item({ type: "web", url: `${screen.web.origin}/asks-before-leaving` });
  screen.draw([intrusive]);
  await screen.message("presented", intrusive.id);
  expect(await screen.pixel(480, 270)).toSatisfy(isGreen);
  const blue = item({ type: "web", url: `${screen.web.origin}/blue` });
  screen.draw([blue]);
  await screen.message("presented", blue.id);
  expect(await screen.pixel(480, 270)).toSatisfy(isBlue);
  expect(screen.received.some(({ type }) => type === "failed")).toBe(false);
});

test("[BAD6] a bundle in an endless loop fails alone, and the next item is shown", async () => {
  const loop = "<script>setTimeout(() => { for (;;); }, 500)</script>";
  const asset = await screen.bundle([{ name: "index.html", bytes: colouredPage("rgb(0,160,0)", loop) }]);
  const loops = item({ type: "html", asset_id: asset.id });
  const blue = item({ type: "web", url: `${screen.web.origin}/blue` });
  const next = screen.draw([loops, blue], [asset]);
  await screen.message("presented", loops.id);
  expect(await screen.message("failed", loops.id)).toMatchObject({ code: expect.stringMatching(/stalled|crashed/) });
  next();
  await screen.message("presented", blue.id);
  expect(await screen.pixel(480, 270)).toSatisfy(isBlue);
});

test("[WEB9] a hostile bundle that reaches the player is rejected there, and the report gives the reason", async () => {
  const asset = await screen.bundle([
    { name: "index.html", bytes: colouredPage("rgb(0,160,0)") },
    { name: "bomb.bin", bytes: Buffer.alloc(64 * 1024 ** 2) },
  ]);
  const shown = item({ type: "html", asset_id: asset.id });
  screen.draw([shown], [asset]);
  expect(await screen.message("failed", shown.id)).toMatchObject({ code: "load", detail: expect.stringContaining("zip bomb") });
});
