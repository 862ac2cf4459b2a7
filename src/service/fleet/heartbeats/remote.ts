// Follows the heartbeats that other nodes receive, by their broadcasts and by reading their rows, and forgets with them.
import type { Clock } from "../../../base/clock.ts";
import { Heartbeat } from "../../../protocol/device/heartbeat.ts";
import type { AlertEngine } from "../../alerts/engine.ts";
import type { Subscribers } from "../../events/subscribers.ts";
import type { Nodes } from "../../nodes/nodes.ts";
import { inChunks } from "../../store/chunks.ts";
import type { Store } from "../../store/store.ts";
import type { ConnectivityEvents } from "../presence/connectivity-events.ts";
import type { PlayerProblems } from "../problems/problems.ts";
import type { Presence } from "../presence/presence.ts";
import { readBodies, readChangedLinks, type StoredHeartbeat } from "../presence/rows.ts";

interface RemoteHeartbeatsDependencies {
  store: Store;
  clock: Clock;
  nodes: Nodes;
  presence: Presence;
  alerts: AlertEngine;
  links: ConnectivityEvents;
  problems: PlayerProblems;
  subscribers: Subscribers;
}

const pollMs = 2_000;
// A row becomes visible at its commit, at most so long after its time.
const lateMs = 10_000;

export class RemoteHeartbeats {
  readonly #dependencies: RemoteHeartbeatsDependencies;
  /** The newest heartbeats that are not handled yet, by player. */
  readonly #fresh = new Map<string, StoredHeartbeat>();
  #readUntil = 0;

  constructor(dependencies: RemoteHeartbeatsDependencies) {
    const { nodes, presence } = dependencies;
    this.#dependencies = dependencies;
    nodes.onAnnounced("players.removed", ({ playerIds }) => this.#remove(playerIds));
    nodes.onAnnounced("players.forgotten", ({ playerIds, until }) => this.#forget(playerIds, until));
    nodes.onMissed(() => this.#findForgotten());
    nodes.onBroadcast("heartbeats", ({ beats }, nodeId) => {
      for (const beat of beats) if (presence.recordRemote(beat, nodeId)) this.#fresh.set(beat.playerId, beat);
    });
  }

  /** Follows the other nodes until `signal` aborts; rejects with an AbortError then. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock } = this.#dependencies;
    for (;;) {
      await this.catchUp();
      await clock.wait(pollMs, signal);
    }
  }

  /** Reads the heartbeats that other nodes have stored until now, and handles them. */
  async catchUp(): Promise<void> {
    await this.#poll();
    await this.#handleFresh();
  }

  /** Reads the heartbeats that were not broadcast: without a message server all of them. */
  async #poll(): Promise<void> {
    const { clock, nodes, presence, store } = this.#dependencies;
    // Rows that were written after the database's clock was set back have earlier times.
    this.#readUntil = Math.min(this.#readUntil, Math.trunc(clock.now()));
    const changed = await readChangedLinks(store.telemetry, this.#readUntil - lateMs, nodes.id);
    const unknown = changed.filter((each) => !presence.recordRemoteLink(each.playerId, each.receivedAt, each.link, each.nodeId));
    const bodies = await readBodies(
      store.telemetry,
      unknown.map(({ playerId }) => playerId),
    );
    for (const { playerId, receivedAt, link, nodeId } of unknown) {
      const read = bodies.get(playerId);
      // A newer one that came meanwhile has its own link, which the next poll reads, and may be this node's.
      if (read?.receivedAt !== receivedAt) continue;
      const beat = { playerId, link, ...read };
      if (presence.recordRemote(beat, nodeId)) this.#fresh.set(playerId, beat);
    }
    for (const { changedAt } of changed) this.#readUntil = Math.max(this.#readUntil, changedAt);
  }

  #remove(playerIds: readonly string[]): void {
    const { links, presence, problems } = this.#dependencies;
    for (const playerId of playerIds) {
      presence.markRemoved(playerId);
      links.forget(playerId);
      problems.forget(playerId);
    }
  }

  async #forget(playerIds: readonly string[], until: number): Promise<void> {
    const { presence, problems } = this.#dependencies;
    for (const playerId of playerIds) {
      this.#fresh.delete(playerId);
      problems.identities.forget(playerId);
    }
    await presence.forgetUntil(playerIds, until);
  }

  /** Drops heartbeats and players that other nodes have deleted, in place of the announcements that this node has missed. */
  async #findForgotten(): Promise<void> {
    const { presence, store } = this.#dependencies;
    this.#readUntil = 0;
    const known = [...presence.playerIds()];
    for (const ids of inChunks(known)) {
      const heartbeats = store.telemetry.selectFrom("heartbeats").select("player_id").where("player_id", "in", ids);
      const players = store.db.selectFrom("players").select("id").where("removed_at", "is", null).where("id", "in", ids);
      const stored = new Set((await heartbeats.execute()).map(({ player_id }) => player_id));
      const present = new Set((await players.execute()).map(({ id }) => id));
      presence.dropRemote(ids.filter((id) => !stored.has(id)));
      this.#remove(ids.filter((id) => !present.has(id)));
    }
  }

  async #handleFresh(): Promise<void> {
    const fresh = [...this.#fresh.values()];
    this.#fresh.clear();
    const { alerts, problems, store, subscribers } = this.#dependencies;
    for (const chunk of inChunks(fresh)) {
      const ids = chunk.map(({ playerId }) => playerId);
      const rows = await store.db
        .selectFrom("players")
        .select(["id", "team_id", "created_at", "revision"])
        .where("id", "in", ids)
        .execute();
      const players = new Map(rows.map((row) => [row.id, row]));
      for (const { playerId, receivedAt, body } of chunk) {
        const player = players.get(playerId);
        const heartbeat = Heartbeat.safeParse(JSON.parse(body));
        // A node of another version may send a heartbeat that this one cannot parse.
        if (player === undefined || !heartbeat.success) continue;
        problems.recordHeartbeat(playerId, heartbeat.data, player.revision);
        alerts.recordHeartbeat(player);
        subscribers.sendHeartbeat(player.team_id, playerId, receivedAt, heartbeat.data);
      }
    }
  }
}
