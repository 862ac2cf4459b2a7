// Synchronized videos on a real Chromium: kept in sync with the clock by their speed.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright";
import { expect, test } from "vitest";
import { DriftCorrector } from "../../../renderer/player/items/media/drift-corrector.ts";
import type { Slot } from "../../../src/protocol/scene.ts";
import { numberedVideo } from "../../support/media/media.ts";
import { item, slot, stage, zone } from "../scenes.ts";
import type { DrivenPage } from "../test-browser.ts";
import { poll, useTestBrowser } from "../setup.ts";

const videoMs = 20_000;

const browser = useTestBrowser(async (folder) => {
  await writeFile(join(folder, "numbered.mp4"), await numberedVideo(videoMs / 1_000));
});

const video = () => item({ type: "video", src: "/media/numbered.mp4", media_duration_ms: videoMs, fit: "fill", muted: true });

/** The position of the page's video minus the one expected for a start at `startedAt`, in ms. */
async function driftOf(page: Page, startedAt: number): Promise<number> {
  const { position, at } = await page.evaluate<{ position: number; at: number }>(
    "({ position: 1000 * document.querySelector('video').currentTime, at: performance.timeOrigin + performance.now() })",
  );
  const difference = position - (at - startedAt);
  return difference - videoMs * Math.round(difference / videoMs);
}

/** Records the video's speeds and seeks from now on. */
async function watch(page: Page): Promise<() => Promise<{ rates: number[]; seeks: number }>> {
  await page.evaluate(`{
    const video = document.querySelector("video");
    window.seen = { rates: [], seeks: 0 };
    video.addEventListener("ratechange", () => seen.rates.push(video.playbackRate));
    video.addEventListener("seeking", () => (seen.seeks += 1));
  }`);
  return () => page.evaluate<{ rates: number[]; seeks: number }>("seen");
}

/** Shows a video for an hour. Resolves when it is at its position by the clock. */
async function showSynchronized({ server, page, time }: DrivenPage): Promise<Slot> {
  const play = slot(video(), server.now() + 300, 3_600_000);
  server.draw(stage([zone([play])]));
  await server.waitForMessage("presented");
  await poll(time, async () => Math.abs(await driftOf(page, play.starts_at))).toBeLessThan(40);
  return play;
}

test("[SYN1] a video that is off by less than a quarter of a second is corrected by its speed, by at most 3 %, without a seek", async () => {
  await using opened = await browser.openDriven();
  const { server, page, time } = opened;
  const play = await showSynchronized(opened);
  // A busy browser may have begun late, and then corrects that first.
  await poll(time, () => page.evaluate("document.querySelector('video').playbackRate")).toBe(1);
  // The clock is corrected, so the video is now behind by 120 ms.
  const seen = await watch(page);
  await server.moveClock(120);
  await poll(time, async () => (await seen()).rates.length).toBeGreaterThan(0);
  await poll(time, async () => Math.abs(await driftOf(page, play.starts_at - 120))).toBeLessThan(40);
  await poll(time, async () => (await seen()).rates.at(-1)).toBe(1);
  const { rates, seeks } = await seen();
  expect(seeks).toBe(0);
  expect(Math.max(...rates)).toBeGreaterThan(1);
  for (const rate of rates) expect(Math.abs(rate - 1)).toBeLessThanOrEqual(0.03 + 1e-9);
});

test("[SYN2] a video that is off by more is corrected by a seek", async () => {
  await using opened = await browser.openDriven();
  const { server, page, time } = opened;
  const play = await showSynchronized(opened);
  const seen = await watch(page);
  await server.moveClock(-3_000);
  await poll(time, async () => (await seen()).seeks).toBeGreaterThan(0);
  await poll(time, async () => Math.abs(await driftOf(page, play.starts_at + 3_000))).toBeLessThan(40);
});

test("[SYN3] below 12 ms the speed does not change, even with noise, and a correction does not oscillate", () => {
  const noisy = new DriftCorrector();
  for (let at = 0; at < 1_000; at += 1) {
    expect(noisy.correctionFor(at % 7 === 0 ? 180 : 9 * Math.sin(at), at * 250)).toEqual({ is: "rate", rate: 1 });
  }
  const behind = new DriftCorrector();
  let drift = -150;
  let rate = 1;
  let changes = 0;
  for (let at = 0; at < 200; at += 1) {
    const correction = behind.correctionFor(drift + 3 * Math.sin(at * 1.7), at * 250);
    if (correction.is === "seek") throw new Error("unexpected seek");
    if (correction.rate !== rate) changes += 1;
    ({ rate } = correction);
    expect(Math.abs(rate - 1)).toBeLessThanOrEqual(0.03 + 1e-9);
    drift += 250 * (rate - 1);
  }
  expect(Math.abs(drift)).toBeLessThan(15);
  expect(changes).toBeLessThanOrEqual(4);
  // A machine on which seeks do not help seeks rarely.
  const slow = new DriftCorrector();
  let seeks = 0;
  for (let at = 0; at < 240; at += 1) if (slow.correctionFor(-900, at * 250).is === "seek") seeks += 1;
  expect(seeks).toBeLessThanOrEqual(4);
});

test("[SYN4] a page that is opened late shows the same position of a video as the others and reports its drift", async () => {
  await using first = await browser.openDriven();
  const play = slot(video(), first.server.now() + 300, 3_600_000);
  const scene = stage([zone([play])]);
  first.server.draw(scene);
  await first.server.waitForMessage("presented");
  await using late = await browser.openDriven();
  late.server.draw(scene);
  await late.server.waitForMessage("presented");
  for (const { page, time } of [first, late]) {
    await poll(time, async () => Math.abs(await driftOf(page, play.starts_at))).toBeLessThan(40);
  }
  for (const { server } of [first, late]) {
    const from = server.messages.length;
    const { drift } = await server.waitForMessage("beat", (beat) => beat.drift != null && beat.drift.worst_ms < 100, { from });
    expect(Math.abs(drift!.mean_ms)).toBeLessThanOrEqual(drift!.worst_ms);
  }
});

test("[SYN5] an identical push does not change the video's position", async () => {
  await using opened = await browser.openDriven();
  const { server, page, time } = opened;
  const playing = video();
  const play = slot(playing, server.now() + 300, 3_600_000);
  const scene = stage([zone([play])]);
  server.draw(scene);
  await server.waitForMessage("presented");
  await poll(time, async () => Math.abs(await driftOf(page, play.starts_at))).toBeLessThan(40);
  const seen = await watch(page);
  await page.evaluate(`{
    const video = document.querySelector("video");
    video.isTheOne = true;
    window.positions = [];
    const record = () => { positions.push([video.currentTime, performance.now()]); requestAnimationFrame(record); };
    record();
  }`);
  const from = server.messages.length;
  for (let times = 0; times < 20; times += 1) {
    server.draw(structuredClone(scene));
    const before = await page.evaluate<number>("positions.length");
    await poll(time, () => page.evaluate<number>("positions.length")).toBeGreaterThan(before);
  }
  const positions = await page.evaluate<[number, number][]>("positions");
  const { seeks } = await seen();
  expect(seeks).toBe(0);
  expect(await page.evaluate("document.querySelectorAll('video').length === 1 && document.querySelector('video').isTheOne")).toBe(true);
  for (const [index, [position, at]] of positions.slice(1).entries()) {
    const [before, atBefore] = positions[index]!;
    expect(position).toBeGreaterThanOrEqual(before);
    // A frame of the video takes 33 ms: the position advances by no more than the time between two measurements.
    expect(position - before).toBeLessThan((at - atBefore) / 1_000 + 0.1);
  }
  expect(server.messages.slice(from).filter(({ type }) => type === "presented")).toEqual([]);
});
