// The time until moving content is on the screen again after a fault, by fault, measured on an Xvfb screen: the longest time without
// a change of picture, less the time that a picture is shown. `node bench/recovery.ts [tries]`
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { restartPauseMs } from "../scripts/soak/supervised.ts";
import { plainImage } from "../test/support/media/media.ts";
import { chromiumProcesses, type ChromiumProcessKind } from "../test/support/programs/chromium-processes.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import type { Framebuffer, Rgb } from "../test/support/browser/framebuffer.ts";
import { startXvfb } from "../test/support/browser/xvfb.ts";
import { type Program, startPlayer, startService } from "../test/support/programs/programs.ts";
import { percentiles, printFigure } from "./lib.ts";

const tries = Number(process.argv[2] ?? 10);
const itemMs = 500;
const pollMs = 10;
const giveUpMs = 120_000;
const colors: readonly Rgb[] = [
  [20, 160, 60],
  [30, 60, 200],
];
const kinds: readonly ChromiumProcessKind[] = ["browser", "renderer", "zygote", "gpu-process", "network.mojom.NetworkService"];
const faults = kinds.flatMap((kind) => [
  { kind, signal: "SIGKILL" as const },
  { kind, signal: "SIGSTOP" as const },
]);

await using folder = await temporaryFolder();
await using xvfb = await startXvfb({ width: 1280, height: 720 });
await using service = await startService(join(folder.path, "service"));
const { api } = service;
const items = [];
for (const color of colors)
  items.push({ type: "image", asset_id: await api.upload("color.png", await plainImage(color)), duration_ms: itemMs, fit: "fill" });
const { layoutId } = await api.publish(items);
const start = (): Program => startPlayer(api.url, join(folder.path, "player"), xvfb.display);
{
  await using player = start();
  await api.pair(player, layoutId);
  await player.line("presented");
}
for (const { kind, signal } of faults) {
  const times: number[] = [];
  for (let count = 0; count < tries; count += 1) {
    // A new player has forgotten the faults before.
    await using player = start();
    await player.line("presented");
    await pause(1_000 + itemMs * Math.random());
    times.push(await timeOf(xvfb.framebuffer, () => signalAll(player, kind, signal)));
  }
  printFigure(`recovery from ${signal} of ${kind}, ms`, percentiles(times));
}
const restarts: number[] = [];
for (let count = 0; count < tries; count += 1) {
  const first = start();
  await first.line("presented");
  await pause(1_000 + itemMs * Math.random());
  let second: Program | undefined;
  restarts.push(
    await timeOf(xvfb.framebuffer, async () => {
      await first.kill();
      await pause(restartPauseMs);
      second = start();
    }),
  );
  await second![Symbol.asyncDispose]();
}
printFigure("recovery from SIGKILL of the player, restarted as by its unit, ms", {
  restart_pause_ms: restartPauseMs,
  ...percentiles(restarts),
});

/** Sends the signal to all processes of the kind, and resolves when they are gone. */
async function signalAll(player: Program, kind: ChromiumProcessKind, signal: NodeJS.Signals): Promise<void> {
  const pids = await chromiumProcesses(player, kind);
  if (pids.length === 0) throw new Error(`there is no process ${kind}`);
  for (const pid of pids) process.kill(pid, signal);
  const end = performance.now() + giveUpMs;
  while ((await chromiumProcesses(player, kind)).some((pid) => pids.includes(pid))) {
    if (performance.now() > end) throw new Error(`${kind} is not gone ${giveUpMs} ms after ${signal}`);
    await pause(100);
  }
}

/** Makes the fault and watches the screen until the pictures change regularly again. @returns the longest interruption, in ms. */
async function timeOf(framebuffer: Framebuffer, fault: () => Promise<void>): Promise<number> {
  let isOver = false;
  const end = performance.now() + giveUpMs;
  const watched = watchPictures(framebuffer, () => isOver, end);
  const [longest] = await Promise.all([watched, fault().finally(() => (isOver = true))]);
  return Math.max(0, longest - itemMs);
}

/** The longest time between two changes of picture, until `isOver` and then six regular ones. @throws Error at `end`. */
async function watchPictures(framebuffer: Framebuffer, isOver: () => boolean, end: number): Promise<number> {
  let [shown, changedAt, longest, regular] = [null as number | null, performance.now(), 0, 0];
  while (!isOver() || regular < 6) {
    const now = performance.now();
    if (now > end) throw new Error(`no regular changes of picture within ${giveUpMs} ms`);
    const seen = colorAt(framebuffer);
    if (seen !== null && seen !== shown) {
      longest = Math.max(longest, now - changedAt);
      regular = isOver() && now - changedAt < 2 * itemMs ? regular + 1 : 0;
      [shown, changedAt] = [seen, now];
    }
    await pause(pollMs);
  }
  return longest;
}

/** Which colour the screen shows; null for none of them. */
function colorAt(framebuffer: Framebuffer): number | null {
  const pixel = framebuffer.pixel(640, 360);
  const index = colors.findIndex((color) => color.every((value, channel) => Math.abs(value - pixel[channel]!) <= 4));
  return index === -1 ? null : index;
}
