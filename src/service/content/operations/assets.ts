// Assets: the files that screens show. Their type is detected from their bytes; equal bytes are stored once.
import type { FileDependencies } from "../assets/file-dependencies.ts";
import { z } from "zod";
import { Name } from "../../../protocol/common.ts";
import { Asset, AssetChange, AssetQuery, AssetTags } from "../../../protocol/content/assets.ts";
import { page } from "../../../protocol/operator/resources.ts";
import { assetEvent, examineFile, insertAsset, prepareFile } from "../assets/creation.ts";
import { assetVersion, isStored, tagsOf, type StoredAssetRow } from "../assets/rows.ts";
import type { Imports } from "../assets/imports.ts";
import { findAssetByHash, readAssetTags, selectAssets } from "../store.ts";
import { thumbnailType } from "../assets/thumbnails.ts";
import { pageByName } from "../../http/paging.ts";
import { found, ProblemError } from "../../http/problem.ts";
import { convertedTypes, mediaTypes } from "../../media/media-info.ts";
import { binOperations, type AssetBinDependencies } from "./asset-bin.ts";
import { importOperations } from "./asset-import.ts";
import { assetParams, readAsset, selectAsset, showAssetRow } from "./asset-reading.ts";
import { assetUsesOperations } from "./asset-uses.ts";
import type { OperatorContext } from "../../operations/context.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";
import { FileResponse, JsonResponse } from "../../operations/responses.ts";
import { updateTeamRow } from "../../store/tables/team-rows.ts";

interface AssetDependencies extends FileDependencies {
  imports: Imports;
}

const fileHeaders = { Range: "One range of bytes", "If-None-Match": "The response is 304 if this is the ETag of the bytes" };

const operation = operationsWith<AssetDependencies>();

export const assetOperations: readonly Operation<AssetDependencies & AssetBinDependencies>[] = [
  operation({
    name: "createAsset",
    tag: "assets",
    method: "POST",
    path: "/assets",
    summary: "Upload a file",
    description:
      "The body is the raw file: `curl --data-binary @picture.jpg '…/assets?name=picture.jpg'`. Its type is detected from the bytes: JPEG, PNG, WebP, AVIF, GIF or SVG; HEIC, TIFF or BMP, which are converted to JPEG (PNG if transparent) while `original` keeps the file; MP4 or WebM with H.264, VP8, VP9 or AV1; MP3, AAC, Ogg, WAV or FLAC; PDF; or a zip with index.html for an HTML item. A file that is truncated, cannot be decoded, cannot be played by Chromium (HEVC) or contradicts a specific Content-Type is rejected. The asset can be shown at once; its thumbnail follows. For large files and unreliable connections see `uploads`.",
    agent:
      "Use it for a small file that you have, in data_base64. For a larger file use create_upload_link, for a file at a public URL import_asset.",
    caller: "operator",
    scope: "assets:write",
    query: z.strictObject({
      name: Name.default("untitled").describe("The display name; not a path"),
      duplicate: z
        .enum(["keep", "reuse"])
        .default("keep")
        .describe("`reuse`: if the team has an asset with the same bytes, the response is that asset (200) and nothing is created"),
    }),
    bytes: ({ maxAssetBytes }) => maxAssetBytes,
    status: 201,
    output: Asset,
    hasLinks: true,
    others: { 200: { description: "The team already has an asset with these bytes (`duplicate=reuse`)", schema: Asset } },
    errors: ["bad-file", "invalid", "too-large"],
    version: assetVersion,
    async run(dependencies, { teamId, header }, { query, bytes }, unitOfWork) {
      await using examined = await examineFile(dependencies, bytes.path, header("content-type"), teamId);
      await prepareFile(dependencies.blobs, bytes, examined);
      const asset = await unitOfWork.write(
        async (db) => {
          const existing = query.duplicate === "reuse" ? await findAssetByHash(db, teamId, bytes.sha256) : undefined;
          if (existing !== undefined) return { result: { row: existing, isNew: false } };
          return { result: { row: await insertAsset(dependencies, db, { teamId, name: query.name }, bytes, examined), isNew: true } };
        },
        async (_db, { row, isNew }) => (isNew ? showAssetRow(dependencies, row) : new JsonResponse(200, showAssetRow(dependencies, row))),
      );
      dependencies.thumbnails.wake();
      return asset;
    },
  }),
  operation({
    name: "listAssets",
    tag: "assets",
    method: "GET",
    path: "/assets",
    summary: "List assets",
    description: "Newest first. `deleted=true` lists the assets in the bin instead.",
    agent: "Use it before importing: the file may exist already. Only assets with status ready can be shown.",
    caller: "operator",
    scope: "assets:read",
    query: AssetQuery,
    status: 200,
    output: page(Asset),
    hasLinks: true,
    errors: ["invalid"],
    async run(dependencies, { teamId }, { query }) {
      const rows = selectAssets(dependencies.store.db, teamId, query);
      return pageByName(rows, query, (row) => showAssetRow(dependencies, row));
    },
  }),
  operation({
    name: "listAssetTags",
    tag: "assets",
    method: "GET",
    path: "/assets/tags",
    summary: "List the tags of assets",
    description: "All tags that assets outside the bin have, and how many assets have each.",
    agent: "Use it to find the exact spelling of a tag before filtering by it.",
    caller: "operator",
    scope: "assets:read",
    status: 200,
    output: AssetTags,
    errors: [],
    run: ({ store }, { teamId }) => readAssetTags(store.db, teamId),
  }),
  operation({
    name: "getAsset",
    tag: "assets",
    method: "GET",
    path: "/assets/{id}",
    summary: "Read an asset",
    description: "Its bytes are at `url`. An asset in the bin has `deleted_at`.",
    caller: "operator",
    scope: "assets:read",
    params: assetParams,
    status: 200,
    output: Asset,
    hasLinks: true,
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
    description: "The bytes of an asset never change: upload new bytes as a new asset. `tags` replaces all tags.",
    caller: "operator",
    scope: "assets:write",
    params: assetParams,
    body: AssetChange,
    example: { name: "Summer menu", tags: ["menu", "2026"] },
    status: 200,
    output: Asset,
    hasLinks: true,
    errors: ["not-found", "invalid", "precondition-failed"],
    version: assetVersion,
    current: async (dependencies, context, given) => assetVersion(await readAsset(dependencies, context, { params: given })),
    async run(dependencies, { teamId }, { params, body }, unitOfWork) {
      return unitOfWork.write(async (db) => {
        const row = found(await selectAsset(db, teamId, params.id), "asset");
        const changed = { name: body.name ?? row.name, tags: JSON.stringify([...new Set(body.tags ?? tagsOf(row))]) };
        if (changed.name === row.name && changed.tags === row.tags) return { result: showAssetRow(dependencies, row) };
        const next = { ...changed, updated_at: Math.trunc(dependencies.clock.now()) };
        await updateTeamRow(db, "assets", row.id, next);
        const events = [assetEvent("asset.updated", { ...row, ...next })];
        return { result: showAssetRow(dependencies, { ...row, ...next }), events };
      });
    },
  }),
  operation({
    name: "getAssetContent",
    tag: "assets",
    method: "GET",
    path: "/assets/{id}/content",
    summary: "Download an asset",
    description: "The bytes, whole or one `Range`. They never change; the ETag is their SHA-256.",
    caller: "operator",
    scope: "assets:read",
    params: assetParams,
    status: 200,
    output: NoContent,
    file: mediaTypes,
    errors: ["not-found", "range-not-satisfiable"],
    headers: fileHeaders,
    run: async (dependencies, context, input) => new FileResponse(await stored(dependencies, context, input.params.id)),
  }),
  operation({
    name: "getAssetThumbnail",
    tag: "assets",
    method: "GET",
    path: "/assets/{id}/thumbnail",
    summary: "Download an asset's thumbnail",
    description:
      "A WebP of at most 512 × 512 pixels. Images have one, and videos if ffmpeg is installed with the service; other kinds have none. While `status` is `processing`, it is not ready yet.",
    caller: "operator",
    scope: "assets:read",
    params: assetParams,
    status: 200,
    output: NoContent,
    file: [thumbnailType],
    errors: ["not-found", "range-not-satisfiable"],
    headers: fileHeaders,
    async run(dependencies, context, input) {
      const { thumbnail_sha256: sha256, thumbnail_bytes } = await stored(dependencies, context, input.params.id);
      if (sha256 === null)
        throw new ProblemError("not-found", "This asset has no thumbnail, or it is not ready yet: see its thumbnail_url");
      return new FileResponse({ sha256, size_bytes: thumbnail_bytes ?? 0, mime_type: thumbnailType });
    },
  }),
  operation({
    name: "getAssetOriginal",
    tag: "assets",
    method: "GET",
    path: "/assets/{id}/original",
    summary: "Download the original file of an asset",
    description: "If `original` is not null: the file before it was converted for the screens.",
    caller: "operator",
    scope: "assets:read",
    params: assetParams,
    status: 200,
    output: NoContent,
    file: convertedTypes,
    errors: ["not-found", "range-not-satisfiable"],
    headers: fileHeaders,
    async run(dependencies, context, input) {
      const { name, original_sha256, original_bytes, original_mime_type } = await stored(dependencies, context, input.params.id);
      if (original_sha256 === null || original_bytes === null || original_mime_type === null) {
        throw new ProblemError("not-found", "This asset was not converted: its original file is at its url");
      }
      return new FileResponse({ sha256: original_sha256, size_bytes: original_bytes, mime_type: original_mime_type, name });
    },
  }),
  ...binOperations,
  ...importOperations,
  ...assetUsesOperations,
];

async function stored({ store }: AssetDependencies, { teamId }: OperatorContext, assetId: string): Promise<StoredAssetRow> {
  const row = found(await selectAsset(store.db, teamId, assetId), "asset");
  if (!isStored(row)) throw new ProblemError("not-found", "This asset has no bytes yet: see its status");
  return row;
}
