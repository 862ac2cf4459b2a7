// The migrations of each schema of a PostgreSQL database.
import type { Migration } from "kysely/migration";
import { migrations, telemetryMigrations } from "../migrations/index.ts";
import { playEventMigrations } from "../migrations/play-events.ts";
import type { Schema } from "./pools.ts";

export const knownMigrations: Record<Schema, Record<string, Migration>> = {
  state: migrations,
  telemetry: telemetryMigrations,
  plays: playEventMigrations,
};
