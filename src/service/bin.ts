// The bin: playlists and layouts that were deleted, kept for thirty days in case that was a mistake.
import { parseZones } from "./desired.ts";
import type { Db } from "./store.ts";
import type { LayoutRow } from "./tables.ts";

/** How long the bin keeps a thing, ms. */
export const binKeptMs = 30 * 86_400_000;

type Binned = "playlists" | "layouts";

/** Puts a thing in the bin, or deletes it for good. Whether something uses it was looked at before. */
export async function discard(db: Db, table: Binned, thingId: string, now: number, permanent: boolean): Promise<void> {
  if (permanent) await db.deleteFrom(table).where("id", "=", thingId).execute();
  else await db.updateTable(table).set({ deleted_at: now, updated_at: now }).where("id", "=", thingId).execute();
}

/** Deletes for good what was put in the bin before `before` (ms since the epoch). */
export async function emptyBin(db: Db, before: number): Promise<void> {
  for (const table of ["layouts", "playlists"] as const) await db.deleteFrom(table).where("deleted_at", "<", before).execute();
}

/**
 * The layout as it comes back from the bin: playlists that it shows and that were deleted since come back with it, and a
 * zone whose playlist is gone for good is empty.
 */
export async function restoreLayout(db: Db, row: LayoutRow, now: number): Promise<LayoutRow> {
  const zones = parseZones(row.zones);
  const wanted = [...new Set(zones.flatMap((zone) => zone.playlist_id ?? []))];
  const there =
    wanted.length === 0 ? [] : await db.selectFrom("playlists").select(["id", "deleted_at"]).where("id", "in", wanted).execute();
  const binned = there.filter((playlist) => playlist.deleted_at !== null).map((playlist) => playlist.id);
  if (binned.length > 0) await db.updateTable("playlists").set({ deleted_at: null, updated_at: now }).where("id", "in", binned).execute();
  const known = new Set(there.map((playlist) => playlist.id));
  const kept = zones.map((zone) => (zone.playlist_id !== null && known.has(zone.playlist_id) ? zone : { ...zone, playlist_id: null }));
  const next = { ...row, zones: JSON.stringify(kept), deleted_at: null, updated_at: now };
  await db.updateTable("layouts").set(next).where("id", "=", row.id).execute();
  return next;
}
