// Builds migrations from SQL statements that SQLite and PostgreSQL share.
import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** The columns of every table whose rows belong to a team. */
export const owned = "id TEXT PRIMARY KEY, team_id TEXT NOT NULL REFERENCES teams(id), created_at BIGINT NOT NULL";

/** A migration that runs `statements` in order. */
export function migration(statements: readonly string[]): Migration {
  return {
    async up(db: Kysely<unknown>) {
      for (const statement of statements) await sql.raw(statement).execute(db);
    },
  };
}
