// The tables of what players did: tags to find them by, minutes of heartbeats, play events.
import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** One minute of a player's heartbeats. */
export interface HeartbeatMinuteRow {
  player_id: string;
  /** Minutes since the Unix epoch. */
  minute: number;
  beats: number;
  /** Of the beats, those that said that frames were presented. */
  rendering: number;
  cpu_load_max: number;
  memory_bytes_max: number;
  temperature_c_max: number | null;
  disk_free_bytes_min: number | null;
  clock_error_ms_max: number | null;
  drift_ms_max: number | null;
  /** Of the minute's last beat. */
  boot_id: string;
  uptime_ms: number;
  revision: string | null;
}

/** A play event as it is kept. Times in ms since the Unix epoch, by the player's corrected clock. */
export interface PlayEventRow {
  player_id: string;
  id: string;
  team_id: string;
  layout_id: string;
  schedule_id: string | null;
  override_id: string | null;
  /** Null: an older player did not tell. */
  layer: string | null;
  zone_id: string;
  item_id: string;
  asset_id: string | null;
  result: string;
  started_at: number;
  duration_ms: number;
  received_at: number;
  /** JSON of what is only shown, never looked for. */
  details: string;
}

/** All tables of the play events' database. */
export interface PlayEventTables {
  play_events: PlayEventRow;
}

export const recordsMigration: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of [
      "ALTER TABLE playlists ADD COLUMN deleted_at BIGINT",
      "ALTER TABLE layouts ADD COLUMN deleted_at BIGINT",
      "CREATE INDEX players_by_layout_age ON players (layout_id, created_at, id)",
      "CREATE INDEX commands_by_team ON commands (team_id, created_at, id)",
      "CREATE TABLE player_tags (player_id TEXT NOT NULL, tag TEXT NOT NULL, team_id TEXT NOT NULL, PRIMARY KEY (player_id, tag))",
      "CREATE INDEX player_tags_by_tag ON player_tags (team_id, tag, player_id)",
    ]) {
      await sql.raw(statement).execute(db);
    }
    const known = db as Kysely<{
      players: { id: string; team_id: string; tags: string; removed_at: number | null };
      player_tags: { player_id: string; team_id: string; tag: string };
    }>;
    for (const { id, team_id, tags } of await known
      .selectFrom("players")
      .select(["id", "team_id", "tags"])
      .where("removed_at", "is", null)
      .execute()) {
      const rows = [...new Set(JSON.parse(tags) as string[])].map((tag) => ({ player_id: id, team_id, tag }));
      if (rows.length > 0) await known.insertInto("player_tags").values(rows).execute();
    }
  },
};

export const recordsTelemetryMigration: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of [
      `CREATE TABLE heartbeat_minutes (player_id TEXT NOT NULL, minute BIGINT NOT NULL, beats BIGINT NOT NULL, rendering BIGINT NOT NULL,
        cpu_load_max DOUBLE PRECISION NOT NULL, memory_bytes_max BIGINT NOT NULL, temperature_c_max DOUBLE PRECISION,
        disk_free_bytes_min BIGINT, clock_error_ms_max DOUBLE PRECISION, boot_id TEXT NOT NULL, uptime_ms BIGINT NOT NULL, revision TEXT,
        PRIMARY KEY (player_id, minute))`,
      "CREATE INDEX heartbeat_minutes_by_age ON heartbeat_minutes (minute)",
    ]) {
      await sql.raw(statement).execute(db);
    }
  },
};

/** Steps that bring an older database of play events up to date, by name in order. */
export const playEventMigrations: Record<string, Migration> = {
  "0001-first": {
    async up(db: Kysely<unknown>) {
      for (const statement of [
        `CREATE TABLE play_events (player_id TEXT NOT NULL, id TEXT NOT NULL, team_id TEXT NOT NULL, layout_id TEXT NOT NULL,
          zone_id TEXT NOT NULL, item_id TEXT NOT NULL, asset_id TEXT, result TEXT NOT NULL, started_at BIGINT NOT NULL,
          duration_ms BIGINT NOT NULL, received_at BIGINT NOT NULL, details TEXT NOT NULL, PRIMARY KEY (player_id, id))`,
        "CREATE INDEX play_events_by_age ON play_events (team_id, started_at)",
        "CREATE INDEX play_events_by_player ON play_events (player_id, started_at)",
        "CREATE INDEX play_events_by_asset ON play_events (asset_id, started_at)",
        "CREATE INDEX play_events_by_arrival ON play_events (received_at)",
      ]) {
        await sql.raw(statement).execute(db);
      }
    },
  },
  "0002-causes": {
    async up(db: Kysely<unknown>) {
      for (const statement of [
        "ALTER TABLE play_events ADD COLUMN schedule_id TEXT",
        "ALTER TABLE play_events ADD COLUMN override_id TEXT",
        "ALTER TABLE play_events ADD COLUMN layer TEXT",
        // Stood among what is only shown. Our own players never told one, so this writes next to nothing.
        `UPDATE play_events SET schedule_id = json_extract(details, '$.schedule_id') WHERE details NOT LIKE '%"schedule_id":null%'`,
      ]) {
        await sql.raw(statement).execute(db);
      }
    },
  },
};
