// Keeps the feeds that the content names: fetched at intervals, asked for changes only, the last good copy kept through restarts.
import { createHash } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Backoff } from "../../../base/async/backoff.ts";
import type { Clock } from "../../../base/clock.ts";
import { DurableFile } from "../../../base/files/durable-file.ts";
import { isAbort, reasonOf } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import { FeedEntry } from "../../../protocol/scene.ts";
import type { OutboundHttp } from "../../../base/http/outbound-http.ts";
import type { FeedContent, WantedFeed } from "../../playback/scene-item.ts";
import { fetchFeed } from "./fetch-feed.ts";
import { parseFeed } from "./parse-feed.ts";

export interface FeedsDependencies {
  folder: string;
  outboundHttp: OutboundHttp;
  clock: Clock;
  log: Log;
  /** What a feed says has changed. */
  onChange: () => void;
}

const backoffBounds = { firstMs: 5_000, longestMs: 900_000 };
// A fleet that got its content at one time must not ask at one time for ever.
const spread = 0.1;

const Copy = z.object({
  url: z.string(),
  title: z.string(),
  entries: z.array(FeedEntry),
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
});
type Copy = z.infer<typeof Copy>;

interface Kept {
  refreshIntervalMs: number;
  file: DurableFile<Copy>;
  copy: Copy | null;
  trouble: string | null;
  end: AbortController;
  work: Promise<void>;
}

export class Feeds implements AsyncDisposable {
  readonly #parts: FeedsDependencies;
  readonly #kept = new Map<string, Kept>();

  constructor(parts: FeedsDependencies) {
    this.#parts = parts;
  }

  /** Looks after these feeds and no others. Resolves once the copies at hand have been read; fetching goes on by itself. */
  async setFeeds(wanted: readonly WantedFeed[]): Promise<void> {
    const soonest = new Map<string, number>();
    for (const { url, refreshIntervalMs } of wanted) {
      soonest.set(url, Math.min(refreshIntervalMs, soonest.get(url) ?? Number.POSITIVE_INFINITY));
    }
    await Promise.all([...this.#kept.keys()].filter((url) => !soonest.has(url)).map((url) => this.#drop(url)));
    for (const [url, refreshIntervalMs] of soonest) {
      const kept = this.#kept.get(url);
      if (kept === undefined) await this.#take(url, refreshIntervalMs);
      else kept.refreshIntervalMs = refreshIntervalMs;
    }
    await this.#removeOthers();
  }

  /** What a feed says at present. */
  readonly contentOf = (url: string): FeedContent => {
    const kept = this.#kept.get(url);
    return { title: kept?.copy?.title ?? "", entries: kept?.copy?.entries ?? [], trouble: kept?.trouble ?? null };
  };

  /** Stands ready until `signal` aborts, then ends all fetching. */
  async run(signal: AbortSignal): Promise<never> {
    try {
      for (;;) await this.#parts.clock.wait(Number.POSITIVE_INFINITY, signal);
    } finally {
      await this[Symbol.asyncDispose]();
    }
  }

  /** Forgets everything, after a revocation. */
  async purge(): Promise<void> {
    await this[Symbol.asyncDispose]();
    await rm(this.#parts.folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#kept.keys()].map((url) => this.#drop(url)));
  }

  async #take(url: string, refreshIntervalMs: number): Promise<void> {
    const file = new DurableFile<Copy>(join(this.#parts.folder, fileName(url)), (json) => Copy.parse(json));
    const end = new AbortController();
    const kept: Kept = { refreshIntervalMs, file, copy: null, trouble: null, end, work: Promise.resolve() };
    try {
      const read = await file.read();
      if (read.is === "found" && read.value.url === url) kept.copy = read.value;
    } catch (error) {
      this.#parts.log.warn({ feed: nameOf(url), reason: reasonOf(error) }, "the copy of a feed is damaged: it is fetched anew");
    }
    this.#kept.set(url, kept);
    kept.work = this.#follow(url, kept);
  }

  async #drop(url: string): Promise<void> {
    const kept = this.#kept.get(url);
    this.#kept.delete(url);
    kept?.end.abort();
    await kept?.work;
  }

  /** Fetches for ever; settles when `kept` is given up. */
  async #follow(url: string, kept: Kept): Promise<void> {
    const { clock, log } = this.#parts;
    const { signal } = kept.end;
    const backoff = new Backoff(backoffBounds);
    for (;;) {
      let waitMs = kept.refreshIntervalMs * (1 + spread * (Math.random() - 0.5));
      try {
        await this.#refresh(url, kept);
        backoff.reset();
        kept.trouble = null;
      } catch (error) {
        if (isAbort(error) && signal.aborted) return;
        const trouble = reasonOf(error);
        waitMs = Math.min(backoff.next(), Math.max(kept.refreshIntervalMs, backoffBounds.firstMs));
        if (trouble !== kept.trouble)
          log.error({ feed: nameOf(url), reason: trouble }, "a feed could not be read: the last good copy stays");
        kept.trouble = trouble;
        if (kept.copy === null) this.#parts.onChange();
      }
      try {
        await clock.wait(waitMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
    }
  }

  async #refresh(url: string, kept: Kept): Promise<void> {
    const { outboundHttp: outside, log, onChange: changed } = this.#parts;
    const { signal } = kept.end;
    const answer = await fetchFeed(outside, url, { etag: kept.copy?.etag ?? null, lastModified: kept.copy?.last_modified ?? null }, signal);
    if (answer.is === "unchanged") return;
    const { title, entries } = await parseFeed(answer.text, signal);
    const copy: Copy = { url, title, entries, etag: answer.etag, last_modified: answer.lastModified };
    kept.copy = copy;
    changed();
    try {
      await kept.file.write(copy);
    } catch (error) {
      // A full disk costs the copy for the next start, not the news.
      log.warn({ feed: nameOf(url), reason: reasonOf(error) }, "the copy of a feed could not be kept");
    }
  }

  async #removeOthers(): Promise<void> {
    const { folder } = this.#parts;
    const names = new Set([...this.#kept.keys()].map(fileName));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder)) {
      if (!names.has(name.replace(/\.(?:new|previous)$/, ""))) await rm(join(folder, name), { force: true });
    }
  }
}

function fileName(url: string): string {
  return `${createHash("sha256").update(url).digest("hex").slice(0, 32)}.json`;
}

/** For the log: what follows the path may be a secret. */
function nameOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
