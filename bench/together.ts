// The time difference between two synchronized players on real screens; one starts late and restarts without the service.
import { join } from "node:path";
import { temporaryFolder } from "../test/support/folder.ts";
import { numberedVideo, plainImage } from "../test/support/media/media.ts";
import { startPlayer, startService } from "../test/support/programs/programs.ts";
import { timeDifferences, watchScreens } from "../test/support/browser/screens.ts";
import { startXvfb } from "../test/support/browser/xvfb.ts";
import { printFigure, latenessOf, slopePpm, percentiles } from "./lib.ts";

const minutes = Number(process.argv[2] ?? 30);
// Two players share the CPU, so use small screens.
const [width, height] = (process.argv[3] ?? "1280x720").split("x").map(Number) as [number, number];
const stills = { red: [220, 30, 40], green: [20, 160, 60] } as const;
// The video and the two stills.
const durations = [6_000, 2_000, 2_000];

await using folder = await temporaryFolder();
await using first = await startXvfb({ width, height });
await using second = await startXvfb({ width, height });
await using service = await startService(join(folder.path, "service"));
const { api } = service;
const image = async (name: keyof typeof stills) => ({
  type: "image",
  asset_id: await api.upload(`${name}.png`, await plainImage(stills[name])),
  duration_ms: durations[1],
  fit: "fill",
});
const videoId = await api.upload("video.mp4", await numberedVideo(6));
const video = { type: "video", asset_id: videoId, duration_ms: durations[0], fit: "fill", muted: true };
const { layoutId } = await api.publish([video, await image("red"), await image("green")]);
await using early = startPlayer(api.url, join(folder.path, "first"), first.display);
await api.pair(early, layoutId);
await early.line("presented");
const lateFolder = join(folder.path, "second");
const late = startPlayer(api.url, lateFolder, second.display);
await api.pair(late, layoutId);
await late.line("presented");
await late.kill();
await service.program.kill();
await using again = startPlayer(api.url, lateFolder, second.display);
await again.line(({ msg, asset_id }) => msg === "presented" && asset_id === videoId);

const [one, other] = await watchScreens([first.framebuffer, second.framebuffer], stills, minutes * 60_000);
const { changes, frames } = timeDifferences(one!, other!);
const size = (values: readonly number[]) => percentiles(values.map(Math.abs));
printFigure("time difference of the same item change on two screens, ms", { minutes, ...size(changes) });
printFigure("time difference of the same video frame on two screens, ms", { minutes, ...size(frames) });
for (const [name, { changes: seen }] of [["first", one!] as const, ["second", other!] as const]) {
  const at = seen.slice(1).map((change) => change.at);
  const late = at.map((when) => latenessOf(performance.timeOrigin + when, durations));
  // Every loop starts at the same epoch, so a slope is only jitter.
  printFigure(`${name} screen: change after its instant on the timeline, ms`, { ...percentiles(late), drift_ppm: slopePpm(at, late) });
}
// The baseline: how regularly one screen shows the video's frames, which are 33.3 ms apart.
const steps = one!.frames.flatMap(({ frame, at }, index) => {
  const before = one!.frames[index - 1];
  return before !== undefined && frame === before.frame + 1 ? [at - before.at - 1_000 / 30] : [];
});
const baseline = size(steps);
printFigure("irregularity of one screen's frames, ms (baseline)", { ...baseline });
printFigure("two screens against the baseline, ratio of p99", { ratio: Math.round((10 * size(frames).p99) / baseline.p99) / 10 });
