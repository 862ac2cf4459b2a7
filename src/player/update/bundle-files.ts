// The bundles on the player's disk: downloads one within the player's limits, and removes those that are no longer wanted.
import { readdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Watchable } from "../../base/async/observable.ts";
import type { Clock } from "../../base/clock.ts";
import { hasErrorCode, isFault, reasonOf } from "../../base/fault.ts";
import { makeFolder } from "../../base/files/durable-file.ts";
import { verifyTarget } from "../../base/releases/verify-target.ts";
import type { SignedTarget } from "../../base/releases/verify.ts";
import type { Log } from "../../base/log.ts";
import type { DesiredAsset } from "../../protocol/device/desired-state.ts";
import { downloadFile, type OpenFile } from "../content/download-file.ts";
import type { DownloadLimits } from "../content/download-limits.ts";
import type { DownloadProgress } from "../content/download-progress.ts";
import { Downloads } from "../content/downloads.ts";
import { HttpFault } from "../link/service-http.ts";
import { megabytes, readDiskSpace } from "../storage/disk-space.ts";
import { Blocked } from "./blocked.ts";

/** The source of a download, and its limits. */
export interface BundleSource {
  openFile: OpenFile;
  limits: DownloadLimits;
  /** Content comes first. */
  content: Watchable<DownloadProgress>;
}

export interface DownloadReport {
  /** The reason for waiting, or why the last attempt failed; null: it runs. */
  detail: string | null;
  /** True if somebody has to change something before the download can go on. */
  isBlocked: boolean;
  readyBytes: number;
}

const checkMs = 10_000;

/** Content has begun to download: the bundle waits. */
class ContentFirst extends Error {}

export class BundleFiles {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #log: Log;

  /** @param folder the player's folder for updates. */
  constructor(folder: string, clock: Clock, log: Log) {
    this.#folder = join(folder, "targets");
    this.#clock = clock;
    this.#log = log;
  }

  /** True if the whole bundle is here. One with other bytes than the signed ones is removed. */
  async has(target: SignedTarget, signal: AbortSignal): Promise<boolean> {
    try {
      await verifyTarget(target, this.#pathOf(target), signal);
      return true;
    } catch (error) {
      if (isFault(error, "metadata-missing")) return false;
      if (!isFault(error, "file-corrupt")) throw error;
      this.#log.warn({ bundle: target.name, reason: reasonOf(error) }, "a stored bundle is damaged: fetching it again");
      await rm(this.#pathOf(target), { force: true });
      return false;
    }
  }

  /** Removes all bundles and partial downloads but this one; null: all. */
  async keepOnly(target: SignedTarget | null): Promise<void> {
    const kept = target === null ? null : basename(target.path);
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (hasErrorCode(error, "ENOENT")) return [];
      throw error;
    });
    for (const name of names) {
      if (kept !== null && (name === kept || name === `${kept}.part`)) continue;
      await rm(join(this.#folder, name), { recursive: true, force: true });
      this.#log.info({ file: name }, "removed a bundle that is no longer wanted");
    }
  }

  /**
   * Downloads the bundle, and continues a partial download. Waits for the download window, for content, and after failures, until
   * it is here. @throws Blocked if the disk is too full; the reason of `signal` when it aborts.
   */
  async download(target: SignedTarget, source: BundleSource, report: (report: DownloadReport) => void, signal: AbortSignal): Promise<void> {
    await makeFolder(this.#folder);
    const downloads = new Downloads(this.#clock, null, Math.random, source.limits);
    for (;;) {
      const readyBytes = await sizeOf(`${this.#pathOf(target)}.part`);
      await this.#requireRoom(target.sizeBytes - readyBytes);
      try {
        await this.#run(target, source, downloads, report, signal);
        if (await this.has(target, signal)) return;
      } catch (error) {
        if (!(error instanceof ContentFirst)) throw error;
        report({ detail: "waits until the content is downloaded", isBlocked: false, readyBytes });
        await untilIdle(source.content, this.#clock, signal);
      }
    }
  }

  /** @throws ContentFirst, or Blocked. */
  async #run(
    target: SignedTarget,
    { openFile, content }: BundleSource,
    downloads: Downloads,
    report: (report: DownloadReport) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const asset = assetOf(target);
    let readyBytes = await sizeOf(`${this.#pathOf(target)}.part`);
    const over = new AbortController();
    const end = AbortSignal.any([signal, over.signal]);
    content.watch(({ is }) => {
      if (is === "downloading") over.abort(new ContentFirst());
    }, end);
    const watching = this.#watchRoom(end).catch((error: unknown) => over.abort(error));
    try {
      await downloads.run(
        {
          files: [{ asset, isUrgent: false }],
          isAwaited: () => true,
          openFile,
          fetch: async (file, open, fetchSignal) => {
            report({ detail: null, isBlocked: false, readyBytes });
            const onBytes = (bytes: number): void => report({ detail: null, isBlocked: false, readyBytes: (readyBytes = bytes) });
            await downloadFile(this.#pathOf(target), file, open, onBytes, fetchSignal);
          },
          onFailure: async (_asset, error, retryInMs) => {
            this.#log.warn(
              { bundle: target.name, reason: reasonOf(error), retry_in_ms: Math.round(retryInMs) },
              "a bundle could not be fetched",
            );
            if (hasErrorCode(error, "ENOSPC")) over.abort(new Blocked("the disk is full. Free some space, or use a larger disk"));
            report({ ...describeFailure(target, error), readyBytes });
          },
          onWindow: (opensAt) => {
            if (opensAt !== null) report({ detail: waitsForWindow(opensAt), isBlocked: false, readyBytes });
          },
        },
        end,
      );
    } finally {
      over.abort();
      await watching;
    }
  }

  async #requireRoom(neededBytes: number): Promise<void> {
    const { freeBytes, reserveBytes } = await readDiskSpace(this.#folder);
    const lackingBytes = neededBytes - (freeBytes - reserveBytes);
    if (lackingBytes <= 0) return;
    throw new Blocked(
      `${megabytes(lackingBytes)} are missing on the disk for the bundle, of which ${megabytes(reserveBytes)} stay free. Free some space, or use a larger disk`,
    );
  }

  /** @throws Blocked when other programs have taken the room of the download. */
  async #watchRoom(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.#clock.wait(checkMs, signal);
      const { freeBytes, interruptBytes } = await readDiskSpace(this.#folder);
      if (freeBytes < interruptBytes) throw new Blocked("the disk became full during the download. Free some space, or use a larger disk");
    }
  }

  #pathOf({ path }: SignedTarget): string {
    return join(this.#folder, basename(path));
  }
}

/** The bundle as a file of the service, as downloads know it. Size and hash are the signed ones. */
function assetOf({ name, path, sizeBytes, sha256 }: SignedTarget): DesiredAsset {
  const url = `/api/v1/device/releases/${path}`;
  const media = { mime_type: "application/zstd", duration_ms: null, width: null, height: null };
  return { id: name, sha256, size_bytes: sizeBytes, url, ...media };
}

/** For people, why a download waits. @param opensAt UTC ms. */
export function waitsForWindow(opensAt: number): string {
  return `waits for the download window, which opens at ${new Date(opensAt).toISOString()}`;
}

function describeFailure({ name }: SignedTarget, error: unknown): { detail: string; isBlocked: boolean } {
  const reason = reasonOf(error);
  if (isFault(error, "asset-corrupt") || isFault(error, "protocol")) {
    return { detail: `the service's file is not the signed bundle ${name}: ${reason}. Mirror the release again`, isBlocked: true };
  }
  if (error instanceof HttpFault && error.status === 404) {
    return { detail: `the service does not have the bundle ${name}. Mirror the release with its bundles`, isBlocked: true };
  }
  return { detail: reason, isBlocked: false };
}

async function untilIdle(content: Watchable<DownloadProgress>, clock: Clock, signal: AbortSignal): Promise<void> {
  const idle = new AbortController();
  const end = AbortSignal.any([signal, idle.signal]);
  content.watch(({ is }) => {
    if (is !== "downloading") idle.abort();
  }, end);
  await clock.wait(Number.POSITIVE_INFINITY, end).catch(() => signal.throwIfAborted());
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    (error: unknown) => {
      if (hasErrorCode(error, "ENOENT")) return 0;
      throw error;
    },
  );
}
