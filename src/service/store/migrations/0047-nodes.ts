// The nodes that share a PostgreSQL database: their leases, and their announcements to each other. A service on SQLite is alone.
import { migration } from "./statements.ts";

export const nodesMigration = migration([
  {
    sqlite: [],
    postgres: [
      "CREATE TABLE nodes (id TEXT PRIMARY KEY, host TEXT NOT NULL, started_at BIGINT NOT NULL, lease_until BIGINT NOT NULL)",
      "CREATE TABLE leases (name TEXT PRIMARY KEY, node_id TEXT NOT NULL, token BIGINT NOT NULL, held_until BIGINT NOT NULL)",
      // Makes the token a key: a new holder waits for the writes of the one before it, which hold FOR KEY SHARE; renewals do not.
      "CREATE UNIQUE INDEX leases_by_token ON leases (name, token)",
      `CREATE TABLE announcements (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
        node_id TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
        created_at BIGINT NOT NULL DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint)`,
      "CREATE INDEX announcements_in_order ON announcements (xid, id)",
    ],
  },
]);
