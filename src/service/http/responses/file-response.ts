// Sends a stored file: whole, one range of it, or 304 if the client has it already.
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { BlobStore } from "../../content/blobs/blob-store.ts";
import type { FileResponse } from "../../operations/responses.ts";
import { contentDisposition } from "./content-disposition.ts";
import { byteRangeOf, type ByteRange } from "../../../base/http/byte-range.ts";
import { ProblemError } from "../problem.ts";

// Players with a download limit read slowly. The system buffers megabytes for them, so that minutes pass between two writes.
const slowReaderLimitMs = 900_000;

/** Responds with 200, 206 or 304. @throws ProblemError 416 for a range outside the file. */
export async function sendFile(blobs: BlobStore, file: FileResponse, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const etag = `"${file.sha256}"`;
  if (isCached(file, request)) {
    setHeaders(file, etag, reply);
    return reply.code(304).send();
  }
  const ifRange = request.headers["if-range"];
  const range = rangeOf(request.headers.range, typeof ifRange === "string" ? ifRange : undefined, etag, file.sizeBytes);
  const { start, end } = range ?? { start: 0, end: file.sizeBytes - 1 };
  // Opened before the headers are set: those of a file, which may be cached for ever, must not be on an error. With an empty stream
  // Content-Length keeps its value for HEAD; with no body Fastify would set it to 0.
  const body = await open(blobs, file, request.method === "HEAD", start, end);
  setHeaders(file, etag, reply);
  reply.type(file.mimeType).header("Content-Length", end - start + 1);
  if (range !== null) {
    // The digest covers the content sent (RFC 9530), which is only a part here.
    reply.code(206).header("Content-Range", `bytes ${start}-${end}/${file.sizeBytes}`).removeHeader("Content-Digest");
  }
  reply.raw.setTimeout(slowReaderLimitMs);
  return reply.send(body);
}

/** True if the client has the file already, by its If-None-Match. */
export function isCached({ sha256 }: FileResponse, { headers }: FastifyRequest): boolean {
  const tags = String(headers["if-none-match"] ?? "").split(",");
  return tags.some((tag) => tag.trim().replace(/^W\//, "") === `"${sha256}"` || tag.trim() === "*");
}

/** How long the bytes at a file's address may be kept. */
export function cacheControlOf({ isImmutable }: FileResponse): string {
  return isImmutable ? "private, max-age=31536000, immutable" : "private, no-cache";
}

async function open(blobs: BlobStore, file: FileResponse, isHead: boolean, start: number, end: number): Promise<Readable> {
  if (isHead) return Readable.from([]);
  return file.read === null ? blobs.read(file, start, end) : file.read(start, end);
}

function setHeaders(file: FileResponse, etag: string, reply: FastifyReply): void {
  reply.headers({
    ETag: etag,
    "Accept-Ranges": "bytes",
    "Cache-Control": cacheControlOf(file),
    // A file that is opened in a browser must not run scripts with this service's origin.
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Content-Disposition": contentDisposition(file.name, file.mimeType),
    "Content-Digest": `sha-256=:${Buffer.from(file.sha256, "hex").toString("base64")}:`,
  });
}

/**
 * The requested range of a file of `size` bytes. Null means the whole file: no range that can be served, or an `If-Range` with
 * another ETag.
 * @throws ProblemError 416 when the range contains no byte of the file.
 */
function rangeOf(header: string | undefined, ifRange: string | undefined, etag: string, size: number): ByteRange | null {
  if (ifRange !== undefined && ifRange !== etag) return null;
  const range = byteRangeOf(header, size);
  if (range !== "unsatisfiable") return range;
  const headers = { "Content-Range": `bytes */${size}` };
  throw new ProblemError("range-not-satisfiable", `The file has ${size} bytes`, { headers });
}
