// Builds migrations from SQL statements that SQLite and PostgreSQL share.
import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { isPostgres } from "../dialect.ts";

/** The columns of every table whose rows belong to a team. */
export const owned = "id TEXT PRIMARY KEY, team_id TEXT NOT NULL REFERENCES teams(id), created_at BIGINT NOT NULL";

/** A statement of both engines, or one for each. */
export type Statement = string | { sqlite: readonly string[]; postgres: readonly string[] };

/** A migration that runs `statements` in order. */
export function migration(statements: readonly Statement[]): Migration {
  return {
    async up(db: Kysely<unknown>) {
      const isOnPostgres = isPostgres(db);
      const engine = isOnPostgres ? "postgres" : "sqlite";
      for (const each of statements.flatMap((statement) => (typeof statement === "string" ? statement : statement[engine]))) {
        await sql.raw(isOnPostgres ? inByteOrder(each) : each).execute(db);
      }
    },
  };
}

/**
 * Gives every text column of a statement the order of its bytes, which is that of SQLite and JavaScript: pages and loops continue after
 * the last id that they have seen. Per column, because a database may have been created with any other order, and only its creator
 * can choose it for the whole database.
 */
function inByteOrder(statement: string): string {
  return /^(CREATE( UNLOGGED)?|ALTER) TABLE/.test(statement) ? statement.replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"') : statement;
}
