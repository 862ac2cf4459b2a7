// Takes gzip bodies in. How much comes out of them is bounded by the framework's limit on bodies, which counts what this lets through.
import { Transform, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { FastifyReply, FastifyRequest, RequestPayload } from "fastify";
import { ProblemError } from "./problem.ts";

/**
 * The body as it was before it was packed; Fastify's preParsing hook.
 * @throws Refusal 415 for another coding than gzip, 400 for what is no gzip.
 */
export async function inflate(request: FastifyRequest, _reply: FastifyReply, payload: RequestPayload): Promise<RequestPayload> {
  const coding = request.headers["content-encoding"]?.trim().toLowerCase();
  if (coding === undefined || coding === "identity") return payload;
  if (coding !== "gzip") throw new ProblemError("unsupported-media-type", "Content-Encoding: gzip or nothing is taken here");
  const body: RequestPayload = new Transform({ transform: (chunk, _encoding, done) => done(null, chunk) });
  // Fastify compares it with Content-Length, which tells of the packed bytes.
  body.receivedEncodedLength = 0;
  const gunzip = createGunzip();
  payload.on("data", (chunk: Buffer) => (body.receivedEncodedLength! += chunk.length));
  payload.on("error", (error) => body.destroy(error));
  gunzip.on("error", (cause) =>
    body.destroy(new ProblemError("bad-request", "The body is no whole gzip, as Content-Encoding says", { cause })),
  );
  // A body given up at the limit ends the inflating too.
  body.once("close", () => gunzip.destroy());
  (payload as Readable).pipe(gunzip).pipe(body as Transform);
  return body;
}
