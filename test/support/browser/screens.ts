// Watches several displays at once: which item each one shows, which frame of a numbered video, and when it changed.
import type { Framebuffer, Rgb } from "./framebuffer.ts";
import { frameInRow } from "../media/media.ts";

/** The observations of one display. Times are those of performance.now(). */
export interface ScreenRecording {
  /** Each change of item: a still's name or `video`. Blank and torn pictures are left out. */
  changes: { to: string; at: number }[];
  /** Each frame of a video with the time when it was first seen. */
  frames: { frame: number; at: number }[];
}

/** Reads all displays about every millisecond for `ms`. `stills` are pictures of one colour by name. */
export async function watchScreens(
  framebuffers: readonly Framebuffer[],
  stills: Readonly<Record<string, Rgb>>,
  ms: number,
): Promise<ScreenRecording[]> {
  const screens = framebuffers.map((framebuffer) => ({
    framebuffer,
    row: Buffer.allocUnsafe(framebuffer.stride),
    seen: { changes: [], frames: [] } as ScreenRecording,
  }));
  const end = performance.now() + ms;
  while (performance.now() < end) {
    for (const { framebuffer, row, seen } of screens) {
      framebuffer.row(Math.floor(framebuffer.height / 2), row);
      const at = performance.now();
      const frame = frameInRow(row, framebuffer.width);
      const item = frame === null ? stillIn(row, framebuffer.width, stills) : "video";
      if (item !== null && item !== seen.changes.at(-1)?.to) seen.changes.push({ to: item, at });
      if (frame !== null && frame !== seen.frames.at(-1)?.frame) seen.frames.push({ frame, at });
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return screens.map(({ seen }) => seen);
}

/** How much later each change and frame was seen on `second` than on `first`, in ms. The first one of each is left out: it was seen when watching began. */
export function timeDifferences(first: ScreenRecording, second: ScreenRecording): { changes: number[]; frames: number[] } {
  return {
    changes: differences(first.changes.slice(1), second.changes.slice(1), (a, b) => a.to === b.to),
    frames: differences(first.frames.slice(1), second.frames.slice(1), (a, b) => a.frame === b.frame),
  };
}

// Half of the shortest loop in the tests: a larger difference belongs to another round.
const roundMs = 4_000;

function differences<T extends { at: number }>(first: readonly T[], second: readonly T[], isSame: (a: T, b: T) => boolean): number[] {
  return first.flatMap((one) => {
    const same = second.filter((other) => isSame(one, other)).map(({ at }) => at - one.at);
    const nearest = same.toSorted((a, b) => Math.abs(a) - Math.abs(b))[0];
    return nearest === undefined || Math.abs(nearest) > roundMs ? [] : [nearest];
  });
}

function stillIn(row: Buffer, width: number, stills: Readonly<Record<string, Rgb>>): string | null {
  const points = [0.1, 0.35, 0.65, 0.9].map((share) => 4 * Math.floor(share * width));
  for (const [name, [r, g, b]] of Object.entries(stills)) {
    const isNear = (at: number) => Math.max(Math.abs(row[at + 2]! - r), Math.abs(row[at + 1]! - g), Math.abs(row[at]! - b)) <= 6;
    if (points.every(isNear)) return name;
  }
  return null;
}
