// Playlists, layouts and assets in the database: the reads of lists, and of the resources that a change refers to.
import { sql, type SelectQueryBuilder } from "kysely";
import type { z } from "zod";
import type { AssetQuery, AssetTags } from "../../protocol/content/assets.ts";
import { inChunks } from "../store/chunks.ts";
import type { Db } from "../store/store.ts";
import type { AssetRow, LayoutRow, PlaylistRow, ScheduleRow, UploadLinkRow } from "../store/tables/content.ts";
import type { Tables } from "../store/tables/tables.ts";
import { selectTeamRows } from "../store/tables/team-rows.ts";
import { type StoredAssetRow, tagsOf } from "./assets/rows.ts";

/** The rows of the tables that have a bin. */
export interface RowsWithBin {
  playlists: PlaylistRow;
  layouts: LayoutRow;
  schedules: ScheduleRow;
}

/** The team's rows in the bin, or those outside it. */
export function selectByBin<T extends keyof RowsWithBin>(db: Db, table: T, teamId: string, isInBin: boolean) {
  // All tables have these columns, so the types of one table serve for all.
  const rows = selectTeamRows(db, table as "playlists", teamId).where("deleted_at", isInBin ? "is not" : "is", null);
  return rows as unknown as SelectQueryBuilder<Tables, T, RowsWithBin[T]>;
}

/** Which of these playlists or layouts the team has outside the bin. */
export async function existingIds(db: Db, table: "playlists" | "layouts", teamId: string, ids: readonly string[]): Promise<Set<string>> {
  const existing = new Set<string>();
  for (const part of inChunks([...new Set(ids)])) {
    const rows = selectByBin(db, table as "playlists", teamId, false)
      .clearSelect()
      .select("id");
    for (const { id } of await rows.where("id", "in", part).execute()) existing.add(id);
  }
  return existing;
}

/** The assets of a team that match the query, but its text. */
export function selectAssets(db: Db, teamId: string, { kind, status, tag, sha256, ids, deleted }: z.output<typeof AssetQuery>) {
  let rows = selectTeamRows(db, "assets", teamId, { kind, status }).where("deleted_at", deleted === "true" ? "is not" : "is", null);
  if (sha256 !== undefined) rows = rows.where(hasHash(sha256));
  if (ids !== undefined) rows = rows.where("id", "in", ids.split(","));
  if (tag === undefined) return rows;
  // Tags are stored as a JSON array, so a tag with its quotes only matches a whole tag.
  return rows.where(sql<boolean>`tags like ${`%${JSON.stringify(tag).replaceAll(/[!%_]/g, "!$&")}%`} escape '!'`);
}

/** The team's assets with these ids, in the bin or not. */
export async function assetsById(db: Db, teamId: string, ids: readonly string[]): Promise<Map<string, AssetRow>> {
  const assets = new Map<string, AssetRow>();
  for (const part of inChunks([...new Set(ids)])) {
    for (const row of await selectTeamRows(db, "assets", teamId).where("id", "in", part).execute()) assets.set(row.id, row);
  }
  return assets;
}

/** The team's newest asset with these bytes outside the bin. */
export function findAssetByHash(db: Db, teamId: string, sha256: string): Promise<AssetRow | undefined> {
  const rows = selectTeamRows(db, "assets", teamId).where(hasHash(sha256)).where("deleted_at", "is", null);
  return rows.orderBy("created_at", "desc").limit(1).executeTakeFirst();
}

/** An asset of the team whose file for screens has these bytes, in the bin or not. */
export function findFile(db: Db, teamId: string, sha256: string): Promise<StoredAssetRow | undefined> {
  return selectTeamRows(db, "assets", teamId, { sha256 }).$narrowType<StoredAssetRow>().limit(1).executeTakeFirst();
}

/** Matches the file's hash or that of its original. */
function hasHash(sha256: string) {
  return sql<boolean>`(sha256 = ${sha256} or original_sha256 = ${sha256})`;
}

export function findUploadLink(db: Db, linkId: string): Promise<UploadLinkRow | undefined> {
  return db.selectFrom("upload_links").selectAll().where("id", "=", linkId).executeTakeFirst();
}

/** True if a team has so many upload links that are neither used nor expired. */
export async function hasOpenUploadLinks(db: Db, teamId: string, count: number, now: number): Promise<boolean> {
  const open = selectTeamRows(db, "upload_links", teamId).where("asset_id", "is", null).where("expires_at", ">", now);
  return (await open.limit(count).execute()).length === count;
}

/** All tags of the team's assets outside the bin, by name. */
export async function readAssetTags(db: Db, teamId: string): Promise<AssetTags> {
  // Many assets have the same tags: the database groups them, so that few lists are parsed.
  const rows = await db
    .selectFrom("assets")
    .select(["tags", (select) => select.fn.countAll<number>().as("count")])
    .where("team_id", "=", teamId)
    .where("deleted_at", "is", null)
    .where("tags", "!=", "[]")
    .groupBy("tags")
    .execute();
  const counts = new Map<string, number>();
  for (const row of rows) for (const tag of tagsOf(row)) counts.set(tag, (counts.get(tag) ?? 0) + Number(row.count));
  const data = [...counts].map(([tag, count]) => ({ tag, count }));
  return { data: data.toSorted((a, b) => a.tag.localeCompare(b.tag, "en")) };
}
