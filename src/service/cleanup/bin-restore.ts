// Restores resources from the bin, together with the resources in the bin that they show.
import { contentEvent } from "../content/content-event.ts";
import { assetIdsOf } from "../../protocol/content/items.ts";
import { assetEvent } from "../content/assets/creation.ts";
import type { NewEvent } from "../events/event-journal.ts";
import { parseItems, parseZones } from "../content/content-columns.ts";
import { updateTagIndex } from "../fleet/players/targets.ts";
import { inChunks } from "../store/chunks.ts";
import type { Db } from "../store/store.ts";
import type { LayoutRow, PlaylistRow, ScheduleRow } from "../store/tables/content.ts";
import type { PlayerRow } from "../store/tables/fleet.ts";

/** Called with the event of every resource that is restored along with the requested one. */
type OnRestored = (event: Omit<NewEvent, "players"> & { players?: readonly string[] }) => void;

/** Restores a player, its schedules, and the layouts that they show. A layout that no longer exists is unassigned. */
export async function restorePlayer(
  db: Db,
  row: PlayerRow,
  now: number,
  onRestored: OnRestored,
): Promise<{ player: PlayerRow; schedules: ScheduleRow[] }> {
  const hasLayout = row.layout_id !== null && (await restoreShownLayout(db, row.layout_id, now, onRestored));
  const player = { ...row, layout_id: hasLayout ? row.layout_id : null, removed_at: null, updated_at: now };
  await db.updateTable("players").set(player).where("id", "=", row.id).execute();
  await updateTagIndex(db, [player]);
  const own = await db.selectFrom("schedules").selectAll().where("deleted_with", "=", row.id).execute();
  const schedules: ScheduleRow[] = [];
  for (const schedule of own) schedules.push(await restoreSchedule(db, schedule, now, onRestored));
  return { player, schedules };
}

/** Restores a schedule and its layout. */
export async function restoreSchedule(db: Db, row: ScheduleRow, now: number, onRestored: OnRestored): Promise<ScheduleRow> {
  await restoreShownLayout(db, row.layout_id, now, onRestored);
  const next = { ...row, deleted_at: null, deleted_with: null, updated_at: now };
  await db.updateTable("schedules").set(next).where("id", "=", row.id).execute();
  return next;
}

/** Restores a layout if it is in the bin. @returns whether the layout exists. */
async function restoreShownLayout(db: Db, layoutId: string, now: number, onRestored: OnRestored): Promise<boolean> {
  const layout = await db.selectFrom("layouts").selectAll().where("id", "=", layoutId).executeTakeFirst();
  if (layout !== undefined && layout.deleted_at !== null) {
    onRestored(contentEvent("layout.restored", await restoreLayout(db, layout, now, onRestored)));
  }
  return layout !== undefined;
}

/** Restores a playlist and its assets. Items whose asset no longer exists are removed. */
export async function restorePlaylist(db: Db, row: PlaylistRow, now: number, onRestored: OnRestored): Promise<PlaylistRow> {
  const items = parseItems(row.items);
  const existing = new Set<string>();
  for (const part of inChunks([...new Set(items.flatMap(assetIdsOf))])) {
    for (const { id } of await db.selectFrom("assets").select("id").where("id", "in", part).execute()) existing.add(id);
    const restored = db.updateTable("assets").set({ deleted_at: null }).where("id", "in", part).where("deleted_at", "is not", null);
    for (const asset of await restored.returningAll().execute()) onRestored(assetEvent("asset.restored", asset));
  }
  const kept = items.filter((item) => assetIdsOf(item).every((assetId) => existing.has(assetId)));
  const next = { ...row, items: JSON.stringify(kept), deleted_at: null, updated_at: now };
  await db.updateTable("playlists").set(next).where("id", "=", row.id).execute();
  return next;
}

/** Restores a layout and its playlists. A zone whose playlist no longer exists becomes empty. */
export async function restoreLayout(db: Db, row: LayoutRow, now: number, onRestored: OnRestored): Promise<LayoutRow> {
  const zones = parseZones(row.zones);
  const ids = [...new Set(zones.flatMap((zone) => zone.playlist_id ?? []))];
  const playlists = ids.length === 0 ? [] : await db.selectFrom("playlists").selectAll().where("id", "in", ids).execute();
  for (const playlist of playlists) {
    if (playlist.deleted_at === null) continue;
    onRestored(contentEvent("playlist.restored", await restorePlaylist(db, playlist, now, onRestored)));
  }
  const existing = new Set(playlists.map((playlist) => playlist.id));
  const kept = zones.map((zone) => (zone.playlist_id !== null && existing.has(zone.playlist_id) ? zone : { ...zone, playlist_id: null }));
  const next = { ...row, zones: JSON.stringify(kept), deleted_at: null, updated_at: now };
  await db.updateTable("layouts").set(next).where("id", "=", row.id).execute();
  return next;
}
