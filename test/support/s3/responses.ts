// How the stand-in for S3 answers: objects with ranges and conditions, XML, and the faults of responses.
import { createReadStream } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import type { ObjectFiles, StoredObject } from "./object-files.ts";
import { escapeXml, S3Error } from "./s3-error.ts";
import type { S3Fault } from "./s3-faults.ts";

const overrides = ["content-type", "content-disposition", "cache-control", "content-language", "content-encoding", "expires"];

/** Sends an object, whole or one range of it, or 304 or 412 by its conditions. */
export async function sendObject(
  request: IncomingMessage,
  response: ServerResponse,
  object: StoredObject,
  files: ObjectFiles,
  fault: S3Fault | null,
): Promise<void> {
  const { headers, method } = request;
  const etag = `"${object.etag}"`;
  const common: Record<string, string> = { etag, "last-modified": new Date(object.modifiedAt).toUTCString(), "accept-ranges": "bytes" };
  if (headers["if-match"] !== undefined && ![etag, "*"].includes(headers["if-match"]))
    throw new S3Error(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold");
  if ([etag, "*"].includes(String(headers["if-none-match"]))) return void response.writeHead(304, common).end();
  const isRanged = headers.range !== undefined && [undefined, etag].includes(headers["if-range"] as string | undefined);
  const range = isRanged ? rangeOf(headers.range!, object.size) : null;
  const wanted = range ?? { start: 0, end: object.size - 1 };
  const { start } = wanted;
  const end = fault?.kind === "truncated" ? Math.floor((wanted.start + wanted.end) / 2) : wanted.end;
  const query = new URL(request.url!, "http://s3").searchParams;
  const given = overrides.filter((name) => query.has(`response-${name}`)).map((name) => [name, query.get(`response-${name}`)!]);
  const checksum = range === null && headers["x-amz-checksum-mode"] === "ENABLED" ? { "x-amz-checksum-sha256": object.sha256 } : {};
  response.writeHead(range === null ? 200 : 206, {
    ...common,
    ...checksum,
    "content-type": "binary/octet-stream",
    "content-length": end - start + 1,
    ...(range === null ? {} : { "content-range": `bytes ${start}-${wanted.end}/${object.size}` }),
    ...Object.fromEntries(given),
  });
  if (method === "HEAD") return void response.end();
  await pipeline(Readable.from(damaged(bytesOf(object, files, start, end), end - start + 1, fault), { objectMode: false }), response);
}

export function sendXml(response: ServerResponse, status: number, xml: string, headers: Record<string, string> = {}): void {
  const body = Buffer.from(xml.startsWith("<?xml") ? xml : `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`);
  response.writeHead(status, { "content-type": "application/xml", "content-length": body.length, ...headers }).end(body);
}

/** The XML of a page of objects. */
export function listXml(objects: readonly StoredObject[], isTruncated: boolean): string {
  const entries = objects.map(({ key, size, etag, modifiedAt }) => {
    const modified = `<LastModified>${new Date(modifiedAt).toISOString()}</LastModified>`;
    return `<Contents><Key>${escapeXml(key)}</Key>${modified}<ETag>&quot;${etag}&quot;</ETag><Size>${size}</Size></Contents>`;
  });
  const next = isTruncated
    ? `<NextContinuationToken>${Buffer.from(objects.at(-1)!.key).toString("base64url")}</NextContinuationToken>`
    : "";
  return `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${next}<KeyCount>${objects.length}</KeyCount>${entries.join("")}</ListBucketResult>`;
}

/** One range in the form of RFC 9110. @throws S3Error 416 */
function rangeOf(header: string, size: number): { start: number; end: number } | null {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header) ?? [];
  if (first === undefined || (first === "" && last === "")) return null;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (start >= size || end < start) throw new S3Error(416, "InvalidRange", "The requested range is not satisfiable");
  return { start, end };
}

/** The bytes from `start` to `end` inclusive, of all files of the object. */
async function* bytesOf(object: StoredObject, files: ObjectFiles, start: number, end: number): AsyncGenerator<Buffer> {
  let at = 0;
  for (const file of object.files) {
    const path = files.path(file);
    for await (const part of createReadStream(path) as AsyncIterable<Buffer>) {
      const wanted = part.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at));
      at += part.length;
      if (wanted.length > 0) yield wanted;
    }
  }
}

async function* damaged(bytes: AsyncIterable<Buffer>, length: number, fault: S3Fault | null): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const part of bytes) {
    const middle = Math.floor(length / 2) - at;
    at += part.length;
    if (fault?.kind === "wrong-bytes" && middle >= 0 && middle < part.length) part[middle]! ^= 1;
    if (fault?.kind === "slow") await setTimeout((fault.ms * part.length) / length);
    if (fault?.kind === "cut" && middle < part.length) {
      yield part.subarray(0, Math.max(0, middle));
      throw new Error("cut by a fault");
    }
    yield part;
  }
}
