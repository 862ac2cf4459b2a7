// Judges by its headers whether a response is the requested file. A captive portal or a proxy may respond instead of the service.
import type { Dispatcher } from "undici";
import type { DesiredAsset } from "../../protocol/device/desired-state.ts";

type FileHead = Pick<Dispatcher.ResponseData, "statusCode" | "headers">;

/**
 * Why a response with status 200, or 206 to a Range from `offset`, is not the file or its rest; null if it may be.
 * @param isOfService whether the service sent it, and not a store that it redirects to, whose ETags mean something else
 */
export function mismatchOf({ statusCode, headers }: FileHead, asset: DesiredAsset, offset: number, isOfService = true): string | null {
  const { sha256, size_bytes: size, mime_type } = asset;
  const isPart = statusCode === 206;
  const length = headers["content-length"];
  if (length !== undefined && Number(length) !== (isPart ? size - offset : size)) return `it has ${String(length)} bytes`;
  const range = String(headers["content-range"]);
  if (isPart && ![`bytes ${offset}-${size - 1}/${size}`, `bytes ${offset}-${size - 1}/*`].includes(range)) return `its range is ${range}`;
  // The service's ETag of a file is its SHA-256. A proxy may drop it, or weaken it.
  const etag = isOfService ? headers["etag"] : undefined;
  if (etag !== undefined) return String(etag).replace(/^W\//, "") === `"${sha256}"` ? null : `its ETag is ${String(etag)}`;
  const type = String(headers["content-type"]).split(";")[0]!.trim().toLowerCase();
  return type === mime_type ? null : `its type is ${type}`;
}
