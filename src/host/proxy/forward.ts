// Forwards one HTTP request over an open connection, and its response back.
import { once } from "node:events";
import { type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import type { HttpProxy } from "../../base/http/proxy-route.ts";

// Hop-by-hop headers (RFC 9110, section 7.6.1).
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
const maxHeaderBytes = 256 * 1024;

/**
 * Sends `request` over `socket` and copies the server's response to `response`. Resolves when that is done or the client is gone.
 * Rejects when the server does not respond.
 */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  { socket, proxy }: { socket: Socket; proxy: HttpProxy | null },
): Promise<void> {
  const outgoing = httpRequest({
    createConnection: () => socket,
    method: request.method ?? "GET",
    path: proxy === null ? `${url.pathname}${url.search}` : url.href,
    headers: [
      ...forwardedHeaders(request.rawHeaders),
      ...(proxy?.authorization === undefined ? [] : ["Proxy-Authorization", proxy.authorization]),
    ],
    setHost: false,
    maxHeaderSize: maxHeaderBytes,
  });
  const cancel = (): void => void outgoing.destroy();
  response.once("close", cancel);
  outgoing.on("error", () => undefined); // the wait for the response rejects with it
  try {
    const responseEvent = once(outgoing, "response") as Promise<[IncomingMessage]>;
    // A response may arrive before the whole request is sent; errors of sending appear in the response.
    pipeline(request, outgoing).catch(() => undefined);
    const [incoming] = await responseEvent;
    response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage ?? "", forwardedHeaders(incoming.rawHeaders));
    // The body of a long poll may start much later.
    response.flushHeaders();
    await pipeline(incoming, response);
  } catch (error) {
    // The client may close the connection at any time, which is no error.
    if (!response.destroyed && !response.headersSent) throw error;
    response.destroy();
  } finally {
    response.off("close", cancel);
    socket.destroy();
  }
}

/** Raw headers (name and value alternating) without the hop-by-hop ones. */
function forwardedHeaders(raw: readonly string[]): string[] {
  const hopByHopNames = new Set(hopByHop);
  for (let at = 0; at < raw.length; at += 2) {
    if (raw[at]!.toLowerCase() !== "connection") continue;
    for (const name of raw[at + 1]!.split(",")) hopByHopNames.add(name.trim().toLowerCase());
  }
  return raw.flatMap((name, at) => (at % 2 === 1 || hopByHopNames.has(name.toLowerCase()) ? [] : [name, raw[at + 1]!]));
}
