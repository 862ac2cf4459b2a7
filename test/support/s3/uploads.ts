// Reads the bodies that the stand-in for S3 receives, and verifies their hashes.
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { ObjectFiles, ReceivedData } from "./object-files.ts";
import { S3Error } from "./s3-error.ts";

/** @param isDamaged whether a bit changes on the way. @throws S3Error 400 if the bytes are not those that were signed, or that the checksums announce. */
export async function receiveBody(
  files: ObjectFiles,
  request: IncomingMessage,
  bodyHash: string | null,
  isDamaged = false,
): Promise<ReceivedData> {
  const { headers } = request;
  const data = await files.receive(isDamaged ? damaged(request) : (request as AsyncIterable<Buffer>));
  const wrong = whatIsWrong(data, headers, bodyHash);
  if (wrong === null && data.size === Number(headers["content-length"])) return data;
  await files.discard(data);
  throw new S3Error(400, wrong ?? "IncompleteBody", "The body is not the one that was announced");
}

async function* damaged(request: IncomingMessage): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const part of request as AsyncIterable<Buffer>) {
    if (isFirst) part[0]! ^= 1;
    isFirst = false;
    yield part;
  }
}

function whatIsWrong({ md5, sha256 }: ReceivedData, headers: IncomingMessage["headers"], bodyHash: string | null): string | null {
  if (bodyHash !== null && Buffer.from(sha256, "base64").toString("hex") !== bodyHash) return "XAmzContentSHA256Mismatch";
  const checksum = headers["x-amz-checksum-sha256"];
  if (checksum !== undefined && checksum !== sha256) return "BadDigest";
  const announced = headers["content-md5"];
  if (announced !== undefined && announced !== Buffer.from(md5, "hex").toString("base64")) return "BadDigest";
  return null;
}

/** The parts that a request to complete an upload names. */
export async function readCompletion(
  request: IncomingMessage,
  bodyHash: string | null,
): Promise<{ number: number; etag: string; sha256: string | null }[]> {
  const body = Buffer.concat(await request.toArray());
  if (bodyHash !== null && createHash("sha256").update(body).digest("hex") !== bodyHash)
    throw new S3Error(400, "XAmzContentSHA256Mismatch", "The body is not the one that was signed");
  const text = body.toString();
  const parts = [...text.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = ""]) => ({
    number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
    etag: /<ETag>(?:"|&quot;)?([0-9a-f]+)/.exec(part)?.[1] ?? "",
    sha256: /<ChecksumSHA256>([^<]+)</.exec(part)?.[1] ?? null,
  }));
  if (parts.length === 0) throw new S3Error(400, "MalformedXML", "The request names no parts");
  return parts;
}
