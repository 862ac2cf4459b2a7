// Every change on the real screen, decoded from the framebuffer: no blank, no foreign and no stale frame.
import { join } from "node:path";
import { expect, test } from "vitest";
import { type BoundaryKind, publishBoundaries, watchBoundaries } from "../support/browser/program-boundaries.ts";
import { temporaryFolder } from "../support/folder.ts";
import { numberedClip, plainImage } from "../support/media/media.ts";
import { mixedLoop, mixedRow, MixedLoopChecker, publishMixedLoop, startMixedSite } from "../support/browser/mixed-loop.ts";
import { startPlayer, startService } from "../support/programs/programs.ts";
import { type Appearance, type ObservedSpan, watchScreen } from "../support/browser/screen-observation.ts";
import { startXvfb } from "../support/browser/xvfb.ts";

// SIGNAGE_CHANGES=1000 for a night.
const changes = Number(process.env["SIGNAGE_CHANGES"] ?? 15);
const slotMs = 1_500;
const boundarySlotMs = 3_000;

const patience = { timeout: 120_000 + 2 * changes * slotMs };

test("[SWP12] changes between picture, clip, web page and text, by cut and by crossfade, show nothing else", patience, async () => {
  await using folder = await temporaryFolder();
  await using xvfb = await startXvfb({ width: 1920, height: 1080 });
  await using site = await startMixedSite();
  await using service = await startService(join(folder.path, "service"));
  const { layoutId } = await publishMixedLoop(service.api, site, slotMs);
  await using player = startPlayer(service.api.url, join(folder.path, "player"), xvfb.display);
  await service.api.pair(player, layoutId);
  await player.line("presented");
  const judge = new MixedLoopChecker(slotMs);
  const watch = { y: mixedRow, loop: mixedLoop };
  await watchScreen(
    xvfb.framebuffer,
    watch,
    (span) => judge.add(span),
    () => judge.changes >= changes,
  );
  expect(judge.unexpected).toEqual([]);
  expect({ blankMs: judge.blankMs, foreignMs: judge.foreignMs, staleFrames: judge.staleFrames }).toEqual({
    blankMs: 0,
    foreignMs: 0,
    staleFrames: 0,
  });
  expect(judge.fades).toBeGreaterThan(0);
  expect(player.lines.filter(({ msg }) => /could not be shown|reports a fault/.test(msg))).toEqual([]);
});

test.each<BoundaryKind>(["schedule", "interrupt", "override", "wall"])(
  "[SWP14] changes of program, by %s, show nothing else, and nothing of a layout that has to leave",
  patience,
  async (kind) => {
    await using folder = await temporaryFolder();
    await using xvfb = await startXvfb({ width: 1280, height: 720 });
    await using site = await startMixedSite();
    await using service = await startService(join(folder.path, "service"));
    const layouts = await publishBoundaries(service.api, site, boundarySlotMs);
    await using player = startPlayer(service.api.url, join(folder.path, "player"), xvfb.display);
    const playerId = await service.api.pair(player, layouts.even);
    await player.line("presented");
    const watched = { api: service.api, playerId, framebuffer: xvfb.framebuffer, layouts, slotMs: boundarySlotMs };
    const judge = await watchBoundaries(watched, kind, Math.ceil(changes / 5));
    expect(judge.unexpected).toEqual([]);
    const { blankMs, foreignMs, stale } = judge;
    expect({ blankMs, foreignMs, stale }).toEqual({ blankMs: 0, foreignMs: 0, stale: 0 });
    expect(player.lines.filter(({ msg }) => /could not be shown|reports a fault/.test(msg))).toEqual([]);
  },
);

test("[SWP13] a clip in a slot three times as long plays three times and is held on its last frame", { timeout: 180_000 }, async () => {
  await using folder = await temporaryFolder();
  await using xvfb = await startXvfb({ width: 1920, height: 1080 });
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const red = [220, 30, 40] as const;
  const clip = await api.upload("clip.mp4", await numberedClip(2, 30));
  const { layoutId } = await api.publish([
    { type: "image", asset_id: await api.upload("red.png", await plainImage(red)), duration_ms: 2_000, fit: "fill" },
    { type: "video", asset_id: clip, duration_ms: 6_000, fit: "fill", muted: true },
  ]);
  await using player = startPlayer(api.url, join(folder.path, "player"), xvfb.display);
  await api.pair(player, layoutId);
  await player.line("presented");
  const loop: Appearance[] = [
    { name: "red", color: red },
    { name: "clip", clip: true },
  ];
  const seen: ObservedSpan[] = [];
  // From one red to the next: a whole slot of the clip lies between.
  const reds = (): number => seen.filter(({ name }, index) => name === "red" && seen[index - 1]?.name !== "red").length;
  await watchScreen(
    xvfb.framebuffer,
    { y: 540, loop },
    (span) => seen.push(span),
    () => reds() >= 3,
  );
  const last = seen.findLastIndex(({ name }) => name === "red");
  const before = seen.slice(0, last).findLastIndex(({ name }) => name === "red");
  const frames = seen.slice(before + 1, last);
  expect(frames.filter(({ is }) => is !== "item")).toEqual([]);
  const numbers = frames.map(({ frame }) => frame!);
  const rounds = numbers.filter((number, index) => index > 0 && number < numbers[index - 1]! - 30).length + 1;
  expect(rounds).toBe(3);
  expect(numbers[0]).toBeLessThanOrEqual(2);
  expect(numbers.at(-1)).toBeGreaterThanOrEqual(55);
});
