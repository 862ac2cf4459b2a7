// Builds a query once and runs it with different values: building is most of the cost of a small kysely query.
import type { Compilable, CompiledQuery, Kysely } from "kysely";
import { isPostgres } from "./dialect.ts";

/**
 * A query for hot paths, such as every request or heartbeat.
 * @param build builds the query from placeholders, which it may only pass on as parameters.
 */
export function preparedQuery<DB, V extends object, R>(
  build: (db: Kysely<DB>, values: V) => Compilable<R>,
): (db: Kysely<DB>, values: V) => Promise<R[]> {
  // Their texts differ. A process has databases of both engines only while it moves data, and in tests.
  const queries: { sqlite?: CompiledQuery<R>; postgres?: CompiledQuery<R> } = {};
  return async (db, values) => {
    const query = (queries[isPostgres(db) ? "postgres" : "sqlite"] ??= build(db, placeholders<V>()).compile());
    const parameters = query.parameters.map((each) => (each instanceof Placeholder ? values[each.name as keyof V] : each));
    const { rows } = await db.executeQuery<R>({ ...query, parameters });
    return rows;
  };
}

/** Marks the parameter for the value of this name. */
class Placeholder {
  readonly name: string | symbol;

  constructor(name: string | symbol) {
    this.name = name;
  }
}

function placeholders<V extends object>(): V {
  return new Proxy({} as V, { get: (_, name) => new Placeholder(name) });
}
