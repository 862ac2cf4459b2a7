// A video that loops on a real screen: how long its last frame stays, and wrong pictures at the seam.
import { join } from "node:path";
import { temporaryFolder } from "../test/support/folder.ts";
import { numberedVideo } from "../test/support/media/media.ts";
import { startPlayer, startService } from "../test/support/programs/programs.ts";
import { type ObservedSpan, watchScreen } from "../test/support/browser/screen-observation.ts";
import { startXvfb } from "../test/support/browser/xvfb.ts";
import { printFigure, percentiles } from "./lib.ts";

const wanted = Number(process.argv[2] ?? 1_000);
const videoSeconds = Number(process.argv[3] ?? 2);
// As long as the video: each round is a separate play. Longer: the video element loops within its slot.
const slotMs = Number(process.argv[4] ?? videoSeconds * 1_000);
const fps = 30;
const lastFrame = videoSeconds * fps - 1;

await using folder = await temporaryFolder();
await using xvfb = await startXvfb({ width: 1280, height: 720 });
await using service = await startService(join(folder.path, "service"));
const { api } = service;
const asset_id = await api.upload("video.mp4", await numberedVideo(videoSeconds, fps));
const { layoutId } = await api.publish([{ type: "video", asset_id, duration_ms: slotMs, fit: "fill", muted: true }]);
await using player = startPlayer(api.url, join(folder.path, "player"), xvfb.display);
await api.pair(player, layoutId);
await player.line("presented");

const otherMs: Record<string, number> = { blank: 0, foreign: 0 };
const seams: { lastMs: number; from: number; to: number }[] = [];
let before: ObservedSpan | null = null;
const { slowestLookMs } = await watchScreen(
  xvfb.framebuffer,
  { y: 360, loop: [{ name: "video", video: true }] },
  (span) => {
    if (span.frame === null) {
      if (before !== null) otherMs[span.is]! += span.ms;
      return;
    }
    if (before !== null && span.frame < before.frame!) seams.push({ lastMs: span.at - before.at, from: before.frame!, to: span.frame });
    before = span;
  },
  () => seams.length >= wanted,
);
printFigure("seam: rounds", { n: seams.length, slot_ms: slotMs, slowest_sample_ms: Math.round(slowestLookMs) });
printFigure("seam: blank or foreign picture in all rounds, ms", {
  blank: Math.round(otherMs["blank"]!),
  foreign: Math.round(otherMs["foreign"]!),
});
printFigure("seam: duration of the last visible frame, ms (a frame lasts 33.3)", percentiles(seams.map(({ lastMs }) => lastMs)));
printFigure("seam: frames skipped at the end", percentiles(seams.map(({ from }) => lastFrame - from)));
printFigure("seam: frames skipped at the start", percentiles(seams.map(({ to }) => to)));
