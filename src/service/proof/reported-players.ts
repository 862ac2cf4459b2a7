// The players that a report is about, and their tags.
import { sql } from "kysely";
import type { Db } from "../store/store.ts";
import type { PlayerRow } from "../store/tables/fleet.ts";

export type TagsOfPlayers = ReadonlyMap<string, readonly string[]>;

/** A player as reports need it. */
export interface ReportedPlayer {
  id: string;
  name: string;
  createdAt: number;
  tags: readonly string[];
}

/** The tags of every player of a team, also of those in the bin, whose plays are still reported. */
export async function readTags(db: Db, teamId: string): Promise<TagsOfPlayers> {
  const rows = await db.selectFrom("players").select(["id", "tags"]).where("team_id", "=", teamId).where("tags", "!=", "[]").execute();
  return new Map(rows.map(({ id, tags }) => [id, JSON.parse(tags) as string[]]));
}

/** The players of a team outside the bin, or those of them with this id or tag, in the order of their ids. */
export async function reportedPlayers(
  db: Db,
  teamId: string,
  { player_id, tag }: { player_id?: string | undefined; tag?: string | undefined },
): Promise<ReportedPlayer[]> {
  const rows = await selectPlayers(db, teamId, { player_id, tag }).select(["id", "name", "created_at", "tags"]).execute();
  return rows.map(({ id, name, created_at, tags }) => ({ id, name, createdAt: created_at, tags: JSON.parse(tags) as string[] }));
}

/** The rows of these players after `after`, at most `count`: few at a time, since they are large. */
export function reportedPlayerRows(
  db: Db,
  teamId: string,
  selection: { player_id?: string | undefined; tag?: string | undefined },
  after: string,
  count: number,
): Promise<PlayerRow[]> {
  return selectPlayers(db, teamId, selection).where("id", ">", after).limit(count).selectAll().execute();
}

function selectPlayers(db: Db, teamId: string, { player_id, tag }: { player_id?: string | undefined; tag?: string | undefined }) {
  let rows = db.selectFrom("players").where("team_id", "=", teamId).where("removed_at", "is", null).orderBy("id");
  if (player_id !== undefined) rows = rows.where("id", "=", player_id);
  if (tag !== undefined) {
    const tagged = db.selectFrom("player_tags").select(sql<string>`player_id`.as("id"));
    rows = rows.where("id", "in", tagged.where("team_id", "=", teamId).where("tag", "=", tag));
  }
  return rows;
}
