// Deletes assets into the bin, where they can be restored for 30 days, or for good; and restores them.
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import { Asset } from "../../../protocol/content/assets.ts";
import { assetEvent } from "../assets/creation.ts";
import { assetVersion } from "../assets/rows.ts";
import type { BlobSweeper } from "../blob-sweeper.ts";
import { directUses, type DirectUses } from "../assets/uses.ts";
import type { Imports } from "../assets/imports.ts";
import { found, ProblemError } from "../../http/problem.ts";
import { deleteExpiredOverrides } from "../../schedule/overrides.ts";
import type { Store } from "../../store/store.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";
import { assetParams, readAsset, selectAsset, showAssetRow } from "./asset-reading.ts";
import { listNames } from "./playlists.ts";
import { deleteTeamRow, updateTeamRow } from "../../store/tables/team-rows.ts";

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
        const affected = await deleteExpiredOverrides(db, teamId, { asset_id: row.id }, Math.trunc(clock.now()));
        checkUnused(await directUses(db, teamId, row.id));
        if (isPermanent) {
          await deleteTeamRow(db, "assets", row.id);
          sweeper.mark([row, { sha256: row.thumbnail_sha256 }, { sha256: row.original_sha256 }]);
        } else if (row.deleted_at === null) {
          await updateTeamRow(db, "assets", row.id, { deleted_at: Math.trunc(clock.now()) });
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
    hasLinks: true,
    errors: ["not-found"],
    version: assetVersion,
    async run(dependencies, { teamId }, { params }, unitOfWork) {
      return unitOfWork.write(async (db) => {
        const row = found(await selectAsset(db, teamId, params.id), "asset");
        if (row.deleted_at === null) return { result: showAssetRow(dependencies, row) };
        await updateTeamRow(db, "assets", row.id, { deleted_at: null });
        return { result: showAssetRow(dependencies, { ...row, deleted_at: null }), events: [assetEvent("asset.restored", row)] };
      });
    },
  }),
];

/** @throws ProblemError 409 that names the uses of the asset, and the first steps to end them. */
function checkUnused({ playlists, backgrounds, keepers, team, overrides }: DirectUses): void {
  if (playlists.length > 0) {
    throw new ProblemError("in-use", `Playlists show this asset: ${listNames(playlists.map(({ row }) => row))}. Remove it from them first`);
  }
  if (backgrounds.length > 0) {
    const names = listNames(backgrounds);
    throw new ProblemError("in-use", `Layouts use this asset as their background: ${names}. Give them another background first`);
  }
  if (keepers.length > 0)
    throw new ProblemError("in-use", `Screens have this asset as their safe content: ${listNames(keepers)}. Give them another image first`);
  if (team !== undefined)
    throw new ProblemError("in-use", `The team ${team.name} has this asset as its safe content. Give it another image first`);
  if (overrides.length > 0)
    throw new ProblemError("in-use", `Overrides on screens show this asset: ${listNames(overrides)}. Clear them first`);
}
