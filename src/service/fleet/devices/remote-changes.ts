// Applies changes by other nodes to this node's sockets of devices: new journal entries, revocations, and newer sockets of a player.
import { Batch } from "../../../base/async/batch.ts";
import { reasonOf } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import { closeCodes } from "../../../protocol/device/messages.ts";
import type { Announcements } from "../../nodes/messages/messages.ts";
import type { Nodes } from "../../nodes/nodes.ts";
import { inChunks } from "../../store/chunks.ts";
import type { Store } from "../../store/store.ts";
import type { Commands } from "../commands/commands.ts";
import type { PlayerProblems } from "../problems/problems.ts";
import type { DeviceAccess } from "./device-access.ts";
import type { DeviceJournal } from "./device-journal.ts";
import type { DeviceSession } from "./device-session.ts";
import type { StatePush } from "./state-push.ts";

export interface RemoteChangesDependencies {
  access: DeviceAccess;
  commands: Commands;
  journal: DeviceJournal;
  log: Log;
  nodes: Nodes;
  problems: PlayerProblems;
  store: Store;
}

type RemoteSession = Announcements["players.connected"]["sessions"][number];

const maxConnectedBatch = 400;

export class RemoteChanges {
  readonly #dependencies: RemoteChangesDependencies;
  readonly #sessions: ReadonlyMap<string, DeviceSession>;
  readonly #states: StatePush;
  readonly #connected: Batch<DeviceSession, number>;
  /**
   * The number of each session's announcement, which is greater than those of the sockets that the player had before, on any node; 0: it
   * could not be announced.
   */
  readonly #numbers = new WeakMap<DeviceSession, Promise<number>>();

  /** @param sessions this node's, by player */
  constructor(dependencies: RemoteChangesDependencies, sessions: ReadonlyMap<string, DeviceSession>, states: StatePush) {
    this.#dependencies = dependencies;
    this.#sessions = sessions;
    this.#states = states;
    const { nodes } = dependencies;
    this.#connected = new Batch(maxConnectedBatch, (all) => this.#announceAll(all));
    nodes.onAnnounced("players.changed", ({ playerIds }) => this.#followChanges(playerIds));
    nodes.onMissed(() => this.#followChanges([...this.#sessions.keys()]));
    nodes.onAnnounced("players.connected", async ({ sessions: theirs }, number) => {
      await Promise.all(theirs.map((each) => this.#compare(each, number)));
    });
    nodes.onAnnounced("players.shared", ({ playerId, instanceId }) => {
      const ours = this.#sessions.get(playerId);
      if (ours?.isOtherRun(instanceId)) ours.refuse();
    });
  }

  /** Tells the other nodes that a player is connected here. A node that does not hear it notices by itself that its socket is dead. */
  announceConnected(session: DeviceSession): void {
    const { log, nodes } = this.#dependencies;
    if (!nodes.isShared) return;
    const number = this.#connected.add(session).catch((error: unknown) => {
      log.warn({ reason: reasonOf(error), player_id: session.playerId }, "a player's connection could not be announced");
      return 0;
    });
    this.#numbers.set(session, number);
  }

  /** @returns the number of the announcement. */
  #announceAll(all: readonly DeviceSession[]): Promise<number> {
    const { nodes, store } = this.#dependencies;
    const sessions = all.map(({ playerId, instanceId }) => ({ playerId, ...(instanceId !== undefined && { instanceId }) }));
    return store.write((db) => nodes.announce(db, "players.connected", { sessions }));
  }

  /** Rejects if the database cannot be read; the announcement is then delivered again. */
  async #followChanges(playerIds: readonly string[]): Promise<void> {
    const { commands, journal, store } = this.#dependencies;
    const held = [...new Set(playerIds)].filter((id) => this.#sessions.has(id));
    for (const chunk of inChunks(held)) {
      await this.#revoke(chunk);
      const entries = await journal.unacknowledged(store.db, chunk);
      this.#states.push(await commands.withoutCancelled(entries));
    }
  }

  /** Revokes the devices of deleted players, and those whose player has another device now. */
  async #revoke(playerIds: readonly string[]): Promise<void> {
    const { access, store } = this.#dependencies;
    const rows = await store.db.selectFrom("players").selectAll().where("id", "in", playerIds).execute();
    for (const row of rows) {
      const session = this.#sessions.get(row.id);
      if (session === undefined || (row.removed_at === null && row.thumbprint === session.thumbprint)) continue;
      session.revoke(await access.revocation({ ...row, thumbprint: session.thumbprint, removed_at: row.removed_at ?? row.updated_at }));
    }
  }

  /**
   * Of two sockets of a player on two nodes the newer one stays, but of two devices with one identity the one with the older socket. The
   * numbers of their announcements tell which is newer: the clocks of nodes differ.
   */
  async #compare(theirs: RemoteSession, number: number): Promise<void> {
    const ours = this.#sessions.get(theirs.playerId);
    if (ours === undefined) return;
    const { identities } = this.#dependencies.problems;
    identities.record(theirs.playerId, theirs.instanceId);
    // If it could not be announced, the other node does not hear of it and keeps its own.
    const isOursNewer = (await this.#numbers.get(ours))! > number;
    if (!ours.isOtherRun(theirs.instanceId) || identities.sharedSince(theirs.playerId) === null) {
      if (!isOursNewer) ours.close(closeCodes.replaced, "a newer socket took over");
    } else if (isOursNewer) ours.refuse();
    else await this.#announceShared(ours);
  }

  /** Has the other node refuse its newer socket: it may not have seen both devices for long enough to know that they are two. */
  async #announceShared({ playerId, instanceId }: DeviceSession): Promise<void> {
    const { nodes, store } = this.#dependencies;
    await store.write((db) => nodes.announce(db, "players.shared", { playerId, instanceId: instanceId! }));
  }
}
