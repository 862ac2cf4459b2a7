// Passes one HTTP request on over a connection that is there, and its answer back. Knows nothing of where the connection leads.
import { once } from "node:events";
import { type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";

// They belong to a connection and not to the message (RFC 9110, section 7.6.1).
const ofTheConnection = new Set([
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
const largestHeadBytes = 256 * 1024;

/**
 * Sends `request` over `socket` and its answer to `response`. Resolves when the answer has been passed on or its reader is gone.
 * Rejects when there is no answer.
 */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  { socket, isProxy }: { socket: Socket; isProxy: boolean },
): Promise<void> {
  const outgoing = httpRequest({
    createConnection: () => socket,
    method: request.method ?? "GET",
    path: isProxy ? url.href : `${url.pathname}${url.search}`,
    headers: passedOn(request.rawHeaders),
    setHost: false,
    maxHeaderSize: largestHeadBytes,
  });
  const gone = (): void => void outgoing.destroy();
  response.once("close", gone);
  outgoing.on("error", () => undefined); // whoever waits for the answer hears it
  try {
    const answered = once(outgoing, "response") as Promise<[IncomingMessage]>;
    // An answer may come before the request has been read whole; what breaks off is told by the answer.
    pipeline(request, outgoing).catch(() => undefined);
    const [answer] = await answered;
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? "", passedOn(answer.rawHeaders));
    // A long poll has its headers, and nothing else, for a while.
    response.flushHeaders();
    await pipeline(answer, response);
  } catch (error) {
    // A reader that goes away cuts its request off: that is its right.
    if (!response.destroyed && !response.headersSent) throw error;
    response.destroy();
  } finally {
    response.off("close", gone);
    socket.destroy();
  }
}

/** Asks the proxy at the other end of `socket` for a tunnel. Rejects when it gives none. */
export async function connectThrough(socket: Socket, authority: string): Promise<void> {
  const outgoing = httpRequest({ createConnection: () => socket, method: "CONNECT", path: authority, headers: { host: authority } });
  outgoing.end();
  const [answer, , head] = (await once(outgoing, "connect")) as [IncomingMessage, Socket, Buffer];
  if (answer.statusCode !== 200) throw new Error(`the network's proxy answered HTTP ${answer.statusCode}`);
  if (head.length > 0) socket.unshift(head);
}

/** Headers in one row, name and value in turn, without those that belong to the connection. */
function passedOn(raw: readonly string[]): string[] {
  const named = new Set(ofTheConnection);
  for (let at = 0; at < raw.length; at += 2) {
    if (raw[at]!.toLowerCase() !== "connection") continue;
    for (const name of raw[at + 1]!.split(",")) named.add(name.trim().toLowerCase());
  }
  return raw.flatMap((name, at) => (at % 2 === 1 || named.has(name.toLowerCase()) ? [] : [name, raw[at + 1]!]));
}
