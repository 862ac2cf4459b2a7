// Reads one row of a team by its id: what most requests begin with. The query is built once, which is most of its cost.
import type { CompiledQuery } from "kysely";
import type { Db } from "./store.ts";
import type { AssetRow, LayoutRow, PlayerRow, PlaylistRow } from "./tables.ts";

interface OwnedRows {
  players: PlayerRow;
  playlists: PlaylistRow;
  layouts: LayoutRow;
  assets: AssetRow;
}

const queries = new Map<keyof OwnedRows, CompiledQuery>();

/** The row of `table` with this id, if it is the team's; in the bin or removed, it is still found. */
export async function rowOf<T extends keyof OwnedRows>(db: Db, table: T, teamId: string, id: string): Promise<OwnedRows[T] | undefined> {
  // The four tables are alike in these columns; one name stands for all.
  const query =
    queries.get(table) ??
    db
      .selectFrom(table as "players")
      .selectAll()
      .where("id", "=", "")
      .where("team_id", "=", "")
      .compile();
  queries.set(table, query);
  const { rows } = await db.executeQuery<OwnedRows[T]>({ ...query, parameters: [id, teamId] } as CompiledQuery<OwnedRows[T]>);
  return rows[0];
}
