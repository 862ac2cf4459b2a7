// An HTTP proxy between player and service that forwards everything, unless a test replaces responses. It never forwards WebSockets.
import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Responds itself and returns true, or returns false. */
export type Lie = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface FaultyProxy extends AsyncDisposable {
  url: string;
  /** How many WebSockets it has rejected. */
  readonly upgrades: number;
  /** Responds instead of the service; null: no longer. */
  lieWith(lie: Lie | null): void;
  /** Changes the bodies of the service's responses; null: no longer. */
  alterWith(alter: ((path: string, body: Buffer) => Buffer) | null): void;
}

/** @param target the service's address, such as `http://127.0.0.1:8080`. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  let lie: Lie | null = null;
  let alter: ((path: string, body: Buffer) => Buffer) | null = null;
  const server = createServer((request, response) => {
    if (lie?.(request, response) === true) return;
    const onward = httpRequest(new URL(request.url!, target), { method: request.method!, headers: request.headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => {
        const body = alter === null ? Buffer.concat(parts) : alter(request.url!, Buffer.concat(parts));
        response.writeHead(answer.statusCode!, { ...answer.headers, "content-length": body.length });
        response.end(body);
      });
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  // WebSockets are rejected, so that the player has to poll.
  let upgrades = 0;
  server.on("upgrade", (_request, socket) => {
    upgrades += 1;
    // The client may close the connection before it has read the response.
    socket.on("error", () => socket.destroy());
    socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get upgrades() {
      return upgrades;
    },
    lieWith: (other) => void (lie = other),
    alterWith: (other) => void (alter = other),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
