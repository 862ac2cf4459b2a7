// Links with which anybody can upload one file without a token, for files that are too large for an ordinary request.
import { z } from "zod";
import { AssetKind } from "./assets.ts";
import { id, Name, Sha256, Timestamp } from "../common.ts";

/** `POST /upload-links`. */
export const NewUploadLink = z
  .strictObject({
    name: Name.default("untitled").describe("Name of the asset that is created from the file"),
    most_bytes: z
      .int()
      .min(1)
      .max(1e15)
      .optional()
      .describe("The largest file that the link accepts. Default and maximum: the service's limit for assets"),
    lasts_s: z.int().min(10).max(86_400).default(900).describe("How long the link is valid, but never longer than your token"),
  })
  .meta({ id: "NewUploadLink" });

/** A link without the secret that its URL contains. */
export const UploadLink = z
  .object({
    id: id("ulk"),
    name: Name,
    most_bytes: z.int(),
    asset_id: id("ast").nullable().describe("The asset that was created from the file; null: no file has arrived yet"),
    created_at: Timestamp,
    expires_at: Timestamp,
  })
  .meta({ id: "UploadLink" });
export type UploadLink = z.infer<typeof UploadLink>;

/** A link as it is shown once, when it is created. */
export const CreatedUploadLink = UploadLink.extend({
  url: z
    .string()
    .describe("Where to PUT the bytes: `curl -T video.mp4 'URL'`. No token is needed: anyone who has the URL may upload one file"),
}).meta({ id: "CreatedUploadLink" });

/** The response to the upload. */
export const UploadReceipt = z
  .object({
    asset_id: id("ast"),
    kind: AssetKind,
    mime_type: z.string(),
    size_bytes: z.int(),
    sha256: Sha256,
  })
  .meta({ id: "UploadReceipt" });
