// The bin: assets, playlists and layouts that were deleted, kept for thirty days in case that was a mistake.
import { sql } from "kysely";
import { assetIdsOf } from "../protocol/items.ts";
import { parseItems, parseZones } from "./desired.ts";
import type { Db } from "./store.ts";
import type { LayoutRow, PlaylistRow } from "./tables.ts";
import { inParts } from "./targets.ts";

/** How long the bin keeps a thing, ms. */
export const binKeptMs = 30 * 86_400_000;

type Binned = "playlists" | "layouts";

/** Puts a thing in the bin, or deletes it for good. Whether something uses it was looked at before. */
export async function discard(db: Db, table: Binned, thingId: string, now: number, permanent: boolean): Promise<void> {
  if (permanent) await db.deleteFrom(table).where("id", "=", thingId).execute();
  else await db.updateTable(table).set({ deleted_at: now, updated_at: now }).where("id", "=", thingId).execute();
}

/**
 * Deletes for good what is in the bin: of every team what was put there before an instant (ms since the epoch), or all that
 * one team has there. @returns the files that it let go.
 */
export async function emptyBin(db: Db, of: { before: number } | { teamId: string }): Promise<{ sha256: string | null }[]> {
  const chosen = "teamId" in of ? sql<boolean>`deleted_at is not null and team_id = ${of.teamId}` : sql<boolean>`deleted_at < ${of.before}`;
  for (const table of ["layouts", "playlists"] as const) await db.deleteFrom(table).where(chosen).execute();
  const assets = await db.deleteFrom("assets").where(chosen).returning(["sha256", "thumbnail_sha256"]).execute();
  return assets.flatMap((row) => [{ sha256: row.sha256 }, { sha256: row.thumbnail_sha256 }]);
}

/** The playlist as it comes back from the bin, with its assets that are in the bin; items whose asset is gone for good are gone. */
export async function restorePlaylist(db: Db, row: PlaylistRow, now: number): Promise<PlaylistRow> {
  const items = parseItems(row.items);
  const known = new Set<string>();
  for (const part of inParts([...new Set(items.flatMap(assetIdsOf))])) {
    for (const { id } of await db.selectFrom("assets").select("id").where("id", "in", part).execute()) known.add(id);
    await db.updateTable("assets").set({ deleted_at: null }).where("id", "in", part).where("deleted_at", "is not", null).execute();
  }
  const kept = items.filter((item) => assetIdsOf(item).every((assetId) => known.has(assetId)));
  const next = { ...row, items: JSON.stringify(kept), deleted_at: null, updated_at: now };
  await db.updateTable("playlists").set(next).where("id", "=", row.id).execute();
  return next;
}

/**
 * The layout as it comes back from the bin: playlists that it shows and that were deleted since come back with it, and a
 * zone whose playlist is gone for good is empty.
 */
export async function restoreLayout(db: Db, row: LayoutRow, now: number): Promise<LayoutRow> {
  const zones = parseZones(row.zones);
  const wanted = [...new Set(zones.flatMap((zone) => zone.playlist_id ?? []))];
  const there = wanted.length === 0 ? [] : await db.selectFrom("playlists").selectAll().where("id", "in", wanted).execute();
  for (const playlist of there) if (playlist.deleted_at !== null) await restorePlaylist(db, playlist, now);
  const known = new Set(there.map((playlist) => playlist.id));
  const kept = zones.map((zone) => (zone.playlist_id !== null && known.has(zone.playlist_id) ? zone : { ...zone, playlist_id: null }));
  const next = { ...row, zones: JSON.stringify(kept), deleted_at: null, updated_at: now };
  await db.updateTable("layouts").set(next).where("id", "=", row.id).execute();
  return next;
}
