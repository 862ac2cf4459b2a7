// Finds a row of a team by its id, the first query of most requests.
import { preparedQuery } from "./prepared-query.ts";
import type { Db } from "./store.ts";
import type { Tables } from "./tables.ts";

const queries = {
  players: owned("players"),
  playlists: owned("playlists"),
  layouts: owned("layouts"),
  schedules: owned("schedules"),
  calendars: owned("calendars"),
  assets: owned("assets"),
  upload_links: owned("upload_links"),
  shows: owned("shows"),
  report_links: owned("report_links"),
  screenshots: owned("screenshots"),
  collected_logs: owned("collected_logs"),
  invitations: owned("invitations"),
  webhooks: owned("webhooks"),
  enrolment_keys: owned("enrolment_keys"),
  rollouts: owned("rollouts"),
  alerts: owned("alerts"),
  command_batches: owned("command_batches"),
  drafts: owned("drafts"),
};

/** The row of `table` with this id, if it belongs to the team. Also finds rows in the bin and removed players. */
export async function findTeamRow<T extends keyof typeof queries>(
  db: Db,
  table: T,
  teamId: string,
  id: string,
): Promise<Tables[T] | undefined> {
  const [row] = await queries[table](db, { id, teamId });
  return row as Tables[T] | undefined;
}

function owned(table: keyof Tables) {
  // The tables share these columns, so the types of one table serve for all.
  return preparedQuery<Tables, { id: string; teamId: string }, unknown>((db, { id, teamId }) =>
    db
      .selectFrom(table as "players")
      .selectAll()
      .where("id", "=", id)
      .where("team_id", "=", teamId),
  );
}
