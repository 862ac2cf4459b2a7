// Assets: the files that screens show. The bytes decide what they are; equal bytes are stored once.
import { sql } from "kysely";
import { z } from "zod";
import { Asset, AssetChange, AssetQuery } from "../../../protocol/content/assets.ts";
import { page } from "../../../protocol/operator/resources.ts";
import { Name } from "../../../protocol/common.ts";
import { assetEvent, examineFile, insertAsset } from "../../content/asset-creation.ts";
import { assetVersion, isStored, tagsOf, type StoredAssetRow } from "../../content/asset-rows.ts";
import { convertedTypes, mediaTypes } from "../../media/media-info.ts";
import { nameContains, nameMayContain, pageOf } from "../../http/paging.ts";
import { ProblemError } from "../../http/problem.ts";
import type { Db } from "../../store/store.ts";
import type { AssetRow } from "../../store/tables.ts";
import { thumbnailType } from "../../content/thumbnails.ts";
import { binOperations } from "./asset-bin.ts";
import { importOperations } from "./asset-import.ts";
import { assetParams, readAsset, selectAsset, show } from "./asset-reading.ts";
import { change, FileResponse, found, NoContent, operation, JsonResponse, type Operation, type OperatorContext } from "../operation.ts";

const fileHeaders = { Range: "One range of bytes", "If-None-Match": "Answers 304 to the ETag of the bytes" };

export const assetOperations: readonly Operation[] = [
  operation({
    name: "createAsset",
    tag: "assets",
    method: "POST",
    path: "/assets",
    summary: "Upload a file",
    description:
      "The body is the file, as it is: `curl --data-binary @picture.jpg '…/assets?name=picture.jpg'`. The bytes decide its type: JPEG, PNG, WebP, AVIF, GIF or SVG; HEIC, TIFF or BMP, which become JPEG (PNG where transparent) while `original` keeps the file; MP4 or WebM with H.264, VP8, VP9 or AV1; MP3, AAC, Ogg, WAV or FLAC; PDF; or a zip with index.html for an HTML item. A file that is cut short, cannot be decoded, cannot be played by Chromium (HEVC) or is not what a specific Content-Type says is refused. It can be shown at once; its thumbnail follows. For large files and unsteady lines see `uploads`.",
    agent:
      "Use it for a small file that you have yourself, in data_base64. A larger one: create_upload_link; one at a public address: import_asset.",
    caller: "operator",
    scope: "assets:write",
    query: z.strictObject({
      name: Name.default("untitled").describe("A name for people; never a path"),
      duplicate: z
        .enum(["keep", "reuse"])
        .default("keep")
        .describe("`reuse`: where the team has an asset of the same bytes, that one is the answer (200) and nothing is made"),
    }),
    bytes: (parts) => parts.maxAssetBytes,
    status: 201,
    output: Asset,
    others: { 200: { description: "The team had these bytes already (`duplicate=reuse`)", schema: Asset } },
    errors: ["bad-file", "invalid", "too-large"],
    version: assetVersion,
    async run(context, { query, bytes }) {
      const { parts, teamId, header } = context;
      await using examined = await examineFile(parts, bytes.path, header("content-type"), teamId);
      const made = await change(
        context,
        async (db) => {
          const known = query.duplicate === "reuse" ? await same(db, teamId, bytes.sha256) : undefined;
          if (known !== undefined) return { result: { row: known, isNew: false } };
          return { result: { row: await insertAsset(parts, db, { teamId, name: query.name }, bytes, examined), isNew: true } };
        },
        async (_db, { row, isNew }) => (isNew ? show(parts, row) : new JsonResponse(200, show(parts, row))),
      );
      parts.thumbnails.wake();
      return made;
    },
  }),
  operation({
    name: "listAssets",
    tag: "assets",
    method: "GET",
    path: "/assets",
    summary: "List assets",
    description: "Newest first. What is in the bin is listed only with `deleted=true`.",
    agent: "Use it before importing: the file may be there already. Only those with status ready can be shown.",
    caller: "operator",
    scope: "assets:read",
    query: AssetQuery,
    status: 200,
    output: page(Asset),
    errors: ["invalid"],
    async run({ parts, teamId }, { query }) {
      const { kind, status, tag, q, sha256, deleted } = query;
      let rows = parts.store.db.selectFrom("assets").selectAll().where("team_id", "=", teamId);
      rows = rows.where("deleted_at", deleted === "true" ? "is not" : "is", null);
      if (kind !== undefined) rows = rows.where("kind", "=", kind);
      if (status !== undefined) rows = rows.where("status", "=", status);
      if (sha256 !== undefined) rows = rows.where(ofBytes(sha256));
      // A tag as JSON has it, quotes and all, stands nowhere else in the list.
      const carried = tag && `%${JSON.stringify(tag).replaceAll(/[!%_]/g, "!$&")}%`;
      if (carried !== undefined) rows = rows.where(sql<boolean>`tags like ${carried} escape '!'`);
      if (q === undefined) return pageOf(rows, query, (row) => show(parts, row));
      return pageOf(rows.where(nameMayContain(q)), query, (row) => show(parts, row), { keep: ({ name }) => nameContains(name, q) });
    },
  }),
  operation({
    name: "getAsset",
    tag: "assets",
    method: "GET",
    path: "/assets/{id}",
    summary: "Read what an asset is",
    description: "Its bytes are at `url`. One in the bin has `deleted_at`.",
    caller: "operator",
    scope: "assets:read",
    params: assetParams,
    status: 200,
    output: Asset,
    errors: ["not-found"],
    version: assetVersion,
    run: readAsset,
  }),
  operation({
    name: "updateAsset",
    tag: "assets",
    method: "PATCH",
    path: "/assets/{id}",
    summary: "Change an asset's name or tags",
    description: "Its bytes never change: new bytes are a new asset. `tags` replaces all tags.",
    caller: "operator",
    scope: "assets:write",
    params: assetParams,
    body: AssetChange,
    example: { name: "Summer menu", tags: ["menu", "2026"] },
    status: 200,
    output: Asset,
    errors: ["not-found", "invalid", "precondition-failed"],
    version: assetVersion,
    current: async (context, given) => assetVersion(await readAsset(context, { params: given })),
    async run(context, { params, body }) {
      const { parts, teamId } = context;
      return change(context, async (db) => {
        const row = found(await selectAsset(db, teamId, params.id), "asset");
        const changed = { name: body.name ?? row.name, tags: JSON.stringify([...new Set(body.tags ?? tagsOf(row))]) };
        if (changed.name === row.name && changed.tags === row.tags) return { result: show(parts, row) };
        const next = { ...changed, updated_at: Math.trunc(parts.clock.now()) };
        await db.updateTable("assets").set(next).where("id", "=", row.id).execute();
        const events = [assetEvent("asset.updated", { ...row, ...next })];
        return { result: show(parts, { ...row, ...next }), events };
      });
    },
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
    params: assetParams,
    status: 200,
    output: NoContent,
    file: mediaTypes,
    errors: ["not-found", "range-not-satisfiable"],
    headers: fileHeaders,
    run: async (context, input) => new FileResponse(await stored(context, input.params.id)),
  }),
  operation({
    name: "getAssetThumbnail",
    tag: "assets",
    method: "GET",
    path: "/assets/{id}/thumbnail",
    summary: "Download an asset's thumbnail",
    description:
      "A WebP of at most 512 × 512 pixels. Pictures have one; videos where the service's machine has ffmpeg; other kinds have none. While `status` is `processing` it is still being made.",
    caller: "operator",
    scope: "assets:read",
    params: assetParams,
    status: 200,
    output: NoContent,
    file: [thumbnailType],
    errors: ["not-found", "range-not-satisfiable"],
    headers: fileHeaders,
    async run(context, input) {
      const { thumbnail_sha256: sha256, thumbnail_bytes } = await stored(context, input.params.id);
      if (sha256 === null) throw new ProblemError("not-found", "This asset has no thumbnail, or not yet: see its thumbnail_url");
      return new FileResponse({ sha256, size_bytes: thumbnail_bytes ?? 0, mime_type: thumbnailType });
    },
  }),
  operation({
    name: "getAssetOriginal",
    tag: "assets",
    method: "GET",
    path: "/assets/{id}/original",
    summary: "Download an asset as it was sent",
    description: "Where `original` is not null: the file before it was converted into what screens show.",
    caller: "operator",
    scope: "assets:read",
    params: assetParams,
    status: 200,
    output: NoContent,
    file: convertedTypes,
    errors: ["not-found", "range-not-satisfiable"],
    headers: fileHeaders,
    async run(context, input) {
      const { name, original_sha256, original_bytes, original_mime_type } = await stored(context, input.params.id);
      if (original_sha256 === null || original_bytes === null || original_mime_type === null) {
        throw new ProblemError("not-found", "This asset was not converted: its file is at its url");
      }
      return new FileResponse({ sha256: original_sha256, size_bytes: original_bytes, mime_type: original_mime_type, name });
    },
  }),
  ...binOperations,
  ...importOperations,
];

async function stored({ parts, teamId }: OperatorContext, assetId: string): Promise<StoredAssetRow> {
  const row = found(await selectAsset(parts.store.db, teamId, assetId), "asset");
  if (!isStored(row)) throw new ProblemError("not-found", "The bytes of this asset are not there: see its status");
  return row;
}

/** The file itself, or the one it was converted from. */
function ofBytes(sha256: string) {
  return sql<boolean>`(sha256 = ${sha256} or original_sha256 = ${sha256})`;
}

/** The newest asset of the team with these bytes that is not in the bin. */
function same(db: Db, teamId: string, sha256: string): Promise<AssetRow | undefined> {
  const rows = db.selectFrom("assets").selectAll().where("team_id", "=", teamId).where(ofBytes(sha256));
  return rows.where("deleted_at", "is", null).orderBy("created_at", "desc").limit(1).executeTakeFirst();
}
