// Counts the bytes and failures of a state's downloads, and reports progress at each whole percent.
import { Observable } from "../../base/async/observable.ts";
import type { DesiredState, DesiredAsset } from "../../protocol/device/desired-state.ts";

/** The progress towards the newest state. */
export interface DownloadProgress {
  /** `waiting`: for the next download window. */
  is: "idle" | "downloading" | "waiting" | "failed";
  revision: string | null;
  readyBytes: number;
  totalBytes: number;
  /** The failure, when failed; when the window opens, when waiting. */
  detail: string | null;
}

export class DownloadTracker {
  readonly #progress: Observable<DownloadProgress>;
  readonly #revision: string;
  readonly #totalBytes: number;
  /** The size of the files that need no download. */
  readonly #presentBytes: number;
  readonly #bytesByHash = new Map<string, number>();
  readonly #failures = new Map<string, string>();
  /** When the download window opens that the files wait for, UTC ms; null: they do not wait. */
  #windowOpensAt: number | null = null;
  #reportedPercent = -1;

  constructor(progress: Observable<DownloadProgress>, desired: DesiredState, missing: readonly DesiredAsset[]) {
    this.#progress = progress;
    this.#revision = desired.revision;
    this.#totalBytes = distinctFiles(desired.assets).reduce((sum, asset) => sum + asset.size_bytes, 0);
    this.#presentBytes = this.#totalBytes - missing.reduce((sum, asset) => sum + asset.size_bytes, 0);
    if (missing.length > 0) this.#report();
  }

  /** Sets how many bytes of a file are here. */
  setBytes(asset: DesiredAsset, bytes: number): void {
    this.#bytesByHash.set(asset.sha256, bytes);
    if (bytes === asset.size_bytes) this.#failures.delete(asset.id);
    const percent = Math.floor((100 * this.#readyBytes()) / this.#totalBytes);
    if (percent !== this.#reportedPercent || bytes === asset.size_bytes) this.#report(percent);
  }

  setFailure(asset: DesiredAsset, reason: string): void {
    this.#failures.set(asset.id, reason);
    this.#report();
  }

  /** @param opensAt when the window opens that the files wait for, UTC ms; null: they do not wait. */
  setWindow(opensAt: number | null): void {
    if (opensAt === this.#windowOpensAt) return;
    this.#windowOpensAt = opensAt;
    this.#report();
  }

  finish(): void {
    const totalBytes = this.#totalBytes;
    this.#progress.set({ is: "idle", revision: this.#revision, readyBytes: totalBytes, totalBytes, detail: null });
  }

  #readyBytes(): number {
    return this.#presentBytes + [...this.#bytesByHash.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  #report(percent = this.#reportedPercent): void {
    this.#reportedPercent = percent;
    this.#progress.set({
      ...this.#condition(),
      revision: this.#revision,
      readyBytes: this.#readyBytes(),
      totalBytes: this.#totalBytes,
    });
  }

  #condition(): Pick<DownloadProgress, "is" | "detail"> {
    if (this.#windowOpensAt !== null) {
      return {
        is: "waiting",
        detail: `new content waits for the download window, which opens at ${new Date(this.#windowOpensAt).toISOString()}`,
      };
    }
    const [failure] = this.#failures;
    return failure === undefined ? { is: "downloading", detail: null } : { is: "failed", detail: `${failure[0]}: ${failure[1]}` };
  }
}

/** One asset per hash, since two assets may share a file. */
export function distinctFiles(assets: readonly DesiredAsset[]): DesiredAsset[] {
  return [...new Map(assets.map((asset) => [asset.sha256, asset])).values()];
}
