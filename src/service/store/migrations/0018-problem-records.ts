// The problems of each player from their beginning to their end.
import { migration } from "./statements.ts";

export const problemRecordsMigration = migration([
  `CREATE TABLE problem_records (player_id TEXT NOT NULL, id TEXT NOT NULL, code TEXT NOT NULL, zone_id TEXT, item_id TEXT,
    detail TEXT NOT NULL, remedy TEXT NOT NULL, started_at BIGINT NOT NULL, ended_at BIGINT, times BIGINT NOT NULL,
    received_at BIGINT NOT NULL, PRIMARY KEY (player_id, id))`,
  "CREATE INDEX problem_records_by_age ON problem_records (player_id, started_at, id)",
  "CREATE INDEX problem_records_by_arrival ON problem_records (received_at)",
]);
