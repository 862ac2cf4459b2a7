// Holiday calendars: named lists of dates.
import { migration, owned } from "./statements.ts";

export const calendarsMigration = migration([
  `CREATE TABLE calendars (${owned}, name TEXT NOT NULL, dates TEXT NOT NULL, updated_at BIGINT NOT NULL)`,
  "CREATE INDEX calendars_by_age ON calendars (team_id, created_at, id)",
]);
