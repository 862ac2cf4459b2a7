// The media types that assets may have, and a builder for the results of an examination.
import type { AssetKind } from "../../protocol/content/assets.ts";
import { extensions } from "../http/responses/content-disposition.ts";
import type { MediaInfo } from "./job-protocol.ts";

/** The media types of assets. */
export const mediaTypes: readonly string[] = Object.keys(extensions);

/** The media types of pictures that no browser shows: they are accepted and converted. */
export const convertedTypes: readonly string[] = ["image/heic", "image/heif", "image/tiff", "image/bmp"];

/** A media info whose fields are null unless `fields` sets them. */
export function mediaInfo(kind: AssetKind, mimeType: string, fields: Partial<MediaInfo> = {}): MediaInfo {
  return {
    kind,
    mimeType,
    width: null,
    height: null,
    durationMs: null,
    pageCount: null,
    codec: null,
    convertedFrom: null,
    warnings: [],
    ...fields,
  };
}
