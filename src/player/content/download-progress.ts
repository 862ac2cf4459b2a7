// How far a state's files are: counts bytes and failures, and tells at most each whole percent.
import { Observable } from "../../base/async/observable.ts";
import type { DesiredState, DesiredAsset } from "../../protocol/device/desired-state.ts";

/** How far the newest state is. */
export interface DownloadProgress {
  is: "idle" | "downloading" | "failed";
  revision: string | null;
  readyBytes: number;
  totalBytes: number;
  /** What is wrong, when failed. */
  detail: string | null;
}

/** Counts bytes toward one state and tells at most each whole percent. */
export class DownloadTracker {
  readonly #progress: Observable<DownloadProgress>;
  readonly #revision: string;
  readonly #total: number;
  readonly #got = new Map<string, number>();
  readonly #failures = new Map<string, string>();
  readonly #before: number;
  #told = -1;

  constructor(progress: Observable<DownloadProgress>, desired: DesiredState, missing: readonly DesiredAsset[]) {
    this.#progress = progress;
    this.#revision = desired.revision;
    this.#total = distinctFiles(desired.assets).reduce((sum, asset) => sum + asset.size_bytes, 0);
    this.#before = this.#total - missing.reduce((sum, asset) => sum + asset.size_bytes, 0);
    if (missing.length > 0) this.#tell();
  }

  setBytes(asset: DesiredAsset, bytes: number): void {
    this.#got.set(asset.sha256, bytes);
    if (bytes === asset.size_bytes) this.#failures.delete(asset.id);
    const percent = Math.floor((100 * this.#ready()) / this.#total);
    if (percent !== this.#told || bytes === asset.size_bytes) this.#tell(percent);
  }

  setFailure(asset: DesiredAsset, reason: string): void {
    this.#failures.set(asset.id, reason);
    this.#tell();
  }

  finish(): void {
    this.#progress.set({
      is: "idle",
      revision: this.#revision,
      readyBytes: this.#total,
      totalBytes: this.#total,
      detail: null,
    });
  }

  #ready(): number {
    return this.#before + [...this.#got.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  #tell(percent = this.#told): void {
    this.#told = percent;
    const [failure] = this.#failures;
    this.#progress.set({
      is: failure === undefined ? "downloading" : "failed",
      revision: this.#revision,
      readyBytes: this.#ready(),
      totalBytes: this.#total,
      detail: failure === undefined ? null : `${failure[0]}: ${failure[1]}`,
    });
  }
}

/** One asset for each hash: two assets may share a file. */
export function distinctFiles(assets: readonly DesiredAsset[]): DesiredAsset[] {
  return [...new Map(assets.map((asset) => [asset.sha256, asset])).values()];
}
