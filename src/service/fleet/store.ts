// Players, and the pictures and logs that they send, in the database.
import type { ExpressionBuilder } from "kysely";
import { nameMayContain } from "../http/paging.ts";
import { inChunks } from "../store/chunks.ts";
import type { Db } from "../store/store.ts";
import type { CommandRow, PlayerRow } from "../store/tables/fleet.ts";
import type { Tables } from "../store/tables/tables.ts";
import { selectTeamRows, whereEqual } from "../store/tables/team-rows.ts";

/** The tables of files that devices send. */
type Upload = "collected_logs" | "screenshots";
/** Why a player took a screenshot. */
type Source = "command" | "interval";

/** The players of a team that are not deleted. */
export function selectPlayers(db: Db, teamId: string) {
  return selectTeamRows(db, "players", teamId).where("removed_at", "is", null);
}

/** The players of a team in the bin. */
export function selectBin(db: Db, teamId: string) {
  return selectTeamRows(db, "players", teamId).where("removed_at", "is not", null).where("erased_at", "is", null);
}

/** Those of the players that have one of these ids, the tag, the layout, and perhaps the text in their name. */
export function filterPlayers(
  rows: ReturnType<typeof selectPlayers>,
  { ids, tag, layout_id, q }: Partial<Record<"ids" | "tag" | "layout_id" | "q", string | undefined>>,
) {
  const listed = ids === undefined ? rows : rows.where("id", "in", ids.split(","));
  const tagged = tag === undefined ? listed : listed.where((row) => row.exists(hasTag(row, tag)));
  return whereEqual(q === undefined ? tagged : tagged.where(nameMayContain(q)), { layout_id });
}

/** A subquery for players with a tag. Players in the bin are not in this index. */
function hasTag(row: ExpressionBuilder<Tables, "players">, tag: string) {
  const tags = row.selectFrom("player_tags").select("player_tags.tag").whereRef("player_tags.player_id", "=", "players.id");
  return tags.where("player_tags.tag", "=", tag);
}

/** A player of any team, also in the bin. */
export function findAnyPlayer(db: Db, playerId: string): Promise<PlayerRow | undefined> {
  return db.selectFrom("players").selectAll().where("id", "=", playerId).executeTakeFirst();
}

export async function playersById(db: Db, playerIds: readonly string[]): Promise<PlayerRow[]> {
  return playerIds.length === 0 ? [] : db.selectFrom("players").selectAll().where("id", "in", playerIds).execute();
}

/** The players of a team with these ids, also in the bin. */
export async function playersInBinOrNot(db: Db, teamId: string, ids: readonly string[]): Promise<PlayerRow[]> {
  const rows: PlayerRow[] = [];
  for (const part of inChunks([...new Set(ids)].toSorted())) {
    const all = selectTeamRows(db, "players", teamId).where("erased_at", "is", null);
    rows.push(...(await all.where("id", "in", part).execute()));
  }
  return rows;
}

export async function countPlayers(db: Db, teamId: string): Promise<number> {
  const { total } = await selectPlayers(db, teamId)
    .clearSelect()
    .select((row) => row.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** The commands of a player. */
export function selectCommands(db: Db, playerId: string) {
  return db.selectFrom("commands").selectAll().where("player_id", "=", playerId);
}

export function findCommand(db: Db, playerId: string, commandId: string): Promise<CommandRow | undefined> {
  return selectCommands(db, playerId).where("id", "=", commandId).executeTakeFirst();
}

/** The screenshots of a player: those that a command asked for, those that it took by itself, or both. */
export function selectScreenshots(db: Db, playerId: string, source: Source | undefined) {
  const all = db.selectFrom("screenshots").selectAll().where("player_id", "=", playerId);
  return source === undefined ? all : all.where("command_id", source === "interval" ? "is" : "is not", null);
}

/** A log or a screenshot of any player: the device chooses its id. */
export async function findUpload<T extends Upload>(db: Db, table: T, id: string): Promise<Tables[T] | undefined> {
  const upload = db
    .selectFrom(table as "screenshots")
    .selectAll()
    .where("id", "=", id);
  return (await upload.executeTakeFirst()) as Tables[T] | undefined;
}

/** Deletes all but the newest logs of a player, or screenshots from one source. @returns the files of the deleted ones. */
export async function deleteOldUploads(
  db: Db,
  table: Upload,
  playerId: string,
  most: number,
  source?: Source,
): Promise<{ sha256: string }[]> {
  const all = db
    .selectFrom(table as "screenshots")
    .select("id")
    .where("player_id", "=", playerId);
  const uploads = source === undefined ? all : all.where("command_id", source === "interval" ? "is" : "is not", null);
  const old = uploads.orderBy("created_at", "desc").orderBy("id", "desc").limit(1_000).offset(most);
  const ids = (await old.execute()).map((row) => row.id);
  if (ids.length === 0) return [];
  return db
    .deleteFrom(table as "screenshots")
    .where("id", "in", ids)
    .returning("sha256")
    .execute();
}

export interface NewestScreenshot {
  id: string;
  /** ISO time. */
  captured_at: string;
}

/** The newest picture of each player that has one. Ids of screenshots sort by age. */
export async function newestScreenshots(db: Db, playerIds: readonly string[]): Promise<Map<string, NewestScreenshot>> {
  const newest = new Map<string, NewestScreenshot>();
  for (const ids of inChunks(playerIds)) {
    const last = db
      .selectFrom("screenshots")
      .select((row) => row.fn.max("id").as("id"))
      .where("player_id", "in", ids)
      .groupBy("player_id");
    const rows = await db.selectFrom("screenshots").select(["id", "player_id", "captured_at"]).where("id", "in", last).execute();
    for (const { id, player_id, captured_at } of rows) newest.set(player_id, { id, captured_at: new Date(captured_at).toISOString() });
  }
  return newest;
}
