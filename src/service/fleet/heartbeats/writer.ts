// Writes received heartbeats to the database every second, and tells other nodes of them.
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Heartbeat } from "../../../protocol/device/heartbeat.ts";
import type { Nodes } from "../../nodes/nodes.ts";
import type { TelemetryDb } from "../../store/store.ts";
import { countHeartbeats } from "./minutes.ts";
import { onePerPlayer, storeGone, storeHeartbeats, type StoredHeartbeat } from "../presence/rows.ts";

// Batch writes, since a transaction per heartbeat is too slow. A killed service loses the history of at most this time.
const flushIntervalMs = 1_000;
// A batch takes a few milliseconds, during which nothing else runs.
const maxBatch = 200;
// When the disk is not writable, the oldest heartbeats beyond this number are dropped.
const maxUnwritten = 20_000;

export interface UnwrittenHeartbeat extends Omit<StoredHeartbeat, "body"> {
  heartbeat: Heartbeat;
}

/** The memory that the heartbeats come from. */
export interface HeartbeatMemory {
  /** Called when a heartbeat is stored, with its JSON. */
  onStored(playerId: string, heartbeat: Heartbeat, body: string): void;
  /** True if a player's socket is still closed. */
  isGone(playerId: string): boolean;
}

/** Collects heartbeats and closed sockets, and writes them in the order in which they came. */
export class HeartbeatWriter {
  readonly #db: TelemetryDb;
  readonly #clock: Clock;
  readonly #nodes: Nodes;
  readonly #memory: HeartbeatMemory;
  readonly #unwritten: UnwrittenHeartbeat[] = [];
  /** The players whose sockets have closed since the last {@link flush}. */
  readonly #closed = new Set<string>();
  #writing: Promise<unknown> = Promise.resolve();

  constructor(db: TelemetryDb, clock: Clock, nodes: Nodes, memory: HeartbeatMemory) {
    this.#db = db;
    this.#clock = clock;
    this.#nodes = nodes;
    this.#memory = memory;
  }

  add(received: UnwrittenHeartbeat): void {
    this.#unwritten.push(received);
  }

  /** True if a heartbeat of a player waits to be written. */
  has(playerId: string): boolean {
    return this.#unwritten.some((each) => each.playerId === playerId);
  }

  /** Adds that a player's socket has closed, which other nodes have to know. */
  addClosed(playerId: string): void {
    if (this.#nodes.isShared) this.#closed.add(playerId);
  }

  /** Writes every second until `signal` aborts; rejects with an AbortError then. Call {@link flush} afterwards. */
  async run(log: Log, signal: AbortSignal): Promise<never> {
    let isFailing = false;
    for (;;) {
      await this.#clock.wait(flushIntervalMs, signal);
      try {
        await this.flush();
        isFailing = false;
      } catch (error) {
        if (!isFailing) log.error({ err: error }, "heartbeats cannot be stored: they are kept in memory while there is room");
        isFailing = true;
      }
    }
  }

  /** Writes all that was added so far. Entries that cannot be written stay in memory. */
  flush(): Promise<void> {
    const written = this.#writing.then(() => this.#writeAll());
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async #writeAll(): Promise<void> {
    while (this.#unwritten.length > 0) {
      await this.#writeBatch(this.#unwritten.slice(0, maxBatch));
      await setImmediate();
    }
    await this.#writeClosed();
  }

  async #writeBatch(received: readonly UnwrittenHeartbeat[]): Promise<void> {
    const batch = received.map((each) => ({ ...each, body: JSON.stringify(each.heartbeat) }));
    const node = this.#nodes.isShared ? { id: this.#nodes.id, now: this.#clock.now() } : null;
    try {
      await this.#db.transaction().execute(async (db) => {
        for (const beats of onePerPlayer(batch)) {
          await storeHeartbeats(db, beats, node);
          await countHeartbeats(db, beats);
        }
      });
    } catch (error) {
      this.#unwritten.splice(0, this.#unwritten.length - maxUnwritten);
      throw error;
    }
    this.#unwritten.splice(0, batch.length);
    for (const { playerId, heartbeat, body } of batch) this.#memory.onStored(playerId, heartbeat, body);
    if (!this.#nodes.isShared) return;
    const beats = batch.map(({ playerId, receivedAt, link, body }) => ({ playerId, receivedAt, link, body }));
    this.#nodes.broadcast("heartbeats", { beats });
  }

  async #writeClosed(): Promise<void> {
    // Sockets that close while these are written are written next.
    const closed = [...this.#closed];
    this.#closed.clear();
    const gone = closed.filter((playerId) => this.#memory.isGone(playerId));
    if (gone.length === 0) return;
    try {
      await storeGone(this.#db, gone, this.#nodes.id);
    } catch (error) {
      for (const playerId of gone) this.#closed.add(playerId);
      throw error;
    }
  }
}
