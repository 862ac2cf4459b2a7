// Opens the service's databases as three schemas of a PostgreSQL database. Only a service with --database loads this file and `pg`.
import { Kysely } from "kysely";
import { silentLog, type Log } from "../../../base/log.ts";
import { CommitHooks, type Store } from "../store.ts";
import type { Tables } from "../tables/tables.ts";
import type { PlayEventTables, TelemetryTables } from "../tables/telemetry.ts";
import { PooledDialect } from "./driver.ts";
import { migratePostgres } from "./migrate.ts";
import { openPool, sessionOf, type Schema } from "./pools.ts";
import { PostgresPartitions } from "./postgres-partitions.ts";
import { beginWrite, beginWriteAlone, WriteQueue } from "./write-queue.ts";

/**
 * Migrates the database at `url` and opens it. Several nodes may do so at once.
 * @throws Fault `unsupported` when an incompatible version wrote it; `store-unavailable` when it cannot be reached.
 */
export async function openPostgresStore(url: string, log: Log = silentLog): Promise<Store> {
  await migratePostgres(url, log);
  await using opened = new AsyncDisposableStack();
  const open = (schema: Schema) => {
    const pool = opened.use(openPool(url, schema, log));
    return <T>(begin = "begin") => new Kysely<T>({ dialect: new PooledDialect({ pool, prepare: sessionOf(schema), begin }) });
  };
  const state = open("state");
  const writes = new WriteQueue(state<Tables>(beginWrite), state<Tables>(beginWriteAlone));
  const [telemetry, plays] = [open("telemetry"), open("plays")];
  const partitions = new PostgresPartitions({ telemetry: telemetry<never>(), plays: plays<never>() }, log);
  const owned = opened.move();
  const hooks = new CommitHooks();
  return {
    db: state<Tables>(),
    telemetry: telemetry<TelemetryTables>(),
    plays: plays<PlayEventTables>(),
    partitions,
    isShared: true,
    write: (write) => hooks.run((each) => writes.run(each), write),
    writeAlone: (write) => hooks.run((each) => writes.runAlone(each), write),
    onBegin: (listener) => hooks.onBegin(listener),
    beforeCommit: (listener) => hooks.beforeCommit(listener),
    onCommit: (listener) => hooks.onCommit(listener),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
