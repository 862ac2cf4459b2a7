// Fetches a feed by a conditional request, up to two megabytes after decompression.
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { Fault } from "../base/fault.ts";
import type { OutboundHttp } from "../base/http/outbound-http.ts";

/** The validators of the stored copy, for a conditional request. */
export interface CacheValidators {
  etag: string | null;
  lastModified: string | null;
}

export type FeedResponse = { is: "unchanged" } | ({ is: "changed"; text: string } & CacheValidators);

const limitMs = 30_000;
const maxRedirects = 5;
const maxBytes = 2 * 1024 * 1024;
const decompressors = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
};

/** @throws Fault `refused` (status, size or address), `unreachable` or `timeout`; AbortError. */
export async function fetchFeed(
  outboundHttp: OutboundHttp,
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
    const response = await outboundHttp.request(url, { headers, maxRedirects, signal: AbortSignal.any([signal, deadline]) });
    if (response.status !== 200) {
      response.body.on("error", () => undefined).destroy(); // ignore the error page
      if (response.status === 304 && (etag ?? lastModified) !== null) return { is: "unchanged" };
      throw new Fault("refused", `${response.url.host} responds with HTTP ${response.status}`);
    }
    const bytes = await decompress(await readBounded(response.body), String(response.headers["content-encoding"] ?? "identity"));
    const text = decode(bytes, String(response.headers["content-type"] ?? ""));
    return {
      is: "changed",
      text,
      etag: validatorOf(response.headers["etag"]),
      lastModified: validatorOf(response.headers["last-modified"]),
    };
  } catch (error) {
    if (deadline.aborted && !signal.aborted) throw new Fault("timeout", `no complete response within ${limitMs / 1_000} s`);
    signal.throwIfAborted();
    if (error instanceof Fault) throw error;
    throw new Fault("unreachable", "the response broke off", { cause: error });
  }
}

async function readBounded(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function decompress(bytes: Buffer, encoding: string): Promise<Buffer> {
  if (encoding === "identity") return bytes;
  const decompressor = decompressors[encoding as keyof typeof decompressors] as
    | (typeof decompressors)[keyof typeof decompressors]
    | undefined;
  if (decompressor === undefined) throw new Fault("refused", `the feed has the content encoding ${encoding}, which was not requested`);
  try {
    return await decompressor(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge();
    throw new Fault("protocol", "the feed cannot be decompressed", { cause: error });
  }
}

/** Decodes by the charset of the header, else of the XML declaration, else as UTF-8 (RFC 7303). */
function decode(bytes: Buffer, contentType: string): string {
  const charset =
    /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? /encoding=["']([\w-]+)/.exec(bytes.subarray(0, 200).toString("latin1"))?.[1];
  try {
    return new TextDecoder(charset ?? "utf-8").decode(bytes);
  } catch (error) {
    throw new Fault("protocol", `the feed names the unknown charset ${charset}`, { cause: error });
  }
}

function validatorOf(header: string | string[] | undefined): string | null {
  return typeof header === "string" && header.length <= 1_000 ? header : null;
}

function tooLarge(): Fault {
  return new Fault("refused", `the feed is larger than ${maxBytes / 1024 / 1024} MB: ask its publisher for a shorter one`);
}
