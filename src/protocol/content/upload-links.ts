// Links by which somebody without a token sends one file: for files that are too large for the request they belong to.
import { z } from "zod";
import { AssetKind } from "./assets.ts";
import { id, Name, Sha256, Timestamp } from "../common.ts";

/** `POST /upload-links`. */
export const NewUploadLink = z.strictObject({
  name: Name.default("untitled").describe("Name of the asset that the file will become"),
  most_bytes: z
    .int()
    .min(1)
    .max(1e15)
    .optional()
    .describe("Largest file that it takes. Without it, and at most: the service's limit for assets"),
  lasts_s: z.int().min(10).max(86_400).default(900).describe("How long it is good for; never longer than your token"),
});

/** A link, without the secret that is in its address. */
export const UploadLink = z.object({
  id: id("ulk"),
  name: Name,
  most_bytes: z.int(),
  asset_id: id("ast").nullable().describe("What the file became; null: none came yet"),
  created_at: Timestamp,
  expires_at: Timestamp,
});
export type UploadLink = z.infer<typeof UploadLink>;

/** A link as it is told once. */
export const CreatedUploadLink = UploadLink.extend({
  url: z
    .string()
    .describe("Where to PUT the bytes as they are: `curl -T video.mp4 'URL'`. No token is wanted: whoever has it may send one file"),
});

/** What the sender is answered. */
export const UploadReceipt = z.object({
  asset_id: id("ast"),
  kind: AssetKind,
  mime_type: z.string(),
  size_bytes: z.int(),
  sha256: Sha256,
});
