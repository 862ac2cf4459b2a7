// Finds the layouts and players that a change of content affects.
import { parseZones } from "../../content/content-columns.ts";
import { schedulesShowing, targetedPlayers, targetOf } from "../../schedule/schedules.ts";
import type { Db } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";

/** The players that show one of these layouts: by assignment, by a schedule or by an override. */
export async function playersShowing(db: Db, teamId: string, layoutIds: readonly string[]): Promise<PlayerRow[]> {
  if (layoutIds.length === 0) return [];
  const assigned = await db
    .selectFrom("players")
    .selectAll()
    .where("team_id", "=", teamId)
    .where("removed_at", "is", null)
    .where((where) =>
      where.or([
        where("layout_id", "in", layoutIds),
        where("id", "in", where.selectFrom("overrides").select("player_id").where("overrides.layout_id", "in", layoutIds)),
      ]),
    )
    .execute();
  const scheduled = await targetedPlayers(db, teamId, (await schedulesShowing(db, teamId, layoutIds)).map(targetOf));
  return [...new Map([...assigned, ...scheduled].map((row) => [row.id, row])).values()];
}

/** The layouts with a zone that shows a playlist. */
export async function layoutsShowing(db: Db, teamId: string, playlistId: string): Promise<{ id: string; name: string }[]> {
  // The text search narrows the candidates in SQLite and PostgreSQL alike; the parsed zones decide.
  const rows = await db
    .selectFrom("layouts")
    .select(["id", "name", "zones"])
    .where("team_id", "=", teamId)
    .where("deleted_at", "is", null)
    .where("zones", "like", `%${playlistId}%`)
    .execute();
  return rows.filter((row) => parseZones(row.zones).some((zone) => zone.playlist_id === playlistId));
}
