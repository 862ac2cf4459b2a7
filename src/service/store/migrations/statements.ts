// What migrations are made of: statements that SQLite and PostgreSQL share, run in order.
import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** The columns of everything that belongs to a team. */
export const owned = "id TEXT PRIMARY KEY, team_id TEXT NOT NULL REFERENCES teams(id), created_at BIGINT NOT NULL";

/** A step that runs `statements` in order. */
export function migration(statements: readonly string[]): Migration {
  return {
    async up(db: Kysely<unknown>) {
      for (const statement of statements) await sql.raw(statement).execute(db);
    },
  };
}
