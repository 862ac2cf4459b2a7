// Assets and uploads, as REST shows and takes them.
import { z } from "zod";
import { PageQuery, NameFilter } from "../operator/resources.ts";
import { id, Name, Sha256, Timestamp } from "../common.ts";

/** What an asset can be shown as: an item of a playlist takes one kind. */
export const AssetKind = z.enum(["image", "video", "audio", "document", "bundle"]);
export type AssetKind = z.infer<typeof AssetKind>;

/**
 * Where an asset stands. `importing`: its bytes are being fetched; `processing`: it can be shown, its thumbnail is still
 * being made; `ready`: nothing more is to come; `failed`: the import did not succeed, `error` says why.
 */
export const AssetStatus = z.enum(["importing", "processing", "ready", "failed"]);
export type AssetStatus = z.infer<typeof AssetStatus>;

/** Something that an operator should know of a file that was taken all the same. */
export const AssetWarning = z.object({
  code: z.enum(["bit-rate", "resolution", "frame-rate", "profile", "sound"]),
  detail: z.string().describe("What may go wrong on a screen and what to do"),
});
export type AssetWarning = z.infer<typeof AssetWarning>;

const Tags = z.array(Name).max(50);

/** A file that players show. Its bytes never change: new bytes are a new asset. */
export const Asset = z.object({
  id: id("ast"),
  name: Name,
  tags: Tags,
  status: AssetStatus.describe("`importing` and `failed` cannot be shown; `processing` can, its thumbnail is still being made"),
  kind: AssetKind.nullable().describe("Null until the bytes are there"),
  mime_type: z.string().nullable().describe("Found from the bytes, not from what the upload said"),
  size_bytes: z.int().min(0).nullable(),
  sha256: Sha256.nullable(),
  width: z.int().nullable(),
  height: z.int().nullable(),
  duration_ms: z.int().nullable().describe("Length of a video or a sound, else null"),
  page_count: z.int().nullable().describe("Pages of a document, else null"),
  codec: z.string().nullable().describe("Codec of a video's picture or of a sound, such as `avc` or `aac`"),
  warnings: z.array(AssetWarning).describe("What may go wrong on a screen though the file was taken"),
  error: z.object({ code: z.string(), detail: z.string() }).nullable().describe("Why an import failed"),
  progress: z
    .object({ received_bytes: z.int(), total_bytes: z.int().nullable() })
    .nullable()
    .describe("How far an import is; `total_bytes` is null where the sender does not tell"),
  source_url: z.string().nullable().describe("Where it was imported from, without its query"),
  url: z
    .string()
    .nullable()
    .describe("Where its bytes are, for an operator's token; null while there are none. Absolute in answers of REST"),
  original: z
    .object({ mime_type: z.string(), size_bytes: z.int().min(0), sha256: Sha256, url: z.string() })
    .nullable()
    .optional()
    .describe("The file as it was sent, where it was converted: HEIC, TIFF and BMP become JPEG, or PNG where they are transparent"),
  thumbnail_url: z.string().nullable().describe("A small picture of it; null where there is none"),
  created_at: Timestamp,
  updated_at: Timestamp,
  deleted_at: Timestamp.nullable().describe("When it went into the bin; it is purged 30 days later"),
});
export type Asset = z.infer<typeof Asset>;

export const AssetChange = z.strictObject({ name: Name.optional(), tags: Tags.optional() });

export const AssetImport = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, message: "must be an http:// or https:// address" })
    .max(4_096)
    .describe("Fetched by the service. Addresses inside its own network are refused unless --allow-address names them"),
  name: Name.optional().describe("Without it: the last part of the address"),
  tags: Tags.default([]),
});

export const AssetQuery = PageQuery.extend({
  kind: AssetKind.optional(),
  status: AssetStatus.optional(),
  tag: Name.optional().describe("Those that carry this tag"),
  q: NameFilter,
  sha256: Sha256.optional().describe("Those of exactly these bytes: asked before an upload, it may be spared"),
  deleted: z.enum(["true", "false"]).default("false").describe("`true` lists the bin instead"),
});

/** A resumable upload (tus 1.0). */
export const Upload = z.object({
  id: id("upl"),
  name: Name,
  status: z.enum(["uploading", "finished", "failed"]),
  size_bytes: z.int().min(0).nullable().describe("Null while the sender has not told it"),
  offset_bytes: z.int().min(0).describe("How much has arrived"),
  asset_id: id("ast").nullable().describe("The asset it became"),
  error: z.object({ code: z.string(), detail: z.string() }).nullable().describe("Why the file was refused"),
  created_at: Timestamp,
  expires_at: Timestamp.describe("When it is forgotten; what it became stays"),
});
export type Upload = z.infer<typeof Upload>;
