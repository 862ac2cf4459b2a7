// The loopback server of HTML bundles: each on a host name, and so a site, of its own, and nothing else behind it.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Bundle, type ByteRange } from "../../base/files/zip-bundle.ts";
import { isFault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";

/** A bundle to serve. */
export interface ServedBundle {
  /** The item that shows it: names its host. */
  itemId: string;
  sha256: string;
  /** Origins that it may fetch from beside its own. */
  network: readonly string[];
}

export interface BundleServerOptions {
  /** The file behind a SHA-256, null when it is not proven. */
  media: (sha256: string) => { folder: string; name: string } | null;
  /** The one origin that may frame bundles: the page's. */
  framedBy: string;
  log: Log;
}

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".htm": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".txt": "text/plain; charset=utf-8",
  ".xml": "text/xml; charset=utf-8",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".avif": "image/avif",
  ".ico": "image/x-icon",
  ".mp4": "video/mp4",
  ".webm": "video/webm",
  ".mp3": "audio/mpeg",
  ".ogg": "audio/ogg",
  ".wav": "audio/wav",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
  ".ttf": "font/ttf",
  ".otf": "font/otf",
};

/** Serves the bundles of items on 127.0.0.1, told apart by host name: `<item>.localhost`. */
export class BundleServer implements AsyncDisposable {
  readonly #options: BundleServerOptions;
  readonly #server: Server;
  #port = 0;
  #byHost = new Map<string, ServedBundle>();
  readonly #open = new Map<string, Promise<Bundle>>();
  /** Why a bundle is refused, by hash. */
  readonly #refusals = new Map<string, string>();

  private constructor(options: BundleServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        // A browser that goes away cuts the stream: that is its right.
        if (!response.destroyed) options.log.warn({ reason: reasonOf(error) }, "a bundle's file was not served");
        response.destroy();
      });
    });
  }

  /** Listens on a free port of 127.0.0.1, which is where browsers look for every name below `localhost`. */
  static async open(options: BundleServerOptions): Promise<BundleServer> {
    const bundles = new BundleServer(options);
    bundles.#server.listen(0, "127.0.0.1");
    await once(bundles.#server, "listening");
    bundles.#port = (bundles.#server.address() as AddressInfo).port;
    return bundles;
  }

  /** Where the browser finds the bundle of an item. */
  urlOf(itemId: string): string {
    return `http://${this.#hostOf(itemId)}/`;
  }

  /** Serves these and no others. */
  serve(bundles: readonly ServedBundle[]): void {
    this.#byHost = new Map(bundles.map((bundle) => [this.#hostOf(bundle.itemId), bundle]));
    const kept = new Set(bundles.map(({ sha256 }) => sha256));
    for (const [sha256, opened] of this.#open) {
      if (kept.has(sha256)) continue;
      this.#open.delete(sha256);
      void opened.then(close, () => undefined); // one that was refused is not open
    }
    for (const sha256 of this.#refusals.keys()) if (!kept.has(sha256)) this.#refusals.delete(sha256);
  }

  /** Why the bundle of an item is not served; null when nothing is known against it. */
  rejectionOf(itemId: string): string | null {
    const sha256 = this.#byHost.get(this.#hostOf(itemId))?.sha256;
    return sha256 === undefined ? null : (this.#refusals.get(sha256) ?? null);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.serve([]);
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #hostOf(itemId: string): string {
    return `${itemId.replace(/^itm_/, "")}.localhost:${this.#port}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const served = this.#byHost.get(request.headers.host ?? "");
    if (served === undefined) return refuse(response, 403, "no bundle has this name");
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(response, 405, "only GET and HEAD");
    const bundle = await this.#bundleOf(served);
    if (bundle === null) return refuse(response, 422, "the bundle is refused");
    const path = pathOf(request.url ?? "/");
    const size = path === null ? null : bundle.sizeOf(path);
    if (path === null || size === null) return refuse(response, 404, "the bundle has no such file");
    const span = spanOf(request.headers.range, size);
    if (span === "beyond") return refuse(response, 416, "the file is shorter", { "content-range": `bytes */${size}` });
    response.writeHead(span === null ? 200 : 206, {
      "content-type": types[extname(path === "" || path.endsWith("/") ? "index.html" : path).toLowerCase()] ?? "application/octet-stream",
      "content-length": span === null ? size : span.end - span.start + 1,
      ...(span === null ? {} : { "content-range": `bytes ${span.start}-${span.end}/${size}` }),
      "accept-ranges": "bytes",
      "content-security-policy": policyOf(served, this.#options.framedBy),
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-dns-prefetch-control": "off",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin",
      "permissions-policy": "camera=(), microphone=(), geolocation=(), usb=(), serial=(), bluetooth=(), hid=()",
    });
    if (request.method === "HEAD") return void response.end();
    await pipeline(await bundle.read(path, span), response);
  }

  /** The open bundle; null when it is refused, which `refusalOf` explains. */
  async #bundleOf({ sha256 }: ServedBundle): Promise<Bundle | null> {
    const file = this.#options.media(sha256);
    if (file === null) return null;
    const opening = this.#open.get(sha256) ?? Bundle.open(join(file.folder, file.name));
    this.#open.set(sha256, opening);
    try {
      return await opening;
    } catch (error) {
      this.#open.delete(sha256);
      if (!isFault(error, "unsupported")) throw error;
      if (!this.#refusals.has(sha256)) this.#options.log.error({ sha256, reason: error.message }, "a bundle is refused");
      this.#refusals.set(sha256, error.message);
      return null;
    }
  }
}

/** Its own files and what it declares; nothing else, in any way that the browser knows. */
function policyOf({ network }: ServedBundle, framedBy: string): string {
  const reach = ["'self'", ...network.map((origin) => origin.replace(/\/$/, ""))].join(" ");
  return [
    `default-src ${reach} data: blob:`,
    `script-src ${reach} 'unsafe-inline' 'unsafe-eval' blob:`,
    `style-src ${reach} 'unsafe-inline'`,
    "frame-src 'self' data: blob:",
    "form-action 'self'",
    "base-uri 'self'",
    "object-src 'none'",
    "webrtc 'block'",
    `frame-ancestors 'self' ${framedBy}`,
  ].join("; ");
}

/** The path within the bundle; null when it is not one. */
function pathOf(url: string): string | null {
  try {
    return decodeURIComponent(new URL(url, "http://bundle").pathname).slice(1);
  } catch {
    return null; // a malformed escape: the caller answers 404
  }
}

/** The one span that a Range header asks for; null for the whole file. Other ranges than one of bytes are ignored (RFC 9110). */
function spanOf(range: string | undefined, size: number): ByteRange | "beyond" | null {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(range ?? "") ?? [];
  if (from === undefined || to === undefined || (from === "" && to === "")) return null;
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  if (start >= size) return "beyond";
  return start > end ? null : { start, end };
}

function refuse(response: ServerResponse, status: number, reason: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "text/plain", "x-content-type-options": "nosniff", ...headers }).end(reason);
}

function close(bundle: Bundle): void {
  bundle[Symbol.dispose]();
}
