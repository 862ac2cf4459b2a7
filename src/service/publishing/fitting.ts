// Makes an image fit the content beside it: its references must exist. A draft is refused otherwise; a restored version is repaired.
import { contentEvent } from "../content/content-event.ts";
import { assetIdsOf, calendarIdsOfItems } from "../../protocol/content/items.ts";
import type { ContentRef } from "../../protocol/operator/publishing.ts";
import { restoreLayout, restorePlaylist } from "../cleanup/bin-restore.ts";
import { assetEvent } from "../content/assets/creation.ts";
import { parseItems, parseZones } from "../content/content-columns.ts";
import { playersUsing } from "../fleet/players/control-calendars.ts";
import { layoutsShowing, playersShowing } from "../fleet/state/players-showing.ts";
import { listNames } from "../content/operations/playlists.ts";
import type { WriteEvent } from "../operations/unit-of-work.ts";
import { checkSchedule } from "../schedule/check.ts";
import { calendarsById, playlistsUsing, schedulesUsing } from "../schedule/calendars/holiday-calendars.ts";
import { schedulesShowing, showSchedule } from "../schedule/schedules.ts";
import { checkShares } from "../schedule/shares.ts";
import { deleteExpiredOverrides } from "../schedule/overrides.ts";
import { inChunks } from "../store/chunks.ts";
import type { Db } from "../store/store.ts";
import { findTeamRow } from "../store/tables/team-rows.ts";
import type { LayoutRow, PlaylistRow } from "../store/tables/content.ts";
import { ProblemError } from "../http/problem.ts";
import { imageOf, rowOf } from "./images.ts";

/** The open transaction in which images are applied. */
export interface Applying {
  db: Db;
  teamId: string;
  now: number;
  /** True if a missing reference is restored or left out, instead of a reason to refuse. */
  repairs: boolean;
  /** The events of resources that were restored from the bin along with it. */
  events: WriteEvent[];
}

/** The image as it can be applied now, or the reason why it cannot. */
export async function fit(applying: Applying, ref: ContentRef, image: string): Promise<{ image: string } | { reason: string }> {
  switch (ref.kind) {
    case "calendar":
      return { image };
    case "playlist":
      return fitPlaylist(applying, rowOf("playlist", applying.teamId, ref.id, image, applying.now));
    case "layout":
      return fitLayout(applying, rowOf("layout", applying.teamId, ref.id, image, applying.now));
    case "schedule":
      return fitSchedule(applying, ref.id, image);
  }
}

async function fitPlaylist(applying: Applying, row: PlaylistRow): Promise<{ image: string } | { reason: string }> {
  const items = parseItems(row.items);
  const existing = await restoreAssets(applying, [...new Set(items.flatMap(assetIdsOf))]);
  const calendars = await calendarsById(applying.db, applying.teamId, calendarIdsOfItems(items));
  const hasFiles = items.filter((item) => assetIdsOf(item).every((id) => existing.has(id)));
  // Without its calendar an item would play on days that it must not play on.
  const kept = hasFiles.filter((item) => calendarIdsOfItems([item]).every((id) => calendars.has(id)));
  if (kept.length === items.length) return { image: imageOf("playlist", row) };
  if (!applying.repairs && hasFiles.length < items.length) {
    return { reason: `${items.length - hasFiles.length} of its items show files that were deleted: remove the items` };
  }
  if (!applying.repairs) {
    return { reason: `${items.length - kept.length} of its items refer to calendars that were deleted: remove the conditions` };
  }
  return { image: imageOf("playlist", { ...row, items: JSON.stringify(kept) }) };
}

async function fitLayout(applying: Applying, row: LayoutRow): Promise<{ image: string } | { reason: string }> {
  const { db, teamId, now, repairs, events } = applying;
  const background = row.background_asset_id;
  const hasBackground = background === null || (await restoreAssets(applying, [background])).has(background);
  if (!hasBackground && !repairs) return { reason: "its background picture was deleted: choose another one" };
  const zones = parseZones(row.zones);
  const missing = new Set<string>();
  for (const id of new Set(zones.flatMap((zone) => zone.playlist_id ?? []))) {
    const playlist = await findTeamRow(db, "playlists", teamId, id);
    if (playlist !== undefined && playlist.deleted_at !== null && repairs) {
      await restorePlaylist(db, playlist, now, (event) => events.push(event));
      events.push(contentEvent("playlist.restored", playlist));
    } else if (playlist === undefined || playlist.deleted_at !== null) missing.add(id);
  }
  if (missing.size > 0 && !repairs) return { reason: `it shows playlists that were deleted: ${[...missing].join(", ")}` };
  const kept = zones.map((zone) => (zone.playlist_id !== null && missing.has(zone.playlist_id) ? { ...zone, playlist_id: null } : zone));
  const fitted = missing.size === 0 ? row : { ...row, zones: JSON.stringify(kept) };
  return { image: imageOf("layout", hasBackground ? fitted : { ...fitted, background_asset_id: null }) };
}

async function fitSchedule(applying: Applying, id: string, image: string): Promise<{ image: string } | { reason: string }> {
  const { db, teamId, now, repairs, events } = applying;
  const row = rowOf("schedule", teamId, id, image, now);
  const layout = await findTeamRow(db, "layouts", teamId, row.layout_id);
  if (layout === undefined) return { reason: "its layout was deleted for good" };
  if (layout.deleted_at !== null) {
    if (!repairs) return { reason: `its layout “${layout.name}” was deleted: restore the layout first` };
    await restoreLayout(db, layout, now, (event) => events.push(event));
    events.push(contentEvent("layout.restored", layout));
  }
  const schedule = showSchedule(row);
  const stored = await findTeamRow(db, "schedules", teamId, id);
  try {
    // A player that the schedule names may be in the bin, as for a change of another field.
    await checkSchedule(db, teamId, schedule, now, stored === undefined && !repairs ? undefined : schedule.target);
    if (!repairs) await checkShares(db, teamId, schedule, id, now);
  } catch (error) {
    if (error instanceof ProblemError && error.kind === "invalid") return { reason: error.message };
    throw error;
  }
  return { image };
}

/** Takes assets out of the bin. @returns the ids of those that exist */
async function restoreAssets({ db, teamId, events }: Applying, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const existing = new Set<string>();
  for (const chunk of inChunks(ids)) {
    const rows = await db.selectFrom("assets").select("id").where("team_id", "=", teamId).where("id", "in", chunk).execute();
    for (const { id } of rows) existing.add(id);
    const restored = db.updateTable("assets").set({ deleted_at: null }).where("team_id", "=", teamId).where("id", "in", chunk);
    for (const asset of await restored.where("deleted_at", "is not", null).returningAll().execute()) {
      events.push(assetEvent("asset.restored", asset));
    }
  }
  return existing;
}

/** The reason why a resource cannot be deleted now: its uses; null: there are none. */
export async function useOf({ db, teamId, now }: Applying, { kind, id }: ContentRef): Promise<string | null> {
  if (kind === "playlist") {
    const layouts = await layoutsShowing(db, teamId, id);
    return layouts.length === 0 ? null : `layouts show it: ${listNames(layouts)}`;
  }
  if (kind === "layout") {
    const schedules = await schedulesShowing(db, teamId, [id]);
    if (schedules.length > 0) return `schedules show it: ${listNames(schedules)}`;
    await deleteExpiredOverrides(db, teamId, { layout_id: id }, now);
    const players = await playersShowing(db, teamId, [id]);
    return players.length === 0 ? null : `screens show it: ${listNames(players)}`;
  }
  if (kind === "calendar") {
    const content = [...(await schedulesUsing(db, teamId, id)), ...(await playlistsUsing(db, teamId, id))];
    const users = [...content, ...(await playersUsing(db, teamId, id))];
    return users.length === 0 ? null : `schedules, playlists or screens use it, also in the bin: ${listNames(users)}`;
  }
  return null;
}
