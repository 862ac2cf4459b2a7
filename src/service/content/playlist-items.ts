// Validates the items of a playlist and assigns their ids.
import { assetFieldsOf, assetIdsOf, calendarIdsOfItems, type NewPlaylistItem, type PlaylistItem } from "../../protocol/content/items.ts";
import { unmaskSecrets } from "./web-secrets.ts";
import { invalidFields, type FieldError } from "../http/problem.ts";
import { calendarsById, missingCalendars } from "../schedule/calendars/holiday-calendars.ts";
import { canonicalJson } from "../store/canonical-json.ts";
import type { MakeId } from "../store/ids.ts";
import type { Db } from "../store/store.ts";
import { idErrors, keepIds } from "./part-ids.ts";
import { assetsById } from "./store.ts";

/**
 * Returns the items with their ids. A sent id is kept; an item equal to an earlier one keeps that item's id.
 * @throws ProblemError 422 naming each item whose asset is missing or of the wrong kind, whose calendar is missing or whose id is not of
 * this playlist, and each mask without a stored secret.
 */
export async function assignItemIds(
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
  const missing = [...(await assetErrors(db, teamId, sent)), ...(await calendarErrors(db, teamId, sent))];
  const errors = [...missing, ...fieldErrors, ...unknownSecrets];
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
  const assets = await assetsById(db, teamId, items.flatMap(assetIdsOf));
  return items.flatMap((item, index) =>
    assetFieldsOf(item).flatMap(({ field, assetId, kind }) => {
      const pointer = `/items/${index}/${field}`;
      const asset = assets.get(assetId);
      if (asset === undefined) return [{ pointer, detail: "there is no such asset" }];
      if (asset.deleted_at !== null) return [{ pointer, detail: "the asset is in the bin: restore it first" }];
      if (asset.kind === null)
        return [{ pointer, detail: "the asset is not imported yet, or its import failed: wait until its status is ready" }];
      if (asset.kind === kind) return [];
      const use = field === "asset_id" ? `an item of type ${item.type}` : field;
      return [{ pointer, detail: `the asset is ${asset.mime_type}, which cannot be used for ${use}` }];
    }),
  );
}

async function calendarErrors(db: Db, teamId: string, items: readonly NewPlaylistItem[]): Promise<FieldError[]> {
  const calendars = await calendarsById(db, teamId, calendarIdsOfItems(items));
  return items.flatMap(({ conditions = [] }, index) => missingCalendars(conditions, calendars, `/items/${index}`));
}

function validityErrors(items: readonly NewPlaylistItem[]): FieldError[] {
  return items.flatMap(({ valid_from, valid_until }, index) =>
    valid_from !== undefined && valid_until !== undefined && Date.parse(valid_until) <= Date.parse(valid_from)
      ? [{ pointer: `/items/${index}/valid_until`, detail: "must be after valid_from" }]
      : [],
  );
}

/** Rejects a playlist in which all items are limited: something has to play between them. */
function limitErrors(items: readonly NewPlaylistItem[]): FieldError[] {
  const [first] = items;
  const isLimited = items.every((item) => item.max_plays_per_hour !== undefined || item.max_plays_per_day !== undefined);
  const field = first?.max_plays_per_hour === undefined ? "max_plays_per_day" : "max_plays_per_hour";
  const detail = "at least one item must have no limit: it plays in between";
  return first !== undefined && isLimited ? [{ pointer: `/items/0/${field}`, detail }] : [];
}
