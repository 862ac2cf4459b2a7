// Counts the bytes, files and failures of a state's downloads, and reports progress at each whole percent and each second.
import { Observable } from "../../base/async/observable.ts";
import type { Clock } from "../../base/clock.ts";
import type { DesiredState, DesiredAsset } from "../../protocol/device/desired-state.ts";
import { maxFilesReported } from "../../protocol/device/heartbeat.ts";

/** A file whose download has begun and has not ended. */
export interface FileProgress {
  assetId: string;
  readyBytes: number;
  totalBytes: number;
  /** Why the last attempt failed; null if none has. */
  failure: string | null;
}

/** The progress towards the newest state. */
export interface DownloadProgress {
  /** `waiting`: for the next download window. */
  is: "idle" | "downloading" | "waiting" | "failed";
  revision: string | null;
  readyBytes: number;
  totalBytes: number;
  readyFiles: number;
  totalFiles: number;
  /** The files that are being downloaded, then those that failed, as many as a heartbeat may list. */
  files: readonly FileProgress[];
  /** The failure, when failed; when the window opens, when waiting. */
  detail: string | null;
  /** Why the missing files do not fit; null if they do. */
  shortage: string | null;
}

export const noProgress: DownloadProgress = {
  is: "idle",
  revision: null,
  readyBytes: 0,
  totalBytes: 0,
  readyFiles: 0,
  totalFiles: 0,
  files: [],
  detail: null,
  shortage: null,
};

// A large state may need minutes for one percent.
const reportMs = 1_000;

export class DownloadTracker {
  readonly #progress: Observable<DownloadProgress>;
  readonly #clock: Clock;
  readonly #revision: string;
  readonly #totalBytes: number;
  readonly #totalFiles: number;
  /** By hash: the files that have begun and are not whole. */
  readonly #begun = new Map<string, FileProgress>();
  /** Hashes of the files that were fetched. */
  readonly #whole = new Set<string>();
  /** The files that need no download. */
  readonly #presentFiles: number;
  readonly #shortage: string | null;
  #readyBytes: number;
  /** When the download window opens that the files wait for, UTC ms; null: they do not wait. */
  #windowOpensAt: number | null = null;
  /** At the last report. */
  #reported = { percent: -1, at: 0 };

  /** @param shortage why the missing files do not fit, so that nothing is downloaded. */
  constructor(
    progress: Observable<DownloadProgress>,
    clock: Clock,
    desired: DesiredState,
    missing: readonly DesiredAsset[],
    shortage: string | null = null,
  ) {
    this.#progress = progress;
    this.#shortage = shortage;
    this.#clock = clock;
    this.#revision = desired.revision;
    const files = distinctFiles(desired.assets);
    this.#totalFiles = files.length;
    this.#totalBytes = sizeOf(files);
    this.#presentFiles = files.length - missing.length;
    this.#readyBytes = this.#totalBytes - sizeOf(missing);
    if (missing.length > 0) this.#report();
  }

  /** Sets how many bytes of a file are here. All of them end its failure. */
  setBytes(asset: DesiredAsset, bytes: number): void {
    const before = this.#begun.get(asset.sha256);
    const isWhole = bytes === asset.size_bytes;
    this.#set(asset, bytes, isWhole ? null : (before?.failure ?? null));
    const { percent, at } = this.#reported;
    const isRecovered = isWhole && before !== undefined && before.failure !== null;
    if (isRecovered || this.#percent() !== percent || this.#clock.monotonic() - at >= reportMs) this.#report();
  }

  /** The last attempt to fetch this file failed. */
  setFailure(asset: DesiredAsset, reason: string): void {
    this.#set(asset, this.#bytesOf(asset), reason);
    this.#report();
  }

  /** @param opensAt when the window opens that the files wait for, UTC ms; null: they do not wait. */
  setWindow(opensAt: number | null): void {
    if (opensAt === this.#windowOpensAt) return;
    this.#windowOpensAt = opensAt;
    this.#report();
  }

  finish(): void {
    const [totalBytes, totalFiles] = [this.#totalBytes, this.#totalFiles];
    this.#progress.set({ ...noProgress, revision: this.#revision, readyBytes: totalBytes, totalBytes, readyFiles: totalFiles, totalFiles });
  }

  #bytesOf({ sha256, size_bytes }: DesiredAsset): number {
    return this.#whole.has(sha256) ? size_bytes : (this.#begun.get(sha256)?.readyBytes ?? 0);
  }

  #set(asset: DesiredAsset, readyBytes: number, failure: string | null): void {
    const { id: assetId, sha256, size_bytes: totalBytes } = asset;
    this.#readyBytes += readyBytes - this.#bytesOf(asset);
    if (readyBytes === totalBytes && failure === null) {
      this.#begun.delete(sha256);
      this.#whole.add(sha256);
    } else {
      this.#whole.delete(sha256);
      this.#begun.set(sha256, { assetId, readyBytes, totalBytes, failure });
    }
  }

  #percent(): number {
    return Math.floor((100 * this.#readyBytes) / this.#totalBytes);
  }

  #report(): void {
    this.#reported = { percent: this.#percent(), at: this.#clock.monotonic() };
    const begun = [...this.#begun.values()];
    const failed = begun.filter(({ failure }) => failure !== null);
    const files = [...begun.filter(({ failure }) => failure === null), ...failed].slice(0, maxFilesReported);
    this.#progress.set({
      ...this.#condition(failed[0]),
      revision: this.#revision,
      readyBytes: this.#readyBytes,
      totalBytes: this.#totalBytes,
      readyFiles: this.#presentFiles + this.#whole.size,
      totalFiles: this.#totalFiles,
      files,
      shortage: this.#shortage,
    });
  }

  #condition(failed: FileProgress | undefined): Pick<DownloadProgress, "is" | "detail"> {
    if (this.#shortage !== null) return { is: "failed", detail: this.#shortage };
    if (this.#windowOpensAt !== null) {
      return {
        is: "waiting",
        detail: `new content waits for the download window, which opens at ${new Date(this.#windowOpensAt).toISOString()}`,
      };
    }
    if (failed === undefined) return { is: "downloading", detail: null };
    // The console's card cuts long texts: the cause comes before the id.
    return { is: "failed", detail: `${failed.failure} (asset ${failed.assetId})` };
  }
}

/** One asset per hash, since two assets may share a file. */
export function distinctFiles(assets: readonly DesiredAsset[]): DesiredAsset[] {
  return [...new Map(assets.map((asset) => [asset.sha256, asset])).values()];
}

/** The bytes of all these files together. */
export function sizeOf(files: readonly DesiredAsset[]): number {
  return files.reduce((sum, asset) => sum + asset.size_bytes, 0);
}
