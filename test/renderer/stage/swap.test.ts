// Changes of items: nothing leaves before the next item is ready, failing items are skipped, and nothing leaks.
import { execFile } from "node:child_process";
import { copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { Scene, SceneItem, Slot } from "../../../src/protocol/scene.ts";
import { image, consecutiveSlots, slot, stage, video, zone } from "../scenes.ts";
import { colorSequence, isNear, readScreen, recordScreen } from "../screen.ts";
import type { DrivenPage } from "../test-browser.ts";
import { poll, useTestBrowser } from "../setup.ts";

const run = promisify(execFile);
const long = 600_000;

const browser = useTestBrowser(async (folder) => {
  const source = ["-v", "error", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=30:d=20", "-pix_fmt", "yuv420p", "-movflags", "+faststart"];
  await run("ffmpeg", [...source, "-c:v", "libx264", "-preset", "ultrafast", "-g", "30", join(folder, "busy.mp4")]);
  await run("ffmpeg", [...source, "-t", "3", "-c:v", "libx265", "-preset", "ultrafast", "-tag:v", "hvc1", join(folder, "hevc.mp4")]);
  await writeFile(join(folder, "empty.mp4"), "");
  await writeFile(join(folder, "empty.png"), "");
  const video = await readFile(join(folder, "busy.mp4"));
  await writeFile(join(folder, "headless.mp4"), video.subarray(0, 2_000));
  await copyFile(join(folder, "red.png"), join(folder, "picture.mp4"));
});

function draw({ server }: DrivenPage, slots: Slot[], about: Parameters<typeof stage>[1] = {}): Scene {
  const scene = stage([zone(slots)], about);
  server.draw(scene);
  return scene;
}

test("[SWP1] with slow loads the old picture stays until the new one has been presented hidden", async () => {
  await using opened = await browser.openDriven(480, 270);
  const { page, server, time } = opened;
  const first = slot(image("yellow.png"), server.now() - 1_000, 2_000);
  const scene = draw(opened, [first]);
  await server.waitForMessage("presented");
  server.mediaDelayMs = 1_200;
  const slots = [first, ...consecutiveSlots(server.now() + 500, [[image("red.png"), 2_000], [video("blue.mp4", 5_000), 2_000], [image("green.png"), long]])]; // prettier-ignore
  const seen = await recordScreen(page, [0.5, 0.5], async () => {
    redraw(opened, scene, slots);
    await server.waitForMessage("presented", ({ key }) => key === slots[3]!.key);
    await time.advance(300);
  });
  expect(colorSequence(seen)).toEqual(["yellow", "red", "blue", "green"]);
  expect(server.messages.some(({ type }) => type === "failed")).toBe(false);
});

test("[SWP2] an item that cannot be shown is skipped within five seconds of its start: the next one is shown early and stays for its own slot", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  const slots = consecutiveSlots(server.now(), [
    [image("red.png"), 1_500],
    [image("missing.png"), 9_000],
    [image("green.png"), long],
  ]);
  draw(opened, slots);
  await server.waitForMessage("failed");
  await server.advanceTo(slots[1]!.starts_at + 3_000);
  const early = await server.waitForMessage("presented", ({ item_id }) => item_id === slots[2]!.item.item_id);
  expect(early.at - slots[1]!.starts_at).toBeLessThan(5_000);
  expect(early.at - slots[1]!.starts_at).toBeGreaterThan(3_500);
  // The item it replaced is unmounted a moment later.
  await poll(time, () => page.locator("img").count()).toBe(1);
  await page.evaluate('window.before = document.querySelector("img")');
  await server.advanceTo(slots[2]!.starts_at - 500);
  const own = await server.waitForMessage("presented", ({ key }) => key === slots[2]!.key);
  expect(Math.abs(own.at - slots[2]!.starts_at)).toBeLessThan(1_000);
  expect(await page.evaluate('document.querySelectorAll("img").length === 1 && document.querySelector("img") === before')).toBe(true);
  expect(server.messages.filter(({ type }) => type === "failed")).toHaveLength(1);
});

test("[ZON12] an item whose data never arrives is skipped within five seconds of its start, despite its long slot, and reported as not ready", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  server.silentMedia.add("slow.png");
  const slots = consecutiveSlots(server.now(), [
    [image("red.png"), 500],
    [image("slow.png"), 60_000],
    [image("green.png"), long],
  ]);
  draw(opened, slots);
  const [first, slow, next] = slots as [Slot, Slot, Slot];
  await server.waitForMessage("presented", ({ key }) => key === first.key);
  await poll(time, () => page.locator(".item").count()).toBe(2);
  await server.advanceTo(slow.starts_at + 4_000);
  await server.waitForMessage("presented", ({ item_id }) => item_id === next.item.item_id);
  // The zone stopped waiting for it, before the picture's own timeout of eight seconds and long before the end of its slot.
  const { item_id } = slow.item;
  expect(server.messages.filter(({ type }) => type === "failed")).toMatchObject([
    { item_id, code: "timeout", detail: "not ready in time" },
  ]);
});

test("[SWP3] an item that fails repeatedly is requested less and less often and reported once per cause", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  let requestCount = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/missing.png") && request.headers()["range"] === undefined) requestCount += 1;
  });
  const good = image("red.png");
  const bad = image("missing.png");
  const slots = consecutiveSlots(
    server.now(),
    Array.from({ length: 24 }, (_, turn): [SceneItem, number] => [turn % 2 === 0 ? good : bad, 250]),
  );
  draw(opened, slots);
  await server.waitForMessage("presented", ({ key }) => key === slots[22]!.key);
  expect(requestCount).toBe(1);
  expect(server.messages.filter(({ type }) => type === "failed")).toHaveLength(1);
  // After the delay it is retried, without another report.
  await server.moveClock(16_000);
  draw(opened, consecutiveSlots(server.now() - 100, [[good, 500], [bad, 1_000], [good, 1_000], [bad, long]])); // prettier-ignore
  await poll(time, () => requestCount).toBe(2);
  expect(server.messages.filter(({ type }) => type === "failed")).toHaveLength(1);
});

test("[SWP4] when nothing can be shown the fallback is shown and reported once, and the page is idle; a repaired item is shown again by itself", async () => {
  await using opened = await browser.openDriven();
  const { page, server } = opened;
  const later = join(browser.mediaFolder, "later.png");
  await rm(later, { force: true });
  let requestCount = 0;
  page.on("request", () => (requestCount += 1));
  const slots = consecutiveSlots(server.now() - 100, [
    [image("later.png"), 30_000],
    [video("broken.mp4", null), 30_000],
    [image("empty.png"), long],
  ]);
  draw(opened, slots);
  await server.waitForMessage("fallback");
  const at = await readScreen(page);
  const fallback = at(480, 270);
  expect(fallback.every((value) => value < 80) && fallback.some((value) => value > 10), String(fallback)).toBe(true);
  const before = requestCount;
  const from = server.messages.length;
  await server.waitForMessage("beat", undefined, { from });
  const { frames } = await server.waitForMessage("beat", undefined, { from: server.messages.length });
  expect(frames).toBeLessThanOrEqual(4);
  expect(requestCount).toBe(before);
  expect(server.messages.filter(({ type }) => type === "fallback")).toHaveLength(1);
  await copyFile(join(browser.mediaFolder, "green.png"), later);
  await server.moveClock(16_000);
  await server.waitForMessage("presented", ({ key }) => key === slots[0]!.key);
  expect(isNear((await readScreen(page))(480, 270), "green")).toBe(true);
});

test("[SWP5] in a layout with a background picture that is the fallback", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  draw(opened, consecutiveSlots(server.now() - 100, [[image("missing.png"), long]]), { background_src: "/media/yellow.png" });
  await server.waitForMessage("fallback");
  await poll(time, async () => isNear((await readScreen(page))(480, 270), "yellow")).toBe(true);
});

test("[SWP6] a video that freezes on screen is skipped within five seconds if another item can be shown", async () => {
  await using opened = await browser.openDriven();
  const { page, server } = opened;
  const slots = consecutiveSlots(server.now(), [
    [video("busy.mp4", 20_000), 60_000],
    [image("green.png"), long],
  ]);
  draw(opened, slots);
  await server.waitForMessage("presented", ({ key }) => key === slots[0]!.key);
  const froze = server.now();
  await page.evaluate('document.querySelector("video").pause()');
  const { code } = await server.waitForMessage("failed");
  expect(code).toBe("stalled");
  const next = await server.waitForMessage("presented", ({ item_id }) => item_id === slots[1]!.item.item_id);
  expect(next.at - froze).toBeLessThan(5_500);
});

test("[SWP7] a video held on its last frame because the next item is slow does not count as frozen", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  const slots = consecutiveSlots(server.now(), [
    [video("green.mp4", 2_000), 2_200],
    [image("red.png"), long],
  ]);
  const scene = draw(opened, [slots[0]!]);
  await server.waitForMessage("presented");
  server.mediaDelayMs = 5_500;
  redraw(opened, scene, slots);
  await time.advance(4_500);
  expect(isNear((await readScreen(page))(480, 270), "green")).toBe(true);
  await server.waitForMessage("presented", ({ key }) => key === slots[1]!.key);
  expect(server.messages.filter(({ type }) => type === "failed")).toEqual([]);
});

test("[SWP8] a video that waits for data does not count as frozen and continues when it arrives", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  const gate = Promise.withResolvers<void>();
  const { length } = await readFile(join(browser.mediaFolder, "busy.mp4"));
  server.mediaGate = { afterBytes: Math.floor(length * 0.1), whenOpened: gate.promise };
  const [only] = consecutiveSlots(server.now(), [[video("busy.mp4", 20_000), long]]);
  draw(opened, [only!]);
  await server.waitForMessage("presented");
  const stuck = 'document.querySelector("video").readyState < 3';
  await poll(time, () => page.evaluate(stuck)).toBe(true);
  await page.evaluate('window.before = document.querySelector("video"); window.stoodAt = before.currentTime');
  // Longer than the limit for a video without progress.
  await time.advance(4_500);
  expect(server.messages.filter(({ type }) => type === "failed")).toEqual([]);
  gate.resolve();
  await poll(time, () => page.evaluate("before.isConnected && before.currentTime > stoodAt + 0.5")).toBe(true);
});

test.for([
  ["hevc.mp4", ["unsupported"]],
  ["empty.mp4", ["unsupported", "decode", "load"]],
  ["headless.mp4", ["unsupported", "decode"]],
  ["picture.mp4", ["unsupported"]],
  ["empty.png", ["decode", "load"]],
] as const)("[SWP9] %s is detected, reported and skipped within five seconds", async ([name, codes]) => {
  await using opened = await browser.openDriven();
  const { server } = opened;
  const bad = name.endsWith(".mp4") ? video(name, null) : image(name);
  const slots = consecutiveSlots(server.now() - 50, [
    [bad, 60_000],
    [image("green.png"), long],
  ]);
  draw(opened, slots);
  const { code, item_id } = await server.waitForMessage("failed");
  expect(item_id).toBe(bad.item_id);
  expect(codes).toContain(code);
  const { at } = await server.waitForMessage("presented", ({ item_id: id }) => id === slots[1]!.item.item_id);
  expect(at - slots[0]!.starts_at).toBeLessThan(5_500);
});

test("[SWP10] no more videos are prepared ahead than the machine has room for, and each is still shown", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setHardwareConcurrencyOverride", { hardwareConcurrency: 2 });
  const from = server.messages.length;
  await time.during(page.reload());
  await server.waitForMessage("hello", undefined, { from });
  const start = server.now();
  const cost = { bytes: 1_000, decoders: 1 };
  const rows = Array.from({ length: 4 }, () =>
    consecutiveSlots(start, [
      [image("red.png"), 3_000],
      [video("green.mp4", 2_000), long],
    ]),
  );
  for (const slots of rows) slots[1]!.cost = cost;
  server.draw(stage(rows.map((slots, index) => zone(slots, { left: index * 240, width: 240 }))));
  await server.waitForMessage("presented", ({ key }) => key === rows[3]![0]!.key);
  await poll(time, () => page.locator("video").count()).toBe(1);
  await time.advance(500);
  if (server.now() < start + 2_900) expect(await page.locator("video").count()).toBe(1);
  await server.advanceTo(start + 2_900);
  await Promise.all(rows.map((slots) => server.waitForMessage("presented", ({ key }) => key === slots[1]!.key)));
  expect(await page.locator("video").count()).toBe(4);
  await session.detach();
});

test("[SWP11] a hundred and fifty changes with transitions and failures leave no element, decoder or animation behind", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  const session = await page.context().newCDPSession(page);
  const count = async (): Promise<number> => {
    await session.send("HeapProfiler.collectGarbage");
    return (await session.send("Memory.getDOMCounters")).nodes;
  };
  const kinds = ["crossfade", "slide", "wipe", "push", "zoom", "cut"] as const;
  const scene = stage([0, 240, 480, 720].map((left) => zone([], { left, width: 240 })));
  const zones = scene.screen.is === "stage" ? scene.screen.stage.zones : [];
  const change = async (turn: number): Promise<void> => {
    const from = server.messages.length;
    const plays = zones.map((drawn, index) => {
      const kind = (turn + index) % 4;
      const item = kind === 0 ? video("blue.mp4", 5_000) : image(kind === 1 ? "red.png" : "green.png");
      const play = slot(item, server.now() - 1, long);
      play.transition = { type: kinds[turn % kinds.length]!, duration_ms: 60, easing: "ease", direction: "left" };
      // Next to each one that fails, or is dropped while it loads.
      drawn.slots = [play, slot(image(`missing-${turn % 7}.png`), server.now() + 30_000, long)];
      return play;
    });
    server.draw(scene);
    await Promise.all(plays.map((play) => server.waitForMessage("presented", ({ key }) => key === play.key, { from })));
  };
  for (let turn = 1; turn <= 8; turn++) await change(turn);
  const before = await count();
  for (let turn = 9; turn <= 45; turn++) await change(turn);
  await poll(time, () => page.locator(".item").count()).toBe(4);
  await poll(time, count).toBeLessThanOrEqual(before + 8);
  expect(await page.locator(".item-wrapper").count()).toBe(4);
  expect(await page.evaluate("document.getAnimations().length")).toBe(0);
});

/** The same stage with other slots in its one zone. */
function redraw({ server }: DrivenPage, { screen }: Scene, slots: Slot[]): void {
  if (screen.is !== "stage") throw new Error("no stage was drawn");
  const zones = [{ ...screen.stage.zones[0]!, slots }];
  server.draw({ screen: { is: "stage", stage: { ...screen.stage, zones } }, identify: null });
}
