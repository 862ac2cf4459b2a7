// What other nodes did that concerns this node's sockets of devices: new journal entries, revocations, and newer sockets of a player.
import { Batch } from "../../../base/async/batch.ts";
import { reasonOf } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import { closeCodes } from "../../../protocol/device/messages.ts";
import type { Announcements } from "../../nodes/node-messages.ts";
import type { Nodes } from "../../nodes/nodes.ts";
import { inChunks } from "../../store/chunks.ts";
import type { Store } from "../../store/store.ts";
import type { Commands } from "../commands.ts";
import type { PlayerProblems } from "../player-problems.ts";
import type { DeviceAccess } from "./device-access.ts";
import type { DeviceJournal } from "./device-journal.ts";
import type { DeviceSession } from "./device-session.ts";

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
  readonly #connected: Batch<RemoteSession>;

  /** @param sessions this node's, by player */
  constructor(dependencies: RemoteChangesDependencies, sessions: ReadonlyMap<string, DeviceSession>) {
    this.#dependencies = dependencies;
    this.#sessions = sessions;
    const { nodes, store } = dependencies;
    this.#connected = new Batch(maxConnectedBatch, (all) =>
      store.write((db) => nodes.announce(db, "players.connected", { sessions: all })),
    );
    nodes.onAnnounced("players.changed", ({ playerIds }) => this.#followChanges(playerIds));
    nodes.onAnnounced("players.connected", ({ sessions: theirs }) => {
      for (const session of theirs) this.#compare(session);
    });
  }

  /** Tells the other nodes that a player is connected here. A node that does not hear it notices by itself that its socket is dead. */
  announceConnected({ id, playerId, instanceId }: DeviceSession): void {
    if (!this.#dependencies.nodes.isShared) return;
    this.#connected.add({ id, playerId, ...(instanceId !== undefined && { instanceId }) }).catch((error: unknown) => {
      this.#dependencies.log.warn({ reason: reasonOf(error), player_id: playerId }, "a player's connection could not be announced");
    });
  }

  /** Rejects if the database cannot be read; the announcement is then delivered again. */
  async #followChanges(playerIds: readonly string[]): Promise<void> {
    const { commands, journal, store } = this.#dependencies;
    const held = [...new Set(playerIds)].filter((id) => this.#sessions.has(id));
    for (const chunk of inChunks(held)) {
      await this.#revoke(chunk);
      const entries = await journal.unacknowledged(store.db, chunk);
      for (const entry of await commands.withoutCancelled(entries)) this.#sessions.get(entry.playerId)?.push(entry);
    }
  }

  /** Revokes the devices of deleted players, and those whose player has another device now. */
  async #revoke(playerIds: readonly string[]): Promise<void> {
    const { access, store } = this.#dependencies;
    const rows = await store.db.selectFrom("players").selectAll().where("id", "in", playerIds).execute();
    for (const row of rows) {
      const session = this.#sessions.get(row.id);
      if (session === undefined || (row.removed_at === null && row.thumbprint === session.thumbprint)) continue;
      session.revoke(access.revocation({ ...row, thumbprint: session.thumbprint, removed_at: row.removed_at ?? row.updated_at }));
    }
  }

  /** Of two sockets of a player on two nodes the newer one stays; but of two devices with one identity the one that was first. */
  #compare(theirs: RemoteSession): void {
    const ours = this.#sessions.get(theirs.playerId);
    if (ours === undefined) return;
    const { identities } = this.#dependencies.problems;
    identities.record(theirs.playerId, theirs.instanceId);
    const isOurs = ours.id > theirs.id;
    const isOther = ours.instanceId !== undefined && theirs.instanceId !== undefined && ours.instanceId !== theirs.instanceId;
    if (!isOther || identities.sharedSince(theirs.playerId) === null) {
      if (!isOurs) ours.close(closeCodes.replaced, "a newer socket took over");
    } else if (isOurs) ours.close(closeCodes.identityShared, "another device uses this identity");
    // The other node hears of the older socket, and closes its own.
    else this.announceConnected(ours);
  }
}
