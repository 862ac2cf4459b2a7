// Bin columns of playlists and layouts, the index of player tags, minutes of heartbeats.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { migration } from "./statements.ts";

const tables = migration([
  "ALTER TABLE playlists ADD COLUMN deleted_at BIGINT",
  "ALTER TABLE layouts ADD COLUMN deleted_at BIGINT",
  "CREATE INDEX players_by_layout_age ON players (layout_id, created_at, id)",
  "CREATE INDEX commands_by_team ON commands (team_id, created_at, id)",
  "CREATE TABLE player_tags (player_id TEXT NOT NULL, tag TEXT NOT NULL, team_id TEXT NOT NULL, PRIMARY KEY (player_id, tag))",
  "CREATE INDEX player_tags_by_tag ON player_tags (team_id, tag, player_id)",
]);

/** The tables that this migration reads and writes. */
interface TagTables {
  players: { id: string; team_id: string; tags: string; removed_at: number | null };
  player_tags: { player_id: string; team_id: string; tag: string };
}

export const recordsMigration: Migration = {
  async up(db: Kysely<unknown>) {
    await tables.up(db);
    const known = db as Kysely<TagTables>;
    const players = await known.selectFrom("players").select(["id", "team_id", "tags"]).where("removed_at", "is", null).execute();
    for (const { id, team_id, tags } of players) {
      const rows = [...new Set(JSON.parse(tags) as string[])].map((tag) => ({ player_id: id, team_id, tag }));
      if (rows.length > 0) await known.insertInto("player_tags").values(rows).execute();
    }
  },
};

export const recordsTelemetryMigration = migration([
  `CREATE TABLE heartbeat_minutes (player_id TEXT NOT NULL, minute BIGINT NOT NULL, beats BIGINT NOT NULL, rendering BIGINT NOT NULL,
    cpu_load_max DOUBLE PRECISION NOT NULL, memory_bytes_max BIGINT NOT NULL, temperature_c_max DOUBLE PRECISION,
    disk_free_bytes_min BIGINT, clock_error_ms_max DOUBLE PRECISION, boot_id TEXT NOT NULL, uptime_ms BIGINT NOT NULL, revision TEXT,
    PRIMARY KEY (player_id, minute))`,
  "CREATE INDEX heartbeat_minutes_by_age ON heartbeat_minutes (minute)",
]);
