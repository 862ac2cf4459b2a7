// Serves the console: its page at every address that is not the service's own, so that links into it work, and its built files.
import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { BlobStore } from "../../content/blobs/blob-store.ts";
import { baseUrlOf } from "../origin.ts";
import { pathOfBase } from "../public-url.ts";
import { acceptsCoding } from "../responses/content-coding.ts";

/**
 * @param nonce of this response: React Aria adds style elements with it, which no other page can guess
 * @param files the origin that downloads of files are redirected to; null: none are
 */
const cspOf = (nonce: string, files: string | null): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    `img-src 'self' data: blob:${files === null ? "" : ` ${files}`}`,
    `media-src 'self' blob:${files === null ? "" : ` ${files}`}`,
    "font-src 'self'",
    "frame-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    // No text becomes HTML or a script: the page has one policy, which allows only the empty text (renderer/console/app/trusted-types.ts).
    "require-trusted-types-for 'script'",
    "trusted-types default",
  ].join("; ");

// A phone's camera reads the QR code of a screen; nothing else of a device is used.
const permissions = ["accelerometer", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone", "midi", "payment", "usb"]
  .map((feature) => `${feature}=()`)
  .concat("camera=(self)")
  .join(", ");

const ownOnly = { "Cross-Origin-Resource-Policy": "same-origin" };
const pageHeaders = {
  ...ownOnly,
  // Each response has a nonce of its own, so there is nothing to keep and no ETag: the page has less than a kilobyte.
  "Cache-Control": "no-store",
  "Permissions-Policy": permissions,
  "X-Frame-Options": "DENY",
  "X-Robots-Tag": "noindex",
  Vary: "Accept",
};

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".json": "application/json",
};

/** The service's own paths, at which nobody looks for a page of the console. */
const notPages = /^\/(?:\.well-known|api|assets|docs|healthz|mcp|metrics|preview|problems|readyz)(?:\/|$)/;

/** Adds the console, whose built files are read from `folder` once. */
export async function addConsole(app: FastifyInstance, folder: string, publicUrl: string | null, { linkOrigin }: BlobStore): Promise<void> {
  const html = await readFile(join(folder, "index.html"), "utf8");
  const base = `${pathOfBase(publicUrl)}/`;
  // The console itself knows its addresses, and says at any other that there is nothing here.
  app.get("/*", async (request, reply) => {
    if (!isNavigation(request)) return reply.callNotFound();
    const nonce = randomBytes(16).toString("base64url");
    if (isTrustworthy(baseUrlOf(request, publicUrl))) reply.header("Cross-Origin-Opener-Policy", "same-origin");
    return reply
      .type("text/html; charset=utf-8")
      .headers({ "Content-Security-Policy": cspOf(nonce, linkOrigin), ...pageHeaders })
      .send(html.replace("<head>", () => `<head><base href="${base}"><meta property="csp-nonce" content="${nonce}">`));
  });
  // The short address that a screen shows beside its code, and that its QR code leads to. Relative: `--public-url` may have a path.
  app.get<{ Querystring: { code?: unknown } }>("/claim", async ({ query: { code } }, reply) =>
    reply
      .header("Cache-Control", "no-store")
      .redirect(typeof code === "string" ? `pair?code=${encodeURIComponent(code.slice(0, 32))}` : "pair", 302),
  );
  await addAssets(app, join(folder, "assets"));
}

/** Adds the built files, in the forms that the build compressed them to. Their names contain a hash of their content. */
async function addAssets(app: FastifyInstance, folder: string): Promise<void> {
  const names = new Set(await readdir(folder));
  for (const name of names) {
    if (name.endsWith(".br") || name.endsWith(".gz")) continue;
    const plain = await readFile(join(folder, name));
    const br = names.has(`${name}.br`) ? await readFile(join(folder, `${name}.br`)) : null;
    const gzip = names.has(`${name}.gz`) ? await readFile(join(folder, `${name}.gz`)) : null;
    const type = types[extname(name)] ?? "application/octet-stream";
    app.get(`/assets/${name}`, async (request, reply) => {
      reply.type(type).headers({ ...ownOnly, "Cache-Control": "public, max-age=31536000, immutable", Vary: "Accept-Encoding" });
      const accepted = request.headers["accept-encoding"];
      if (br !== null && acceptsCoding(accepted, "br")) return send(reply, br, "br");
      if (gzip !== null && acceptsCoding(accepted, "gzip")) return send(reply, gzip, "gzip");
      return reply.send(plain);
    });
  }
}

function send(reply: FastifyReply, content: Buffer, coding: "br" | "gzip"): FastifyReply {
  return reply.header("Content-Encoding", coding).send(content);
}

/** True if a person's browser asks for a page; a program gets a problem for an unknown path. */
function isNavigation({ url, headers }: FastifyRequest): boolean {
  const [path = "/"] = url.split("?");
  if (path === "/") return true;
  return !notPages.test(path) && /\btext\/html\b/i.test(headers.accept ?? "");
}

/** Browsers ignore the header elsewhere, and log that as an error. */
function isTrustworthy(baseUrl: string | null): boolean {
  if (baseUrl === null) return false;
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === "https:" || hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}
