// A thousand changes between picture, video, web page and text on a real screen, then program changes: wrong pictures and memory growth.
import { join } from "node:path";
import { temporaryFolder } from "../test/support/folder.ts";
import { mixedLoop, mixedRow, MixedLoopChecker, publishMixedLoop, startMixedSite } from "../test/support/browser/mixed-loop.ts";
import { startPlayer, startService } from "../test/support/programs/programs.ts";
import { watchScreen } from "../test/support/browser/screen-observation.ts";
import { startXvfb } from "../test/support/browser/xvfb.ts";
import { printFigure, mean, usageOf } from "./lib.ts";
import { measureProgramChanges } from "./program.ts";

const wanted = Number(process.argv[2] ?? 1_000);
const slotMs = Number(process.argv[3] ?? 1_000);
// Without a GPU a busy machine fades smoothly only on a small screen; on a large one it falls back to cuts.
const height = Number(process.argv[4] ?? 1_080);
// How long the web pages' server takes for each response.
const pageMs = Number(process.argv[5] ?? 0);
// The number of program changes after the item changes.
const boundaries = Number(process.argv[6] ?? 60);
const boundarySlotMs = 2_000;
const reportEvery = 50;

await using folder = await temporaryFolder();
await using xvfb = await startXvfb({ width: (height * 16) / 9, height });
await using site = await startMixedSite(pageMs);
await using service = await startService(join(folder.path, "service"));
const { layoutId } = await publishMixedLoop(service.api, site, slotMs);
await using player = startPlayer(service.api.url, join(folder.path, "player"), xvfb.display);
const playerId = await service.api.pair(player, layoutId);
await player.line("presented");

const judge = new MixedLoopChecker(slotMs);
let reported = 0;
const { looks, slowestLookMs } = await watchScreen(
  xvfb.framebuffer,
  { y: Math.round((mixedRow * height) / 1_080), loop: mixedLoop },
  (span) => {
    judge.add(span);
    if (judge.changes < reported + reportEvery) return;
    reported = judge.changes;
    report();
  },
  () => judge.changes >= wanted,
);
report();
const durations = judge.spans.slice(2).map((span, index) => span.at - judge.spans[index + 1]!.at);
printFigure("mixed changes: watch", { looks, slowest_look_ms: Math.round(slowestLookMs) });
printFigure("mixed changes: mean duration of an item, ms", { configured: slotMs, mean: mean(durations) });
// A loop that skips an item is shorter, which the plays of each item show.
for (const [name, n] of judge.seen) printFigure("mixed changes: plays seen", { item: name, n });
for (const line of player.lines.filter(isFault).slice(0, 5)) printFigure("mixed changes: fault", { line: JSON.stringify(line) });
for (const sight of judge.unexpected) printFigure("mixed changes: wrong sight", { sight });
await measureProgramChanges({ api: service.api, player, playerId, framebuffer: xvfb.framebuffer }, boundaries, boundarySlotMs);

function report(): void {
  const { processes, pssBytes, ownByRole, sharedBytes } = usageOf(player.pid);
  const { changes, fades, staleFrames } = judge;
  const wrong = { blank_ms: Math.round(judge.blankMs), foreign_ms: Math.round(judge.foreignMs), stale_frames: staleFrames };
  const faults = player.lines.filter(isFault).length;
  const roles = Object.fromEntries(Object.entries(ownByRole).map(([role, bytes]) => [`${role}_own_mb`, Math.round(bytes / 2 ** 20)]));
  printFigure("mixed changes", {
    changes,
    fades,
    ...wrong,
    faults,
    processes,
    pss_mb: Math.round(pssBytes / 2 ** 20),
    ...roles,
    shared_mb: Math.round(sharedBytes / 2 ** 20),
  });
}

function isFault({ msg }: { msg: string }): boolean {
  return /could not be shown|reports a fault|cuts for a while/.test(msg);
}
