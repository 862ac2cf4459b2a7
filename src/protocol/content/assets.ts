// Assets, imports and uploads, as in the REST API.
import { z } from "zod";
import { assetKinds } from "./item-kinds.ts";
import { PageQuery, NameFilter } from "../operator/resources.ts";
import { id, Name, Sha256, Timestamp } from "../common.ts";

/** The kind of an asset. Each type of playlist item takes one kind. */
export const AssetKind = z.enum(assetKinds).meta({ id: "AssetKind" });
export type AssetKind = z.infer<typeof AssetKind>;

/**
 * `importing`: its bytes are being fetched. `processing`: it can be shown, and its thumbnail is being created. `ready`: it is
 * complete. `failed`: the import failed, and `error` says why.
 */
export const AssetStatus = z.enum(["importing", "processing", "ready", "failed"]).meta({ id: "AssetStatus" });
export type AssetStatus = z.infer<typeof AssetStatus>;

/** A warning about a file that was accepted. */
export const AssetWarning = z
  .object({
    code: z.enum(["bit-rate", "resolution", "frame-rate", "profile", "sound"]),
    detail: z.string().describe("What may go wrong on a screen, and what to do about it"),
  })
  .meta({ id: "AssetWarning" });
export type AssetWarning = z.infer<typeof AssetWarning>;

const Tags = z.array(Name).max(50);

/** A file that players show. Its bytes never change: new bytes make a new asset. */
export const Asset = z
  .object({
    id: id("ast"),
    name: Name,
    tags: Tags,
    status: AssetStatus.describe(
      "`importing` and `failed` assets cannot be shown. `processing` assets can; their thumbnail is being created",
    ),
    kind: AssetKind.nullable().describe("Null until the bytes have arrived"),
    mime_type: z.string().nullable().describe("Detected from the bytes; what the upload says is ignored"),
    size_bytes: z.int().min(0).nullable(),
    sha256: Sha256.nullable(),
    width: z.int().nullable(),
    height: z.int().nullable(),
    duration_ms: z.int().nullable().describe("Duration of a video or audio file, else null"),
    page_count: z.int().nullable().describe("Number of pages of a document, else null"),
    codec: z.string().nullable().describe("Codec of a video's image or of an audio file, such as `avc` or `aac`"),
    warnings: z.array(AssetWarning).describe("What may go wrong on a screen although the file was accepted"),
    error: z.object({ code: z.string(), detail: z.string() }).nullable().describe("Why an import failed"),
    progress: z
      .object({ received_bytes: z.int(), total_bytes: z.int().nullable() })
      .nullable()
      .describe("Progress of an import; `total_bytes` is null if the sender does not say it"),
    source_url: z.string().nullable().describe("Where it was imported from, without its query"),
    url: z
      .string()
      .nullable()
      .describe("Where its bytes are, for an operator's token; null while there are none. Absolute in responses of the REST API"),
    original: z
      .object({ mime_type: z.string(), size_bytes: z.int().min(0), sha256: Sha256, url: z.string() })
      .nullable()
      .optional()
      .describe("The file as it was sent, if it was converted: HEIC, TIFF and BMP become JPEG, or PNG if they are transparent"),
    thumbnail_url: z.string().nullable().describe("A small image of it; null if there is none"),
    created_at: Timestamp,
    updated_at: Timestamp,
    deleted_at: Timestamp.nullable().describe("When it was moved to the bin. It is deleted permanently 30 days later"),
  })
  .meta({ id: "Asset" });
export type Asset = z.infer<typeof Asset>;

export const AssetChange = z.strictObject({ name: Name.optional(), tags: Tags.optional() }).meta({ id: "AssetChange" });

export const AssetImport = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/, message: "must be an http:// or https:// address" })
      .max(4_096)
      .describe("The service fetches it. Addresses in its own network are rejected unless --allow-address names them"),
    name: Name.optional().describe("Default: the last part of the URL"),
    tags: Tags.default([]),
  })
  .meta({ id: "AssetImport" });

export const AssetQuery = PageQuery.extend({
  kind: AssetKind.optional(),
  status: AssetStatus.optional(),
  tag: Name.optional().describe("Only assets with this tag"),
  q: NameFilter,
  sha256: Sha256.optional().describe("Only assets with exactly these bytes. Check before an upload: it may be unnecessary"),
  ids: z
    .string()
    .max(31 * 100)
    .regex(/^ast_[0-9a-hjkmnp-tv-z]{26}(,ast_[0-9a-hjkmnp-tv-z]{26}){0,99}$/, "must be a comma-separated list of at most 100 ids of assets")
    .optional()
    .describe("Only these assets, 100 at most, such as those of a playlist. Ids that do not exist are left out")
    .meta({ examples: ["ast_01jd3v8q6m9x2k4n7r5t1w0yzh"] }),
  deleted: z.enum(["true", "false"]).default("false").describe("`true` lists the bin"),
});

/** The tags of a team's assets. */
export const AssetTags = z
  .object({
    data: z.array(z.object({ tag: Name, count: z.int().min(1).describe("How many assets outside the bin have it") })).describe("By name"),
  })
  .meta({ id: "AssetTags" });
export type AssetTags = z.infer<typeof AssetTags>;

/** A resumable upload (tus 1.0). */
export const Upload = z
  .object({
    id: id("upl"),
    name: Name,
    status: z.enum(["uploading", "finished", "failed"]),
    size_bytes: z.int().min(0).nullable().describe("Null until the sender has said it"),
    offset_bytes: z.int().min(0).describe("How many bytes have arrived"),
    asset_id: id("ast").nullable().describe("The asset that was created from it"),
    error: z.object({ code: z.string(), detail: z.string() }).nullable().describe("Why the file was rejected"),
    created_at: Timestamp,
    expires_at: Timestamp.describe("When the upload is deleted. Its asset stays"),
  })
  .meta({ id: "Upload" });
export type Upload = z.infer<typeof Upload>;
