// Fetches a feed: asks for changes only, and takes in no more than two megabytes, however well they are packed.
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { Fault } from "../../../base/fault.ts";
import type { OutboundHttp } from "../../../base/http/outbound-http.ts";

/** What the copy at hand was marked with. */
export interface CacheValidators {
  etag: string | null;
  lastModified: string | null;
}

export type FeedResponse = { is: "unchanged" } | ({ is: "changed"; text: string } & CacheValidators);

const limitMs = 30_000;
const maxRedirects = 5;
const maxBytes = 2 * 1024 * 1024;
const unpackers = { gzip: promisify(gunzip), "x-gzip": promisify(gunzip), br: promisify(brotliDecompress), deflate: promisify(inflate) };

/** @throws Fault `refused` (status, size, address), `unreachable` or `timeout`; an AbortError when `signal` aborts. */
export async function fetchFeed(
  outside: OutboundHttp,
  url: string,
  { etag, lastModified }: CacheValidators,
  signal: AbortSignal,
): Promise<FeedResponse> {
  const deadline = AbortSignal.timeout(limitMs);
  const headers = {
    accept: "application/feed+json, application/atom+xml, application/rss+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1",
    "accept-encoding": "gzip, br, deflate",
    ...(etag === null ? {} : { "if-none-match": etag }),
    ...(lastModified === null ? {} : { "if-modified-since": lastModified }),
  };
  try {
    const answer = await outside.request(url, { headers, maxRedirects, signal: AbortSignal.any([signal, deadline]) });
    if (answer.status !== 200) {
      answer.body.on("error", () => undefined).destroy(); // nobody reads what an error page says
      if (answer.status === 304 && (etag ?? lastModified) !== null) return { is: "unchanged" };
      throw new Fault("refused", `${answer.url.host} answers with HTTP ${answer.status}`);
    }
    const bytes = await unpack(await readBounded(answer.body), String(answer.headers["content-encoding"] ?? "identity"));
    const text = decode(bytes, String(answer.headers["content-type"] ?? ""));
    return { is: "changed", text, etag: mark(answer.headers["etag"]), lastModified: mark(answer.headers["last-modified"]) };
  } catch (error) {
    if (deadline.aborted && !signal.aborted) throw new Fault("timeout", `no whole answer within ${limitMs / 1_000} s`);
    signal.throwIfAborted();
    if (error instanceof Fault) throw error;
    throw new Fault("unreachable", "the answer broke off", { cause: error });
  }
}

async function readBounded(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > maxBytes) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function unpack(bytes: Buffer, encoding: string): Promise<Buffer> {
  if (encoding === "identity") return bytes;
  const unpacker = unpackers[encoding as keyof typeof unpackers] as (typeof unpackers)[keyof typeof unpackers] | undefined;
  if (unpacker === undefined) throw new Fault("refused", `the feed comes packed as ${encoding}, which was not asked for`);
  try {
    return await unpacker(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge();
    throw new Fault("protocol", "the feed cannot be unpacked", { cause: error });
  }
}

/** By the charset of the header, else of the XML declaration, else UTF-8 (RFC 7303). */
function decode(bytes: Buffer, contentType: string): string {
  const declared =
    /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? /encoding=["']([\w-]+)/.exec(bytes.subarray(0, 200).toString("latin1"))?.[1];
  try {
    return new TextDecoder(declared ?? "utf-8").decode(bytes);
  } catch (error) {
    throw new Fault("protocol", `the feed claims the unknown charset ${declared}`, { cause: error });
  }
}

function mark(header: string | string[] | undefined): string | null {
  return typeof header === "string" && header.length <= 1_000 ? header : null;
}

function tooLarge(): Fault {
  return new Fault("refused", `the feed is larger than ${maxBytes / 1024 / 1024} MB: ask its publisher for a shorter one`);
}
