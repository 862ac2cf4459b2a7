// The CPU time of a still picture: the player and a plain Chromium with the same file, alternating.
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { plainImage } from "../test/support/media/media.ts";
import { eventually } from "../test/support/polling.ts";
import { startPlayer, startService } from "../test/support/programs/programs.ts";
import { startXvfb } from "../test/support/browser/xvfb.ts";
import { startBareChromium } from "./bare.ts";
import { printFigure, percentiles, uncovered, usageOf } from "./lib.ts";

const seconds = Number(process.argv[2] ?? 60);
const rounds = Number(process.argv[3] ?? 2);
// On an idle machine startup is over by then.
const settleMs = 15_000;
const color = [30, 120, 200] as const;

await using xvfb = await startXvfb({ width: 1920, height: 1080 });
const folder = await mkdtemp("/tmp/signage-bench-");
await chmod(folder, 0o755);
const percent = { bare: [] as number[], ours: [] as number[] };
const bareStartMs: number[] = [];
try {
  const picture = await plainImage(color, 1920, 1080);
  const file = join(folder, "still.png");
  await writeFile(file, picture, { mode: 0o644 });
  await using service = await startService(join(folder, "service"));
  const { api } = service;
  const asset_id = await api.upload("still.png", picture);
  const { layoutId } = await api.publish([{ type: "image", asset_id, duration_ms: 10_000, fit: "fill" }]);
  {
    await using player = startPlayer(api.url, join(folder, "player"), xvfb.display);
    await api.pair(player, layoutId);
    await player.line("presented");
  }
  for (let round = 0; round < rounds; round += 1) {
    const bare = await bareChromium(file);
    percent.bare.push(bare.percent);
    bareStartMs.push(bare.startMs);
    await using player = startPlayer(api.url, join(folder, "player"), xvfb.display);
    percent.ours.push((await measure(player.pid)).percent);
    await player.stop();
  }
} finally {
  await rm(folder, { recursive: true });
}
for (const [name, values] of Object.entries(percent))
  printFigure(`still picture, ${name}: CPU of all its processes, % of a core`, percentiles(values));
printFigure("start of bare Chromium: CPU of all its processes until it is settled, ms", percentiles(bareStartMs));

/** The CPU usage of a process tree in percent of a core, once the picture is on screen, and of its start. */
async function measure(pid: number): Promise<{ percent: number; startMs: number }> {
  await eventually(() => xvfb.framebuffer.pixel(...uncovered).every((value, channel) => Math.abs(value - color[channel]!) < 8));
  await wait(settleMs);
  const started = { at: performance.now(), cpuMs: usageOf(pid).cpuMs };
  await wait(seconds * 1_000);
  const used = usageOf(pid).cpuMs - started.cpuMs;
  return { percent: (100 * used) / (performance.now() - started.at), startMs: started.cpuMs };
}

async function bareChromium(file: string): ReturnType<typeof measure> {
  await using chromium = await startBareChromium(`file://${file}`, xvfb.display, folder);
  return await measure(chromium.pid);
}
