// Deletes expired records: old commands, screenshots, tokens, invitations and the like. Works in small transactions.
import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import { dayMs } from "../../base/time.ts";
import { finalStatuses } from "../../protocol/device/commands.ts";
import type { BlobSweeper } from "../content/blob-sweeper.ts";
import { idempotencyTtlMs } from "../http/idempotency.ts";
import type { Db, Store } from "../store/store.ts";
import { publishingRemovals, type Removal } from "./old-versions.ts";

/** For screenshots, collected logs and recorded problems, and for commands, their batches, tokens, invitations, enrolment keys, links to reports, rollouts and alerts after their end. */
const retentionMs = 90 * dayMs;
/** For screenshots that players take by themselves. */
const ownPicturesMs = 7 * dayMs;
/** A device fetches its token within minutes of the pairing, or when its network is back. */
const claimedRetentionMs = dayMs;
const mailRetentionMs = 30 * dayMs;
/** The cookie that marks a known browser lasts as long. */
const knownBrowserMs = 400 * dayMs;
/** How many replaced devices of each player the service still informs. */
const maxFormerKeys = 100;
// One transaction takes a few milliseconds, while other writes wait.
const batchSize = 500;

interface RetentionDependencies {
  store: Store;
  sweeper: BlobSweeper;
}

/**
 * Deletes the records that have expired at `now` (ms since the epoch). After a crash the next call continues. The sweeper deletes
 * their files. Rejects with an AbortError when `signal` aborts.
 */
export async function removeExpiredRecords({ store, sweeper }: RetentionDependencies, now: number, signal: AbortSignal): Promise<void> {
  for (const remove of removals(now, sweeper)) {
    for (let count = batchSize; count === batchSize;) {
      const removed = await store.write((db) => remove(db, batchSize));
      count = removed.length;
      await setImmediate(undefined, { signal });
    }
  }
}

function removals(now: number, sweeper: BlobSweeper): readonly Removal[] {
  const before = now - retentionMs;
  return [
    async (db, limit) => {
      const old = db
        .selectFrom("screenshots")
        .select("id")
        .where((row) =>
          row.or([row("created_at", "<", before), row.and([row("created_at", "<", now - ownPicturesMs), row("command_id", "is", null)])]),
        )
        .orderBy("created_at")
        .limit(limit);
      const deleted = await db.deleteFrom("screenshots").where("id", "in", old).returning("sha256").execute();
      sweeper.mark(deleted);
      return deleted;
    },
    async (db, limit) => {
      const old = db.selectFrom("collected_logs").select("id").where("created_at", "<", before).orderBy("created_at").limit(limit);
      const deleted = await db.deleteFrom("collected_logs").where("id", "in", old).returning("sha256").execute();
      sweeper.mark(deleted);
      return deleted;
    },
    (db, limit) => {
      const old = db
        .selectFrom("commands")
        .select("id")
        .where("updated_at", "<", before)
        .where("status", "in", finalStatuses)
        // An override without an end lasts long after its command has succeeded.
        .where("id", "not in", db.selectFrom("overrides").select("command_id"))
        .orderBy("updated_at")
        .limit(limit);
      return db.deleteFrom("commands").where("id", "in", old).returning("id").execute();
    },
    (db, limit) => {
      const old = db
        .selectFrom("tokens")
        .select("id")
        .where((row) => row.or([row("revoked_at", "<", before), row("expires_at", "<", before)]))
        .limit(limit);
      return db.deleteFrom("tokens").where("id", "in", old).returning("id").execute();
    },
    (db, limit) => {
      const old = db.selectFrom("sign_in_links").select("id").where("expires_at", "<", before).limit(limit);
      return db.deleteFrom("sign_in_links").where("id", "in", old).returning("id").execute();
    },
    (db, limit) => {
      const unused = now - knownBrowserMs;
      const old = db.selectFrom("known_browsers").select("secret_hash").where("used_at", "<", unused).orderBy("used_at").limit(limit);
      return db.deleteFrom("known_browsers").where("secret_hash", "in", old).returning("user_id").execute();
    },
    (db, limit) => {
      const old = db.selectFrom("email_proofs").select("user_id").where("expires_at", "<", now).limit(limit);
      return db.deleteFrom("email_proofs").where("user_id", "in", old).returning("user_id").execute();
    },
    (db, limit) => {
      const old = db
        .selectFrom("invitations")
        .select("id")
        .where((row) => row.or([row("accepted_at", "<", before), row("revoked_at", "<", before), row("expires_at", "<", before)]))
        .limit(limit);
      return db.deleteFrom("invitations").where("id", "in", old).returning("id").execute();
    },
    (db, limit) => {
      const old = db.selectFrom("enrolments").select("player_id").where("key_id", "in", endedKeys(db, before)).limit(limit);
      return db.deleteFrom("enrolments").where("player_id", "in", old).returning("player_id").execute();
    },
    // After the enrolments, which refer to them.
    (db, limit) => db.deleteFrom("enrolment_keys").where("id", "in", endedKeys(db, before).limit(limit)).returning("id").execute(),
    (db, limit) => {
      const ended = db
        .selectFrom("report_links")
        .select("id")
        .where((row) => row.or([row("revoked_at", "<", before), row("expires_at", "<", before)]));
      return db.deleteFrom("report_links").where("id", "in", ended.limit(limit)).returning("id").execute();
    },
    (db, limit) => {
      const old = db
        .selectFrom("idempotency")
        .select(["token_id", "key"])
        .where("created_at", "<", now - idempotencyTtlMs)
        .limit(limit);
      const rows = db.deleteFrom("idempotency").where((row) => row(row.refTuple("token_id", "key"), "in", old.$asTuple("token_id", "key")));
      return rows.returning("key").execute();
    },
    (db, limit) => {
      const old = db.selectFrom("problem_records").select(["player_id", "id"]).where("received_at", "<", before).limit(limit);
      const rows = db.deleteFrom("problem_records");
      return rows
        .where((row) => row(row.refTuple("player_id", "id"), "in", old.$asTuple("player_id", "id")))
        .returning("id")
        .execute();
    },
    (db, limit) => {
      const ended = db.selectFrom("rollouts").select("id").where("ended_at", "<", before);
      const old = db
        .selectFrom("rollout_players")
        .select(["rollout_id", "player_id"])
        .where("rollout_id", "in", ended)
        .where("is_active", "=", 0)
        .limit(limit);
      const rows = db.deleteFrom("rollout_players");
      return rows
        .where((row) => row(row.refTuple("rollout_id", "player_id"), "in", old.$asTuple("rollout_id", "player_id")))
        .returning("player_id")
        .execute();
    },
    (db, limit) => {
      const old = db.selectFrom("rollouts").select("id").where("ended_at", "<", before).limit(limit);
      const withPlayers = db.selectFrom("rollout_players").select("rollout_id");
      return db.deleteFrom("rollouts").where("id", "in", old).where("id", "not in", withPlayers).returning("id").execute();
    },
    (db, limit) => {
      const old = db.selectFrom("alerts").select("id").where("closed_at", "<", before).limit(limit);
      return db.deleteFrom("alerts").where("id", "in", old).returning("id").execute();
    },
    (db, limit) => {
      const old = db.selectFrom("alert_groups").select("id").where("closed_at", "<", before).limit(limit);
      return db.deleteFrom("alert_groups").where("id", "in", old).returning("id").execute();
    },
    (db, limit) => {
      const old = db
        .selectFrom("mails")
        .select("id")
        .where("status", "!=", "pending")
        .where("updated_at", "<", now - mailRetentionMs)
        .limit(limit);
      return db.deleteFrom("mails").where("id", "in", old).returning("id").execute();
    },
    (db, limit) => {
      const ended = db.selectFrom("command_batches").select("id").where("ended_at", "<", before);
      const old = db.selectFrom("command_batch_players").select(["batch_id", "player_id"]).where("batch_id", "in", ended).limit(limit);
      const rows = db.deleteFrom("command_batch_players");
      return rows
        .where((row) => row(row.refTuple("batch_id", "player_id"), "in", old.$asTuple("batch_id", "player_id")))
        .returning("player_id")
        .execute();
    },
    (db, limit) => {
      const old = db.selectFrom("command_batches").select("id").where("ended_at", "<", before).limit(limit);
      const withPlayers = db.selectFrom("command_batch_players").select("batch_id");
      return db.deleteFrom("command_batches").where("id", "in", old).where("id", "not in", withPlayers).returning("id").execute();
    },
    (db, limit) => {
      const old = db.selectFrom("device_tokens").select("hash").where("expires_at", "<=", now).limit(limit);
      return db.deleteFrom("device_tokens").where("hash", "in", old).returning("hash").execute();
    },
    (db, limit) => {
      const old = db
        .selectFrom("pairing_requests")
        .select("id")
        .where((row) =>
          row.or([
            row.and([row("expires_at", "<=", now), row("player_id", "is", null)]),
            row("created_at", "<=", now - claimedRetentionMs),
          ]),
        )
        .limit(limit);
      return db.deleteFrom("pairing_requests").where("id", "in", old).returning("id").execute();
    },
    (db, limit) => {
      const place = sql<number>`row_number() over (partition by player_id order by replaced_at desc, public_key)`.as("place");
      const all = db.selectFrom("former_keys").select(["player_id", "public_key", place]);
      const old = db.selectFrom(all.as("former")).select(["player_id", "public_key"]).where("place", ">", maxFormerKeys).limit(limit);
      const rows = db.deleteFrom("former_keys");
      return rows
        .where((row) => row(row.refTuple("player_id", "public_key"), "in", old.$asTuple("player_id", "public_key")))
        .returning("player_id")
        .execute();
    },
    ...publishingRemovals(now),
  ];
}

/** The ids of enrolment keys that ended before an instant. */
function endedKeys(db: Db, before: number) {
  return db
    .selectFrom("enrolment_keys")
    .select("id")
    .where((row) => row.or([row("revoked_at", "<", before), row("expires_at", "<", before)]));
}
