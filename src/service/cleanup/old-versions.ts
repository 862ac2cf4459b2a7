// Deletes old records of publishing: drafts, and versions that nobody goes back to any more.
import { sql } from "kysely";
import { dayMs } from "../../base/time.ts";
import type { Db } from "../store/store.ts";

/** Deletes at most `limit` expired rows of a table, and returns them. */
export type Removal = (db: Db, limit: number) => Promise<readonly unknown[]>;

/** For drafts after they were published. */
const draftsMs = 90 * dayMs;
/** For versions, of which the newest of a team are kept longer. */
const versionsMs = 400 * dayMs;
const keptVersions = 100;

/** Removes published drafts, and versions with their changes, and then the images that no change refers to any more. */
export function publishingRemovals(now: number): readonly Removal[] {
  return [
    (db, limit) => {
      const published = db.selectFrom("drafts").select("id").where("state", "=", "published");
      const old = published.where("updated_at", "<", now - draftsMs).limit(limit);
      return db.deleteFrom("drafts").where("id", "in", old).returning("id").execute();
    },
    (db, limit) => {
      const newest = sql<number>`(select max(newer.number) from versions as newer where newer.team_id = versions.team_id)`;
      const old = db
        .selectFrom("versions")
        .select("id")
        .where("created_at", "<", now - versionsMs)
        .where("number", "<=", sql<number>`${newest} - ${keptVersions}`)
        .orderBy("created_at")
        .limit(limit);
      return db.deleteFrom("versions").where("id", "in", old).returning("id").execute();
    },
    (db, limit) => {
      const old = db
        .selectFrom("version_players")
        .select(["version_id", "player_id"])
        .where("version_id", "not in", db.selectFrom("versions").select("id"))
        .limit(limit);
      const rows = db.deleteFrom("version_players");
      return rows
        .where((row) => row(row.refTuple("version_id", "player_id"), "in", old.$asTuple("version_id", "player_id")))
        .returning("player_id")
        .execute();
    },
    (db, limit) => {
      const old = db
        .selectFrom("version_changes")
        .select(["version_id", "resource_id"])
        .where("version_id", "not in", db.selectFrom("versions").select("id"))
        .limit(limit);
      const rows = db.deleteFrom("version_changes");
      return rows
        .where((row) => row(row.refTuple("version_id", "resource_id"), "in", old.$asTuple("version_id", "resource_id")))
        .returning("resource_id")
        .execute();
    },
    (db, limit) => {
      const old = db
        .selectFrom("content_images as image")
        .select(["image.team_id", "image.hash"])
        .where((image) =>
          image.not(
            image.exists(
              image
                .selectFrom("version_changes as change")
                .select("change.version_id")
                .whereRef("change.team_id", "=", "image.team_id")
                .where((row) =>
                  row.or([row("change.before_hash", "=", row.ref("image.hash")), row("change.after_hash", "=", row.ref("image.hash"))]),
                ),
            ),
          ),
        )
        .limit(limit);
      const rows = db.deleteFrom("content_images");
      return rows
        .where((row) => row(row.refTuple("team_id", "hash"), "in", old.$asTuple("team_id", "hash")))
        .returning("hash")
        .execute();
    },
  ];
}
