// Keeps the feeds that the content names: refreshes them at intervals and keeps the last good copy of each over restarts.
import { createHash } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Backoff } from "../../../base/async/backoff.ts";
import type { Clock } from "../../../base/clock.ts";
import { isReadFailure } from "../../../base/files/system-error.ts";
import { DurableFile } from "../../../base/files/durable-file.ts";
import { isAbort, reasonOf } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import { FeedEntry, type ItemFeed } from "../../../protocol/content/item-kinds.ts";
import type { DiskHealth } from "../../storage/disk-health.ts";
import type { OutboundHttp } from "../../../base/http/outbound-http.ts";
import type { FeedContent } from "../../../playback/scene-item.ts";
import { fetchFeed } from "../../../feeds/fetch-feed.ts";
import { parseFeed } from "../../../feeds/parse-feed.ts";

export interface FeedsDependencies {
  folder: string;
  outboundHttp: OutboundHttp;
  clock: Clock;
  log: Log;
  disk: DiskHealth;
  /** Called when the content of a feed has changed. */
  onChange: () => void;
}

const backoffBounds = { firstMs: 5_000, longestMs: 900_000 };
// Players that got their content at the same time must not refresh at the same times.
const refreshSpread = 0.1;

/** The name of the copies in reports about the disk. */
const what = "copies of feeds";

const FeedCopy = z.object({
  url: z.string(),
  title: z.string(),
  entries: z.array(FeedEntry),
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
});
type FeedCopy = z.infer<typeof FeedCopy>;

interface FollowedFeed {
  refreshIntervalMs: number;
  file: DurableFile<FeedCopy>;
  copy: FeedCopy | null;
  /** Why the last refresh failed; null: it succeeded. */
  trouble: string | null;
  stop: AbortController;
  /** Settles when the feed is no longer followed. */
  following: Promise<void>;
}

export class Feeds implements AsyncDisposable {
  readonly #dependencies: FeedsDependencies;
  readonly #feeds = new Map<string, FollowedFeed>();

  constructor(dependencies: FeedsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Follows these feeds and no others. Resolves once their stored copies have been read; refreshing continues in the background. */
  async setFeeds(wanted: readonly ItemFeed[]): Promise<void> {
    const intervals = new Map<string, number>();
    for (const { url, refresh_interval_ms } of wanted) {
      intervals.set(url, Math.min(refresh_interval_ms, intervals.get(url) ?? Number.POSITIVE_INFINITY));
    }
    await Promise.all([...this.#feeds.keys()].filter((url) => !intervals.has(url)).map((url) => this.#remove(url)));
    for (const [url, refreshIntervalMs] of intervals) {
      const feed = this.#feeds.get(url);
      if (feed === undefined) await this.#add(url, refreshIntervalMs);
      else feed.refreshIntervalMs = refreshIntervalMs;
    }
    await this.#removeOtherFiles();
  }

  /** The present content of a feed. */
  readonly contentOf = (url: string): FeedContent => {
    const feed = this.#feeds.get(url);
    return { title: feed?.copy?.title ?? "", entries: feed?.copy?.entries ?? [], trouble: feed?.trouble ?? null };
  };

  /** Waits until `signal` aborts, then ends all refreshing. */
  async run(signal: AbortSignal): Promise<never> {
    try {
      for (;;) await this.#dependencies.clock.wait(Number.POSITIVE_INFINITY, signal);
    } finally {
      await this[Symbol.asyncDispose]();
    }
  }

  /** Removes everything, after a revocation. */
  async purge(): Promise<void> {
    await this[Symbol.asyncDispose]();
    const { folder, disk } = this.#dependencies;
    await disk.attempt(what, () => rm(folder, { recursive: true, force: true }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#feeds.keys()].map((url) => this.#remove(url)));
  }

  async #add(url: string, refreshIntervalMs: number): Promise<void> {
    const { folder, log, disk } = this.#dependencies;
    const file = new DurableFile<FeedCopy>(join(folder, fileName(url)), (json) => FeedCopy.parse(json));
    const stop = new AbortController();
    const feed: FollowedFeed = { refreshIntervalMs, file, copy: null, trouble: null, stop, following: Promise.resolve() };
    try {
      const read = await file.read();
      if (read.is === "found" && read.value.url === url) feed.copy = read.value;
    } catch (error) {
      // Opened again once it can be read.
      if (isReadFailure(error)) disk.unreadable(what, error, () => file.read());
      log.warn({ feed: loggableUrl(url), reason: reasonOf(error) }, "the copy of a feed cannot be used: fetching it again");
    }
    this.#feeds.set(url, feed);
    feed.following = this.#follow(url, feed);
  }

  async #remove(url: string): Promise<void> {
    const feed = this.#feeds.get(url);
    this.#feeds.delete(url);
    feed?.stop.abort();
    await feed?.following;
  }

  /** Refreshes the feed at its interval until it is removed. */
  async #follow(url: string, feed: FollowedFeed): Promise<void> {
    const { clock, log, onChange } = this.#dependencies;
    const { signal } = feed.stop;
    const backoff = new Backoff(backoffBounds);
    for (;;) {
      let waitMs = feed.refreshIntervalMs * (1 + refreshSpread * (Math.random() - 0.5));
      try {
        await this.#refresh(url, feed);
        backoff.reset();
        feed.trouble = null;
      } catch (error) {
        if (isAbort(error) && signal.aborted) return;
        const trouble = reasonOf(error);
        waitMs = Math.min(backoff.next(), Math.max(feed.refreshIntervalMs, backoffBounds.firstMs));
        if (trouble !== feed.trouble)
          log.error({ feed: loggableUrl(url), reason: trouble }, "a feed could not be read: keeping its last good copy");
        feed.trouble = trouble;
        if (feed.copy === null) onChange();
      }
      try {
        await clock.wait(waitMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
    }
  }

  async #refresh(url: string, feed: FollowedFeed): Promise<void> {
    const { outboundHttp, disk, onChange } = this.#dependencies;
    const { signal } = feed.stop;
    const validators = { etag: feed.copy?.etag ?? null, lastModified: feed.copy?.last_modified ?? null };
    const response = await fetchFeed(outboundHttp, url, validators, signal);
    if (response.is === "unchanged") return;
    const { title, entries } = await parseFeed(response.text, signal);
    const copy = { url, title, entries, etag: response.etag, last_modified: response.lastModified };
    feed.copy = copy;
    onChange();
    // With a full disk the next start lacks the copy; the feed is still shown.
    await disk.attempt(what, () => feed.file.write(copy));
  }

  async #removeOtherFiles(): Promise<void> {
    const { folder, disk } = this.#dependencies;
    const names = new Set([...this.#feeds.keys()].map(fileName));
    await disk.attempt(what, async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      for (const name of await readdir(folder)) {
        if (!names.has(name.replace(/\.(?:new|previous)$/, ""))) await rm(join(folder, name), { force: true });
      }
    });
  }
}

function fileName(url: string): string {
  return `${createHash("sha256").update(url).digest("hex").slice(0, 32)}.json`;
}

/** The URL without its query, which may hold a secret. */
function loggableUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
