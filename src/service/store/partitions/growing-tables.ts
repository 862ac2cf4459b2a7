// The tables that grow with time, and how PostgreSQL divides each into partitions.
import { dayMs } from "../../../base/time.ts";

/** Up to this many days are kept as single days. */
const longestInDays = 62;

/** A table in partitions, each with the rows of some UTC days. */
export interface GrowingTable {
  schema: "telemetry" | "plays";
  name: "heartbeat_minutes" | "heartbeat_hours" | "play_events";
  /** Columns that are unique within each partition; the table itself has no unique key then. Null: its primary key is that of all. */
  uniqueInPartition: string | null;
  /** The column of whose range each partition is. */
  key: string;
  /** How many of the key's units a day has. */
  unitsPerDay: number;
  /** The column whose age decides when a row is deleted, and how many of its units a day has. */
  age: { column: string; unitsPerDay: number };
  /** How many days one partition has, of a table that keeps its rows for `keptDays`. */
  daysPerPartition: (keptDays: number) => number;
}

/**
 * By day as long as there are few days. A query that names no time locks and plans each partition with its indexes: 400 days would take
 * 2,400 of the 6,400 locks that a server has by default, weeks take 360.
 */
const playEvents: GrowingTable = {
  schema: "plays",
  name: "play_events",
  uniqueInPartition: "player_id, id",
  key: "started_at",
  unitsPerDay: dayMs,
  age: { column: "received_at", unitsPerDay: dayMs },
  daysPerPartition: (keptDays) => (keptDays <= longestInDays ? 1 : 7),
};

const minutes: GrowingTable = {
  schema: "telemetry",
  name: "heartbeat_minutes",
  uniqueInPartition: null,
  key: "minute",
  unitsPerDay: 1_440,
  age: { column: "minute", unitsPerDay: 1_440 },
  daysPerPartition: () => 1,
};

/** A sixtieth of the minutes' rows, so partitions of four weeks are small, and the search for a player's last hour reads only 15. */
const hours: GrowingTable = {
  schema: "telemetry",
  name: "heartbeat_hours",
  uniqueInPartition: null,
  key: "hour",
  unitsPerDay: 24,
  age: { column: "hour", unitsPerDay: 24 },
  daysPerPartition: () => 28,
};

export const growingTables = { play_events: playEvents, heartbeat_minutes: minutes, heartbeat_hours: hours } as const;
