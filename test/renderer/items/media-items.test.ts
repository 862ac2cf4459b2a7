// Videos and sounds on a real Chromium: trimming, repeating, holding the last frame, volume.
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { Scene, Slot } from "../../../src/protocol/scene.ts";
import { image, item, slot, stage, zone } from "../scenes.ts";
import { colorSequence, isNear, readScreen, recordScreen, type Rgb } from "../screen.ts";
import { poll, useTestBrowser } from "../setup.ts";

const run = promisify(execFile);
const browser = useTestBrowser(async (folder) => {
  const tone = ["-f", "lavfi", "-i", "sine=frequency=440:duration=3", "-c:a", "libmp3lame", join(folder, "tone.mp3")];
  await run("ffmpeg", ["-v", "error", ...tone]);
  await writeFile(join(folder, "broken.mp3"), "not a sound");
});

const long = 600_000;
/** The scene with other slots in its only zone. */
function withSlots({ screen, identify }: Scene, slots: Slot[]): Scene {
  if (screen.is !== "stage") throw new Error("no stage");
  const zones = screen.stage.zones.map((each) => ({ ...each, slots }));
  return { screen: { ...screen, stage: { ...screen.stage, zones } }, identify };
}

const nameOf = (color: Rgb): string =>
  (["red", "yellow", "magenta"] as const).find((name) => isNear(color, name, 40)) ?? `foreign ${color.join()}`;

test("[ITM10] a trimmed video shows only its part, repeatedly, and no frame from outside it", async () => {
  await using opened = await browser.openDriven(480, 270);
  const { server, page, time } = opened;
  // steps.mp4: two seconds each of red, yellow, magenta.
  const video = item({ type: "video", src: "/media/steps.mp4", media_duration_ms: 6_000, start_ms: 2_500, end_ms: 3_700, fit: "cover" });
  const play = slot(video, server.now() + 300, long);
  server.draw(stage([zone([play])]));
  await server.waitForMessage("presented", ({ key }) => key === play.key);
  const seen = await recordScreen(page, [0.5, 0.5], async () => {
    await page.evaluate('window.turns = 0; document.querySelector("video").addEventListener("seeked", () => turns++)');
    await poll(time, () => page.evaluate("turns")).toBeGreaterThanOrEqual(3);
  });
  expect(new Set(seen.map(nameOf))).toEqual(new Set(["yellow"]));
  const { at, paused } = await page.evaluate<{ at: number; paused: boolean }>(
    "(({ currentTime: at, paused }) => ({ at, paused }))(document.querySelector('video'))",
  );
  expect(paused).toBe(false);
  expect(at).toBeGreaterThanOrEqual(2.4);
  expect(at).toBeLessThan(3.8);
});

test("[ITM11] a trimmed video whose slot ends with it holds its last frame and counts as neither stalled nor failed", async () => {
  await using opened = await browser.openDriven();
  const { server, page, time } = opened;
  const video = item({ type: "video", src: "/media/steps.mp4", media_duration_ms: 6_000, start_ms: 500, end_ms: 1_900, fit: "cover" });
  const play = slot(video, server.now() + 300, 1_400);
  // The next item is slow, so the video stays beyond its slot.
  const next = slot(image("blue.png"), play.ends_at, long);
  const scene = stage([zone([play])]);
  server.draw(scene);
  await server.waitForMessage("presented", ({ key }) => key === play.key);
  server.mediaDelayMs = 4_000;
  server.draw(withSlots(scene, [play, next]));
  await poll(time, () => page.evaluate('document.querySelector("video").paused')).toBe(true);
  expect(nameOf((await readScreen(page))(480, 270))).toBe("red");
  await server.waitForMessage("presented", ({ key }) => key === next.key);
  expect(server.messages.filter(({ type }) => type === "failed")).toEqual([]);
});

test("[ITM11] a busy page that sees the end of a trimmed video too late goes back to its last frame", async () => {
  await using opened = await browser.openDriven();
  const { server, page, time } = opened;
  const video = item({ type: "video", src: "/media/steps.mp4", media_duration_ms: 6_000, start_ms: 1_000, end_ms: 1_950, fit: "cover" });
  const play = slot(video, server.now() + 300, 950);
  const next = slot(image("blue.png"), play.ends_at, long);
  server.silentMedia.add("blue.png");
  server.draw(stage([zone([play, next])]));
  await server.waitForMessage("presented", ({ key }) => key === play.key);
  // Its scripts run in every tenth frame only.
  await page.evaluate(`{
    const next = requestAnimationFrame;
    const after = (frames, callback) => next((at) => (frames > 1 ? after(frames - 1, callback) : callback(at)));
    window.requestAnimationFrame = (callback) => after(10, callback);
  }`);
  const colors = await recordScreen(page, [0.5, 0.5], async () => {
    await poll(time, () => page.evaluate('document.querySelector("video").paused')).toBe(true);
    await time.advance(500);
  });
  expect(colorSequence(colors)).toEqual(["red", "yellow", "red"]);
});

test("[ITM12] a trim that begins after the video's end is reported as unsupported, with the video's length", async () => {
  await using opened = await browser.open();
  const { server } = opened;
  const video = item({ type: "video", src: "/media/green.mp4", media_duration_ms: 2_000, start_ms: 5_000 });
  server.draw(stage([zone([slot(video, server.now(), long)])]));
  const { code, detail } = await server.waitForMessage("failed");
  expect(code).toBe("unsupported");
  expect(detail).toMatch(/ends at 20\d\d ms/);
});

test("[ITM13] volume and mute are those of the item", async () => {
  await using opened = await browser.open();
  const { server, page } = opened;
  const video = item({ type: "video", src: "/media/green.mp4", media_duration_ms: 2_000, volume: 0.25, muted: false });
  server.draw(stage([zone([slot(video, server.now(), long)])]));
  await server.waitForMessage("presented");
  expect(await page.evaluate("(({ volume, muted }) => [volume, muted])(document.querySelector('video'))")).toEqual([0.25, false]);
});

test("[ITM14] a sound plays while its artwork is shown, repeats within its slot, and is silent afterwards", async () => {
  await using opened = await browser.open();
  const { server, page } = opened;
  const sound = item({
    type: "audio",
    src: "/media/tone.mp3",
    media_duration_ms: 3_000,
    artwork_src: "/media/yellow.png",
    volume: 0.5,
    fit: "cover",
  });
  const play = slot(sound, server.now(), long);
  const scene = stage([zone([play])]);
  server.draw(scene);
  await server.waitForMessage("presented");
  expect(isNear((await readScreen(page))(480, 270), "yellow")).toBe(true);
  await page.evaluate("window.sound = document.querySelector('audio'); window.last = 0; window.turns = 0");
  const turns = "(() => { if (sound.currentTime < last) turns++; last = sound.currentTime; return turns; })()";
  await expect.poll(() => page.evaluate(turns)).toBeGreaterThan(0);
  expect(await page.evaluate("[sound.volume, sound.paused]")).toEqual([0.5, false]);
  const next = slot(image("green.png"), server.now(), long);
  server.draw(withSlots(scene, [next]));
  await server.waitForMessage("presented", ({ key }) => key === next.key);
  expect(await page.evaluate("sound.paused")).toBe(true);
  await expect.poll(() => page.evaluate("sound.isConnected")).toBe(false);
});

test("[ITM14] a sound without artwork shows the zone's background; a broken one is reported", async () => {
  await using opened = await browser.open();
  const { server, page } = opened;
  const sound = item({ type: "audio", src: "/media/tone.mp3", media_duration_ms: 3_000, artwork_src: null });
  server.draw(stage([zone([slot(image("red.png"), server.now(), long)]), zone([slot(sound, server.now(), long)], { z_index: 1 })]));
  await server.waitForMessage("presented", ({ item_id }) => item_id === sound.item_id);
  expect(isNear((await readScreen(page))(480, 270), "red")).toBe(true);
  const broken = item({ type: "audio", src: "/media/broken.mp3", media_duration_ms: 3_000, artwork_src: null });
  server.draw(stage([zone([slot(broken, server.now(), long)])]));
  expect((await server.waitForMessage("failed", ({ item_id }) => item_id === broken.item_id)).code).toBe("unsupported");
});
