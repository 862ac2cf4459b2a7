// A web server of a release repository, which lies in its next responses if a test wants it to.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** Writes a response with a file instead of the right one. `from` is the first byte that the request asks for. */
export type ReleaseLie = (response: ServerResponse, bytes: Buffer, from: number) => void;

export interface ReleaseServer extends AsyncDisposable {
  url: string;
  /** Lies about the next responses for paths that contain the text. */
  lies: { about: string; lie: ReleaseLie }[];
  /** Every request for a bundle: the first byte that it asks for. */
  ranges: number[];
}

export async function startReleaseServer(folder: string): Promise<ReleaseServer> {
  const [lies, ranges]: [ReleaseServer["lies"], number[]] = [[], []];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url!);
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    if (path.startsWith("/targets/")) ranges.push(from);
    readFile(join(folder, path)).then(
      (bytes) => {
        const index = lies.findIndex(({ about }) => path.includes(about));
        if (index >= 0) return lies.splice(index, 1)[0]!.lie(response, bytes, from);
        const head = from > 0 ? { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {};
        response.writeHead(from > 0 ? 206 : 200, { ...head, "content-length": bytes.length - from }).end(bytes.subarray(from));
      },
      () => response.writeHead(404).end(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lies,
    ranges,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
