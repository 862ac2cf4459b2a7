// The time from a PATCH of a playlist to the changed pixel on screen, with a picture that the player must download.
import { join } from "node:path";
import { temporaryFolder } from "../test/support/folder.ts";
import { plainImage } from "../test/support/media/media.ts";
import { startPlayer, startService } from "../test/support/programs/programs.ts";
import { startXvfb } from "../test/support/browser/xvfb.ts";
import { printFigure, percentiles, waitForPixel } from "./lib.ts";

const rounds = Number(process.argv[2] ?? 100);

await using folder = await temporaryFolder();
await using xvfb = await startXvfb({ width: 1920, height: 1080 });
await using service = await startService(join(folder.path, "service"));
const { api } = service;
const item = (assetId: string) => ({ type: "image", asset_id: assetId, duration_ms: 60_000, fit: "fill" });
const colorOf = (round: number) => [((round * 37) % 200) + 20, ((round * 71) % 200) + 20, ((round * 113) % 200) + 20] as const;

const { playlistId, layoutId } = await api.publish([item(await api.upload("0.png", await plainImage(colorOf(0), 1920, 1080)))]);
await using player = startPlayer(api.url, join(folder.path, "player"), xvfb.display);
await api.pair(player, layoutId);
await waitForPixel(xvfb.framebuffer, colorOf(0));

const times: number[] = [];
for (let round = 1; round <= rounds; round += 1) {
  const assetId = await api.upload(`${round}.png`, await plainImage(colorOf(round), 1920, 1080));
  const started = performance.now();
  const [shown] = await Promise.all([
    waitForPixel(xvfb.framebuffer, colorOf(round)),
    api.ok("PATCH", `playlists/${playlistId}`, { items: [item(assetId)] }),
  ]);
  times.push(shown - started);
}
printFigure("PATCH to changed pixel, ms", percentiles(times));
