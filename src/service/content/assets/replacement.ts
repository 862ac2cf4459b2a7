// Exchanges an asset for another wherever it is used.
import { contentEvent } from "../content-event.ts";
import { assetFieldsOf, type PlaylistItem } from "../../../protocol/content/items.ts";
import type { AssetReplacement } from "../../../protocol/content/asset-uses.ts";
import { invalidField } from "../../http/problem.ts";
import type { WriteEvent } from "../../operations/unit-of-work.ts";
import type { Db } from "../../store/store.ts";
import type { AssetRow } from "../../store/tables/content.ts";
import { findTeamRow } from "../../store/tables/team-rows.ts";
import { isStored } from "./rows.ts";
import type { DirectUses } from "./uses.ts";
import { parseItems } from "../content-columns.ts";

/** The asset that takes the place of `old`. @throws ProblemError 422 if it cannot. */
export async function findReplacement(db: Db, teamId: string, old: AssetRow, nextId: string): Promise<AssetRow> {
  const next = await findTeamRow(db, "assets", teamId, nextId);
  if (next === undefined) throw invalidField("/asset_id", "there is no such asset");
  if (next.id === old.id) throw invalidField("/asset_id", "is the asset itself: choose another one");
  if (next.deleted_at !== null) throw invalidField("/asset_id", "the asset is in the bin: restore it first");
  if (!isStored(next))
    throw invalidField("/asset_id", "the asset is not imported yet, or its import failed: wait until its status is ready");
  if (next.kind !== old.kind) {
    throw invalidField(
      "/asset_id",
      `the asset is ${next.mime_type}, which cannot take the place of ${old.mime_type ?? "a file that was not imported"}`,
    );
  }
  return next;
}

/** The uses that a replacement is limited to. */
export function limitedUses(uses: DirectUses, only: AssetReplacement["only"]): DirectUses {
  if (only === undefined) return uses;
  const [items, layouts, players] = [new Set(only.item_ids), new Set(only.layout_ids), new Set(only.player_ids)];
  return {
    playlists: uses.playlists.flatMap(({ row, itemIds }) => {
      const kept = itemIds.filter((id) => items.has(id));
      return kept.length === 0 ? [] : [{ row, itemIds: kept }];
    }),
    backgrounds: uses.backgrounds.filter(({ id }) => layouts.has(id)),
    keepers: uses.keepers.filter(({ id }) => players.has(id)),
    team: only.team ? uses.team : undefined,
    overrides: uses.overrides,
  };
}

/** Exchanges the asset in these places. @returns the events of the changes. */
export async function replaceUses(
  db: Db,
  teamId: string,
  { playlists, backgrounds, keepers, team }: DirectUses,
  [oldId, nextId]: readonly [string, string],
  now: number,
): Promise<WriteEvent[]> {
  const events: WriteEvent[] = [];
  for (const { row, itemIds } of playlists) {
    const changed = parseItems(row.items).map((item) => (itemIds.includes(item.id) ? exchange(item, oldId, nextId) : item));
    const items = JSON.stringify(changed);
    await db.updateTable("playlists").set({ items, updated_at: now }).where("id", "=", row.id).execute();
    await replaceInShow(db, teamId, row.id, oldId, nextId);
    events.push(contentEvent("playlist.updated", row));
  }
  for (const { id, name } of backgrounds) {
    await db.updateTable("layouts").set({ background_asset_id: nextId, updated_at: now }).where("id", "=", id).execute();
    events.push(contentEvent("layout.updated", { id, team_id: teamId, name }));
  }
  for (const { id, name } of keepers) {
    await db.updateTable("players").set({ safe_asset_id: nextId, updated_at: now }).where("id", "=", id).execute();
    events.push({ teamId, type: "player.updated", data: { player_id: id, name }, players: [id] });
  }
  if (team !== undefined) await db.updateTable("teams").set({ safe_asset_id: nextId, updated_at: now }).where("id", "=", teamId).execute();
  return events;
}

function exchange(item: PlaylistItem, oldId: string, nextId: string): PlaylistItem {
  const fields = assetFieldsOf(item).filter(({ assetId }) => assetId === oldId);
  return { ...item, ...Object.fromEntries(fields.map(({ field }) => [field, nextId])) };
}

/** A show names its asset too. */
async function replaceInShow(db: Db, teamId: string, playlistId: string, oldId: string, nextId: string): Promise<void> {
  const rows = db.selectFrom("shows").select(["id", "given"]).where("team_id", "=", teamId).where("playlist_id", "=", playlistId);
  for (const { id, given } of await rows.execute()) {
    const content = JSON.parse(given) as { asset_id?: string };
    if (content.asset_id !== oldId) continue;
    await db
      .updateTable("shows")
      .set({ given: JSON.stringify({ ...content, asset_id: nextId }) })
      .where("id", "=", id)
      .execute();
  }
}
