// The loopback server of HTML bundles. Each bundle has a hostname of its own, so the browser treats it as a separate site.
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Bundle } from "../../base/files/zip-bundle.ts";
import { isFault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { bundlePathOf, contentPolicyOf, mediaTypeOf } from "./bundle-response.ts";
import { createLoopbackServer } from "../../base/http/loopback-server.ts";
import { byteRangeOf } from "../../base/http/byte-range.ts";

/** A bundle to serve. */
export interface ServedBundle {
  /** The item that shows it. Its hostname contains this id. */
  itemId: string;
  sha256: string;
  /** Origins that it may fetch from besides its own. */
  network: readonly string[];
}

export interface BundleServerOptions {
  /** The verified file with this SHA-256; null if there is none. */
  media: (sha256: string) => { folder: string; name: string } | null;
  /** The only origin that may frame bundles: that of the player's page. */
  framedBy: string;
  log: Log;
}

/** Serves bundles on 127.0.0.1, each at `<item>.localhost`. */
export class BundleServer implements AsyncDisposable {
  readonly #options: BundleServerOptions;
  readonly #server: Server;
  #port = 0;
  #byHost = new Map<string, ServedBundle>();
  readonly #open = new Map<string, Promise<Bundle>>();
  /** Why a bundle is rejected, by hash. */
  readonly #rejections = new Map<string, string>();

  private constructor(options: BundleServerOptions) {
    this.#options = options;
    this.#server = createLoopbackServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        // A browser may close a connection at any time.
        if (!response.destroyed) options.log.warn({ reason: reasonOf(error) }, "a file of a bundle was not served");
        response.destroy();
      });
    });
  }

  /** Listens on a free port of 127.0.0.1, to which browsers resolve every hostname under `localhost`. */
  static async open(options: BundleServerOptions): Promise<BundleServer> {
    const bundles = new BundleServer(options);
    bundles.#server.listen(0, "127.0.0.1");
    await once(bundles.#server, "listening");
    bundles.#port = (bundles.#server.address() as AddressInfo).port;
    return bundles;
  }

  /** The URL of an item's bundle. */
  urlOf(itemId: string): string {
    return `http://${this.#hostOf(itemId)}/`;
  }

  /** Serves these bundles and no others. */
  serve(bundles: readonly ServedBundle[]): void {
    this.#byHost = new Map(bundles.map((bundle) => [this.#hostOf(bundle.itemId), bundle]));
    const kept = new Set(bundles.map(({ sha256 }) => sha256));
    for (const [sha256, opened] of this.#open) {
      if (kept.has(sha256)) continue;
      this.#open.delete(sha256);
      void opened.then(close, () => undefined); // A rejected bundle never opened.
    }
    for (const sha256 of this.#rejections.keys()) if (!kept.has(sha256)) this.#rejections.delete(sha256);
  }

  /** Why the bundle of an item is rejected; null if it is not. */
  rejectionOf(itemId: string): string | null {
    const sha256 = this.#byHost.get(this.#hostOf(itemId))?.sha256;
    return sha256 === undefined ? null : (this.#rejections.get(sha256) ?? null);
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

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const served = this.#byHost.get(request.headers.host ?? "");
    if (served === undefined) return reject(response, 403, "no bundle has this hostname");
    if (request.method !== "GET" && request.method !== "HEAD") return reject(response, 405, "only GET and HEAD are allowed");
    const bundle = await this.#bundleOf(served);
    if (bundle === null) return reject(response, 422, "the bundle is rejected");
    const path = bundlePathOf(request.url ?? "/");
    const size = path === null ? null : bundle.sizeOf(path);
    if (path === null || size === null) return reject(response, 404, "the bundle has no such file");
    const range = byteRangeOf(request.headers.range, size);
    if (range === "unsatisfiable") return reject(response, 416, "the file is shorter", { "content-range": `bytes */${size}` });
    response.writeHead(range === null ? 200 : 206, {
      "content-type": mediaTypeOf(path),
      "content-length": range === null ? size : range.end - range.start + 1,
      ...(range === null ? {} : { "content-range": `bytes ${range.start}-${range.end}/${size}` }),
      "accept-ranges": "bytes",
      "content-security-policy": contentPolicyOf(served.network, this.#options.framedBy),
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-dns-prefetch-control": "off",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin",
      "permissions-policy": "camera=(), microphone=(), geolocation=(), usb=(), serial=(), bluetooth=(), hid=()",
    });
    if (request.method === "HEAD") return void response.end();
    await pipeline(await bundle.read(path, range), response);
  }

  /** The open bundle; null if it is rejected, see `rejectionOf`. */
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
      if (!this.#rejections.has(sha256)) this.#options.log.error({ sha256, reason: error.message }, "a bundle is rejected");
      this.#rejections.set(sha256, error.message);
      return null;
    }
  }
}

function reject(response: ServerResponse, status: number, reason: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "text/plain", "x-content-type-options": "nosniff", ...headers }).end(reason);
}

function close(bundle: Bundle): void {
  bundle[Symbol.dispose]();
}
