// Makes one version ready to be installed: verifies the releases' metadata, downloads the bundle, and looks again for newer metadata.
import { Backoff } from "../../base/async/backoff.ts";
import { Signal } from "../../base/async/signal.ts";
import type { CorrectedClock } from "../../base/clock.ts";
import { isFault, reasonOf } from "../../base/fault.ts";
import { isSystemError } from "../../base/files/system-error.ts";
import type { Log } from "../../base/log.ts";
import type { ReadRelease, SignedTarget, VerifiedReleases } from "../../base/releases/verify.ts";
import { hourMs, minuteMs } from "../../base/time.ts";
import { compareVersions } from "../../base/version-order.ts";
import { type Architecture, bundleName, ReleaseManifest } from "../../protocol/device/updates.ts";
import { HttpFault } from "../link/service-http.ts";
import { Blocked, clockUnsure } from "./blocked.ts";
import { type BundleFiles, type BundleSource, waitsForWindow } from "./bundle-files.ts";
import type { ReleaseMetadata } from "./release-metadata.ts";

/** How far a version is. `working`: it goes on by itself. `blocked`: somebody or something else has to change. */
export interface Preparation {
  is: "working" | "blocked" | "ready";
  detail: string | null;
  readyBytes: number;
  /** Null: the metadata is not here yet. */
  totalBytes: number | null;
  /** When the metadata expires, ms since the epoch; null: it is not here yet. */
  expiresAt: number | null;
}

/** The part of a session that fetches releases. */
export interface ReleaseSource extends BundleSource {
  /** Reads a file of metadata from the service. */
  readMetadata: ReadRelease;
}

export interface PreparationDependencies {
  metadata: ReleaseMetadata;
  bundles: BundleFiles;
  source: ReleaseSource;
  /** Null: there are no releases for this machine. */
  architecture: Architecture | null;
  launcherVersion: () => string;
  clock: CorrectedClock;
  log: Log;
}

const backoffBounds = { firstMs: 10_000, longestMs: 15 * minuteMs };
// A release that was withdrawn must not be installed days later.
const lookAgainMs = 6 * hourMs;

export class VersionPreparation {
  readonly version: string;
  readonly #dependencies: PreparationDependencies;
  readonly #onChange: () => void;
  readonly #retry = new Signal();
  readonly #backoff = new Backoff(backoffBounds);
  #state: Preparation = { is: "working", detail: null, readyBytes: 0, totalBytes: null, expiresAt: null };

  /** @param onChange called when {@link state} has changed by more than its bytes. */
  constructor(version: string, dependencies: PreparationDependencies, onChange: () => void) {
    this.version = version;
    this.#dependencies = dependencies;
    this.#onChange = onChange;
  }

  get state(): Preparation {
    return this.#state;
  }

  /** Tries again without waiting longer. */
  retryNow(): void {
    this.#backoff.reset();
    this.#retry.notify();
  }

  /** Prepares the version, and keeps it ready, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock } = this.#dependencies;
    await this.#findStored(signal).catch((error: unknown) => {
      signal.throwIfAborted();
      // The fetch that follows reports the failure.
      this.#dependencies.log.debug({ version: this.version, reason: reasonOf(error) }, "the version is not here yet");
    });
    for (;;) {
      const opensAt = this.#dependencies.source.limits.opensAt;
      if (opensAt !== null) {
        if (this.#state.is !== "ready") this.#set({ is: "working", detail: waitsForWindow(opensAt) });
        await this.#retry.wait(clock, Math.min(lookAgainMs, opensAt - clock.now()), signal);
        continue;
      }
      const isDone = await this.#attempt((end) => this.#fetch(end), signal);
      await this.#retry.wait(clock, isDone ? lookAgainMs : this.#backoff.next(), signal);
    }
  }

  /** After a restart: a bundle that is here and still valid needs no service. Otherwise it is fetched next. */
  async #findStored(signal: AbortSignal): Promise<void> {
    const { metadata, bundles, clock } = this.#dependencies;
    this.#requireClock();
    const releases = await metadata.verifyStored(clock.now(), signal);
    const target = this.#targetIn(releases);
    if (await bundles.has(target, signal)) this.#setReady(target, releases);
  }

  async #fetch(signal: AbortSignal): Promise<void> {
    const { metadata, bundles, source, clock } = this.#dependencies;
    this.#requireClock();
    const releases = await metadata.fetch(source.readMetadata, clock.now(), signal);
    const target = this.#targetIn(releases);
    await bundles.keepOnly(target);
    if (!(await bundles.has(target, signal))) {
      await bundles.download(
        target,
        source,
        ({ detail, isBlocked, readyBytes }) =>
          this.#set({ is: isBlocked ? "blocked" : "working", detail, readyBytes, totalBytes: target.sizeBytes }),
        signal,
      );
    }
    this.#setReady(target, releases);
  }

  /** Resolves to true if `work` succeeded. Every error but an abort is only reported, because the running version must go on. */
  async #attempt(work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<boolean> {
    try {
      await work(signal);
      this.#backoff.reset();
      return true;
    } catch (error) {
      signal.throwIfAborted();
      const { log } = this.#dependencies;
      if (isTransient(error)) {
        // A version that is ready needs no service.
        if (this.#state.is !== "ready") this.#set({ is: "working", detail: reasonOf(error) });
        log.debug({ version: this.version, reason: reasonOf(error) }, "the release could not be fetched");
      } else {
        log.warn({ version: this.version, reason: reasonOf(error) }, "the version cannot be installed");
        this.#set({ is: "blocked", detail: isSystemError(error) ? `the disk failed: ${reasonOf(error)}` : messageOf(error) });
      }
      return false;
    }
  }

  /** The signed bundle of the version for this machine. @throws Blocked */
  #targetIn(releases: VerifiedReleases): SignedTarget {
    const { architecture, launcherVersion } = this.#dependencies;
    const { version } = this;
    if (architecture === null) throw new Blocked(`there are no releases for this machine's architecture (${process.arch})`);
    const name = bundleName(version, architecture);
    const target = releases.find(name);
    if (target === null) {
      throw new Blocked(`the signed releases have no ${name}. Choose a version that they have, or publish and mirror this one`);
    }
    const manifest = ReleaseManifest.safeParse(target.custom);
    if (!manifest.success || manifest.data.version !== version || manifest.data.architecture !== architecture) {
      throw new Blocked(`the signed description of ${name} is not one of ${version} for ${architecture}. Publish the release again`);
    }
    const { launcher_needed: needed } = manifest.data;
    if (compareVersions(launcherVersion(), needed) < 0) {
      throw new Blocked(
        `${version} needs launcher ${needed}, and ${launcherVersion()} is installed. Upgrade the package: apt-get install signage-player`,
      );
    }
    return target;
  }

  #requireClock(): void {
    if (!isSure(this.#dependencies.clock)) throw new Blocked(clockUnsure);
  }

  #setReady({ sizeBytes }: SignedTarget, { expiresAt }: VerifiedReleases): void {
    this.#set({ is: "ready", detail: null, readyBytes: sizeBytes, totalBytes: sizeBytes, expiresAt });
  }

  #set(state: Pick<Preparation, "is" | "detail"> & Partial<Preparation>): void {
    const before = this.#state;
    this.#state = { ...before, ...state };
    if (before.is !== state.is || before.detail !== state.detail) this.#onChange();
  }
}

/** True once the clock has learned the time from the service or from a time server. */
export function isSure(clock: CorrectedClock): boolean {
  return Number.isFinite(clock.offset.errorMs);
}

/** True if the service may only be unreachable, so that the next attempt may succeed. */
function isTransient(error: unknown): boolean {
  if (error instanceof HttpFault) return error.status !== 404;
  return isFault(error, "unreachable") || isFault(error, "timeout") || isFault(error, "revoked") || isFault(error, "refused");
}

/** Without the causes, which are for the log: the message names the remedy. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
