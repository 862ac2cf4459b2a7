// How operations find assets and show them.
import { z } from "zod";
import type { Asset } from "../../../protocol/content/assets.ts";
import { id } from "../../../protocol/common.ts";
import { showAsset } from "../../content/asset-rows.ts";
import { findTeamRow } from "../../store/team-rows.ts";
import type { Db } from "../../store/store.ts";
import type { AssetRow } from "../../store/tables.ts";
import { found, type OperatorContext, type Parts } from "../operation.ts";

export const assetParams = z.strictObject({ id: id("ast") });

/** The asset as the wire shows it. @throws Refusal 404. */
export async function readAsset({ parts, teamId }: OperatorContext, input: { params: { id: string } }): Promise<Asset> {
  return show(parts, found(await selectAsset(parts.store.db, teamId, input.params.id), "asset"));
}

/** An asset of the team, in the bin or not. */
export function selectAsset(db: Db, teamId: string, assetId: string): Promise<AssetRow | undefined> {
  return findTeamRow(db, "assets", teamId, assetId);
}

export function show({ imports }: Pick<Parts, "imports">, row: AssetRow): Asset {
  return showAsset(row, (assetId) => imports.progressOf(assetId));
}
