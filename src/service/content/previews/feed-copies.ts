// The service's copies of feeds for previews: fetched when a preview needs them, from the addresses that the service may call.
import { SharedWork } from "../../../base/async/shared-work.ts";
import type { Clock } from "../../../base/clock.ts";
import { isFault } from "../../../base/fault.ts";
import type { OutboundHttp } from "../../../base/http/outbound-http.ts";
import { iso, minuteMs } from "../../../base/time.ts";
import { fetchFeed } from "../../../feeds/fetch-feed.ts";
import { parseFeed, type ParsedFeed } from "../../../feeds/parse-feed.ts";
import type { PreviewFeed } from "../../../protocol/operator/previews.ts";
import { outboundFailure } from "../outbound-clients.ts";

interface FeedCopiesDependencies {
  http: OutboundHttp;
  clock: Clock;
  /** Ends all fetching. */
  closing: AbortSignal;
}

/** The last good copy of a feed, and how the last attempt to fetch it went. */
interface Copy {
  parsed: ParsedFeed;
  fetchedAt: number | null;
  triedAt: number;
  trouble: string | null;
  etag: string | null;
  lastModified: string | null;
}

// A copy has at most twenty entries of some hundred characters.
const maxCopies = 500;
const maxAtOnce = 4;
// A feed that cannot be read is tried again at most this often.
const retryMs = minuteMs;

/** Kept in memory, separately for each team: no team may learn which feeds another follows. */
export class FeedCopies {
  readonly #dependencies: FeedCopiesDependencies;
  /** The least recently used first. */
  readonly #copies = new Map<string, Copy>();
  readonly #running = new Map<string, SharedWork<Copy>>();

  constructor(dependencies: FeedCopiesDependencies) {
    this.#dependencies = dependencies;
  }

  /** The copies of feeds. Those that are older than their interval (ms, by the feed's address) are fetched first. */
  async read(teamId: string, intervals: ReadonlyMap<string, number>): Promise<PreviewFeed[]> {
    const feeds: PreviewFeed[] = [];
    const waiting = [...intervals];
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [url, refreshIntervalMs] = next;
        feeds.push(show(url, await this.#copyOf(teamId, url, refreshIntervalMs)));
      }
    };
    await Promise.all(Array.from({ length: maxAtOnce }, worker));
    return feeds.toSorted((a, b) => (a.url < b.url ? -1 : 1));
  }

  async #copyOf(teamId: string, url: string, refreshIntervalMs: number): Promise<Copy> {
    const key = `${teamId} ${url}`;
    const copy = this.#copies.get(key);
    const age = copy === undefined ? Number.POSITIVE_INFINITY : this.#dependencies.clock.now() - copy.triedAt;
    if (copy !== undefined && age < (copy.trouble === null ? refreshIntervalMs : retryMs)) {
      this.#keep(key, copy);
      return copy;
    }
    const { closing } = this.#dependencies;
    // Fetched once for all who wait for it.
    const work = this.#running.get(key) ?? new SharedWork(() => this.#fetch(key, url, copy ?? null));
    this.#running.set(key, work);
    return work.wait(closing);
  }

  async #fetch(key: string, url: string, before: Copy | null): Promise<Copy> {
    const { http, clock, closing } = this.#dependencies;
    const validators = { etag: before?.etag ?? null, lastModified: before?.lastModified ?? null };
    const triedAt = clock.now();
    const none = { parsed: { title: "", entries: [] }, fetchedAt: null, ...validators };
    const known = { ...(before ?? none), triedAt, trouble: null };
    let copy: Copy;
    try {
      const response = await fetchFeed(http, url, validators, closing);
      copy =
        response.is === "unchanged"
          ? { ...known, fetchedAt: triedAt }
          : { ...known, ...response, parsed: await parseFeed(response.text, closing), fetchedAt: triedAt };
    } catch (error) {
      closing.throwIfAborted();
      copy = { ...known, trouble: troubleOf(error) };
    } finally {
      this.#running.delete(key);
    }
    this.#keep(key, copy);
    return copy;
  }

  #keep(key: string, { parsed, fetchedAt, triedAt, trouble, etag, lastModified }: Copy): void {
    this.#copies.delete(key);
    this.#copies.set(key, { parsed, fetchedAt, triedAt, trouble, etag, lastModified });
    const [oldest] = this.#copies.keys();
    if (this.#copies.size > maxCopies) this.#copies.delete(oldest!);
  }
}

function show(url: string, { parsed, fetchedAt, trouble }: Copy): PreviewFeed {
  const entries = parsed.entries.map((entry) => ({ ...entry, published_at: iso(entry.published_at) }));
  return { url, title: parsed.title, entries, trouble, fetched_at: iso(fetchedAt) };
}

/** Why there is no newer copy, as people may read it. The publisher's response is no secret; the service's network is. */
function troubleOf(error: unknown): string {
  return isFault(error, "protocol") || isFault(error, "timeout") ? error.message : outboundFailure(error);
}
