// Versions: changes that were published at once, with their author and note. Recorded in the transaction of every write of content.
import { hash } from "node:crypto";
import type { Clock } from "../../../base/clock.ts";
import type { Publishing, WriteEvent } from "../../operations/unit-of-work.ts";
import type { MakeId } from "../../store/ids.ts";
import { inChunks } from "../../store/chunks.ts";
import type { Db } from "../../store/store.ts";
import type { VersionChangeRow, VersionRow } from "../../store/tables/content.ts";
import { takeWrites, type ContentWrite } from "../content-writes.ts";
import { actionOf, nameIn, type Image } from "../images.ts";

/** The versions that a transaction recorded, and their events. */
interface Recorded {
  versions: VersionRow[];
  events: WriteEvent[];
}

export class Versions {
  readonly #clock: Clock;
  readonly #makeId: MakeId;

  constructor(clock: Clock, makeId: MakeId) {
    this.#clock = clock;
    this.#makeId = makeId;
  }

  /**
   * Records the open transaction's writes to content since the last call, as one version of each team.
   * @param userId who publishes it; null: the service itself
   */
  async record(db: Db, userId: string | null, publishing: Publishing = {}): Promise<Recorded> {
    const recorded: Recorded = { versions: [], events: [] };
    for (const [teamId, writes] of Map.groupBy(await takeWrites(db), (write) => write.teamId)) {
      const version = await this.#store(db, teamId, writes, userId, publishing);
      const { id: version_id, number, change_count } = version;
      recorded.versions.push(version);
      // A plain write has an event of its own.
      if (publishing.draftId === undefined && publishing.restoredFrom === undefined) continue;
      recorded.events.push({ teamId, type: "version.published", data: { version_id, number, change_count } });
    }
    return recorded;
  }

  async #store(
    db: Db,
    teamId: string,
    writes: readonly ContentWrite[],
    userId: string | null,
    publishing: Publishing,
  ): Promise<VersionRow> {
    const version: VersionRow = {
      id: this.#makeId("ver"),
      team_id: teamId,
      created_at: Math.trunc(this.#clock.now()),
      number: (await newestNumber(db, teamId)) + 1,
      user_id: userId,
      note: publishing.note ?? null,
      draft_id: publishing.draftId ?? null,
      proposed_by: publishing.proposedBy ?? null,
      restored_from: publishing.restoredFrom ?? null,
      change_count: writes.length,
    };
    await db.insertInto("versions").values(version).execute();
    const changes: VersionChangeRow[] = [];
    for (const { kind, id, before, after } of writes) {
      const hashes = { before_hash: await storeImage(db, teamId, before), after_hash: await storeImage(db, teamId, after) };
      const about = { version_id: version.id, team_id: teamId, number: version.number, kind, resource_id: id };
      changes.push({ ...about, ...hashes, name: nameIn((after ?? before)!), action: actionOf(before, after) });
    }
    // A row has ten columns, and a statement a limited number of parameters.
    for (const chunk of inChunks(changes, 50)) await db.insertInto("version_changes").values(chunk).execute();
    return version;
  }
}

/** The number of a team's newest version; 0: there is none. */
export async function newestNumber(db: Db, teamId: string): Promise<number> {
  const row = await db
    .selectFrom("versions")
    .select((each) => each.fn.max<number | null>("number").as("number"))
    .where("team_id", "=", teamId)
    .executeTakeFirstOrThrow();
  return row.number ?? 0;
}

/** Stores an image once, under its hash. */
async function storeImage(db: Db, teamId: string, image: Image): Promise<string | null> {
  if (image === null) return null;
  const digest = hash("sha256", image, "base64url");
  const row = { team_id: teamId, hash: digest, body: image };
  await db
    .insertInto("content_images")
    .values(row)
    .onConflict((conflict) => conflict.columns(["team_id", "hash"]).doNothing())
    .execute();
  return digest;
}

/** Remembers which revision a version gave to players, so that its arrival can be told. */
export async function storeTargets(
  db: Db,
  version: VersionRow,
  revisions: readonly { playerId: string; revision: string }[],
): Promise<void> {
  const rows = revisions.map(({ playerId, revision }) => ({ version_id: version.id, player_id: playerId, revision }));
  for (const chunk of inChunks(rows, 100)) await db.insertInto("version_players").values(chunk).execute();
}

/** Deletes the versions and drafts of a team whose content is deleted, and the notes of that deletion, which would become a version. */
export async function erasePublishing(db: Db, teamId: string): Promise<void> {
  const versions = db.selectFrom("versions").select("id").where("team_id", "=", teamId);
  await db.deleteFrom("version_players").where("version_id", "in", versions).execute();
  for (const table of ["version_changes", "versions", "content_images", "draft_changes", "drafts", "content_writes"] as const) {
    await db.deleteFrom(table).where("team_id", "=", teamId).execute();
  }
}
