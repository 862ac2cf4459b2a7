// How much of a disk downloads may use, and how much they leave free for the system and the player's records.
import { statfs } from "node:fs/promises";

/** The space that downloads leave free, unless the disk has less than two gigabytes. */
export const reserveBytes = 256 * 1024 * 1024;
// The share that they leave free of a smaller disk.
const reserveShare = 1 / 8;
// Others may use a part of the reserve before downloads are interrupted. Without that, one that just fits would be interrupted at its end.
const interruptShare = 1 / 2;

export interface DiskSpace {
  freeBytes: number;
  /** The part of it that downloads leave free. */
  reserveBytes: number;
  /** With less than that free, running downloads are interrupted. */
  interruptBytes: number;
}

/** The space of the disk that holds `folder`. @throws the system's error. */
export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, bsize, blocks } = await statfs(folder);
  // Some network file systems do not tell their size.
  if (blocks === 0) return { freeBytes: Number.POSITIVE_INFINITY, reserveBytes: 0, interruptBytes: 0 };
  const reserve = Math.min(reserveBytes, reserveShare * blocks * bsize);
  return { freeBytes: bavail * bsize, reserveBytes: reserve, interruptBytes: interruptShare * reserve };
}

/** A size for people, in megabytes. Rounded up, because a shortage of some bytes is one too. */
export function megabytes(bytes: number): string {
  return `${(Math.ceil(bytes / 100_000) / 10).toFixed(1)} MB`;
}
