// The table of single values that belong to the whole database.
import type { Db } from "./store.ts";

/** The value of a key, which becomes `fresh` if there is none. Nodes that start at once agree on one. */
export async function readOrCreateMeta(db: Db, key: string, fresh: string): Promise<string> {
  await db
    .insertInto("meta")
    .values({ key, value: fresh })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute();
  const { value } = await db.selectFrom("meta").select("value").where("key", "=", key).executeTakeFirstOrThrow();
  return value;
}
