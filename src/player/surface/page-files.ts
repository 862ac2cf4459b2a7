// Sends the files of the player's page and the media that it shows, each with headers that limit what a browser does with it.
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import send from "@fastify/send";

/** A verified media file. */
export interface MediaFile {
  folder: string;
  name: string;
  mimeType: string;
}

// The page loads everything from its own origin, and nobody may frame it. It may frame the sites of items; the host decides which
// sites those are. Streams come through the player (`/stream/`), so their origins need no permission. `blob:` is data that the page
// itself assembles. WebAssembly, from code of the page only, decodes the images of scanned PDFs.
const pagePolicy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; " +
  "font-src 'self'; connect-src 'self'; frame-src http: https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Sends a file of the built page. */
export async function sendPageFile(request: IncomingMessage, response: ServerResponse, path: string, root: string): Promise<void> {
  const file = await send(request, path, { root, dotfiles: "deny", cacheControl: false });
  response.writeHead(file.statusCode, {
    ...file.headers,
    "content-security-policy": pagePolicy,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
  });
  await pipeline(file.stream, response);
}

/** Sends a media file, or the part of it that a Range header asks for. */
export async function sendMedia(request: IncomingMessage, response: ServerResponse, { folder, name, mimeType }: MediaFile): Promise<void> {
  const options = { root: folder, contentType: false, cacheControl: false, lastModified: false, etag: false };
  const file = await send(request, name, options);
  response.writeHead(file.statusCode, {
    ...file.headers,
    "content-type": mimeType,
    // The player already keeps the file: a copy in the browser's disk cache would only wear out the card.
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    // An SVG that is opened directly is a document. It must run and load nothing.
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  });
  await pipeline(file.stream, response);
}
