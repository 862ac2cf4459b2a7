// All screens of the team in short rows. Events say which rows to read again, so that the service alone decides the meaning of a state.
import { ProblemError } from "../../../../sdk/typescript/client.ts";
import type { RosterPlayer } from "../../../../src/protocol/operator/roster.ts";
import { mostRosterIds } from "../../../../src/protocol/operator/roster-states.ts";
import { client, isSignedOut } from "../client.ts";
import { eventStream, type StreamNews } from "../event-stream.ts";
import { queryClient } from "../query-client.ts";
import { sessionQuery } from "../session.ts";
import { HeartbeatWatch } from "./heartbeats.ts";

/** The list as a whole. A new object whenever a row is added, removed or changed, but not more often than lists can be read. */
export interface RosterSnapshot {
  rows: readonly RosterPlayer[];
  /** How many screens there are; null: not known yet. */
  total: number | null;
  /** True if all rows have been read. */
  isComplete: boolean;
  /** Why the rows cannot be read. */
  error: unknown;
}

interface StoredRow {
  row: RosterPlayer;
  /** The request that read it: a row of an older request never replaces that of a newer one. */
  request: number;
}

const pageSize = 1_000;
// The first change is read at once; a flood of changes is read in as few requests.
const refreshGapMs = 250;
const publishGapMs = 400;
const retryMs = 5_000;
/** With more changes than this, reading everything is cheaper. */
const mostStaleIds = 2_000;
const nothing: RosterSnapshot = { rows: [], total: null, isComplete: false, error: null };

/** Reads rows and keeps them true while anybody listens. */
export class RosterStore {
  readonly #rows = new Map<string, StoredRow>();
  readonly #rowListeners = new Map<string, Set<() => void>>();
  readonly #listeners = new Set<() => void>();
  readonly #staleIds = new Set<string>();
  readonly #heartbeats = new HeartbeatWatch();
  #snapshot = nothing;
  #of = "";
  #running: AbortController | null = null;
  #reading = new AbortController();
  #requests = 0;
  #isRefreshing = false;
  #publishing: ReturnType<typeof setTimeout> | null = null;

  get snapshot(): RosterSnapshot {
    return this.#snapshot;
  }

  row(id: string): RosterPlayer | undefined {
    return this.#rows.get(id)?.row;
  }

  /** Forgets the rows of another person or team. */
  belongTo(owner: string): void {
    if (this.#of === owner) return;
    this.#of = owner;
    this.#rows.clear();
    this.#snapshot = nothing;
    this.#heartbeats.forget();
    if (this.#running !== null) this.#read(this.#running.signal);
  }

  /** Calls `listener` when the list has changed, until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#start();
    return () => {
      this.#listeners.delete(listener);
      this.#stopIfUnused();
    };
  }

  /** Calls `listener` when this row has changed, until the returned function is called. */
  listenTo(id: string, listener: () => void): () => void {
    const listeners = this.#rowListeners.get(id) ?? new Set();
    this.#rowListeners.set(id, listeners.add(listener));
    this.#start();
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#rowListeners.delete(id);
      this.#stopIfUnused();
    };
  }

  /** Reads everything again, such as after an error. */
  retry(): void {
    if (this.#running !== null) this.#read(this.#running.signal);
  }

  #start(): void {
    if (this.#running !== null) return;
    const running = new AbortController();
    this.#running = running;
    running.signal.addEventListener(
      "abort",
      eventStream.listen((news) => this.#hear(news, running.signal)),
      { once: true },
    );
    this.#read(running.signal);
  }

  /** Stops unless somebody listens again at once, as from one page to the next. */
  #stopIfUnused(): void {
    setTimeout(() => {
      if (this.#listeners.size > 0 || this.#rowListeners.size > 0) return;
      this.#running?.abort();
      this.#running = null;
      // The rows stay, and are read again when they are needed.
      this.#snapshot = { ...this.#snapshot, isComplete: false };
      this.#staleIds.clear();
    });
  }

  #hear(news: StreamNews, signal: AbortSignal): void {
    if (news.is === "resync") return this.#read(signal);
    if (news.is === "connection") return news.awaySince === null && this.#snapshot.error !== null ? this.#read(signal) : undefined;
    if (news.is === "heartbeat") {
      if (this.#heartbeats.changes(this.row(news.heartbeat.player_id), news.heartbeat)) this.#mark(news.heartbeat.player_id, signal);
      return;
    }
    if (news.is !== "event") return;
    const { type, data } = news.event;
    if (type === "layout.updated") return this.#markShowing(data["layout_id"], signal);
    // Commands change no row: their effects have events of their own.
    if (!type.startsWith("command.") && typeof data["player_id"] === "string") this.#mark(data["player_id"], signal);
  }

  #markShowing(layoutId: unknown, signal: AbortSignal): void {
    for (const { row } of this.#rows.values()) if (row.playing !== null && row.playing.layout_id === layoutId) this.#mark(row.id, signal);
  }

  #mark(id: string, signal: AbortSignal): void {
    this.#staleIds.add(id);
    this.#refreshSoon(signal);
  }

  /** Reads the changed rows before the next frame. A hidden page reads them when it is seen again. */
  #refreshSoon(signal: AbortSignal): void {
    if (this.#isRefreshing || this.#staleIds.size === 0) return;
    this.#isRefreshing = true;
    requestAnimationFrame(() => void this.#refresh(signal));
  }

  async #refresh(signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    const ids = [...this.#staleIds].slice(0, mostRosterIds);
    let waitMs = 0;
    try {
      if (this.#staleIds.size > mostStaleIds) {
        this.#staleIds.clear();
        this.#read(signal);
      } else {
        for (const id of ids) this.#staleIds.delete(id);
        const request = (this.#requests += 1);
        const query = { ids: ids.join(","), limit: mostRosterIds };
        const { data } = (await client.get("/api/v1/players/roster", { params: { query }, signal })).data;
        this.#take(data, request);
        const returnedIds = new Set(data.map(({ id }) => id));
        for (const id of ids) if (!returnedIds.has(id)) this.#remove(id);
      }
      waitMs = this.#staleIds.size > mostRosterIds ? 0 : refreshGapMs - (performance.now() - startedAt);
    } catch (error) {
      for (const id of ids) this.#staleIds.add(id);
      waitMs = retryMs;
      if (error instanceof ProblemError && error.status < 429) this.#fail(error);
    } finally {
      setTimeout(
        () => {
          this.#isRefreshing = false;
          // Meanwhile all may have left the page and come back, which is another run.
          if (this.#running !== null) this.#refreshSoon(this.#running.signal);
        },
        signal.aborted ? 0 : Math.max(0, waitMs),
      );
    }
  }

  /** Reads all rows. Stops an earlier reading, whose answers could be older. */
  #read(running: AbortSignal): void {
    this.#reading.abort();
    this.#reading = new AbortController();
    const signal = AbortSignal.any([running, this.#reading.signal]);
    this.#readPages(signal).catch((error: unknown) => {
      if (!signal.aborted) this.#fail(error);
    });
  }

  async #readPages(signal: AbortSignal): Promise<void> {
    const first = this.#requests + 1;
    const owner = this.#of;
    for (let cursor: string | null | undefined; cursor !== null;) {
      const request = (this.#requests += 1);
      const query = { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
      const { data, next_cursor, total } = (await client.get("/api/v1/players/roster", { params: { query }, signal })).data;
      if (signal.aborted || owner !== this.#of) return;
      cursor = next_cursor;
      this.#snapshot = { ...this.#snapshot, total, error: null };
      this.#take(data, request);
      if (cursor !== null) this.#publish();
    }
    for (const [id, { request }] of this.#rows) if (request < first) this.#remove(id);
    this.#snapshot = { ...this.#snapshot, isComplete: true };
    this.#publish();
  }

  #take(rows: readonly RosterPlayer[], request: number): void {
    for (const row of rows) {
      const before = this.#rows.get(row.id);
      if (before !== undefined && before.request > request) continue;
      // Equal rows stay the same object, so that nothing is drawn again for them.
      const isSame = before !== undefined && JSON.stringify(before.row) === JSON.stringify(row);
      this.#rows.set(row.id, { row: isSame ? before.row : row, request });
      if (!isSame) this.#notify(row.id);
    }
  }

  #remove(id: string): void {
    if (this.#rows.delete(id)) this.#notify(id);
  }

  #notify(id: string): void {
    for (const listener of this.#rowListeners.get(id) ?? []) listener();
    this.#publishing ??= setTimeout(() => this.#publish(), this.#snapshot.isComplete ? publishGapMs : 0);
  }

  #fail(error: unknown): void {
    if (isSignedOut(error)) void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
    this.#snapshot = { ...this.#snapshot, error };
    this.#publish();
  }

  #publish(): void {
    if (this.#publishing !== null) clearTimeout(this.#publishing);
    this.#publishing = null;
    const { isComplete, total } = this.#snapshot;
    const rows = Array.from(this.#rows.values(), ({ row }) => row);
    this.#snapshot = { ...this.#snapshot, rows, total: isComplete ? rows.length : total };
    for (const listener of this.#listeners) listener();
  }
}
