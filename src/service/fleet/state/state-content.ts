// Reads the layouts, playlists and assets of a desired state.
import { DesiredLayout, type DesiredAsset, type DesiredPlaylist, type DesiredState } from "../../../protocol/device/desired-state.ts";
import { assetIdsOf, calendarIdsOfItems } from "../../../protocol/content/items.ts";
import { isStored, type StoredAssetRow } from "../../content/assets/rows.ts";
import { parseItems, parseTransition, parseZones } from "../../content/content-columns.ts";
import { digestOf } from "../../store/canonical-json.ts";
import { inChunks } from "../../store/chunks.ts";
import type { CalendarDays } from "../../schedule/calendars/holiday-calendars.ts";
import type { Db } from "../../store/store.ts";
import type { LayoutRow } from "../../store/tables/content.ts";

/** The content of a state with its digest, which is computed once for all players that show the same content. */
export type StateContent = Pick<DesiredState, "layouts" | "playlists" | "assets"> & {
  digest: string;
  /** The calendars that conditions of its items refer to. */
  calendarIds: readonly string[];
};

/** The parts of the content: these layouts with their playlists and assets, and more playlists and assets. */
export interface ContentIds {
  layoutIds: string[];
  playlistIds?: readonly string[];
  assetIds: readonly string[];
}

export async function readContent(db: Db, teamId: string, { layoutIds, playlistIds = [], assetIds }: ContentIds): Promise<StateContent> {
  const rows = await readChunks(layoutIds, (ids) =>
    db.selectFrom("layouts").selectAll().where("team_id", "=", teamId).where("deleted_at", "is", null).where("id", "in", ids).execute(),
  );
  const layouts = rows.map(desiredLayout).toSorted(byId);
  const shown = uniqueIds([...playlistIds, ...layouts.flatMap(({ zones }) => zones.map((zone) => zone.playlist_id))]);
  const playlists = await readPlaylists(db, teamId, shown);
  const backgrounds = rows.flatMap(({ background_asset_id }) => background_asset_id ?? []);
  const content = { layouts, playlists, assets: await readAssets(db, teamId, playlists, [...assetIds, ...backgrounds]) };
  const calendarIds = calendarIdsOfItems(playlists.flatMap(({ items }) => items));
  return { ...content, digest: digestOf(content), calendarIds };
}

/** Calendars as they are in a state, which has none without any. */
export function desiredCalendars(calendars: Iterable<Pick<CalendarDays, "id" | "dates">>): Pick<DesiredState, "calendars"> {
  const desired = Array.from(calendars, ({ id, dates }) => ({ id, dates: [...dates] }));
  return desired.length === 0 ? {} : { calendars: desired };
}

/** The ids without repeats and nulls, sorted. */
export function uniqueIds(ids: readonly (string | null)[]): string[] {
  return [...new Set(ids.filter((id) => id !== null))].toSorted();
}

function desiredLayout(row: LayoutRow): DesiredLayout {
  const background_asset_id = row.background_asset_id ?? undefined;
  const transition = parseTransition(row.transition) ?? undefined;
  return DesiredLayout.parse({ ...row, background_asset_id, transition, zones: parseZones(row.zones) });
}

async function readPlaylists(db: Db, teamId: string, ids: readonly string[]): Promise<DesiredPlaylist[]> {
  const rows = await readChunks(ids, (chunk) =>
    db
      .selectFrom("playlists")
      .select(["id", "items"])
      .where("team_id", "=", teamId)
      .where("deleted_at", "is", null)
      .where("id", "in", chunk)
      .execute(),
  );
  return rows.map((row) => ({ id: row.id, items: parseItems(row.items) })).toSorted(byId);
}

async function readAssets(
  db: Db,
  teamId: string,
  playlists: readonly DesiredPlaylist[],
  moreIds: readonly string[],
): Promise<DesiredAsset[]> {
  const shown = playlists.flatMap(({ items }) => items.flatMap(assetIdsOf));
  const rows = await readChunks(uniqueIds([...shown, ...moreIds]), (ids) =>
    db.selectFrom("assets").selectAll().where("team_id", "=", teamId).where("id", "in", ids).execute(),
  );
  return rows.filter(isStored).map(desiredAsset).toSorted(byId);
}

function desiredAsset(row: StoredAssetRow): DesiredAsset {
  const { id, sha256, size_bytes, mime_type, duration_ms, page_count, width, height } = row;
  const pages = page_count === null ? {} : { page_count };
  return { id, sha256, size_bytes, mime_type, duration_ms, ...pages, width, height, url: `/api/v1/device/assets/${sha256}` };
}

async function readChunks<T>(ids: readonly string[], read: (ids: string[]) => Promise<T[]>): Promise<T[]> {
  const rows: T[] = [];
  for (const chunk of inChunks(ids)) rows.push(...(await read(chunk)));
  return rows;
}

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}
