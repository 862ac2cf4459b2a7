// Forwards live streams from their declared origins to the page, which itself can reach only the player.
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { isFault } from "../../base/fault.ts";
import type { OutboundHttp } from "../../base/http/outbound-http.ts";
import type { StreamSource } from "../../playback/scene-item.ts";

const maxRedirects = 5;

// A browser could run or render any other type, so it is sent as plain bytes.
const forwardedTypes = /^(?:video\/|audio\/|image\/jpeg|multipart\/x-mixed-replace|application\/(?:vnd\.apple\.mpegurl|x-mpegurl))/i;
const forwardedHeaders = ["content-length", "content-range", "accept-ranges"];

/** The final URL after redirects. The page resolves relative URLs of the stream against it. */
const finalUrlHeader = "x-final-url";

const securityHeaders = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "same-origin",
};

/**
 * Handles `GET /stream/<key>[?url=<URL of a part>]`. Parts and redirects must stay within the stream's own origin and its
 * declared ones. Responds with 403 for a rejected URL and 502 for an origin that does not answer, each with the reason as text.
 */
export async function sendStream(
  request: IncomingMessage,
  response: ServerResponse,
  source: StreamSource,
  outboundHttp: OutboundHttp,
): Promise<void> {
  const url = new URL(request.url ?? "", "http://player").searchParams.get("url") ?? source.url;
  const closed = new AbortController();
  response.once("close", () => closed.abort());
  const { range } = request.headers;
  try {
    const upstream = await outboundHttp.request(url, {
      headers: range === undefined ? {} : { range },
      maxRedirects,
      allowsUrl: ({ origin }) => source.origins.has(origin),
      signal: closed.signal,
    });
    const type = String(upstream.headers["content-type"] ?? "");
    const forwarded = forwardedHeaders.flatMap((name) =>
      typeof upstream.headers[name] === "string" ? [[name, upstream.headers[name]]] : [],
    );
    response.writeHead(upstream.status, {
      ...(Object.fromEntries(forwarded) as Record<string, string>),
      ...securityHeaders,
      "content-type": forwardedTypes.test(type) ? type : "application/octet-stream",
      [finalUrlHeader]: upstream.url.href,
    });
    await pipeline(upstream.body, response);
  } catch (error) {
    if (closed.signal.aborted) return;
    if (!isFault(error) || response.headersSent) throw error;
    response.writeHead(error.code === "refused" ? 403 : 502, { ...securityHeaders, "content-type": "text/plain; charset=utf-8" });
    response.end(error.message);
  }
}
