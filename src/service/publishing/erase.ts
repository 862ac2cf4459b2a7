// Deletes the drafts and versions of a team that is deleted.
import type { Db } from "../store/store.ts";

export async function erasePublishing(db: Db, teamId: string): Promise<void> {
  const versions = db.selectFrom("versions").select("id").where("team_id", "=", teamId);
  await db.deleteFrom("version_players").where("version_id", "in", versions).execute();
  for (const table of ["version_changes", "versions", "content_images", "draft_changes", "drafts"] as const) {
    await db.deleteFrom(table).where("team_id", "=", teamId).execute();
  }
}
