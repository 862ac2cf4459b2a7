// PostgreSQL's clock, by which several nodes agree on times: their own clocks differ.
import { sql } from "kysely";

/** The database's clock in SQL, ms since the Unix epoch. Unlike `now()` it does not stand still within a transaction. */
export const databaseNowSql = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

/** The same with fractions of a millisecond. */
export const preciseNowSql = "(extract(epoch from clock_timestamp()) * 1000)::float8";

/** {@link databaseNowSql} for queries of kysely. */
export const databaseNow = sql<number>`${sql.raw(databaseNowSql)}`;
