// The stage next to a naive page and a peer from the npm registry: the same loop on the same screen, alternating in one run.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { reasonOf } from "../src/base/fault.ts";
import type { Rgb } from "../test/support/browser/framebuffer.ts";
import { numberedVideo, plainImage } from "../test/support/media/media.ts";
import { eventually } from "../test/support/polling.ts";
import { startPlayer, startService } from "../test/support/programs/programs.ts";
import { type Appearance, type ObservedSpan, watchScreen } from "../test/support/browser/screen-observation.ts";
import { startXvfb } from "../test/support/browser/xvfb.ts";
import { startBareChromium } from "./bare.ts";
import { printFigure, mean, percentiles, usageOf } from "./lib.ts";
import { naivePage, type PeerPage, xiboPage } from "./peers.ts";

const seconds = Number(process.argv[2] ?? 60);
const rounds = Number(process.argv[3] ?? 2);
const red: Rgb = [220, 30, 40];
const green: Rgb = [20, 160, 60];
const looks: readonly Appearance[] = [
  { name: "red", color: red },
  { name: "video", video: true },
  { name: "green", color: green },
];
const wantedMs: Record<string, number> = { red: 4_000, video: 5_000, green: 4_000 };

/** The measurements of one player. */
interface Tally {
  changes: number;
  blankMs: number[];
  foreignMs: number;
  durationErrorsMs: number[];
  firstFrames: number[];
  startMs: number[];
  cpuPercent: number[];
  pssMb: number[];
}

await using xvfb = await startXvfb({ width: 1920, height: 1080 });
const folder = await mkdtemp("/tmp/signage-bench-");
await chmod(folder, 0o755);
const media = { red: await plainImage(red, 1920, 1080), green: await plainImage(green, 1920, 1080), video: await numberedVideo(5, 30) };
type Medium = keyof typeof media;
const ours = newTally();
const tallies: Record<string, Tally> = { ours };
let peers: Record<string, PeerPage> = {};
try {
  // The registry may be out of reach, or not have the package any more.
  const xiboplayer = await xiboPage(join(folder, "xiboplayer")).catch((error: unknown) => {
    printFigure("xiboplayer: not available", { reason: reasonOf(error) });
    return null;
  });
  peers = { naive: naivePage(), ...(xiboplayer !== null && { xiboplayer }) };
  await using service = await startService(join(folder, "service"));
  const { api } = service;
  const still = async (bytes: Buffer) => ({ type: "image", asset_id: await api.upload("p.png", bytes), duration_ms: 4_000, fit: "fill" });
  const video = { type: "video", asset_id: await api.upload("c.mp4", media.video), duration_ms: 5_000, fit: "fill", muted: true };
  const { layoutId } = await api.publish([await still(media.red), video, await still(media.green), video]);
  {
    await using player = startPlayer(api.url, join(folder, "player"), xvfb.display);
    await api.pair(player, layoutId);
    await player.line("presented");
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, page] of Object.entries(peers)) {
      await peer(page, (tallies[name] ??= newTally()));
      await untilDark();
    }
    const startedAt = performance.now();
    await using player = startPlayer(api.url, join(folder, "player"), xvfb.display);
    await measure(player.pid, startedAt, ours);
    await player.stop();
    await untilDark();
  }
} finally {
  await rm(folder, { recursive: true });
}
for (const [name, tally] of Object.entries(tallies)) {
  printFigure(`${name}: changes`, { n: tally.changes, foreign_ms: Math.round(tally.foreignMs) });
  printFigure(`${name}: blank at a change, ms`, percentiles(tally.blankMs));
  printFigure(`${name}: actual minus configured duration of an item, ms`, {
    ...percentiles(tally.durationErrorsMs),
    mean: mean(tally.durationErrorsMs),
  });
  printFigure(`${name}: first visible frame of the video`, percentiles(tally.firstFrames));
  printFigure(`${name}: start to the first picture, ms`, percentiles(tally.startMs));
  printFigure(`${name}: CPU of all its processes, % of a core`, { mean: mean(tally.cpuPercent) });
  printFigure(`${name}: PSS of all its processes at the end, MB`, { mean: mean(tally.pssMb) });
}
for (const name of Object.keys(peers)) {
  const tally = tallies[name]!;
  printFigure(`ours against ${name}`, {
    cpu: ratio(ours.cpuPercent, tally.cpuPercent),
    pss: ratio(ours.pssMb, tally.pssMb),
    start: ratio(ours.startMs, tally.startMs),
  });
}

/** Watches the screen for `seconds` from the first change on. The program was started at `startedAt`. */
async function measure(pid: number, startedAt: number, tally: Tally): Promise<void> {
  const spans: ObservedSpan[] = [];
  let firstAt = Number.NaN;
  let started: { at: number; cpuMs: number } | null = null;
  const done = (): boolean => started !== null && performance.now() - started.at > seconds * 1_000;
  const watched = watchScreen(
    xvfb.framebuffer,
    { y: 540, loop: looks },
    (span) => {
      spans.push(span);
      if (span.is === "item" && Number.isNaN(firstAt)) firstAt = span.at;
      const items = new Set(spans.filter(({ is }) => is === "item").map(({ name }) => name));
      // The loop starts in the middle of the first item, so count from the second item on.
      if (started === null && items.size >= 2) {
        spans.splice(0, spans.length - 1);
        started = { at: performance.now(), cpuMs: usageOf(pid).cpuMs };
      }
    },
    done,
  );
  await watched;
  const { cpuMs, pssBytes } = usageOf(pid);
  const { at, cpuMs: before } = started!;
  tally.startMs.push(firstAt - startedAt);
  tally.cpuPercent.push((100 * (cpuMs - before)) / (performance.now() - at));
  tally.pssMb.push(pssBytes / 2 ** 20);
  addSpans(spans, tally);
}

function addSpans(spans: readonly ObservedSpan[], tally: Tally): void {
  let item: { name: string; at: number } | null = null;
  let blankMs = 0;
  for (const span of spans) {
    if (span.is === "blank") blankMs += span.ms;
    else if (span.is !== "item") tally.foreignMs += span.ms;
    else if (span.name !== item?.name) {
      if (item !== null) {
        tally.changes += 1;
        tally.blankMs.push(blankMs);
        // The first counted item may have started earlier.
        if (tally.changes > 1) tally.durationErrorsMs.push(span.at - item.at - wantedMs[item.name]!);
      }
      if (span.frame !== null) tally.firstFrames.push(span.frame);
      item = span;
      blankMs = 0;
    }
  }
}

/** Measures a peer's page in a plain Chromium. */
async function peer(page: PeerPage, tally: Tally): Promise<void> {
  const server = createServer((request, response) => {
    const name = (request.url ?? "/").slice(1);
    const file =
      page.get(name) ?? (name in media ? { type: name === "video" ? "video/mp4" : "image/png", bytes: media[name as Medium] } : null);
    if (file === null) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": file.type, "content-length": file.bytes.length }).end(file.bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await using chromium = await startBareChromium(`http://127.0.0.1:${port}/`, xvfb.display, folder);
    await measure(chromium.pid, chromium.startedAt, tally);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function untilDark(): Promise<void> {
  await eventually(() => xvfb.framebuffer.pixel(960, 540).every((value) => value < 24));
}

function newTally(): Tally {
  return { changes: 0, blankMs: [], foreignMs: 0, durationErrorsMs: [], firstFrames: [], startMs: [], cpuPercent: [], pssMb: [] };
}

function ratio(one: readonly number[], other: readonly number[]): number {
  return Math.round((100 * mean(one)) / mean(other)) / 100;
}
