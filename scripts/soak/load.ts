// Keeps player and service busy: changes of the playlist, uploads that the player downloads, commands.
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import sharp from "sharp";
import type { Show } from "./show.ts";
import type { SoakRun } from "./soak-run.ts";

/** Runs until `end` aborts. Its choices do not use the run's seed, because they depend on how long each one takes. */
export async function runLoad(show: Show, run: SoakRun, end: AbortSignal): Promise<void> {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;
  const acts = [
    () => show.play([...show.assetIds].sort(() => Math.random() - 0.5).slice(0, 3)),
    () => show.api.ok("POST", `players/${show.playerId}/commands`, { type: pick(["identify", "screenshot"]) }),
    async () => {
      const id = await show.api.upload("noise.png", await noisePicture(320, 240));
      show.assetIds.push(id);
      await show.play([id, pick(show.assetIds)]);
    },
  ];
  while (!end.aborted) {
    try {
      await pick(acts)();
    } catch (error) {
      // The service was just killed or stopped.
      if (!(error instanceof TypeError)) run.violate(`the service refused: ${String(error)}`);
    }
    await pauseUntil(end, 500 + 1_500 * Math.random());
  }
}

/** Resolves after `ms`, or at once when `end` aborts. */
export async function pauseUntil(end: AbortSignal, ms: number): Promise<void> {
  await pause(ms, undefined, { signal: end }).catch(() => end.aborted);
}

/** A PNG that cannot be compressed. */
export function noisePicture(width: number, height: number): Promise<Buffer> {
  return sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}
