// The epoch of a service's journals, which identifies it: it changes when the database is lost or replaced.
import type { MakeId } from "./ids.ts";
import type { Db } from "./store.ts";

/** Reads the epoch, or creates it. */
export async function openEpoch(db: Db, makeId: MakeId): Promise<string> {
  // Only a unique value: it is not the id of an event.
  const row = { key: "journal-epoch", value: makeId("evt") };
  await db
    .insertInto("meta")
    .values(row)
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute();
  const { value } = await db.selectFrom("meta").select("value").where("key", "=", row.key).executeTakeFirstOrThrow();
  return value;
}
