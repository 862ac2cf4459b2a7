// A stand-in for S3 that verifies signatures and checksums, and fails on demand. As a program: node test/support/s3/server.ts --port 0 --folder DIR
// prints one JSON line with its URL; POST /_faults takes a JSON array of faults, DELETE ends them, GET /_requests lists the requests.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { z } from "zod";
import { ObjectFiles } from "./object-files.ts";
import { listXml, sendObject, sendXml } from "./responses.ts";
import { noSuchKey, S3Error } from "./s3-error.ts";
import { S3Fault, S3Faults } from "./s3-faults.ts";
import { verifySignature, type S3Credentials } from "./signature.ts";
import { readCompletion, receiveBody } from "./uploads.ts";

/** The credentials and the bucket of the stand-in. */
export const testCredentials: S3Credentials = { accessKeyId: "AKIDSIGNAGETEST", secretAccessKey: "secret+of/the=test" };
export const testBucket = "signage";

export interface S3Server extends AsyncDisposable {
  url: string;
  faults: S3Faults;
  /** Every request: its method, and its path with the query. */
  requests: { method: string; url: string; headers: IncomingMessage["headers"] }[];
}

/** @param port 0: any free one. @param now the server's clock. */
export async function startS3Server(
  folder: string,
  { port = 0, host = "127.0.0.1", now = Date.now }: { port?: number; host?: string; now?: () => number } = {},
): Promise<S3Server> {
  const files = await ObjectFiles.open(folder);
  const faults = new S3Faults();
  const requests: S3Server["requests"] = [];
  const server = createServer((request, response) => {
    response.setHeader("date", new Date(now()).toUTCString());
    void answer(request, response).catch((error: unknown) => {
      if (response.headersSent || request.socket.destroyed) return response.destroy();
      const fault = error instanceof S3Error ? error : new S3Error(500, "InternalError", String(error));
      // A client that still sends must not wait for the end of its body.
      sendXml(response, fault.status, request.method === "HEAD" ? "" : fault.xml, { connection: "close" });
    });
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url!, "http://s3");
    if (url.pathname.startsWith("/_")) return control(url.pathname, request, response);
    const method = request.method!;
    requests.push({ method, url: request.url!, headers: request.headers });
    const bodyHash = verifySignature(request, testCredentials, now());
    const [, bucket, ...rest] = url.pathname.split("/");
    if (decodeURIComponent(bucket!) !== testBucket) throw new S3Error(404, "NoSuchBucket", "The specified bucket does not exist");
    const key = decodeURIComponent(rest.join("/"));
    const fault = faults.take(method, key);
    if (fault?.kind === "hang") return;
    if (fault?.kind === "slow-down") throw new S3Error(503, "SlowDown", "Please reduce your request rate.");
    if (fault?.kind === "error") throw new S3Error(500, "InternalError", "We encountered an internal error. Please try again.");
    if (fault?.kind === "missing") throw noSuchKey();
    if (fault?.kind === "cut" && method !== "GET") return cutRequest(request);
    if (fault?.kind === "slow" && method !== "GET") await setTimeout(fault.ms);
    const query = url.searchParams;
    const uploadId = query.get("uploadId");
    if (key === "" && method === "GET") {
      const token = query.get("continuation-token");
      const after = token === null ? (query.get("start-after") ?? "") : Buffer.from(token, "base64url").toString();
      const { objects, isTruncated } = await files.list(query.get("prefix") ?? "", after, Number(query.get("max-keys") ?? 1_000));
      return sendXml(response, 200, listXml(objects, isTruncated));
    }
    if (key === "") throw new S3Error(501, "NotImplemented", "The stand-in has no such operation on buckets");
    const isNew = request.headers["if-none-match"] === "*";
    switch (method) {
      case "GET":
        if (uploadId !== null) {
          const parts = [...(await files.parts(uploadId, key))].map(
            ([number, { etag, size, sha256 }]) =>
              `<Part><PartNumber>${number}</PartNumber><ETag>&quot;${etag}&quot;</ETag><Size>${size}</Size><ChecksumSHA256>${sha256}</ChecksumSHA256></Part>`,
          );
          return sendXml(response, 200, `<ListPartsResult><IsTruncated>false</IsTruncated>${parts.join("")}</ListPartsResult>`);
        }
        return sendObject(request, response, await files.get(key), files, fault);
      case "HEAD":
        return sendObject(request, response, await files.get(key), files, null);
      case "PUT": {
        const data = await receiveBody(files, request, bodyHash, fault?.kind === "wrong-bytes");
        const stored = await (
          uploadId === null ? files.put(key, data, isNew) : files.putPart(uploadId, key, Number(query.get("partNumber")), data)
        ).catch(async (error: unknown) => {
          await files.discard(data);
          throw error;
        });
        return void response.writeHead(200, { etag: `"${stored.etag}"`, "x-amz-checksum-sha256": stored.sha256 }).end();
      }
      case "POST":
        if (query.has("uploads")) {
          const id = await files.createUpload(key);
          return sendXml(
            response,
            200,
            `<InitiateMultipartUploadResult><Key>${key}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
          );
        }
        if (uploadId !== null) {
          const { etag, sha256 } = await files.complete(uploadId, key, await readCompletion(request, bodyHash), isNew);
          const xml = `<ETag>&quot;${etag}&quot;</ETag><ChecksumSHA256>${sha256}</ChecksumSHA256>`;
          return sendXml(response, 200, `<CompleteMultipartUploadResult><Key>${key}</Key>${xml}</CompleteMultipartUploadResult>`);
        }
        break;
      case "DELETE":
        await (uploadId === null ? files.delete(key) : files.abort(uploadId, key));
        return void response.writeHead(204).end();
    }
    throw new S3Error(405, "MethodNotAllowed", "The stand-in has no such operation");
  };
  const control = async (path: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (path === "/_requests") return void response.end(JSON.stringify(requests));
    if (request.method === "DELETE") faults.clear();
    else faults.add(...z.array(S3Fault).parse(JSON.parse(Buffer.concat(await request.toArray()).toString())));
    response.writeHead(204).end();
  };
  server.listen(port, host);
  await once(server, "listening");
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    faults,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Reads half of a body, then cuts the connection. */
async function cutRequest(request: IncomingMessage): Promise<void> {
  const { socket } = request;
  let left = Number(request.headers["content-length"] ?? 0) / 2;
  for await (const part of request as AsyncIterable<Buffer>) {
    left -= part.length;
    if (left <= 0) break;
  }
  // The request's own destroy() keeps the connection of a small body, which has arrived.
  socket.destroy();
}

if (import.meta.main) {
  const options = { port: { type: "string" }, host: { type: "string" }, folder: { type: "string" } } as const;
  const { port = "0", host = "127.0.0.1", folder } = parseArgs({ options }).values;
  if (folder === undefined) throw new TypeError("--folder is missing");
  const server = await startS3Server(folder, { port: Number(port), host });
  process.stdout.write(`${JSON.stringify({ msg: "listening", url: server.url, bucket: testBucket, ...testCredentials })}\n`);
}
