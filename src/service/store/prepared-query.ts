// Queries that are asked at every request or heartbeat: kysely builds each once, which is most of what a small query costs.
import type { Compilable, CompiledQuery, Kysely } from "kysely";

/**
 * A query that is built once and run with other values each time.
 * @param build makes the query. Its values are stand-ins: they may only be passed on as parameters.
 */
export function preparedQuery<DB, V extends object, R>(
  build: (db: Kysely<DB>, values: V) => Compilable<R>,
): (db: Kysely<DB>, values: V) => Promise<R[]> {
  let query: CompiledQuery<R> | undefined;
  return async (db, values) => {
    query ??= build(db, standIns<V>()).compile();
    const parameters = query.parameters.map((each) => (each instanceof StandIn ? values[each.name as keyof V] : each));
    const { rows } = await db.executeQuery<R>({ ...query, parameters });
    return rows;
  };
}

/** Stands where the value of this name will be. */
class StandIn {
  readonly name: string | symbol;

  constructor(name: string | symbol) {
    this.name = name;
  }
}

function standIns<V extends object>(): V {
  return new Proxy({} as V, { get: (_, name) => new StandIn(name) });
}
