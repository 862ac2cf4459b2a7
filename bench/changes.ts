// Every change of item seen from outside: blank and foreign frames, lateness against the timeline, drift. Real player, real screen.
import { join } from "node:path";
import { loopEpochMs } from "../src/protocol/desired.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import type { Framebuffer } from "../test/support/framebuffer.ts";
import { frameInRow, numberedClip, plainImage } from "../test/support/media.ts";
import { startPlayer, startService } from "../test/support/programs.ts";
import { startXvfb } from "../test/support/xvfb.ts";
import { figure, spread } from "./lib.ts";

const seconds = Number(process.argv[2] ?? 180);
const red = [220, 30, 40] as const;
const green = [20, 160, 60] as const;
// Still, clip, still, clip: each change of kind in both directions.
const durations = [4_000, 5_000, 4_000, 5_000];
const loopMs = durations.reduce((sum, duration) => sum + duration, 0);

type Sight = "red" | "green" | "clip" | "blank" | "foreign";

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
const clipId = await api.upload("clip.mp4", await numberedClip(5, 30));
const clip = { type: "video", asset_id: clipId, duration_ms: 5_000, fit: "fill", muted: true };
const { layoutId } = await api.publish([await image(red, 4_000), clip, await image(green, 4_000), clip]);
await using player = startPlayer(api.url, join(folder.path, "player"), xvfb.display);
await api.pair(player, layoutId);
await player.line("presented");

const late: number[] = [];
const at: number[] = [];
let blankMs = 0;
let foreignMs = 0;
let changes = 0;
let looks = 0;
let slowestLookMs = 0;
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
  if (before !== null) slowestLookMs = Math.max(slowestLookMs, spanMs);
  const isItem = sight !== "blank" && sight !== "foreign";
  if (item !== null && isItem && sight !== item) {
    changes += 1;
    late.push(latenessOf(performance.timeOrigin + now));
    at.push(now);
  }
  if (isItem) item = sight;
  if (item !== null) before = sight;
  previous = now;
  looks += 1;
  await new Promise((resolve) => setTimeout(resolve, 1));
}
figure("changes of item seen on the screen", {
  n: changes,
  seconds,
  looks_per_s: Math.round(looks / seconds),
  slowest_look_ms: round(slowestLookMs),
});
figure("blank or foreign picture during all changes, ms", { blank: round(blankMs), foreign: round(foreignMs) });
figure("change on screen after its instant on the timeline, ms", spread(late));
// The slope of lateness over time; what is left of it is jitter, since every loop counts from the same epoch.
figure("drift, least squares, ppm", { ppm: round(slope(at, late) * 1e6) });

/** What one row of the screen shows, read in one go: several reads could see two frames. */
function look(framebuffer: Framebuffer): Sight {
  const row = framebuffer.row(540);
  const points = [200, 700, 1_230, 1_750].map((x) => [row[4 * x + 2]!, row[4 * x + 1]!, row[4 * x]!]);
  for (const [name, color] of [["red", red] as const, ["green", green] as const]) {
    if (points.every((pixel) => pixel.every((value, channel) => Math.abs(value - color[channel]!) <= 6))) return name;
  }
  if (frameInRow(row, framebuffer.width) !== null) return "clip";
  return row.every((value, index) => index % 4 === 3 || value < 16) ? "blank" : "foreign";
}

/** How long after the nearest boundary of the timeline `wall` is, in ms. */
function latenessOf(wall: number): number {
  const into = (wall - loopEpochMs) % loopMs;
  let boundary = 0;
  let nearest = Number.POSITIVE_INFINITY;
  for (const duration of [0, ...durations]) {
    boundary += duration;
    if (Math.abs(into - boundary) < Math.abs(nearest)) nearest = into - boundary;
  }
  return nearest;
}

function slope(xs: readonly number[], ys: readonly number[]): number {
  const meanX = xs.reduce((sum, x) => sum + x, 0) / xs.length;
  const meanY = ys.reduce((sum, y) => sum + y, 0) / ys.length;
  const over = xs.reduce((sum, x, index) => sum + (x - meanX) * (ys[index]! - meanY), 0);
  return over / xs.reduce((sum, x) => sum + (x - meanX) ** 2, 0);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
