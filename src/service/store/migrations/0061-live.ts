// Live views whose viewers and player are at different nodes of a PostgreSQL database. A service on SQLite passes frames on in memory.
import { migration } from "./statements.ts";

export const liveMigration = migration([
  {
    sqlite: [],
    // Unlogged, since a frame is of no use a second later.
    postgres: [
      `CREATE UNLOGGED TABLE live_viewers (stream_id TEXT NOT NULL, node_id TEXT NOT NULL, player_id TEXT NOT NULL, command_id TEXT NOT NULL,
        fps BIGINT NOT NULL, width BIGINT NOT NULL, quality BIGINT NOT NULL, until BIGINT NOT NULL, PRIMARY KEY (stream_id, node_id))`,
      "CREATE INDEX live_viewers_by_player ON live_viewers (player_id)",
      `CREATE UNLOGGED TABLE live_frames (stream_id TEXT PRIMARY KEY, node_id TEXT NOT NULL, number BIGINT NOT NULL, frame BYTEA NOT NULL)`,
    ],
  },
]);
