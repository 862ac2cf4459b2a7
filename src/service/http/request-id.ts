// Gives each request its id: one, whether the framework answers, a socket is opened, or HTTP itself is broken.
import type { IncomingMessage } from "node:http";
import type { MakeId } from "../store/ids.ts";

const known = new WeakMap<IncomingMessage, string>();

/** A new id, `req_` and a ULID. */
export function newRequestId(makeId: MakeId): string {
  return `req_${makeId("evt").slice(4)}`;
}

/** The id of a request: the same however often it is asked for. */
export function requestIdOf(request: IncomingMessage, makeId: MakeId): string {
  const id = known.get(request) ?? newRequestId(makeId);
  known.set(request, id);
  return id;
}

/** Adds the id to the header lines of the answer that opens a WebSocket (the event `headers` of `ws`). */
export function tellRequestId(lines: string[], request: IncomingMessage): void {
  const id = known.get(request);
  if (id !== undefined) lines.push(`Request-Id: ${id}`);
}
