// Decides whether the missing files of a state fit on the disk and into the quota, and removes unneeded files to make room.
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/fault.ts";
import { isSystemError } from "../../base/files/system-error.ts";
import type { Log } from "../../base/log.ts";
import type { DesiredAsset, DesiredState } from "../../protocol/device/desired-state.ts";
import { megabytes, readDiskSpace } from "../storage/disk-space.ts";
import { sizeOf } from "./download-progress.ts";
import { playingState } from "./generations.ts";
import type { ProvenFiles } from "./proven-files.ts";
import type { ReadyContent } from "./ready-content.ts";

export interface RoomOptions {
  files: ProvenFiles;
  content: ReadyContent;
  /** The limit for all files of content together; null: the whole disk. */
  quotaBytes: number | null;
  clock: Clock;
  log: Log;
}

/** The room for the missing files of a state. */
export interface RoomFor {
  /** Why they do not fit, for people; null if they do, or if nothing is known about the disk. */
  shortage: string | null;
  /** The files that may be downloaded: all of them, or, if they do not fit, those of the state that plays. */
  fitting: readonly DesiredAsset[];
  /** True if new files are among them. */
  isLimited: boolean;
}

const checkMs = 10_000;

export class Room {
  readonly #options: RoomOptions;
  /** The state that is being prepared. Its files are never removed. */
  #target: DesiredState | null = null;
  /** The revision for which there is no room; null: there is. */
  #shortFor: string | null = null;
  readonly #refused = new Signal();

  constructor(options: RoomOptions) {
    this.#options = options;
  }

  /** Begins the preparation of `target`: partial downloads of states that are no longer wanted are removed. */
  async setTarget(target: DesiredState): Promise<void> {
    this.#target = target;
    await this.removeUnneeded();
  }

  /** True if the state that is being prepared has this file. */
  isWanted(sha256: string): boolean {
    return this.#target?.assets.some((asset) => asset.sha256 === sha256) ?? false;
  }

  /** Removes the files that neither the state that is being prepared nor one that is kept needs. */
  async removeUnneeded(): Promise<void> {
    const { files, content } = this.#options;
    const wanted = this.#target?.assets.map(({ sha256 }) => sha256) ?? [];
    const kept = content.kept();
    if (kept !== null) content.forget(await files.removeAllBut(new Set([...wanted, ...kept])));
  }

  /**
   * Makes room for the missing files. The state that is only kept to return to is given up if, and only if, that is enough. Files of the
   * complete state that plays need no room of their own: they were here before.
   */
  async makeFor(missing: readonly DesiredAsset[]): Promise<RoomFor> {
    const playing = hashesOf(playingState(this.#options.content.generations));
    const added = missing.filter(({ sha256 }) => !playing.has(sha256));
    const shortage = added.length === 0 ? null : await this.#shortageOf(added, playing);
    this.#log(shortage);
    const fitting = shortage === null ? missing : missing.filter(({ sha256 }) => playing.has(sha256));
    return { shortage, fitting, isLimited: added.length > 0 };
  }

  /**
   * Runs downloads until they end, or until {@link makeFor} has to be called again: because other programs take the room, or, after a
   * shortage, because there may be room now.
   */
  async during({ shortage, isLimited }: RoomFor, download: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const end = AbortSignal.any([signal, over.signal]);
    const { clock } = this.#options;
    const checkAgain = (): Promise<void> => clock.wait(shortage === null ? Number.POSITIVE_INFINITY : checkMs, end);
    const changed = isLimited && shortage === null ? this.#interrupted(end) : checkAgain();
    const downloaded = download(end);
    try {
      await Promise.race([changed, shortage === null ? downloaded : downloaded.then(() => changed)]);
    } finally {
      over.abort();
      await Promise.allSettled([changed, downloaded]);
    }
  }

  /** The disk was too full for this file. If the state that plays has it, the state that is only kept to return to is given up. */
  async refused({ sha256 }: DesiredAsset): Promise<void> {
    if (hashesOf(playingState(this.#options.content.generations)).has(sha256)) await this.giveUpOther();
    else this.#refused.notify();
  }

  #log(shortage: string | null): void {
    const { log } = this.#options;
    const revision = this.#target?.revision ?? null;
    if (shortage === null && this.#shortFor !== null) log.info({ revision }, "there is room for the newest content again");
    if (shortage !== null && this.#shortFor !== revision)
      log.error({ revision, reason: shortage }, "there is no room for the newest content");
    this.#shortFor = shortage === null ? null : revision;
  }

  async #shortageOf(added: readonly DesiredAsset[], playing: ReadonlySet<string>): Promise<string | null> {
    const { files, log } = this.#options;
    try {
      await this.removeUnneeded();
      const sizes = await files.sizes();
      const stored = [...sizes].map(([name, bytes]) => ({ sha256: name.slice(0, 64), bytes }));
      const neededBytes = added.reduce((sum, { sha256, size_bytes }) => {
        return sum + Math.max(0, size_bytes - (sizes.get(`${sha256}.part`) ?? 0));
      }, 0);
      const { bytes: spareBytes, limit } = await this.#spare(stored.reduce((sum, { bytes }) => sum + bytes, 0));
      if (neededBytes <= spareBytes) return null;
      const otherBytes = stored.reduce((sum, { sha256, bytes }) => {
        return playing.has(sha256) || this.isWanted(sha256) ? sum : sum + bytes;
      }, 0);
      const lackingBytes = neededBytes - spareBytes - otherBytes;
      if (lackingBytes > 0) return describe(lackingBytes, added, limit);
      log.info({ needed_bytes: neededBytes, spare_bytes: spareBytes }, "giving up the content to return to, to make room");
      await this.giveUpOther();
    } catch (error) {
      if (!isSystemError(error)) throw error;
      log.warn({ reason: reasonOf(error) }, "it is not known how much room the disk has");
    }
    return null;
  }

  /** Removes the states that are only kept to return to, and every file that nothing else needs. */
  async giveUpOther(): Promise<void> {
    await this.#options.content.keepOnlyPlaying(this.#target?.revision ?? null);
    await this.removeUnneeded();
  }

  /** The room that is left, and the limit that decides it. Less than 0: the limit is exceeded. */
  async #spare(usedBytes: number): Promise<{ bytes: number; limit: string }> {
    const { quotaBytes } = this.#options;
    const disk = await readDiskSpace(this.#options.files.folder);
    const onDisk = { bytes: disk.freeBytes - disk.reserveBytes, limit: `${megabytes(disk.reserveBytes)} of the disk stay free` };
    if (quotaBytes === null || quotaBytes - usedBytes >= onDisk.bytes) return onDisk;
    return { bytes: quotaBytes - usedBytes, limit: `the quota is ${megabytes(quotaBytes)}` };
  }

  /** Resolves when others have taken the room of the downloads that run. */
  async #interrupted(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#refused.wait(this.#options.clock, checkMs, signal);
      const disk = await readDiskSpace(this.#options.files.folder).catch(() => null); // a broken disk fails the downloads themselves
      if (disk !== null && disk.freeBytes < disk.interruptBytes) return;
    }
  }
}

function hashesOf(state: DesiredState | null): Set<string> {
  return new Set(state?.assets.map(({ sha256 }) => sha256));
}

function describe(lackingBytes: number, files: readonly DesiredAsset[], limit: string): string {
  const largest = files.reduce((max, asset) => (asset.size_bytes > max.size_bytes ? asset : max));
  const what =
    files.length === 1
      ? `asset ${largest.id} with ${megabytes(largest.size_bytes)}`
      : `${files.length} files with ${megabytes(sizeOf(files))}, the largest of them asset ${largest.id} with ${megabytes(largest.size_bytes)}`;
  return `${megabytes(lackingBytes)} are missing for ${what}; ${limit}`;
}
