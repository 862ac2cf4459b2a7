// Finds a row of a team by its id, the first query of most requests.
import { preparedQuery } from "./prepared-query.ts";
import type { Db } from "./store.ts";
import type { AssetRow, CalendarRow, LayoutRow, PlayerRow, PlaylistRow, ScheduleRow, Tables } from "./tables.ts";

interface OwnedRows {
  players: PlayerRow;
  playlists: PlaylistRow;
  layouts: LayoutRow;
  schedules: ScheduleRow;
  calendars: CalendarRow;
  assets: AssetRow;
}

const queries = {
  players: owned("players"),
  playlists: owned("playlists"),
  layouts: owned("layouts"),
  schedules: owned("schedules"),
  calendars: owned("calendars"),
  assets: owned("assets"),
};

/** The row of `table` with this id, if it belongs to the team. Also finds rows in the bin and removed players. */
export async function findTeamRow<T extends keyof OwnedRows>(
  db: Db,
  table: T,
  teamId: string,
  id: string,
): Promise<OwnedRows[T] | undefined> {
  const [row] = await queries[table](db, { id, teamId });
  return row as OwnedRows[T] | undefined;
}

function owned(table: keyof OwnedRows) {
  // The tables share these columns, so the types of one table serve for all.
  return preparedQuery<Tables, { id: string; teamId: string }, OwnedRows[typeof table]>((db, { id, teamId }) =>
    db
      .selectFrom(table as "players")
      .selectAll()
      .where("id", "=", id)
      .where("team_id", "=", teamId),
  );
}
