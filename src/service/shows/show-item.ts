// Makes the playlist item of a new show, and the show's default name.
import { Name } from "../../protocol/common.ts";
import { typeOfAsset, type AssetKind } from "../../protocol/content/item-kinds.ts";
import { NewPlaylistItem } from "../../protocol/content/items.ts";
import type { NewShow } from "../../protocol/operator/shows.ts";
import { invalidField } from "../http/problem.ts";
import type { Db } from "../store/store.ts";
import { findTeamRow } from "../store/tables/team-rows.ts";

const webPlayMs = 60_000;
const maxNameLength = 60;

/** The playlist item of the show, and a default name. @throws ProblemError 422. */
export async function itemOfShow(db: Db, teamId: string, body: NewShow): Promise<{ item: NewPlaylistItem; defaultName: string }> {
  const { duration_ms, fit, color, background_color } = body;
  const lasts = duration_ms === undefined ? {} : { duration_ms };
  if (body.text !== undefined) {
    const item = { type: "text", text: body.text, color, background_color, ...lasts };
    return { item: NewPlaylistItem.parse(item), defaultName: nameFrom(body.text) };
  }
  if (body.url !== undefined) {
    const item = { type: "web", url: body.url, duration_ms: duration_ms ?? webPlayMs };
    return { item: NewPlaylistItem.parse(item), defaultName: nameFrom(new URL(body.url).host) };
  }
  const asset = await findTeamRow(db, "assets", teamId, body.asset_id!);
  if (asset === undefined) throw invalidField("/asset_id", "there is no such asset");
  if (asset.kind === null)
    throw invalidField("/asset_id", "the asset is not imported yet, or its import failed: wait until its status is ready");
  const fieldsOfKind: Readonly<Record<AssetKind, object>> = {
    image: { fit },
    video: { fit },
    audio: {},
    document: {},
    bundle: { duration_ms: webPlayMs },
  };
  const item = { type: typeOfAsset[asset.kind], asset_id: asset.id, ...fieldsOfKind[asset.kind], ...lasts };
  return { item: NewPlaylistItem.parse(item), defaultName: nameFrom(asset.name) };
}

/** Makes a name of a text: one line, limited length. */
function nameFrom(text: string): string {
  const line = text.replaceAll(/[\p{C}\s]+/gu, " ").trim();
  // Remove half a surrogate pair at the cut.
  const cut = line
    .slice(0, maxNameLength)
    .toWellFormed()
    .replace(/\ufffd$/, "");
  return Name.safeParse(line.length > maxNameLength ? `${cut}…` : line).data ?? "Show";
}
