// Finds assets and converts them to their API form.
import { z } from "zod";
import { id } from "../../../protocol/common.ts";
import type { Asset } from "../../../protocol/content/assets.ts";
import { showAsset } from "../assets/rows.ts";
import type { Imports } from "../assets/imports.ts";
import { found } from "../../http/problem.ts";
import type { Db, Store } from "../../store/store.ts";
import type { AssetRow } from "../../store/tables/content.ts";
import { findTeamRow } from "../../store/tables/team-rows.ts";
import type { OperatorContext } from "../../operations/context.ts";

export const assetParams = z.strictObject({ id: id("ast") });

/** Reads an asset, in the bin or not. @throws ProblemError 404. */
export async function readAsset(
  dependencies: { store: Store; imports: Imports },
  { teamId }: OperatorContext,
  input: { params: { id: string } },
): Promise<Asset> {
  return showAssetRow(dependencies, found(await selectAsset(dependencies.store.db, teamId, input.params.id), "asset"));
}

/** The row of the team's asset, in the bin or not. */
export function selectAsset(db: Db, teamId: string, assetId: string): Promise<AssetRow | undefined> {
  return findTeamRow(db, "assets", teamId, assetId);
}

export function showAssetRow({ imports }: { imports: Imports }, row: AssetRow): Asset {
  return showAsset(row, (assetId) => imports.progressOf(assetId));
}
