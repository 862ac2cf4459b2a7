// Compresses JSON responses for clients that accept it: the roster of a large fleet has megabytes that are alike.
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isRead, type Operation } from "../../operations/operation.ts";
import { acceptsCoding } from "./content-coding.ts";

/** A shorter response fits into one packet anyway. */
const smallestLength = 1_024;

/**
 * The resources whose responses may be compressed. Not those about people and their access, sessions, tokens, invitations and keys:
 * the length of a compressed response may betray a secret in it to somebody who chooses other text of it (BREACH).
 */
const compressedTags: ReadonlySet<string> = new Set([
  "alerts",
  "assets",
  "audit",
  "calendars",
  "commands",
  "layouts",
  "play events",
  "players",
  "playlists",
  "previews",
  "rollouts",
  "schedules",
  "screenshots",
  "shows",
]);

// Better levels take several times as long for a few percent.
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT } };
const codings = {
  br: (text: string) => promisify(brotliCompress)(text, brotliOptions),
  gzip: (text: string) => promisify(gzip)(text, { level: 6 }),
} as const;

/** True if {@link compressJson} is for the responses of this operation. */
export function isCompressible(operation: Operation): boolean {
  return isRead(operation) && operation.caller === "operator" && compressedTags.has(operation.tag);
}

/**
 * A hook that runs before a response is sent. Streams, among them files and live pictures, are not changed. The ETag stays the same:
 * it is that of the resource, with which clients write, and not that of the bytes.
 */
export async function compressJson(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (typeof payload !== "string" || reply.statusCode !== 200) return payload;
  reply.header("Vary", [reply.getHeader("Vary"), "Accept-Encoding"].filter((name) => name !== undefined).join(", "));
  if (payload.length < smallestLength) return payload;
  const accepted = request.headers["accept-encoding"];
  const coding = (["br", "gzip"] as const).find((each) => acceptsCoding(accepted, each));
  if (coding === undefined) return payload;
  reply.header("Content-Encoding", coding);
  return codings[coding](payload);
}
