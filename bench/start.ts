// The time from start to first content with a warm cache and no service, against the first paint of plain `chromium --kiosk file.html`,
// in pairs on one Xvfb. `node bench/start.ts [pairs]`
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { eventually } from "../test/support/polling.ts";
import { startPlayer, startService } from "../test/support/programs/programs.ts";
import { plainImage } from "../test/support/media/media.ts";
import { startXvfb } from "../test/support/browser/xvfb.ts";
import { startBareChromium } from "./bare.ts";
import { printFigure, percentiles, uncovered, waitForPixel } from "./lib.ts";

const rounds = Number(process.argv[2] ?? 8);
const [aimFactor, aimExtraMs] = [1.3, 400];
const color = [20, 160, 60] as const;
const black = (pixel: readonly number[]): boolean => pixel.every((value) => value === 0);

await using xvfb = await startXvfb({ width: 1920, height: 1080 });
const folder = await mkdtemp("/tmp/signage-bench-");
await chmod(folder, 0o755);
const picture = await plainImage(color, 1920, 1080);
const page = join(folder, "page.html");
await writeFile(join(folder, "picture.png"), picture, { mode: 0o644 });
await writeFile(
  page,
  `<!doctype html><html style="background:#000"><body style="margin:0"><img src="picture.png" width="1920" height="1080">`,
  {
    mode: 0o644,
  },
);

const ours: number[] = [];
const bare: number[] = [];
try {
  // The service only fills the cache. It is gone during the measured starts, as after a power cut.
  {
    await using service = await startService(join(folder, "service"));
    const { layoutId } = await service.api.publish([
      { type: "image", asset_id: await service.api.upload("picture.png", picture), duration_ms: 60_000, fit: "fill" },
    ]);
    await using player = startPlayer(service.api.url, join(folder, "player"), xvfb.display);
    await service.api.pair(player, layoutId);
    await player.line("presented");
  }
  for (let round = 0; round < rounds; round += 1) {
    const both = [async () => bare.push(await bareStart()), async () => ours.push(await ownStart())];
    // Each comes first in half of the pairs.
    for (const start of round % 2 === 0 ? both : both.toReversed()) {
      await eventually(() => black(xvfb.framebuffer.pixel(...uncovered)));
      await start();
    }
    printFigure("pair, ms", { bare: Math.round(bare.at(-1)!), player: Math.round(ours.at(-1)!) });
  }
} finally {
  await rm(folder, { recursive: true });
}
const limits = bare.map((ms) => aimFactor * ms + aimExtraMs);
printFigure("start to first content, warm cache, without the service, ms", percentiles(ours));
printFigure("start to first paint, bare chromium --kiosk, ms", percentiles(bare));
printFigure(`aim of each pair, ${aimFactor} × bare chromium plus ${aimExtraMs} ms`, percentiles(limits));
printFigure(
  "start to first content beyond the aim of its pair, ms; none if negative",
  percentiles(ours.map((ms, round) => ms - limits[round]!)),
);

async function bareStart(): Promise<number> {
  await using chromium = await startBareChromium(pathToFileURL(page).href, xvfb.display, folder);
  return (await waitForPixel(xvfb.framebuffer, color)) - chromium.startedAt;
}

async function ownStart(): Promise<number> {
  const startedAt = performance.now();
  await using _player = startPlayer("http://127.0.0.1:9", join(folder, "player"), xvfb.display);
  return (await waitForPixel(xvfb.framebuffer, color)) - startedAt;
}
