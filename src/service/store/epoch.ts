// The epoch of a service's journals, which identifies it: it changes when the database is lost or replaced.
import type { MakeId } from "./ids.ts";
import { metaKeys, readOrCreateMeta } from "./meta.ts";
import type { Db } from "./store.ts";

/** Reads the epoch, or creates it. */
export function openEpoch(db: Db, makeId: MakeId): Promise<string> {
  // Only a unique value: it is not the id of an event.
  return readOrCreateMeta(db, metaKeys.journalEpoch, makeId("evt"));
}
