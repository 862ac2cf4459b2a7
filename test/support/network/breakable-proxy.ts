// A network between a browser and the service that a test breaks in the middle of what the browser sends, and mends.
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { linkSockets } from "./linked-sockets.ts";

interface BreakableProxy extends AsyncDisposable {
  url: string;
  /** How many bytes the browser has sent. */
  readonly sentBytes: number;
  /** Breaks the network when the browser has sent this many bytes more. @returns when it is broken. */
  breakAfter: (bytes: number) => Promise<void>;
  mend: () => void;
}

/** Forwards connections to `port` of this machine. */
export async function startBreakableProxy(port: number): Promise<BreakableProxy> {
  const sockets = new Set<Socket>();
  let sentBytes = 0;
  let limit = Number.POSITIVE_INFINITY;
  let broken = Promise.withResolvers<void>();
  const destroyAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (sentBytes >= limit) return void client.destroy();
    const upstream = connect(port, "127.0.0.1");
    linkSockets(client, upstream, sockets);
    upstream.pipe(client);
    client.on("data", (bytes) => {
      sentBytes += bytes.length;
      if (sentBytes < limit) {
        if (!upstream.write(bytes)) {
          client.pause();
          upstream.once("drain", () => client.resume());
        }
        return;
      }
      destroyAll();
      broken.resolve();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get sentBytes() {
      return sentBytes;
    },
    breakAfter: (bytes) => {
      broken = Promise.withResolvers();
      limit = sentBytes + bytes;
      return broken.promise;
    },
    mend: () => void (limit = Number.POSITIVE_INFINITY),
    async [Symbol.asyncDispose]() {
      server.close();
      destroyAll();
      await once(server, "close");
    },
  };
}
