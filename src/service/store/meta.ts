// The table of single values that belong to the whole database.
import type { Db } from "./store.ts";

/** Its keys. */
export const metaKeys = {
  /** Identifies the journals: see epoch.ts. */
  journalEpoch: "journal-epoch",
  /** By which players recognize the nodes of a service. A service on SQLite has it in its data folder. */
  serviceKey: "service-key",
  /** From which the keys of short-lived secrets are derived. */
  secretsKey: "secrets-key",
  /** Up to which number announcements between nodes were deleted. */
  announcementsTrimmedId: "announcements-trimmed-id",
  /** The same as the number of a transaction, for nodes of versions before 0074. */
  announcementsTrimmed: "announcements-trimmed",
  /** Where all nodes keep blobs. */
  blobsPlace: "blobs-place",
} as const;

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
