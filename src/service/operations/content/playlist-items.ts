// The items that a playlist is given: checked against the assets and against each other, and given their ids.
import type { AssetKind } from "../../../protocol/content/assets.ts";
import { assetIdsOf, type NewPlaylistItem, type PlaylistItem } from "../../../protocol/content/items.ts";
import type { MakeId } from "../../store/ids.ts";
import { invalidFields, type FieldError } from "../../http/problem.ts";
import { canonicalJson } from "../../store/canonical-json.ts";
import type { Db } from "../../store/store.ts";
import { inChunks } from "../../store/chunks.ts";
import type { AssetRow } from "../../store/tables.ts";
import { unmaskSecrets } from "../../content/web-secrets.ts";
import { idErrors, keepIds } from "./kept-ids.ts";

/** The kind of asset that an item of a type shows. */
const kindOf: Record<string, AssetKind> = { image: "image", video: "video", audio: "audio", pdf: "document", html: "bundle" };

/**
 * The items with their ids: one sent along that was here before is kept, an equal item without one keeps its own.
 * @throws Refusal 422 naming each item whose asset is not there or of another kind, or whose id is not this playlist's,
 * and each mask that stands for no secret.
 */
export async function settleItems(
  db: Db,
  makeId: MakeId,
  teamId: string,
  sent: readonly NewPlaylistItem[],
  before: readonly PlaylistItem[],
): Promise<PlaylistItem[]> {
  const { items, errors: unknownSecrets } = unmaskSecrets(sent, before);
  const fieldErrors = [
    ...idErrors(sent, before, { field: "items", part: "item", whole: "playlist" }),
    ...validityErrors(sent),
    ...limitErrors(sent),
  ];
  const errors = [...(await assetErrors(db, teamId, sent)), ...fieldErrors, ...unknownSecrets];
  if (errors.length > 0) {
    throw invalidFields(errors);
  }
  return keepIds(
    items,
    before,
    (old, item) => canonicalJson({ ...old, id: null }) === canonicalJson({ ...item, id: null }),
    () => makeId("itm"),
  );
}

async function assetErrors(db: Db, teamId: string, items: readonly NewPlaylistItem[]): Promise<FieldError[]> {
  const assets = new Map<string, Pick<AssetRow, "kind" | "mime_type" | "deleted_at">>();
  for (const part of inChunks([...new Set(items.flatMap(assetIdsOf))])) {
    const rows = await db
      .selectFrom("assets")
      .select(["id", "kind", "mime_type", "deleted_at"])
      .where("team_id", "=", teamId)
      .where("id", "in", part)
      .execute();
    for (const row of rows) assets.set(row.id, row);
  }
  return items.flatMap((item, index) =>
    Object.entries(kindsOf(item)).flatMap(([field, { assetId, kind }]) => {
      const pointer = `/items/${index}/${field}`;
      const asset = assets.get(assetId);
      if (asset === undefined) return [{ pointer, detail: "there is no such asset" }];
      if (asset.deleted_at !== null) return [{ pointer, detail: "the asset is in the bin: restore it first" }];
      if (asset.kind === null)
        return [{ pointer, detail: "the asset's import has not succeeded, or not yet: wait until its status is ready" }];
      if (asset.kind === kind) return [];
      const use = field === "asset_id" ? `an item of type ${item.type}` : field;
      return [{ pointer, detail: `the asset is ${asset.mime_type}, which is not for ${use}` }];
    }),
  );
}

/** Which field of an item names which asset, and of what kind that has to be. */
function kindsOf(item: NewPlaylistItem): Record<string, { assetId: string; kind: AssetKind }> {
  if (!("asset_id" in item)) return {};
  const own = { asset_id: { assetId: item.asset_id, kind: kindOf[item.type]! } };
  if (item.type !== "audio" || item.artwork_asset_id === undefined) return own;
  return { ...own, artwork_asset_id: { assetId: item.artwork_asset_id, kind: "image" } };
}

function validityErrors(items: readonly NewPlaylistItem[]): FieldError[] {
  return items.flatMap(({ valid_from, valid_until }, index) =>
    valid_from !== undefined && valid_until !== undefined && Date.parse(valid_until) <= Date.parse(valid_from)
      ? [{ pointer: `/items/${index}/valid_until`, detail: "must be after valid_from" }]
      : [],
  );
}

/** Something has to fill the time between the plays of limited items. */
function limitErrors(items: readonly NewPlaylistItem[]): FieldError[] {
  const [first] = items;
  const isLimited = items.every((item) => item.max_plays_per_hour !== undefined || item.max_plays_per_day !== undefined);
  const field = first?.max_plays_per_hour === undefined ? "max_plays_per_day" : "max_plays_per_hour";
  const detail = "at least one item must be without a limit: it plays in the time between";
  return first !== undefined && isLimited ? [{ pointer: `/items/0/${field}`, detail }] : [];
}
