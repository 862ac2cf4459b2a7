// Decompresses gzip request bodies. Fastify's body limit applies to the decompressed bytes.
import { Transform, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { FastifyReply, FastifyRequest, RequestPayload } from "fastify";
import { ProblemError } from "../problem.ts";

/**
 * Returns the decompressed body; a preParsing hook of Fastify.
 * @throws ProblemError 415 for an encoding other than gzip, 400 for invalid gzip data.
 */
export async function inflate(request: FastifyRequest, _reply: FastifyReply, payload: RequestPayload): Promise<RequestPayload> {
  const coding = request.headers["content-encoding"]?.trim().toLowerCase();
  if (coding === undefined || coding === "identity") return payload;
  if (coding !== "gzip") throw new ProblemError("unsupported-media-type", "The only supported Content-Encoding is gzip");
  const body: RequestPayload = new Transform({ transform: (chunk, _encoding, done) => done(null, chunk) });
  // Fastify compares this with Content-Length, which counts the compressed bytes.
  body.receivedEncodedLength = 0;
  const gunzip = createGunzip();
  payload.on("data", (chunk: Buffer) => (body.receivedEncodedLength! += chunk.length));
  payload.on("error", (error) => body.destroy(error));
  gunzip.on("error", (cause) =>
    body.destroy(new ProblemError("bad-request", "The body is not complete gzip data, as Content-Encoding says", { cause })),
  );
  // Stop decompressing when the body limit ends the body.
  body.once("close", () => gunzip.destroy());
  (payload as Readable).pipe(gunzip).pipe(body as Transform);
  return body;
}
