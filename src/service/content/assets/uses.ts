// Finds where an asset is used.
import { assetIdsOf } from "../../../protocol/content/items.ts";
import { layoutsShowing } from "../../fleet/state/players-showing.ts";
import { playersShowingByOverride } from "../../schedule/overrides.ts";
import type { Db } from "../../store/store.ts";
import type { LayoutRow, PlaylistRow } from "../../store/tables/content.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { parseItems } from "../content-columns.ts";

/** A resource with its id and name. */
export interface Named {
  id: string;
  name: string;
}

/** The resources outside the bin that use an asset itself. */
export interface DirectUses {
  playlists: readonly { row: PlaylistRow; itemIds: readonly string[] }[];
  /** The layouts that have it as their background. */
  backgrounds: readonly LayoutRow[];
  /** The players that show it in place of withheld content. */
  keepers: readonly PlayerRow[];
  /** The team, if its players show it in place of withheld content. */
  team: Named | undefined;
  /** The players on which an override shows it. */
  overrides: readonly PlayerRow[];
}

/** Reads the resources that use the asset itself. */
export async function directUses(db: Db, teamId: string, assetId: string): Promise<DirectUses> {
  const layouts = db.selectFrom("layouts").selectAll().where("team_id", "=", teamId).where("deleted_at", "is", null);
  const players = db.selectFrom("players").selectAll().where("team_id", "=", teamId).where("removed_at", "is", null);
  const team = db.selectFrom("teams").select(["id", "name"]).where("id", "=", teamId);
  return {
    playlists: await playlistsShowing(db, teamId, assetId),
    backgrounds: await layouts.where("background_asset_id", "=", assetId).execute(),
    keepers: await players.where("safe_asset_id", "=", assetId).execute(),
    team: await team.where("safe_asset_id", "=", assetId).executeTakeFirst(),
    overrides: await playersShowingByOverride(db, teamId, assetId),
  };
}

async function playlistsShowing(db: Db, teamId: string, assetId: string): Promise<DirectUses["playlists"]> {
  // The text search narrows the candidates in SQLite and PostgreSQL alike; the parsed items decide.
  const rows = await db
    .selectFrom("playlists")
    .selectAll()
    .where("team_id", "=", teamId)
    .where("deleted_at", "is", null)
    .where("items", "like", `%${assetId}%`)
    .execute();
  return rows.flatMap((row) => {
    const itemIds = parseItems(row.items).flatMap((item) => (assetIdsOf(item).includes(assetId) ? item.id : []));
    return itemIds.length === 0 ? [] : [{ row, itemIds }];
  });
}

/** The layouts that show one of the playlists or have the asset as their background, each once. */
export async function layoutsUsing(db: Db, teamId: string, { playlists, backgrounds }: DirectUses): Promise<Named[]> {
  const shown = await Promise.all(playlists.map(({ row }) => layoutsShowing(db, teamId, row.id)));
  return eachOnce([...shown.flat(), ...backgrounds]);
}

/** The ids and names of resources, each once. */
export function eachOnce(rows: readonly Named[]): Named[] {
  return [...new Map(rows.map(({ id, name }) => [id, { id, name }])).values()];
}
