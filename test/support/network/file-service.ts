// A server of files with ranges and ETags, as the service has, that lies in its next responses if a test wants it to.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { DesiredAsset } from "../../../src/protocol/device/desired-state.ts";
import { assetOf } from "../states.ts";

/** Writes a response about a file instead of the right one. `from` is the first byte that the request asks for. */
export type Lie = (response: ServerResponse, file: { bytes: Buffer; asset: DesiredAsset }, from: number) => void;

export interface FileService extends AsyncDisposable {
  url: string;
  /** Serves these bytes from now on. */
  add(bytes: Buffer): DesiredAsset;
  /** The lies of the next responses, in order. */
  lies: Lie[];
  /** Every request, in order. */
  requests: { sha256: string; headers: IncomingHttpHeaders }[];
}

export async function startFileService(): Promise<FileService> {
  const files = new Map<string, { bytes: Buffer; asset: DesiredAsset }>();
  const [lies, requests]: [Lie[], FileService["requests"]] = [[], []];
  const server = createServer(({ url, headers }, response) => {
    const sha256 = url!.slice(url!.lastIndexOf("/") + 1);
    requests.push({ sha256, headers });
    const file = files.get(sha256);
    if (file === undefined) return void response.writeHead(404).end();
    const wanted = /^bytes=(\d+)-$/.exec(headers.range ?? "");
    const isFresh = headers["if-range"] === undefined || headers["if-range"] === `"${sha256}"`;
    const from = wanted !== null && isFresh ? Number(wanted[1]) : 0;
    const lie = lies.shift();
    if (lie !== undefined) return lie(response, file, from);
    response.writeHead(from > 0 ? 206 : 200, headOf(file.asset, from)).end(file.bytes.subarray(from));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lies,
    requests,
    add(bytes) {
      const asset = assetOf(bytes);
      files.set(asset.sha256, { bytes, asset });
      return asset;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The right headers of a response with the bytes from `from` on. */
export function headOf({ sha256, size_bytes: size, mime_type }: DesiredAsset, from: number): Record<string, string | number> {
  const range = from > 0 ? { "content-range": `bytes ${from}-${size - 1}/${size}` } : {};
  return { etag: `"${sha256}"`, "content-type": mime_type, "content-length": size - from, ...range };
}

/** Ends the connection halfway. */
export const breakOff: Lie = (response, { bytes, asset }, from) => {
  response.writeHead(from > 0 ? 206 : 200, headOf(asset, from));
  const half = from + Math.ceil((bytes.length - from) / 2);
  response.write(bytes.subarray(from, half), () => response.destroy());
};

/** Sends the right headers and one wrong bit. */
export const flipBit: Lie = (response, { bytes, asset }, from) => {
  const wrong = Buffer.from(bytes);
  wrong[wrong.length - 1]! ^= 1;
  response.writeHead(from > 0 ? 206 : 200, headOf(asset, from)).end(wrong.subarray(from));
};

/** Responds as the login page of a captive portal does. */
export const showPortal: Lie = (response) => {
  response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Log in</title>".repeat(100));
};
