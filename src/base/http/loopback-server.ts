// The common part of the player's servers on this machine: their clients are this machine's own programs, which send a request at once.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { repeatedHeader } from "./repeated-header.ts";

// Such servers take no bodies, or short ones.
const requestLimitMs = 5_000;

/**
 * An HTTP server that closes connections on which no whole request arrives in time, and answers 400 to a request that repeats a header
 * which may come once. Responses may take as long as they need.
 * @param limitMs for a whole request
 */
export function createLoopbackServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  limitMs: number = requestLimitMs,
): Server {
  const limits = { headersTimeout: limitMs, requestTimeout: limitMs, connectionsCheckingInterval: Math.ceil(limitMs / 4) };
  return createServer(limits, (request, response) => {
    const duplicate = repeatedHeader(request.rawHeaders);
    if (duplicate === null) return handle(request, response);
    response.writeHead(400, { "content-type": "text/plain", "x-content-type-options": "nosniff", connection: "close" });
    response.end(`${duplicate} may come only once`);
  });
}
