// The part of a service that players fetch releases from: serves a signed repository over HTTP, and lies if a test wants it to.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** Writes another response than the right one; returns false to leave it to the service. */
export type Lie = (response: ServerResponse, path: string, bytes: Buffer, from: number) => boolean | Promise<boolean>;

export interface ReleaseService extends AsyncDisposable {
  url: string;
  /** Replaces right responses until it is null again. */
  lie: Lie | null;
  /** The requests, in order, by their paths in the repository. */
  requests: { path: string; headers: IncomingHttpHeaders }[];
}

const prefix = "/api/v1/device/releases/";

/** @param folder of the repository. */
export async function startReleaseService(folder: string): Promise<ReleaseService> {
  const requests: ReleaseService["requests"] = [];
  const server = createServer((request, response) => {
    const path = request.url!.slice(prefix.length);
    requests.push({ path, headers: request.headers });
    void respond(path, request.headers, response);
  });
  const respond = async (path: string, headers: IncomingHttpHeaders, response: ServerResponse): Promise<void> => {
    const bytes = await readFile(join(folder, path)).catch(() => null);
    if (bytes === null) return void response.writeHead(404, { "content-type": "application/problem+json" }).end("{}");
    const etag = `"${/^targets\/([0-9a-f]{64})\./.exec(path)?.[1] ?? "metadata"}"`;
    const wanted = /^bytes=(\d+)-$/.exec(headers.range ?? "");
    const from = wanted !== null && headers["if-range"] === etag ? Number(wanted[1]) : 0;
    if ((await service.lie?.(response, path, bytes, from)) === true) return;
    const range = from > 0 ? { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {};
    response.writeHead(from > 0 ? 206 : 200, { etag, "content-length": bytes.length - from, ...range }).end(bytes.subarray(from));
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const service: ReleaseService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lie: null,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return service;
}

/** Stops in the middle of bundles. */
export interface HeldBundles {
  lie: Lie;
  /** Breaks the connections that are held. */
  cut(): void;
}

/** Sends so many bytes of each bundle whose path `matches`, and holds the rest back. */
export function holdBundlesAfter(sent: number, matches = /^targets/): HeldBundles {
  const held: ServerResponse[] = [];
  return {
    cut: () => held.splice(0).forEach((response) => response.destroy()),
    lie: (response, path, bytes, from) => {
      if (!matches.test(path) || from + sent >= bytes.length) return false;
      const etag = `"${path.slice("targets/".length, "targets/".length + 64)}"`;
      const range = from > 0 ? { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {};
      response.writeHead(from > 0 ? 206 : 200, { etag, "content-length": bytes.length - from, ...range });
      response.write(bytes.subarray(from, from + sent));
      held.push(response);
      return true;
    },
  };
}

/** Responds with 503 to everything, as a service that is being restarted. */
export const unavailable: Lie = (response) => {
  response.writeHead(503, { "content-type": "application/problem+json" }).end("{}");
  return true;
};
