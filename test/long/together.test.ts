// Two real players on two screens stay in sync without communicating.
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { numberedVideo, plainImage } from "../support/media/media.ts";
import { eventually } from "../support/polling.ts";
import { startPlayer, startService } from "../support/programs/programs.ts";
import { timeDifferences, watchScreens } from "../support/browser/screens.ts";
import { startXvfb } from "../support/browser/xvfb.ts";

const stills = { red: [220, 30, 40], green: [20, 160, 60] } as const;
// More than the delay of a busy machine. Players that ignore the clock are seconds apart.
const boundMs = 500;

const middle = (values: readonly number[]): number => values.map(Math.abs).toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

test("[SYN9] two players, one of them started late and killed, change items and show a video's frames together, even without the service", async () => {
  await using folder = await temporaryFolder();
  await using first = await startXvfb({ width: 640, height: 360 });
  await using second = await startXvfb({ width: 640, height: 360 });
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const image = async (name: keyof typeof stills, duration_ms: number) => ({
    type: "image",
    asset_id: await api.upload(`${name}.png`, await plainImage(stills[name])),
    duration_ms,
    fit: "fill",
  });
  const videoId = await api.upload("video.mp4", await numberedVideo(6));
  const video = { type: "video", asset_id: videoId, duration_ms: 6_000, fit: "fill", muted: true };
  const { layoutId } = await api.publish([video, await image("red", 2_000), await image("green", 2_000)]);
  await using early = startPlayer(api.url, join(folder.path, "first"), first.display);
  const earlyId = await api.pair(early, layoutId);
  await early.line(({ msg, asset_id }) => msg === "presented" && asset_id === videoId);
  const lateFolder = join(folder.path, "second");
  {
    await using late = startPlayer(api.url, lateFolder, second.display);
    await api.pair(late, layoutId);
    await late.line("presented");
    await late.kill();
  }
  // The first player reports its drift to the operator.
  const { drift_ms } = await eventually(async () => {
    const now = await api.ok("GET", `players/${earlyId}/now`);
    return typeof now["drift_ms"] === "number" ? now : null;
  });
  expect(drift_ms).toBeGreaterThanOrEqual(0);
  await service.program.kill();
  await using again = startPlayer(api.url, lateFolder, second.display);
  await again.line(({ msg, asset_id }) => msg === "presented" && asset_id === videoId);
  const [one, other] = await watchScreens([first.framebuffer, second.framebuffer], stills, 25_000);
  const { changes, frames } = timeDifferences(one!, other!);
  // If the watch began between the two screens' changes, one recording has one more change at its beginning. The second change is in both.
  const order = one!.changes.slice(2, 7).map(({ to }) => to);
  expect(order.length).toBe(5);
  const from = other!.changes.findIndex(({ to }, index) => index > 0 && to === order[0]);
  expect(other!.changes.slice(from, from + 5).map(({ to }) => to)).toEqual(order);
  expect(changes.length).toBeGreaterThanOrEqual(5);
  expect(frames.length).toBeGreaterThan(60);
  expect(middle(changes)).toBeLessThanOrEqual(boundMs);
  expect(middle(frames)).toBeLessThanOrEqual(boundMs);
}, 240_000);
