// How long what has ended is kept, and its removal: a part at a time, each in a transaction of its own.
import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import { finalStatuses } from "../../protocol/device/commands.ts";
import type { BlobSweeper } from "../content/blob-sweeper.ts";
import { idempotencyTtlMs } from "../http/idempotency.ts";
import type { Db, Store } from "../store/store.ts";

const dayMs = 86_400_000;
/** How long an ended command, an ended token, an ended invitation and a screenshot are kept, ms. */
const endedKeptMs = 90 * dayMs;
/** A box asks for its token within minutes of its claim, or when its network is back. */
const claimedKeptMs = dayMs;
/** The newest boxes that a player has moved away from: each is still told so. */
const formerKeysKept = 100;
// What one transaction removes: a few milliseconds, while which other writes wait.
const partSize = 500;

interface RetentionParts {
  store: Store;
  sweeper: BlobSweeper;
}
/** Removes at most `most` rows whose time is over, and gives back those that it removed. */
type Removal = (db: Db, most: number) => Promise<readonly unknown[]>;

/**
 * Removes what has ended long enough ago at `now` (ms since the epoch). What a crash leaves is removed by the next call; files of
 * removed rows go by the sweeper. Rejects with an AbortError when `signal` aborts.
 */
export async function removeExpiredRecords({ store, sweeper }: RetentionParts, now: number, signal: AbortSignal): Promise<void> {
  for (const remove of removals(now, sweeper)) {
    for (let count = partSize; count === partSize;) {
      const removed = await store.write((db) => remove(db, partSize));
      count = removed.length;
      await setImmediate(undefined, { signal });
    }
  }
}

function removals(now: number, sweeper: BlobSweeper): readonly Removal[] {
  const ended = now - endedKeptMs;
  return [
    async (db, most) => {
      const old = db.selectFrom("screenshots").select("id").where("created_at", "<", ended).orderBy("created_at").limit(most);
      const gone = await db.deleteFrom("screenshots").where("id", "in", old).returning("sha256").execute();
      sweeper.mark(gone);
      return gone;
    },
    (db, most) => {
      const old = db
        .selectFrom("commands")
        .select("id")
        .where("updated_at", "<", ended)
        .where("status", "in", finalStatuses)
        // An override without an end goes on long after its command was carried out.
        .where("id", "not in", db.selectFrom("overrides").select("command_id"))
        .orderBy("updated_at")
        .limit(most);
      return db.deleteFrom("commands").where("id", "in", old).returning("id").execute();
    },
    (db, most) => {
      const old = db
        .selectFrom("tokens")
        .select("id")
        .where((row) => row.or([row("revoked_at", "<", ended), row("expires_at", "<", ended)]))
        .limit(most);
      return db.deleteFrom("tokens").where("id", "in", old).returning("id").execute();
    },
    (db, most) => {
      const old = db
        .selectFrom("invitations")
        .select("id")
        .where((row) => row.or([row("accepted_at", "<", ended), row("revoked_at", "<", ended), row("expires_at", "<", ended)]))
        .limit(most);
      return db.deleteFrom("invitations").where("id", "in", old).returning("id").execute();
    },
    (db, most) => {
      const old = db
        .selectFrom("idempotency")
        .select(["token_id", "key"])
        .where("created_at", "<", now - idempotencyTtlMs)
        .limit(most);
      const rows = db.deleteFrom("idempotency").where((row) => row(row.refTuple("token_id", "key"), "in", old.$asTuple("token_id", "key")));
      return rows.returning("key").execute();
    },
    (db, most) => {
      const old = db.selectFrom("device_tokens").select("hash").where("expires_at", "<=", now).limit(most);
      return db.deleteFrom("device_tokens").where("hash", "in", old).returning("hash").execute();
    },
    (db, most) => {
      const old = db
        .selectFrom("pairing_requests")
        .select("id")
        .where((row) =>
          row.or([row.and([row("expires_at", "<=", now), row("player_id", "is", null)]), row("created_at", "<=", now - claimedKeptMs)]),
        )
        .limit(most);
      return db.deleteFrom("pairing_requests").where("id", "in", old).returning("id").execute();
    },
    (db, most) => {
      const place = sql<number>`row_number() over (partition by player_id order by replaced_at desc, public_key)`.as("place");
      const all = db.selectFrom("former_keys").select(["player_id", "public_key", place]);
      const old = db.selectFrom(all.as("former")).select(["player_id", "public_key"]).where("place", ">", formerKeysKept).limit(most);
      const rows = db.deleteFrom("former_keys");
      return rows
        .where((row) => row(row.refTuple("player_id", "public_key"), "in", old.$asTuple("player_id", "public_key")))
        .returning("player_id")
        .execute();
    },
  ];
}
