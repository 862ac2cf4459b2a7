// Item and program changes on a real screen: blank and foreign frames, lateness against the timeline, drift.
import { join } from "node:path";
import { temporaryFolder } from "../test/support/folder.ts";
import type { Framebuffer } from "../test/support/browser/framebuffer.ts";
import { frameInRow, numberedVideo, plainImage } from "../test/support/media/media.ts";
import { startPlayer, startService } from "../test/support/programs/programs.ts";
import { startXvfb } from "../test/support/browser/xvfb.ts";
import { printFigure, latenessOf, slopePpm, percentiles } from "./lib.ts";
import { measureProgramChanges } from "./program.ts";

const seconds = Number(process.argv[2] ?? 180);
// The number of program changes after the item changes.
const boundaries = Number(process.argv[3] ?? 60);
const boundarySlotMs = 2_000;
const red = [220, 30, 40] as const;
const green = [20, 160, 60] as const;
// Still, video, still, video: every change of kind in both directions.
const durations = [4_000, 5_000, 4_000, 5_000];

type Sight = "red" | "green" | "video" | "blank" | "foreign";

await using folder = await temporaryFolder();
await using xvfb = await startXvfb({ width: 1920, height: 1080 });
await using service = await startService(join(folder.path, "service"));
const { api } = service;
const image = async (color: readonly [number, number, number], durationMs: number) => ({
  type: "image",
  asset_id: await api.upload("still.png", await plainImage(color, 1920, 1080)),
  duration_ms: durationMs,
  fit: "fill",
});
const videoId = await api.upload("video.mp4", await numberedVideo(5, 30));
const video = { type: "video", asset_id: videoId, duration_ms: 5_000, fit: "fill", muted: true };
const { layoutId } = await api.publish([await image(red, 4_000), video, await image(green, 4_000), video]);
await using player = startPlayer(api.url, join(folder.path, "player"), xvfb.display);
const playerId = await api.pair(player, layoutId);
await player.line("presented");

const late: number[] = [];
const at: number[] = [];
let blankMs = 0;
let foreignMs = 0;
let changes = 0;
let samples = 0;
let slowestSampleMs = 0;
let before: Sight | null = null;
let item: Sight | null = null;
let previous = performance.now();
const end = previous + seconds * 1_000;
while (previous < end) {
  const now = performance.now();
  const sight = look(xvfb.framebuffer);
  const spanMs = now - previous;
  if (before === "blank") blankMs += spanMs;
  if (before === "foreign") foreignMs += spanMs;
  if (before !== null) slowestSampleMs = Math.max(slowestSampleMs, spanMs);
  const isItem = sight !== "blank" && sight !== "foreign";
  if (item !== null && isItem && sight !== item) {
    changes += 1;
    late.push(latenessOf(performance.timeOrigin + now, durations));
    at.push(now);
  }
  if (isItem) item = sight;
  if (item !== null) before = sight;
  previous = now;
  samples += 1;
  await new Promise((resolve) => setTimeout(resolve, 1));
}
printFigure("item changes on the screen", {
  n: changes,
  seconds,
  samples_per_s: Math.round(samples / seconds),
  slowest_sample_ms: round(slowestSampleMs),
});
printFigure("blank or foreign picture during all changes, ms", { blank: round(blankMs), foreign: round(foreignMs) });
printFigure("change on screen after its instant on the timeline, ms", percentiles(late));
// The slope of lateness over time. Every loop starts at the same epoch, so anything but zero is jitter.
printFigure("drift, least squares, ppm", { ppm: slopePpm(at, late) });
await measureProgramChanges({ api, player, playerId, framebuffer: xvfb.framebuffer }, boundaries, boundarySlotMs);

/** What one row of the screen shows. Read at once, since several reads could see two frames. */
function look(framebuffer: Framebuffer): Sight {
  const row = framebuffer.row(540);
  const points = [200, 700, 1_230, 1_750].map((x) => [row[4 * x + 2]!, row[4 * x + 1]!, row[4 * x]!]);
  for (const [name, color] of [["red", red] as const, ["green", green] as const]) {
    if (points.every((pixel) => pixel.every((value, channel) => Math.abs(value - color[channel]!) <= 6))) return name;
  }
  if (frameInRow(row, framebuffer.width) !== null) return "video";
  return row.every((value, index) => index % 4 === 3 || value < 16) ? "blank" : "foreign";
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
