// The parts of queries that differ between SQLite and PostgreSQL. Everything else is the same text for both.
import { PostgresAdapter, sql, type Kysely, type RawBuilder, type SqlBool } from "kysely";

/** True if `db` is a PostgreSQL database; otherwise it is an SQLite file. */
export function isPostgres<DB>(db: Kysely<DB>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/** The text of a top-level field of the JSON object in a column. */
export function jsonField<DB>(db: Kysely<DB>, column: string, field: string): RawBuilder<string> {
  const path = isPostgres(db) ? sql`cast(${sql.ref(column)} as json) ->> ` : sql`${sql.ref(column)} ->> `;
  return sql<string>`${path}${sql.lit(field)}`;
}

/** A list of texts as one parameter of a query. */
export type TextList = string | readonly string[];

/** The parameter for {@link isOneOf}. */
export function textList<DB>(db: Kysely<DB>, texts: readonly string[]): TextList {
  return isPostgres(db) ? texts : JSON.stringify(texts);
}

/** True if the text in a column is one of a list, which is one parameter: the query has the same text for any length of it. */
export function isOneOf<DB>(db: Kysely<DB>, column: string, list: TextList): RawBuilder<SqlBool> {
  return isPostgres(db)
    ? sql<SqlBool>`${sql.ref(column)} = any(${list})`
    : sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${list}))`;
}

/** A table with the columns `key` and `number`, from one parameter. For `from` of an update. */
export function numbersByKey<DB>(db: Kysely<DB>, rows: readonly (readonly [key: string, number: number])[]): RawBuilder<unknown> {
  const json = JSON.stringify(rows);
  return isPostgres(db)
    ? sql`(select value ->> 0 as key, (value ->> 1)::bigint as number from json_array_elements(${json}::json))`
    : sql`(select value ->> 0 as key, value ->> 1 as number from json_each(${json}))`;
}
