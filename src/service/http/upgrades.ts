// Routes WebSocket upgrades of an HTTP server to their endpoints, and closes sockets with a grace period.
import type { IncomingMessage, Server as HttpServer } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type ServerOptions } from "ws";
import type { Clock } from "../../base/clock.ts";
import { ignoreAbort, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { MakeId } from "../store/ids.ts";
import { endConnection, type HttpDeadlines } from "./limits/deadlines.ts";
import { ProblemError } from "./problem.ts";
import { addRequestIdHeader, requestIdOf } from "./request-id.ts";
import { repetitionOf } from "./input/repetition.ts";
import { rawProblemResponse } from "./responses/raw-response.ts";

/** A path that accepts WebSockets. */
export interface WebSocketEndpoint {
  readonly path: string;
  /** The WebSocket server of the `ws` library. */
  readonly server: WebSocketServer;
  /** Why the upgrade is rejected; null to accept it. */
  rejectionOf(request: IncomingMessage): ProblemError | null;
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** The WebSocket server of an endpoint. */
export function createWebSocketServer({ closeMs }: HttpDeadlines, more: ServerOptions): WebSocketServer {
  // The types of `ws` lack closeTimeout.
  const common = { noServer: true, clientTracking: false, perMessageDeflate: false, closeTimeout: closeMs } as const;
  return new WebSocketServer({ ...common, ...more });
}

/** Routes the upgrades of `server` to the endpoints. A rejected upgrade gets a problem as its response. */
export function addUpgrades(
  server: HttpServer,
  endpoints: readonly WebSocketEndpoint[],
  { clock, deadlines, log, makeId }: { clock: Clock; deadlines: HttpDeadlines; log: Log; makeId: MakeId },
): void {
  const reject = (request: IncomingMessage, socket: Duplex, rejection: ProblemError) => {
    // Without being read, the socket would not notice that the client has closed it.
    endConnection(socket.resume(), rawProblemResponse(rejection, requestIdOf(request, makeId)), clock, deadlines.closeMs);
  };
  for (const { server: library } of endpoints) {
    library.on("headers", addRequestIdHeader);
    library.on("wsClientError", (error, socket, request) => {
      reject(request, socket, new ProblemError("bad-request", `Not a valid WebSocket handshake: ${error.message}`));
    });
  }
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", (error) => log.debug({ reason: reasonOf(error) }, "WebSocket upgrade failed"));
    const endpoint = endpoints.find(({ path }) => request.url?.split("?")[0] === path);
    requestIdOf(request, makeId);
    const rejection =
      repetitionOf(request) ??
      (endpoint === undefined
        ? new ProblemError("not-found", "There is no WebSocket at this path: see /docs")
        : endpoint.rejectionOf(request));
    if (endpoint !== undefined && rejection === null) endpoint.accept(request, socket, head);
    else reject(request, socket, rejection!);
  });
}

/** A socket that was asked to close. */
interface ClosingSocket {
  /** Aborts when the socket has closed. */
  readonly ended: AbortSignal;
  terminate(): void;
}

/** Waits at most `limitMs` for the sockets to close, then terminates them. */
export async function closeAfterGrace(sockets: readonly ClosingSocket[], clock: Clock, limitMs: number): Promise<void> {
  if (sockets.some(({ ended }) => !ended.aborted)) {
    const all = Promise.all(sockets.map(({ ended }) => aborted(ended)));
    const waiting = new AbortController();
    await Promise.race([all, clock.wait(limitMs, waiting.signal).catch(ignoreAbort)]);
    waiting.abort();
  }
  for (const socket of sockets) socket.terminate();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
