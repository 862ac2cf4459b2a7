// A thousand item changes in four zones on a real screen, with slow loading of pictures and videos: wrong pictures.
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SceneItem, SceneZone, Slot } from "../src/protocol/scene.ts";
import { item, slot, stage, text, zone } from "../test/renderer/scenes.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import type { Rgb } from "../test/support/browser/framebuffer.ts";
import { hexOf, numberedVideo, plainImage } from "../test/support/media/media.ts";
import { MixedLoopChecker } from "../test/support/browser/mixed-loop.ts";
import { startPageServer } from "../test/support/browser/page-server.ts";
import { type Appearance, watchScreen } from "../test/support/browser/screen-observation.ts";
import { startXvfb } from "../test/support/browser/xvfb.ts";
import { startBareChromium } from "./bare.ts";
import { printFigure } from "./lib.ts";

const wanted = Number(process.argv[2] ?? 1_000);
const loadMs = Number(process.argv[3] ?? 3_000);
// Slightly longer than a load, so that an item loaded during the previous one is just in time.
const slotMs = Number(process.argv[4] ?? loadMs + 500);
const [width, height] = [1_920, 1_080];
const rows = 4;
const red: Rgb = [220, 30, 40];
const blue: Rgb = [30, 60, 200];
const green: Rgb = [20, 120, 60];
const loop: readonly Appearance[] = [
  { name: "red", color: red },
  { name: "video", video: true },
  { name: "green", color: green },
  { name: "blue", color: blue },
  { name: "video", video: true },
];
const fade = { type: "crossfade", duration_ms: 300, easing: "linear", direction: "left" } as const;

await using folder = await temporaryFolder();
// The browser runs as another user.
await chmod(folder.path, 0o755);
await writeFile(join(folder.path, "red.png"), await plainImage(red));
await writeFile(join(folder.path, "blue.png"), await plainImage(blue));
await writeFile(join(folder.path, "video.mp4"), await numberedVideo(Math.ceil(slotMs / 1_000) + 1, 30));
await using xvfb = await startXvfb({ width, height });
await using server = await startPageServer(folder.path);
await using _chromium = await startBareChromium(server.url, xvfb.display, folder.path);
await server.waitForMessage("hello");
server.mediaDelayMs = loadMs;
const startsAt = server.now() + 1_000;
const zones = Array.from({ length: rows }, (_, row): SceneZone => {
  const box = { left: 0, top: (row * height) / rows, width, height: height / rows };
  return zone(playsOf(row, startsAt + (row * slotMs) / rows), box);
});
server.draw(stage(zones, { width, height }));
const judges = zones.map(() => new MixedLoopChecker(slotMs));
const changes = (): number => judges.reduce((sum, judge) => sum + judge.changes, 0);
const watched = judges.map((judge, row) => {
  // Avoid the text in the middle of the zone.
  const watch = { y: Math.round(((row + 0.1) * height) / rows), loop };
  return watchScreen(xvfb.framebuffer, watch, (span) => judge.add(span), () => changes() >= wanted); // prettier-ignore
});
const slowest = Math.max(...(await Promise.all(watched)).map(({ slowestLookMs }) => slowestLookMs));
const total = (what: "blankMs" | "foreignMs" | "staleFrames" | "fades"): number =>
  Math.round(judges.reduce((sum, judge) => sum + judge[what], 0));
printFigure("slow loads", {
  load_ms: loadMs,
  slot_ms: slotMs,
  changes: changes(),
  fades: total("fades"),
  slowest_look_ms: Math.round(slowest),
});
printFigure("slow loads: wrong pictures", { blank_ms: total("blankMs"), foreign_ms: total("foreignMs"), stale_frames: total("staleFrames") }); // prettier-ignore
printFigure("slow loads: reported by the page", {
  failed: server.messages.filter(({ type }) => type === "failed").length,
  faults: server.messages.filter(({ type }) => type === "fault").length,
  fallbacks: server.messages.filter(({ type }) => type === "fallback").length,
});
for (const sight of judges.flatMap(({ unexpected: wrong }) => wrong)) printFigure("slow loads: wrong sight", { sight });

/** The slots of a zone, more than the measurement needs. Every file has its own URL, to bypass the browser's cache. */
function playsOf(row: number, startsAt: number): Slot[] {
  const count = 2 * Math.ceil(wanted / rows);
  return Array.from({ length: count }, (_, turn) => {
    const query = `?row=${row}&turn=${turn}`;
    const picture = (name: string) => item({ type: "image", src: `/media/${name}.png${query}`, fit: "fill" });
    const video = item({ type: "video", src: `/media/video.mp4${query}`, fit: "fill", muted: true, media_duration_ms: null });
    const items: readonly SceneItem[] = [picture("red"), video, text("Welcome", `#${hexOf(green)}`), picture("blue"), video];
    const place = turn % items.length;
    const play = slot(items[place]!, startsAt + turn * slotMs, slotMs);
    return [1, 3].includes(place) ? { ...play, transition: fade } : play;
  });
}
