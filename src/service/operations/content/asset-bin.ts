// The bin: a deleted asset can be brought back for 30 days, then, or when asked for, it is gone and so are its bytes.
import { z } from "zod";
import { assetIdsOf } from "../../../protocol/content/items.ts";
import { Asset } from "../../../protocol/content/assets.ts";
import { assetVersion } from "../../content/asset-rows.ts";
import { parseItems } from "../../content/content-columns.ts";
import { ProblemError } from "../../http/problem.ts";
import { assetEvent } from "../../content/asset-creation.ts";
import { deleteExpiredOverrides, playersShowingByOverride } from "../../schedule/overrides.ts";
import type { Db } from "../../store/store.ts";
import { assetParams, readAsset, selectAsset, show } from "./asset-reading.ts";
import { change, found, NoContent, operation, type Operation } from "../operation.ts";
import { names } from "./playlists.ts";

export const binOperations: readonly Operation[] = [
  operation({
    name: "deleteAsset",
    tag: "assets",
    method: "DELETE",
    path: "/assets/{id}",
    summary: "Delete an asset",
    description:
      "Refused while a playlist shows it. It goes into the bin, from which it can be restored for 30 days. With `permanent=true` it is gone at once, from the bin too, and the disk is freed unless another asset has the same bytes.",
    agent: "Use it for files that nothing shows. Without `permanent` it can be restored for 30 days.",
    caller: "operator",
    scope: "assets:write",
    params: assetParams,
    query: z.strictObject({ permanent: z.enum(["true", "false"]).default("false") }),
    status: 204,
    output: NoContent,
    errors: ["not-found", "in-use", "invalid", "precondition-failed"],
    current: async (context, given) => assetVersion(await readAsset(context, { params: given })),
    async run(context, { params, query }) {
      const { parts, teamId } = context;
      const isPermanent = query.permanent === "true";
      await change(context, async (db) => {
        const row = found(await selectAsset(db, teamId, params.id), "asset");
        const users = await playlistsShowing(db, teamId, row.id);
        if (users.length > 0) throw new ProblemError("in-use", `Playlists show this asset: ${names(users)}. Take it out of them first`);
        const grounds = await layoutsOn(db, teamId, row.id);
        if (grounds.length > 0) {
          throw new ProblemError("in-use", `Layouts lie on this asset: ${names(grounds)}. Give them another background first`);
        }
        const affected = await deleteExpiredOverrides(db, teamId, { asset_id: row.id }, parts.clock.now());
        const shown = await playersShowingByOverride(db, teamId, row.id);
        if (shown.length > 0) throw new ProblemError("in-use", `Overrides on players show this asset: ${names(shown)}. Clear them first`);
        if (isPermanent) {
          await db.deleteFrom("assets").where("id", "=", row.id).execute();
          parts.sweeper.mark([row, { sha256: row.thumbnail_sha256 }, { sha256: row.original_sha256 }]);
        } else if (row.deleted_at === null) {
          await db
            .updateTable("assets")
            .set({ deleted_at: Math.trunc(parts.clock.now()) })
            .where("id", "=", row.id)
            .execute();
        }
        return { result: undefined, affected, events: [assetEvent("asset.deleted", row)] };
      });
      if (!isPermanent) return;
      parts.imports.cancel(params.id);
      await parts.sweeper.removeMarked();
    },
  }),
  operation({
    name: "restoreAsset",
    tag: "assets",
    method: "POST",
    path: "/assets/{id}/restore",
    summary: "Bring an asset back from the bin",
    description: "One that is not in the bin stays as it is.",
    caller: "operator",
    scope: "assets:write",
    params: assetParams,
    status: 200,
    output: Asset,
    errors: ["not-found"],
    version: assetVersion,
    async run(context, { params }) {
      const { parts, teamId } = context;
      return change(context, async (db) => {
        const row = found(await selectAsset(db, teamId, params.id), "asset");
        if (row.deleted_at === null) return { result: show(parts, row) };
        await db.updateTable("assets").set({ deleted_at: null }).where("id", "=", row.id).execute();
        return { result: show(parts, { ...row, deleted_at: null }), events: [assetEvent("asset.restored", row)] };
      });
    },
  }),
];

/** Layouts whose background it is. */
function layoutsOn(db: Db, teamId: string, assetId: string): Promise<{ id: string; name: string }[]> {
  const rows = db.selectFrom("layouts").select(["id", "name"]).where("team_id", "=", teamId).where("deleted_at", "is", null);
  return rows.where("background_asset_id", "=", assetId).execute();
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
