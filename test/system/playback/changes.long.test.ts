// Decodes every change on a real screen from its framebuffer: no blank, no unexpected and no stale picture.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BoundaryKind, publishBoundaries, watchBoundaries } from "../../support/browser/program-boundaries.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { numberedVideo, plainImage } from "../../support/media/media.ts";
import { mixedLoop, mixedRow, MixedLoopChecker, publishMixedLoop, startMixedSite } from "../../support/browser/mixed-loop.ts";
import { eventually } from "../../support/polling.ts";
import { type Program, startPlayer, startService } from "../../support/programs/programs.ts";
import { type Appearance, type ObservedSpan, watchScreen } from "../../support/browser/screen-observation.ts";
import { startXvfb } from "../../support/browser/xvfb.ts";

// SIGNAGE_CHANGES=1000 runs for a night.
const changes = Number(process.env["SIGNAGE_CHANGES"] ?? 15);
// Without a GPU the pictures of full HD come late on a busy machine.
const size = { width: 1_280, height: 720 };
const slotMs = 1_200;
const boundarySlotMs = 2_500;

const longTimeout = { timeout: 120_000 + 2 * changes * slotMs };

const red = [220, 30, 40] as const;

const faultsOf = (player: Program, from = 0) =>
  player.lines.slice(from).filter(({ msg }) => /could not be shown|reports a fault/.test(msg));

test("[SWP12] changes between image, video, web page and text, by cut and by crossfade, show nothing else", longTimeout, async () => {
  await using folder = await temporaryFolder();
  await using xvfb = await startXvfb(size);
  await using site = await startMixedSite();
  await using service = await startService(join(folder.path, "service"));
  const { layoutId } = await publishMixedLoop(service.api, site, slotMs);
  await using player = startPlayer(service.api.url, join(folder.path, "player"), xvfb.display);
  await service.api.pair(player, layoutId);
  await player.line("presented");
  const checker = new MixedLoopChecker(slotMs);
  await watchScreen(
    xvfb.framebuffer,
    { y: Math.round((mixedRow * size.height) / 1_080), loop: mixedLoop },
    (span) => checker.add(span),
    () => checker.changes >= changes,
  );
  expect(checker.unexpected).toEqual([]);
  const { blankMs, foreignMs, staleFrames } = checker;
  expect({ blankMs, foreignMs, staleFrames }).toEqual({ blankMs: 0, foreignMs: 0, staleFrames: 0 });
  expect(checker.fades).toBeGreaterThan(0);
  expect(faultsOf(player)).toEqual([]);
});

describe("changes of program", () => {
  const owned = new AsyncDisposableStack();
  let player: Program;
  let watched: Parameters<typeof watchBoundaries>[0];

  beforeAll(async () => {
    const folder = owned.use(await temporaryFolder());
    const { display, framebuffer } = owned.use(await startXvfb(size));
    const site = owned.use(await startMixedSite());
    const { api } = owned.use(await startService(join(folder.path, "service")));
    const layouts = await publishBoundaries(api, site, boundarySlotMs);
    player = owned.use(startPlayer(api.url, join(folder.path, "player"), display));
    const playerId = await api.pair(player, layouts.even);
    await player.line("presented");
    watched = { api, playerId, framebuffer, layouts, slotMs: boundarySlotMs };
  });
  afterAll(() => owned.disposeAsync());

  test.each<BoundaryKind>(["schedule", "interrupt", "override", "wall"])(
    "[SWP14] changes of program, by %s, show nothing else, and nothing of a layout that has ended",
    longTimeout,
    async (kind) => {
      await ownLayoutAlone();
      const from = player.lines.length;
      const checker = await watchBoundaries(watched, kind, Math.ceil(changes / 5));
      expect(checker.unexpected).toEqual([]);
      const { blankMs, foreignMs, stale } = checker;
      expect({ blankMs, foreignMs, stale }).toEqual({ blankMs: 0, foreignMs: 0, stale: 0 });
      expect(faultsOf(player, from)).toEqual([]);
    },
  );

  /** Resolves once the player has removed the program of the previous kind and shows its own layout's first item. */
  async function ownLayoutAlone(): Promise<void> {
    const { api, playerId, framebuffer } = watched;
    await eventually(async () => (await api.ok("GET", `players/${playerId}`))["in_sync"] === true);
    await eventually(() => framebuffer.pixel(640, 130).every((value, channel) => Math.abs(value - red[channel]!) <= 4));
  }
});

test("[SWP13] a video shorter than its slot is repeated completely and ends on its last frame", { timeout: 180_000 }, async () => {
  await using folder = await temporaryFolder();
  await using xvfb = await startXvfb(size);
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const video = await api.upload("video.mp4", await numberedVideo(2, 30));
  const { layoutId } = await api.publish([
    { type: "image", asset_id: await api.upload("red.png", await plainImage(red)), duration_ms: 1_000, fit: "fill" },
    { type: "video", asset_id: video, duration_ms: 6_000, fit: "fill", muted: true },
  ]);
  await using player = startPlayer(api.url, join(folder.path, "player"), xvfb.display);
  await api.pair(player, layoutId);
  await player.line("presented");
  const loop: Appearance[] = [
    { name: "red", color: red },
    { name: "video", video: true },
  ];
  const seen: ObservedSpan[] = [];
  // Between two reds lies a whole slot of the video.
  const reds = (): number => seen.filter(({ name }, index) => name === "red" && seen[index - 1]?.name !== "red").length;
  await watchScreen(
    xvfb.framebuffer,
    { y: size.height / 2, loop },
    (span) => seen.push(span),
    () => reds() >= 2,
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
