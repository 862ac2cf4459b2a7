// The service's mirror of releases: refreshes it every hour and on request, and serves its files.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { createReadStream } from "node:fs";
import { createHash } from "node:crypto";
import { Backoff } from "../../base/async/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { hasErrorCode, isAbort, isFault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { hourMs, minuteMs } from "../../base/time.ts";
import type { Architecture } from "../../protocol/device/updates.ts";
import { FileResponse } from "../operations/responses.ts";
import type { KnownReleases } from "./known-releases.ts";
import { MirrorFolder, type PublishedReleases, type RefreshRecord } from "./mirror-folder.ts";
import { mirrorFolderName } from "./mirror-limits.ts";
import { refreshMirror } from "./refresh.ts";

/** Where the mirror gets releases from. */
export interface MirrorConfig {
  /** A folder, or the address of a web server; null: nothing is fetched, but the files in the folder are served. */
  from: string | null;
  /** The file of the root that is trusted; null: the first one that the source has. */
  rootFile: string | null;
  /** How many bytes of bundles are kept. */
  maxBytes: number;
}

/** The mirror as operators see it. */
export interface MirrorState {
  from: string | null;
  isRefreshing: boolean;
  /** When it last looked, and when it last succeeded; ms since the epoch. */
  checkedAt: number | null;
  succeededAt: number | null;
  /** Why the last refresh failed. */
  error: string | null;
  releases: PublishedReleases | null;
}

const everyMs = hourMs;
const retryBounds = { firstMs: minuteMs, longestMs: everyMs };

export class ReleaseMirror implements KnownReleases {
  readonly #folder: MirrorFolder;
  readonly #config: MirrorConfig;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #closing: AbortSignal;
  #refreshing: Promise<void> | null = null;
  /** Why the last refresh of this process failed. It may not have been possible to record it. */
  #failure: string | null = null;
  #known: { publication: string; releases: PublishedReleases | null } | null = null;

  /** @param closing ends a refresh that is running */
  constructor(data: string, config: MirrorConfig, { clock, log, closing }: { clock: Clock; log: Log; closing: AbortSignal }) {
    this.#folder = new MirrorFolder(join(data, mirrorFolderName));
    this.#config = config;
    this.#clock = clock;
    this.#log = log;
    this.#closing = closing;
  }

  /** True if there is a source to refresh from. */
  get hasSource(): boolean {
    return this.#config.from !== null;
  }

  /** Refreshes every hour, sooner after a failure, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<never> {
    const backoff = new Backoff(retryBounds);
    try {
      for (;;) {
        const isDone = !this.hasSource || (await this.refresh());
        if (isDone) backoff.reset();
        await this.#clock.wait(isDone ? everyMs : backoff.next(), signal);
      }
    } finally {
      await this.#refreshing;
    }
  }

  /** Refreshes now, or waits for the refresh that is running. Never rejects. @returns whether it succeeded. */
  async refresh(): Promise<boolean> {
    this.#refreshing ??= this.#refreshOnce().finally(() => (this.#refreshing = null));
    await this.#refreshing;
    return this.#failure === null;
  }

  async state(): Promise<MirrorState> {
    const [record, releases] = [await this.#readRecord(), await this.#published()];
    return {
      from: this.#config.from ?? record?.source ?? null,
      isRefreshing: this.#refreshing !== null,
      checkedAt: record?.checked_at ?? null,
      succeededAt: record?.succeeded_at ?? null,
      error: this.#failure ?? record?.error ?? null,
      releases,
    };
  }

  async isInUse(): Promise<boolean> {
    return this.hasSource || (await this.#published()) !== null;
  }

  async hasRelease(version: string, architecture?: Architecture): Promise<boolean> {
    const releases = await this.#published();
    return (
      releases?.bundles.some(
        ({ manifest, isThere }) =>
          isThere && manifest.version === version && (architecture === undefined || manifest.architecture === architecture),
      ) === true
    );
  }

  /** A published file; null if there is none. @param file its path below the repository, which must be a `ReleasePath` */
  async find(file: string): Promise<FileResponse | null> {
    const path = this.#folder.file(file);
    if (file.startsWith("metadata/")) {
      // Read at once: the file may be replaced while it is sent.
      const bytes = await readFile(path).catch((error: unknown) => {
        if (hasErrorCode(error, "ENOENT")) return null;
        throw error;
      });
      if (bytes === null) return null;
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      const read = (start: number, end: number) => Readable.from([bytes.subarray(start, end + 1)]);
      const isImmutable = !file.endsWith("/timestamp.json");
      return new FileResponse({ sha256, size_bytes: bytes.length, mime_type: "application/octet-stream", read, isImmutable });
    }
    const found = await stat(path).catch(() => null);
    const sha256 = /^targets\/([0-9a-f]{64})\./.exec(file)?.[1];
    if (found === null || sha256 === undefined) return null;
    const read = (start: number, end: number) => createReadStream(path, { start, end });
    return new FileResponse({ sha256, size_bytes: found.size, mime_type: "application/zstd", read });
  }

  async #refreshOnce(): Promise<void> {
    const { from, rootFile, maxBytes } = this.#config;
    if (from === null) return;
    const now = Math.trunc(this.#clock.now());
    try {
      await refreshMirror(this.#folder, { from, rootFile, maxBytes, now, log: this.#log, signal: this.#closing });
      this.#failure = null;
      this.#log.info({ source: from }, "releases refreshed");
    } catch (error) {
      if (isAbort(error) && this.#closing.aborted) return;
      this.#failure = reasonOf(error);
      this.#log.warn({ source: from, reason: this.#failure }, "releases cannot be refreshed: what was mirrored before stays");
    }
  }

  /** Read from the disk when it has changed: the program `mirror` writes it as well. */
  async #published(): Promise<PublishedReleases | null> {
    const publication = await this.#folder.publication();
    if (this.#known?.publication !== publication) this.#known = { publication, releases: await this.#folder.published() };
    return this.#known.releases;
  }

  async #readRecord(): Promise<RefreshRecord | null> {
    try {
      const read = await this.#folder.record.read();
      return read.is === "found" ? read.value : null;
    } catch (error) {
      if (isFault(error, "file-corrupt")) return null; // written again by the next refresh
      throw error;
    }
  }
}
