// Assets: the files that screens show. The bytes decide what they are; equal bytes are stored once.
import { z } from "zod";
import { Asset, page, PageQuery } from "../../protocol/resources.ts";
import { id, Name } from "../../protocol/words.ts";
import { parseItems } from "../desired.ts";
import { examine } from "../media.ts";
import { pageOf } from "../paging.ts";
import { Refusal } from "../problem.ts";
import type { Db } from "../store.ts";
import type { AssetRow } from "../tables.ts";
import { change, FileAnswer, found, NoContent, operation, type Operation, type OperatorContext, type Parts } from "./operation.ts";
import { names } from "./playlists.ts";

const params = z.strictObject({ id: id("ast") });
const mediaTypes = ["image/jpeg", "image/png", "image/webp", "image/avif", "image/gif", "video/mp4", "video/webm"];

export const assetOperations: readonly Operation[] = [
  operation({
    name: "createAsset",
    tag: "assets",
    method: "POST",
    path: "/assets",
    summary: "Upload a picture or a video",
    description:
      "The body is the file, as it is: `curl --data-binary @picture.jpg '…/assets?name=picture.jpg'`. The bytes decide its type: JPEG, PNG, WebP, AVIF, GIF, MP4 or WebM. A file that is cut short, cannot be decoded or is not what a specific Content-Type says is refused.",
    caller: "operator",
    scope: "assets:write",
    query: z.strictObject({ name: Name.default("untitled").describe("A name for people; never a path") }),
    bytes: (parts) => parts.mostAssetBytes,
    status: 201,
    output: Asset,
    errors: ["bad-file", "invalid", "too-large"],
    version: (asset) => asset,
    async run({ parts, teamId, header }, { query, bytes }) {
      const media = await examine(bytes.path, header("content-type"));
      return change(parts, async (db) => {
        const row: AssetRow = {
          id: parts.makeId("ast"),
          team_id: teamId,
          name: query.name,
          mime_type: media.mimeType,
          size_bytes: bytes.sizeBytes,
          sha256: bytes.sha256,
          width: media.width,
          height: media.height,
          duration_ms: media.durationMs,
          codec: media.codec,
          created_at: Math.trunc(parts.clock.now()),
        };
        // The file first: a row never names bytes that are not there.
        await parts.blobs.keep(bytes);
        await db.insertInto("assets").values(row).execute();
        return { result: show(row) };
      });
    },
  }),
  operation({
    name: "listAssets",
    tag: "assets",
    method: "GET",
    path: "/assets",
    summary: "List assets",
    description: "Newest first.",
    caller: "operator",
    scope: "assets:read",
    query: PageQuery,
    status: 200,
    output: page(Asset),
    errors: ["invalid"],
    async run({ parts, teamId }, { query }) {
      const rows = parts.store.db.selectFrom("assets").selectAll().where("team_id", "=", teamId);
      return pageOf(rows, query, show);
    },
  }),
  operation({
    name: "getAsset",
    tag: "assets",
    method: "GET",
    path: "/assets/{id}",
    summary: "Read what an asset is",
    description: "Its bytes are at `url`.",
    caller: "operator",
    scope: "assets:read",
    params,
    status: 200,
    output: Asset,
    errors: ["not-found"],
    version: (asset) => asset,
    run: async (context, input) => show(await find(context, input.params)),
  }),
  operation({
    name: "getAssetContent",
    tag: "assets",
    method: "GET",
    path: "/assets/{id}/content",
    summary: "Download an asset",
    description: "The bytes, whole or by `Range`. They never change; the ETag is their SHA-256.",
    caller: "operator",
    scope: "assets:read",
    params,
    status: 200,
    output: NoContent,
    file: mediaTypes,
    errors: ["not-found", "range-not-satisfiable"],
    headers: { Range: "One range of bytes", "If-None-Match": "Answers 304 to the ETag of the bytes" },
    run: async (context, input) => new FileAnswer(await find(context, input.params)),
  }),
  operation({
    name: "deleteAsset",
    tag: "assets",
    method: "DELETE",
    path: "/assets/{id}",
    summary: "Delete an asset",
    description: "Refused while a playlist or a layout shows it.",
    caller: "operator",
    scope: "assets:write",
    params,
    status: 204,
    output: NoContent,
    errors: ["not-found", "in-use", "precondition-failed"],
    current: async (context, given) => show(await find(context, given)),
    async run(context, input) {
      const { parts, teamId } = context;
      await change(parts, async (db) => {
        const row = found(await select(db, teamId, input.params.id), "asset");
        const users = await playlistsShowing(db, teamId, row.id);
        const grounds = await layoutsOn(db, teamId, row.id);
        if (grounds.length > 0)
          throw new Refusal("in-use", `Layouts lie on this asset: ${names(grounds)}. Give them another background first`);
        if (users.length > 0) throw new Refusal("in-use", `Playlists show this asset: ${names(users)}. Take it out of them first`);
        await db.deleteFrom("assets").where("id", "=", row.id).execute();
        await removeUnusedBlob(parts, db, row.sha256);
        return { result: undefined };
      });
    },
  }),
];

/** Removes a file that no asset and no screenshot names any more. To be called inside the transaction that let it go. */
export async function removeUnusedBlob(parts: Parts, db: Db, sha256: string): Promise<void> {
  const asset = await db.selectFrom("assets").select("id").where("sha256", "=", sha256).limit(1).executeTakeFirst();
  const shot = await db.selectFrom("screenshots").select("id").where("sha256", "=", sha256).limit(1).executeTakeFirst();
  if (asset === undefined && shot === undefined) await parts.blobs.remove(sha256);
}

async function find({ parts, teamId }: OperatorContext, { id: assetId }: { id: string }): Promise<AssetRow> {
  return found(await select(parts.store.db, teamId, assetId), "asset");
}

function select(db: Db, teamId: string, assetId: string) {
  return db.selectFrom("assets").selectAll().where("team_id", "=", teamId).where("id", "=", assetId).executeTakeFirst();
}

async function playlistsShowing(db: Db, teamId: string, assetId: string): Promise<{ id: string; name: string }[]> {
  const rows = await db
    .selectFrom("playlists")
    .select(["id", "name", "items"])
    .where("team_id", "=", teamId)
    .where("items", "like", `%${assetId}%`)
    .execute();
  return rows.filter((row) => parseItems(row.items).some((item) => "asset_id" in item && item.asset_id === assetId));
}

/** Layouts whose background it is. */
function layoutsOn(db: Db, teamId: string, assetId: string): Promise<{ id: string; name: string }[]> {
  return db.selectFrom("layouts").select(["id", "name"]).where("team_id", "=", teamId).where("background_asset_id", "=", assetId).execute();
}

function show(row: AssetRow): Asset {
  return {
    id: row.id,
    name: row.name,
    mime_type: row.mime_type,
    size_bytes: row.size_bytes,
    sha256: row.sha256,
    width: row.width,
    height: row.height,
    duration_ms: row.duration_ms,
    url: `/api/v1/assets/${row.id}/content`,
    created_at: new Date(row.created_at).toISOString(),
  };
}
