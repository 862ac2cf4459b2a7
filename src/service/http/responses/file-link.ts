// Answers downloads with a redirect to a signed link, if the blob store has links and a browser cannot run the file.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { BlobStore } from "../../content/blobs/blob-store.ts";
import type { Caller } from "../../operations/context.ts";
import type { FileResponse } from "../../operations/responses.ts";
import { contentDisposition } from "./content-disposition.ts";
import { cacheControlOf, isCached, sendFile } from "./file-response.ts";

// Types whose bytes no browser runs: pictures and media that it decodes, and files that it always saves. SVG, HTML and text stay with
// this service, whose headers sandbox them and forbid to guess another type: a bucket cannot send such headers.
const harmless = /^(?:image\/(?:jpeg|png|webp|avif|gif|heic|heif|tiff)|video\/(?:mp4|webm)|audio\/[\w.+-]+|application\/(?:pdf|zip))$/;

/**
 * Responds with 307 to a link, or as {@link sendFile}. A device is redirected only if it says `Prefer: redirect` (RFC 7240): players of
 * earlier versions do not follow redirects.
 */
export async function sendFileOrLink(
  blobs: BlobStore,
  file: FileResponse,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
): Promise<FastifyReply> {
  if (blobs.linkOrigin === null) return sendFile(blobs, file, request, reply);
  if (caller === "device") reply.header("Vary", "Prefer");
  const mayFollow = caller !== "device" || /(?:^|,)\s*redirect\s*(?:,|;|$)/.test(String(request.headers.prefer ?? ""));
  const isRedirected = request.method === "GET" && mayFollow && file.read === null && harmless.test(file.mimeType);
  const link = isRedirected && !isCached(file, request) ? await blobs.link(file, linkHeaders(file)) : null;
  if (link === null) return sendFile(blobs, file, request, reply);
  // The link is valid for minutes: it must be asked for again.
  return reply.header("Cache-Control", "private, no-store").redirect(link, 307);
}

function linkHeaders(file: FileResponse): Parameters<BlobStore["link"]>[1] {
  return { type: file.mimeType, disposition: contentDisposition(file.name, file.mimeType), cacheControl: cacheControlOf(file) };
}
