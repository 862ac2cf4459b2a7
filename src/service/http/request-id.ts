// Gives each request one id, whether Fastify handles it, it opens a WebSocket or it is not valid HTTP.
import type { IncomingMessage } from "node:http";
import type { MakeId } from "../store/ids.ts";

const known = new WeakMap<IncomingMessage, string>();

/** A new request id: `req_` and a ULID. */
export function newRequestId(makeId: MakeId): string {
  return `req_${makeId("evt").slice(4)}`;
}

/** The id of a request; always the same for one request. */
export function requestIdOf(request: IncomingMessage, makeId: MakeId): string {
  const id = known.get(request) ?? newRequestId(makeId);
  known.set(request, id);
  return id;
}

/** Adds the id to the headers of a WebSocket handshake (the `headers` event of `ws`). */
export function addRequestIdHeader(lines: string[], request: IncomingMessage): void {
  const id = known.get(request);
  if (id !== undefined) lines.push(`Request-Id: ${id}`);
}
