// A TCP proxy in front of a local server that can cut connections in the middle of a response.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { linkSockets } from "./linked-sockets.ts";

export interface TcpProxyOptions {
  /** Called with what a client sends. @returns after how many bytes of the response to cut the connection; null: not at all. */
  cutAfter: (sent: string) => number | null;
  /** Called when a connection is cut. @param sent what the client sent last. */
  onCut: (sent: string) => void;
}

/** Forwards connections to `port` of this machine until it is disposed of. */
export async function startTcpProxy(port: number, options: TcpProxyOptions): Promise<{ port: number } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    let sent = "";
    let received = 0;
    let limit = Number.POSITIVE_INFINITY;
    linkSockets(client, upstream, sockets);
    client.on("data", (bytes) => {
      sent = bytes.toString("latin1");
      received = 0;
      limit = options.cutAfter(sent) ?? Number.POSITIVE_INFINITY;
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      const passed = bytes.subarray(0, limit - received);
      received += passed.length;
      const isCut = received >= limit;
      const isFlushed = client.write(passed, () => {
        // After the write, so that the client receives what was sent before the cut.
        if (!isCut || client.destroyed) return;
        options.onCut(sent);
        client.destroy();
      });
      if (isCut) upstream.pause();
      else if (!isFlushed) {
        upstream.pause();
        client.once("drain", () => upstream.resume());
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
