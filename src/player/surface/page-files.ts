// Sends the files of the player's page and the media that it shows, each with headers that limit its rights in the browser.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import send from "@fastify/send";
import { Fault } from "../../base/fault.ts";

/** A media file that was verified when it was stored. Its name is its SHA-256, in hexadecimal digits. */
export interface MediaFile {
  folder: string;
  name: string;
  mimeType: string;
}

// Larger pictures are sent without being verified again: they would take too much memory.
const maxVerifiedBytes = 64 * 1024 * 1024;

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

/**
 * Sends a media file, or the part of it that a Range header asks for. A picture is verified and sent whole: a browser shows the part of
 * a damaged one that it can decode, and does not report the rest.
 * @throws Fault `file-corrupt` for a picture whose bytes have changed since it was stored; nothing is sent.
 */
export async function sendMedia(request: IncomingMessage, response: ServerResponse, media: MediaFile): Promise<void> {
  if (media.mimeType.startsWith("image/") && (await stat(join(media.folder, media.name))).size <= maxVerifiedBytes) {
    const picture = await readVerified(media);
    response.writeHead(200, { ...mediaHeaders(media), "content-length": picture.length }).end(request.method === "HEAD" ? "" : picture);
    return;
  }
  const options = { root: media.folder, contentType: false, cacheControl: false, lastModified: false, etag: false };
  const file = await send(request, media.name, options);
  response.writeHead(file.statusCode, { ...file.headers, ...mediaHeaders(media) });
  await pipeline(file.stream, response);
}

function mediaHeaders({ mimeType }: MediaFile): Record<string, string> {
  return {
    "content-type": mimeType,
    // The player already keeps the file: a copy in the browser's disk cache would only wear out the card.
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    // An SVG that is opened directly is a document. It must run and load nothing.
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  };
}

async function readVerified({ folder, name }: MediaFile): Promise<Buffer> {
  const hash = createHash("sha256");
  const parts: Buffer[] = [];
  for await (const part of createReadStream(join(folder, name))) {
    hash.update(part as Buffer);
    parts.push(part as Buffer);
  }
  if (hash.digest("hex") !== name) throw new Fault("file-corrupt", `the bytes of the picture ${name} have changed`);
  return Buffer.concat(parts);
}
