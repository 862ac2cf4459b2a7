// The counts that the nodes of a PostgreSQL database share: attempts, such as guesses, and requests. A service on SQLite counts in memory.
import { migration } from "./statements.ts";

export const limitsMigration = migration([
  {
    sqlite: [],
    postgres: [
      "CREATE TABLE attempts (name TEXT NOT NULL, key TEXT NOT NULL, times BIGINT[] NOT NULL, ends_at BIGINT NOT NULL, PRIMARY KEY (name, key))",
      "CREATE INDEX attempts_by_end ON attempts (ends_at)",
      // Lost when PostgreSQL crashes, which costs a minute's counts.
      `CREATE UNLOGGED TABLE quota_use (quota TEXT NOT NULL, key TEXT NOT NULL, node_id TEXT NOT NULL, window_number BIGINT NOT NULL,
        used BIGINT NOT NULL, ends_at BIGINT NOT NULL, changed_at BIGINT NOT NULL, PRIMARY KEY (quota, key, node_id))`,
      "CREATE INDEX quota_use_by_change ON quota_use (changed_at)",
    ],
  },
]);
