// Serves the console: its page at every address of its own, so that links into it work, and its built files.
import { readdir, readFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { extname, join } from "node:path";
import type { FastifyInstance } from "fastify";

/** @param nonce of this response: React Aria adds style elements with it, which no other page can guess */
const cspOf = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".json": "application/json",
};

/** The first parts of the console's addresses. Whatever else is not found gets a problem. */
const pages = [
  "sign-in",
  "screens",
  "pair",
  "library",
  "show",
  "takeover",
  "playlists",
  "layouts",
  "schedules",
  "team",
  "account",
  "settings",
  "activity",
];

/** Adds the console, whose built files are read from `folder` once. */
export async function addConsole(app: FastifyInstance, folder: string): Promise<void> {
  const html = await readFile(join(folder, "index.html"), "utf8");
  for (const url of ["/", ...pages.flatMap((page) => [`/${page}`, `/${page}/*`])]) {
    app.get(url, async (_request, reply) => {
      const nonce = randomBytes(16).toString("base64url");
      return reply
        .type("text/html; charset=utf-8")
        .headers({ "Content-Security-Policy": cspOf(nonce), "Cache-Control": "no-store" })
        .send(html.replace("<head>", `<head><base href="/"><meta property="csp-nonce" content="${nonce}">`));
    });
  }
  const assets = join(folder, "assets");
  for (const name of await readdir(assets)) {
    const content = await readFile(join(assets, name));
    const type = types[extname(name)] ?? "application/octet-stream";
    // Their names contain a hash of their content.
    app.get(`/assets/${name}`, async (_request, reply) =>
      reply.type(type).header("Cache-Control", "public, max-age=31536000, immutable").send(content),
    );
  }
}
