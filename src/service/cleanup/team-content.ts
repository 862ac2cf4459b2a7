// Finds and deletes the content that a team still has when it is deleted.
import { ProblemError } from "../http/problem.ts";
import type { Db } from "../store/store.ts";

/** Content that has a bin; the rest is deleted at once. */
const binned = ["layouts", "playlists", "schedules", "assets"] as const;
const content = [...binned, "calendars", "webhooks"] as const;

/**
 * Checks that a team can be deleted.
 * @param withContent whether its content is deleted with it, so that only screens and uploads are in the way
 * @throws ProblemError 409 that names everything the team still has, or if it is the last team.
 */
export async function checkDeletable(db: Db, teamId: string, withContent: boolean): Promise<void> {
  const left: string[] = [];
  const players = db.selectFrom("players").select("id").where("team_id", "=", teamId).where("removed_at", "is", null);
  if ((await players.limit(1).executeTakeFirst()) !== undefined) left.push("screens");
  for (const table of withContent ? [] : content) if (await hasRows(db, table, teamId)) left.push(table);
  // One that has ended is only the note of it, which nobody can delete sooner than its end.
  const uploads = db.selectFrom("uploads").select("id").where("team_id", "=", teamId);
  const inTheWay = withContent ? uploads.where("asset_id", "is", null).where("error", "is", null) : uploads;
  if ((await inTheWay.limit(1).executeTakeFirst()) !== undefined) left.push(withContent ? "unfinished uploads" : "uploads");
  if (left.length > 0) throw new ProblemError("in-use", `The team still has ${listOf(left)}: delete them first`);
  const others = db.selectFrom("teams").select("id").where("id", "<>", teamId).where("deleted_at", "is", null);
  if ((await others.limit(1).executeTakeFirst()) === undefined)
    throw new ProblemError("in-use", "It is the only team of this service: create another team first");
}

/** Puts a team's content in the bin, which the caller empties, and deletes content that has no bin. No player may be left. */
export async function discardContent(db: Db, teamId: string, now: number): Promise<void> {
  for (const table of binned) {
    const kept = db.updateTable(table).set({ deleted_at: now, updated_at: now }).where("team_id", "=", teamId);
    await kept.where("deleted_at", "is", null).execute();
  }
  await db.deleteFrom("calendars").where("team_id", "=", teamId).execute();
}

async function hasRows(db: Db, table: (typeof content)[number], teamId: string): Promise<boolean> {
  const rows = db
    .selectFrom(table as "layouts")
    .select("id")
    .where("team_id", "=", teamId);
  // Resources in the bin are deleted with the team.
  const counted = (binned as readonly string[]).includes(table) ? rows.where("deleted_at", "is", null) : rows;
  return (await counted.limit(1).executeTakeFirst()) !== undefined;
}

function listOf(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
