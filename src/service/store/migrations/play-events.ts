// The migrations of the play events' database.
import type { Migration } from "kysely/migration";
import { playEventPartitionsMigration } from "./0070-partitions.ts";
import { migration } from "./statements.ts";

/** By name, in order. A released migration never changes. */
export const playEventMigrations: Record<string, Migration> = {
  "0001-first": migration([
    `CREATE TABLE play_events (player_id TEXT NOT NULL, id TEXT NOT NULL, team_id TEXT NOT NULL, layout_id TEXT NOT NULL,
      zone_id TEXT NOT NULL, item_id TEXT NOT NULL, asset_id TEXT, result TEXT NOT NULL, started_at BIGINT NOT NULL,
      duration_ms BIGINT NOT NULL, received_at BIGINT NOT NULL, details TEXT NOT NULL, PRIMARY KEY (player_id, id))`,
    "CREATE INDEX play_events_by_age ON play_events (team_id, started_at)",
    "CREATE INDEX play_events_by_player ON play_events (player_id, started_at)",
    "CREATE INDEX play_events_by_asset ON play_events (asset_id, started_at)",
    "CREATE INDEX play_events_by_arrival ON play_events (received_at)",
  ]),
  "0002-causes": migration([
    "ALTER TABLE play_events ADD COLUMN schedule_id TEXT",
    "ALTER TABLE play_events ADD COLUMN override_id TEXT",
    "ALTER TABLE play_events ADD COLUMN layer TEXT",
    // The id was part of the details before. Released players never sent one, so this changes almost no row.
    // A new PostgreSQL database has no such row.
    {
      sqlite: [`UPDATE play_events SET schedule_id = json_extract(details, '$.schedule_id') WHERE details NOT LIKE '%"schedule_id":null%'`],
      postgres: [],
    },
  ]),
  "0070-partitions": playEventPartitionsMigration,
};
