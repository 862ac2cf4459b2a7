// Passes a live stream from its declared origins on to the page, which itself reaches nothing but the player.
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { isFault } from "../../base/fault.ts";
import type { OutboundHttp } from "./outbound-http.ts";
import type { StreamSource } from "../playback/scene-item.ts";

// Anything else could be run or drawn by a browser that is led to it: it goes out as mere bytes.
const passedTypes = /^(?:video\/|audio\/|image\/jpeg|multipart\/x-mixed-replace|application\/(?:vnd\.apple\.mpegurl|x-mpegurl))/i;
const passedHeaders = ["content-length", "content-range", "accept-ranges"];

/** Says which address answered in the end, so that the page can resolve what the answer names. */
const finalUrlHeader = "x-final-url";

/**
 * Answers `GET /stream/<key>[?url=<address of a part>]`. Parts come from the stream's own origin and those declared with
 * it, redirects included. Refusals are 403, an origin that does not answer is 502, each with its reason as text.
 */
export async function sendStream(
  request: IncomingMessage,
  response: ServerResponse,
  source: StreamSource,
  outside: OutboundHttp,
): Promise<void> {
  const asked = new URL(request.url ?? "", "http://player").searchParams.get("url") ?? source.url;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const { range } = request.headers;
  try {
    const answer = await outside.open(asked, {
      headers: { "user-agent": "signage-player", ...(range === undefined ? {} : { range }) },
      allows: ({ origin }) => source.origins.has(origin),
      signal: gone.signal,
    });
    const type = String(answer.headers["content-type"] ?? "");
    const passed = passedHeaders.flatMap((name) => (typeof answer.headers[name] === "string" ? [[name, answer.headers[name]]] : []));
    response.writeHead(answer.status, {
      ...(Object.fromEntries(passed) as Record<string, string>),
      ...streamHeaders,
      "content-type": passedTypes.test(type) ? type : "application/octet-stream",
      [finalUrlHeader]: answer.url.href,
    });
    await pipeline(answer.body, response);
  } catch (error) {
    if (gone.signal.aborted) return;
    if (!isFault(error) || response.headersSent) throw error;
    response.writeHead(error.code === "refused" ? 403 : 502, { ...streamHeaders, "content-type": "text/plain; charset=utf-8" });
    response.end(error.message);
  }
}

const streamHeaders = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "same-origin",
};
