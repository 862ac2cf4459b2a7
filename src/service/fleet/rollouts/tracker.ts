// Keeps the rollouts in progress in memory with their players, so that a heartbeat costs one look-up, and stores their progress.
import { Batch } from "../../../base/async/batch.ts";
import { Signal } from "../../../base/async/signal.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Heartbeat } from "../../../protocol/device/heartbeat.ts";
import type { RolloutPlayerState } from "../../../protocol/operator/rollouts.ts";
import type { Announcements } from "../../nodes/messages/messages.ts";
import type { Nodes } from "../../nodes/nodes.ts";
import { inChunks } from "../../store/chunks.ts";
import type { RolloutPlayerRow, RolloutRow } from "../../store/tables/fleet.ts";
import type { Db, Store } from "../../store/store.ts";
import { haltReason, type RingCounts } from "./gate.ts";
import { progressOf, type PlayerProgress } from "./player-progress.ts";
import { isInProgress } from "./settings.ts";

/** A rollout in progress, or one that has ended and still has players to release. */
export interface TrackedRollout {
  row: RolloutRow;
  /** Its active players that are not deleted, by id. */
  readonly players: Map<string, RolloutPlayerRow>;
  /** By ring. */
  readonly counts: Partial<Record<RolloutPlayerState, number>>[];
}

/** The rows that a transaction has changed. */
export interface AppliedRows {
  rollouts?: readonly RolloutRow[];
  players?: readonly RolloutPlayerRow[];
}

const maxBatch = 400;

export class RolloutTracker {
  /** Notified when a rollout may have a next step. */
  readonly wake = new Signal();
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #nodes: Nodes;
  readonly #rollouts = new Map<string, TrackedRollout>();
  readonly #byPlayer = new Map<string, RolloutPlayerRow>();
  // Batch writes: one fsync per player is too slow when a ring updates.
  readonly #changes = new Batch<{ playerId: string; heartbeat: Heartbeat }>(maxBatch, (changes) => this.#write(changes));

  private constructor(store: Store, clock: Clock, nodes: Nodes) {
    this.#store = store;
    this.#clock = clock;
    this.#nodes = nodes;
  }

  /** Reads the rollouts that were in progress when the service stopped, and follows the changes by other nodes. */
  static async open(store: Store, clock: Clock, nodes: Nodes): Promise<RolloutTracker> {
    const tracker = new RolloutTracker(store, clock, nodes);
    nodes.onAnnounced("rollouts.changed", (changed) => tracker.#follow(changed));
    nodes.onMissed(() => tracker.read());
    await tracker.read();
    return tracker;
  }

  /** Reads all rollouts in progress, in place of those in memory. */
  async read(): Promise<void> {
    // Writes of a node run one after the other, so none of them changes a row between the reading and its effect on memory.
    const { rollouts, players } = await this.#store.write(async (db) => ({
      rollouts: await unfinishedRollouts(db).execute(),
      players: await activePlayers(db).execute(),
    }));
    this.#rollouts.clear();
    this.#byPlayer.clear();
    this.apply({ rollouts, players });
    this.wake.notify();
  }

  /**
   * Tells other nodes of changed rows, in the transaction that changes them.
   * @returns a function that applies the rows here, to be called after the commit
   */
  async announce(db: Db, rows: AppliedRows): Promise<() => void> {
    await this.announcePlayers(db, rows.players?.map(({ player_id }) => player_id) ?? [], rows.rollouts);
    return () => this.apply(rows);
  }

  /** Tells other nodes of players that were deleted, or whose rows have changed; in the transaction that changes them. */
  async announcePlayers(db: Db, playerIds: readonly string[], rollouts: readonly RolloutRow[] = []): Promise<void> {
    if (!this.#nodes.isShared || playerIds.length + rollouts.length === 0) return;
    await this.#nodes.announce(db, "rollouts.changed", { rolloutIds: rollouts.map(({ id }) => id), playerIds });
  }

  /** The tracked rollouts, those that have ended first: their players must be free before others get them. */
  list(): TrackedRollout[] {
    return [...this.#rollouts.values()].toSorted((a, b) => Number(isInProgress(a.row)) - Number(isInProgress(b.row)));
  }

  find(rolloutId: string): TrackedRollout | undefined {
    return this.#rollouts.get(rolloutId);
  }

  /** Stores the progress of a player if its heartbeat reports another one. Costs nothing for players in no rollout. */
  async recordHeartbeat(playerId: string, heartbeat: Heartbeat): Promise<void> {
    const player = this.#byPlayer.get(playerId);
    if (player === undefined) return;
    const { row } = this.#rollouts.get(player.rollout_id)!;
    if (isNew(player, progressOf({ ...player, version: row.version }, heartbeat))) await this.#changes.add({ playerId, heartbeat });
  }

  /** Takes over rows after the commit of the transaction that changed them. */
  apply({ rollouts = [], players = [] }: AppliedRows): void {
    for (const row of rollouts) {
      const known = this.#rollouts.get(row.id);
      if (known === undefined) this.#rollouts.set(row.id, { row, players: new Map(), counts: [] });
      else known.row = row;
    }
    for (const player of players) {
      this.forgetPlayer(player.player_id);
      const rollout = this.#rollouts.get(player.rollout_id);
      if (player.is_active === 0 || rollout === undefined) continue;
      this.#byPlayer.set(player.player_id, player);
      rollout.players.set(player.player_id, player);
      count(rollout, player, 1);
    }
    this.#wakeIfFailing();
    this.#forgetEnded();
  }

  /** Drops a player that was deleted or has left its rollout. */
  forgetPlayer(playerId: string): void {
    const player = this.#byPlayer.get(playerId);
    if (player === undefined) return;
    this.#byPlayer.delete(playerId);
    const rollout = this.#rollouts.get(player.rollout_id)!;
    rollout.players.delete(playerId);
    count(rollout, player, -1);
  }

  /** Drops a rollout that has ended and released its players. */
  forget(rolloutId: string): void {
    for (const playerId of this.#rollouts.get(rolloutId)?.players.keys() ?? []) this.forgetPlayer(playerId);
    this.#rollouts.delete(rolloutId);
  }

  async #write(changes: readonly { playerId: string; heartbeat: Heartbeat }[]): Promise<void> {
    const heartbeats = new Map(changes.map(({ playerId, heartbeat }) => [playerId, heartbeat]));
    const now = Math.trunc(this.#clock.now());
    const players = await this.#store.write(async (db) => {
      // Read again: an operator may have ended or resumed the rollout since the heartbeat arrived.
      const rows = await activePlayers(db)
        .where("rollout_players.player_id", "in", [...heartbeats.keys()])
        .execute();
      const changed: RolloutPlayerRow[] = [];
      for (const row of rows) {
        const rollout = this.#rollouts.get(row.rollout_id);
        if (rollout === undefined) continue;
        const progress = progressOf({ ...row, version: rollout.row.version }, heartbeats.get(row.player_id)!);
        if (!isNew(row, progress)) continue;
        const values = { ...progress, changed_at: now };
        const stored = db.updateTable("rollout_players").set(values).where("rollout_id", "=", row.rollout_id);
        await stored.where("player_id", "=", row.player_id).execute();
        changed.push({ ...row, ...values });
      }
      await this.announce(db, { players: changed });
      return changed;
    });
    this.apply({ players });
  }

  /** Takes over the rows that another node has changed. */
  async #follow({ rolloutIds, playerIds }: Announcements["rollouts.changed"]): Promise<void> {
    const { rollouts, players } = await this.#store.write(async (db) => {
      const members: RolloutPlayerRow[] = [];
      for (const ids of inChunks(playerIds)) {
        members.push(...(await activePlayers(db).where("rollout_players.player_id", "in", ids).execute()));
      }
      // Announcements come in any order: the rollout of a player may be new, too.
      const unknown = members.map(({ rollout_id }) => rollout_id).filter((id) => !this.#rollouts.has(id));
      const ids = [...new Set([...rolloutIds, ...unknown])];
      return { rollouts: ids.length === 0 ? [] : await rolloutsById(db, ids), players: members };
    });
    const present = new Set(players.map(({ player_id }) => player_id));
    for (const playerId of playerIds) if (!present.has(playerId)) this.forgetPlayer(playerId);
    this.apply({ rollouts, players });
    this.wake.notify();
  }

  /** Drops rollouts that have ended and released their players. On the node with the duties its runner does so. */
  #forgetEnded(): void {
    if (this.#nodes.figures === null || this.#nodes.figures.hasDuties) return;
    for (const [id, { row, players }] of this.#rollouts) if (!isInProgress(row) && players.size === 0) this.#rollouts.delete(id);
  }

  #wakeIfFailing(): void {
    for (const { row, counts } of this.#rollouts.values()) {
      if (row.status !== "halted" && isInProgress(row) && haltReason(row, counts as RingCounts[]) !== null) this.wake.notify();
    }
  }
}

/** A rollout as its rows are in this transaction. */
export async function readTracked(db: Db, row: RolloutRow): Promise<TrackedRollout> {
  const players = await activePlayers(db).where("rollout_players.rollout_id", "=", row.id).execute();
  const rollout: TrackedRollout = { row, players: new Map(players.map((player) => [player.player_id, player])), counts: [] };
  for (const player of players) count(rollout, player, 1);
  return rollout;
}

/** The rollouts in progress, and those that have ended and still have players to release. */
function unfinishedRollouts(db: Db) {
  const unfinished = db.selectFrom("rollout_players").select("rollout_id").where("is_active", "=", 1);
  return db
    .selectFrom("rollouts")
    .selectAll()
    .where((row) => row.or([row("ended_at", "is", null), row("id", "in", unfinished)]));
}

function rolloutsById(db: Db, ids: readonly string[]): Promise<RolloutRow[]> {
  return db.selectFrom("rollouts").selectAll().where("id", "in", ids).execute();
}

/** The players that rollouts decide about and that are not deleted. */
function activePlayers(db: Db) {
  return db
    .selectFrom("rollout_players")
    .innerJoin("players", "players.id", "rollout_players.player_id")
    .selectAll("rollout_players")
    .where("rollout_players.is_active", "=", 1)
    .where("players.removed_at", "is", null);
}

/** Details alone, such as bytes, are not stored while a player is on its way: they change with every heartbeat. */
function isNew(before: PlayerProgress, after: PlayerProgress): boolean {
  if (before.state !== after.state || before.attempt_at !== after.attempt_at) return true;
  return before.detail !== after.detail && (after.state === "failed" || after.state === "control-failed" || after.state === "blocked");
}

function count({ counts }: TrackedRollout, { ring, state }: RolloutPlayerRow, by: number): void {
  while (counts.length <= ring) counts.push({});
  const ofRing = counts[ring]!;
  ofRing[state] = (ofRing[state] ?? 0) + by;
}
