// What a query has to write differently for SQLite and PostgreSQL. Everything else is the same text for both.
import { PostgresAdapter, sql, type Kysely, type RawBuilder } from "kysely";

/** Whether `db` is a PostgreSQL database; otherwise it is an SQLite file. */
export function isPostgres<DB>(db: Kysely<DB>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/** The text of a top-level field of the JSON object in a column. */
export function jsonField<DB>(db: Kysely<DB>, column: string, field: string): RawBuilder<string> {
  const path = isPostgres(db) ? sql`cast(${sql.ref(column)} as json) ->> ` : sql`${sql.ref(column)} ->> `;
  return sql<string>`${path}${sql.lit(field)}`;
}
