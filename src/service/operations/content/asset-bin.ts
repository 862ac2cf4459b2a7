// Deletes assets into the bin, where they can be restored for 30 days, or for good; and restores them.
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import { Asset } from "../../../protocol/content/assets.ts";
import { assetIdsOf } from "../../../protocol/content/items.ts";
import { assetEvent } from "../../content/asset-creation.ts";
import { assetVersion } from "../../content/asset-rows.ts";
import type { BlobSweeper } from "../../content/blob-sweeper.ts";
import { parseItems } from "../../content/content-columns.ts";
import type { Imports } from "../../content/imports.ts";
import { found, ProblemError } from "../../http/problem.ts";
import { deleteExpiredOverrides, playersShowingByOverride } from "../../schedule/overrides.ts";
import type { Db, Store } from "../../store/store.ts";
import { NoContent, operationsWith, type Operation } from "../operation.ts";
import { assetParams, readAsset, selectAsset, showAssetRow } from "./asset-reading.ts";
import { listNames } from "./playlists.ts";

export interface AssetBinDependencies {
  clock: Clock;
  imports: Imports;
  sweeper: BlobSweeper;
  store: Store;
}

const operation = operationsWith<AssetBinDependencies>();

export const binOperations: readonly Operation<AssetBinDependencies>[] = [
  operation({
    name: "deleteAsset",
    tag: "assets",
    method: "DELETE",
    path: "/assets/{id}",
    summary: "Delete an asset",
    description:
      "Moves the asset to the bin, from which it can be restored for 30 days. With `permanent=true` it is deleted for good, also from the bin, and its disk space is freed unless another asset has the same bytes. Rejected while a playlist, a layout or an override uses it.",
    agent: "Use it for files that nothing shows. Without `permanent` the asset can be restored for 30 days.",
    caller: "operator",
    scope: "assets:write",
    params: assetParams,
    query: z.strictObject({ permanent: z.enum(["true", "false"]).default("false") }),
    status: 204,
    output: NoContent,
    errors: ["not-found", "in-use", "invalid", "precondition-failed"],
    current: async (dependencies, context, given) => assetVersion(await readAsset(dependencies, context, { params: given })),
    async run({ clock, imports, sweeper }, { teamId }, { params, query }, unitOfWork) {
      const isPermanent = query.permanent === "true";
      await unitOfWork.write(async (db) => {
        const row = found(await selectAsset(db, teamId, params.id), "asset");
        const playlists = await playlistsShowing(db, teamId, row.id);
        if (playlists.length > 0)
          throw new ProblemError("in-use", `Playlists show this asset: ${listNames(playlists)}. Remove it from them first`);
        const layouts = await layoutsOn(db, teamId, row.id);
        if (layouts.length > 0) {
          throw new ProblemError(
            "in-use",
            `Layouts use this asset as their background: ${listNames(layouts)}. Give them another background first`,
          );
        }
        const keepers = await playersKeeping(db, teamId, row.id);
        if (keepers.length > 0) {
          throw new ProblemError(
            "in-use",
            `Players have this asset as their safe content: ${listNames(keepers)}. Give them another image first`,
          );
        }
        const team = await db
          .selectFrom("teams")
          .select("name")
          .where("id", "=", teamId)
          .where("safe_asset_id", "=", row.id)
          .executeTakeFirst();
        if (team !== undefined)
          throw new ProblemError("in-use", `The team ${team.name} has this asset as its safe content. Give it another image first`);
        const affected = await deleteExpiredOverrides(db, teamId, { asset_id: row.id }, clock.now());
        const players = await playersShowingByOverride(db, teamId, row.id);
        if (players.length > 0)
          throw new ProblemError("in-use", `Overrides on players show this asset: ${listNames(players)}. Clear them first`);
        if (isPermanent) {
          await db.deleteFrom("assets").where("id", "=", row.id).execute();
          sweeper.mark([row, { sha256: row.thumbnail_sha256 }, { sha256: row.original_sha256 }]);
        } else if (row.deleted_at === null) {
          await db
            .updateTable("assets")
            .set({ deleted_at: Math.trunc(clock.now()) })
            .where("id", "=", row.id)
            .execute();
        }
        return { result: undefined, affected, events: [assetEvent("asset.deleted", row)] };
      });
      if (!isPermanent) return;
      imports.cancel(params.id);
      await sweeper.removeMarked();
    },
  }),
  operation({
    name: "restoreAsset",
    tag: "assets",
    method: "POST",
    path: "/assets/{id}/restore",
    summary: "Restore an asset from the bin",
    description: "An asset that is not in the bin stays as it is.",
    caller: "operator",
    scope: "assets:write",
    params: assetParams,
    status: 200,
    output: Asset,
    errors: ["not-found"],
    version: assetVersion,
    async run(dependencies, { teamId }, { params }, unitOfWork) {
      return unitOfWork.write(async (db) => {
        const row = found(await selectAsset(db, teamId, params.id), "asset");
        if (row.deleted_at === null) return { result: showAssetRow(dependencies, row) };
        await db.updateTable("assets").set({ deleted_at: null }).where("id", "=", row.id).execute();
        return { result: showAssetRow(dependencies, { ...row, deleted_at: null }), events: [assetEvent("asset.restored", row)] };
      });
    },
  }),
];

/** The layouts that have the asset as their background. */
function layoutsOn(db: Db, teamId: string, assetId: string): Promise<{ id: string; name: string }[]> {
  const rows = db.selectFrom("layouts").select(["id", "name"]).where("team_id", "=", teamId).where("deleted_at", "is", null);
  return rows.where("background_asset_id", "=", assetId).execute();
}

/** The players that show the asset in place of withheld content. */
function playersKeeping(db: Db, teamId: string, assetId: string): Promise<{ id: string; name: string }[]> {
  const rows = db.selectFrom("players").select(["id", "name"]).where("team_id", "=", teamId).where("removed_at", "is", null);
  return rows.where("safe_asset_id", "=", assetId).execute();
}

async function playlistsShowing(db: Db, teamId: string, assetId: string): Promise<{ id: string; name: string }[]> {
  const rows = await db
    .selectFrom("playlists")
    .select(["id", "name", "items"])
    .where("team_id", "=", teamId)
    .where("deleted_at", "is", null)
    .where("items", "like", `%${assetId}%`)
    .execute();
  return rows.filter((row) => parseItems(row.items).some((item) => assetIdsOf(item).includes(assetId)));
}
