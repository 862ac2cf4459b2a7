// Where the player of a heartbeat is connected, for services of several nodes. SQLite leaves the columns empty.
import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { isPostgres } from "../dialect.ts";
import { migration } from "./statements.ts";

const columns = migration(
  ["node_id TEXT", "link TEXT", "changed_at BIGINT"].map((column) => `ALTER TABLE heartbeats ADD COLUMN ${column}`),
);

export const presenceMigration: Migration = {
  async up(db: Kysely<unknown>) {
    await columns.up(db);
    // Other nodes read the changes since their last read. One process never does, so that it need not keep the index.
    if (isPostgres(db)) await sql.raw("CREATE INDEX heartbeats_by_change ON heartbeats (changed_at)").execute(db);
  },
};
