// The live views of all nodes of a service, in unlogged tables: the viewers of each stream, and its newest frame.
import { sql } from "kysely";
import type { LiveQuery } from "../../protocol/device/live.ts";
import { databaseNow } from "../store/database-time.ts";
import type { Db } from "../store/store.ts";

/** A stream that another node has started. */
export interface StartedStream {
  id: string;
  commandId: string;
}

/** A frame that another node has received. */
export interface RemoteFrame {
  streamId: string;
  number: number;
  frame: Buffer;
}

// A node that has died watches no more.
const watchedMs = 15_000;

export class SharedStreams {
  readonly #db: Db;
  readonly #nodeId: string;

  constructor(db: Db, nodeId: string) {
    this.#db = db;
    this.#nodeId = nodeId;
  }

  /** The stream of a player that other nodes watch and that has been started; undefined: none. */
  async findOf(playerId: string): Promise<StartedStream | undefined> {
    const rows = this.#watched().select(["stream_id", "command_id"]).where("player_id", "=", playerId);
    const row = await rows.where("command_id", "!=", "").orderBy("stream_id", "desc").executeTakeFirst();
    return row && { id: row.stream_id, commandId: row.command_id };
  }

  /** Says that this node watches a stream, and with which wishes. To be repeated. The command's id is empty until it is stored. */
  async watch({ id, commandId }: StartedStream, playerId: string, wishes: LiveQuery): Promise<void> {
    const values = { player_id: playerId, command_id: commandId, ...wishes, until: sql<number>`${databaseNow} + ${watchedMs}` };
    await this.#db
      .insertInto("live_viewers")
      .values({ stream_id: id, node_id: this.#nodeId, ...values })
      .onConflict((conflict) => conflict.columns(["stream_id", "node_id"]).doUpdateSet(values))
      .execute();
  }

  /** Says that this node watches a stream no more. */
  async leave(streamId: string): Promise<void> {
    await this.#db.deleteFrom("live_viewers").where("stream_id", "=", streamId).where("node_id", "=", this.#nodeId).execute();
    await this.#db.deleteFrom("live_viewers").where("until", "<", databaseNow).execute();
    const watched = this.#db.selectFrom("live_viewers").select("stream_id");
    await this.#db.deleteFrom("live_frames").where("stream_id", "not in", watched).execute();
  }

  /** The wishes of a stream's viewers at other nodes. */
  async wishesOfOthers(streamId: string, playerId: string): Promise<LiveQuery[]> {
    const rows = this.#watched().select(["fps", "width", "quality"]).where("stream_id", "=", streamId);
    return rows.where("player_id", "=", playerId).execute();
  }

  /** Passes a frame on to other nodes. */
  async put(streamId: string, frame: Buffer): Promise<void> {
    const row = { node_id: this.#nodeId, frame };
    await this.#db
      .insertInto("live_frames")
      .values({ stream_id: streamId, number: 1, ...row })
      .onConflict((conflict) =>
        conflict.column("stream_id").doUpdateSet((old) => ({ ...row, number: sql<number>`${old.ref("live_frames.number")} + 1` })),
      )
      .execute();
  }

  /** The newest frames that other nodes have received. @param known by stream, the number of the last one that is known */
  async newFrames(known: ReadonlyMap<string, number>): Promise<RemoteFrame[]> {
    const ids = [...known.keys()];
    // Numbers first: most frames are known, and they are large.
    const numbers = await this.#db
      .selectFrom("live_frames")
      .select(["stream_id", "number"])
      .where("stream_id", "in", ids)
      .where("node_id", "!=", this.#nodeId)
      .execute();
    const fresh = numbers.filter(({ stream_id, number }) => number > known.get(stream_id)!).map(({ stream_id }) => stream_id);
    if (fresh.length === 0) return [];
    const rows = await this.#db
      .selectFrom("live_frames")
      .select(["stream_id", "number", "frame"])
      .where("stream_id", "in", fresh)
      .execute();
    return rows.map(({ stream_id: streamId, number, frame }) => ({ streamId, number, frame }));
  }

  #watched() {
    return this.#db.selectFrom("live_viewers").where("until", ">", databaseNow).where("node_id", "!=", this.#nodeId);
  }
}
