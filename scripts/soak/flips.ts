// The soak part `flips`: flips one random bit in cached files, while the player runs and while it does not. Each file must be whole
// again by itself, and no screenshot may show a wrong picture.
import { execFile } from "node:child_process";
import { open, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { temporaryFolder } from "../../test/support/folder.ts";
import { cachedFile, isWhole, sha256Of } from "./cached-files.ts";
import { pauseUntil } from "./load.ts";
import { type Color, faultOf, storedPicture } from "./pictures.ts";
import { Show } from "./show.ts";
import type { SoakPart, SoakRun } from "./soak-run.ts";

const filesInPlaylist = 20;
const flipsAtOnce = 5;
// The slow verification begins a minute after the start; one file at a time fails before its browser does.
const healLimitMs = 180_000;
const betweenScreenshotsMs = 1_500;
const touch = (argv: string[]) => promisify(execFile)("touch", argv);

export const flips: SoakPart = {
  about: "random bit flips in cached files, while the player runs and while it is stopped",
  unit: "flips",
  usual: 200,
  async run(run) {
    await using folder = await temporaryFolder();
    const colors = Array.from({ length: filesInPlaylist }, (_, index): Color => [
      (index % 5) * 60,
      Math.floor(index / 5) * 80,
      40 + index * 9,
    ]);
    const pictures = await Promise.all(colors.map(storedPicture));
    const hashes = pictures.map(sha256Of);
    await using show = await Show.start(folder.path, run, { pictures });
    const end = new AbortController();
    const flipAll = async (): Promise<void> => {
      for (let flipped = 0; flipped < run.amount; flipped += flipsAtOnce) {
        const damaged = run.random.shuffled(hashes).slice(0, Math.min(flipsAtOnce, run.amount - flipped));
        await flipAndHeal(show, run, damaged, (flipped / flipsAtOnce) % 2 === 0);
      }
    };
    const [screenshots] = await Promise.all([watchScreen(show, run, colors, end.signal), flipAll().finally(() => end.abort())]);
    run.print({ screenshots });
    return null;
  },
};

/** Flips a bit in each of these files and waits until they are whole again. */
async function flipAndHeal(show: Show, run: SoakRun, damaged: readonly string[], isRunning: boolean): Promise<void> {
  if (!isRunning) await show.player.current.kill();
  const from = performance.now();
  for (const sha256 of damaged) await flipBit(cachedFile(show, sha256), run);
  // A new page reads all files again.
  if (isRunning) await show.api.ok("POST", `players/${show.playerId}/commands`, { type: "reload" });
  const heal = (sha256: string): Promise<void> =>
    run.try({ while: isRunning ? "running" : "stopped", file: sha256.slice(0, 8) }, async () => {
      await run.until(`${sha256} is whole again`, () => isWhole(show, sha256), healLimitMs);
      return performance.now() - from;
    });
  await Promise.all(damaged.map(heal));
}

/** Flips a bit. The file keeps its inode and its size; half of the files keep their times too, as on a disk that loses bits. */
async function flipBit(path: string, { random }: SoakRun): Promise<void> {
  const { size } = await stat(path);
  const times = join(tmpdir(), `signage-soak-times-${process.pid}`);
  await touch(["-r", path, times]);
  const [position, bit, keepsTimes] = [random.integer(0, size - 1), random.integer(0, 7), random.next() < 0.5];
  const file = await open(path, "r+");
  try {
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, position);
    byte[0]! ^= 1 << bit;
    await file.write(byte, 0, 1, position);
  } finally {
    await file.close();
  }
  // Node's own utimes sets no nanoseconds, by which the player would notice it at the start.
  if (keepsTimes) await touch(["-r", times, path]);
  await rm(times);
}

/** Takes screenshots until `end` aborts. Each must have one colour: that of a picture, or black. @returns how many it has taken. */
async function watchScreen({ api, playerId }: Show, run: SoakRun, colors: readonly Color[], end: AbortSignal): Promise<number> {
  let taken = 0;
  while (!end.aborted) {
    // A player that is not there does not execute it.
    const { status, result } = await api.command(playerId, "screenshot", { format: "png" });
    if (status === "succeeded") {
      const { screenshot_id: id } = result as { screenshot_id: string };
      const image = await api.call("GET", `screenshots/${id}/image`);
      const bytes = Buffer.from(await image.arrayBuffer());
      taken += 1;
      const fault = await faultOf(bytes, colors);
      if (fault !== null) {
        const path = join(tmpdir(), `signage-soak-${run.random.seed}-${id}.png`);
        await writeFile(path, bytes);
        run.violate(`a screenshot shows no picture of the playlist: ${fault}, ${path}`);
      }
    }
    await pauseUntil(end, betweenScreenshotsMs);
  }
  return taken;
}
