// Finds headers that a request repeats although they may come once: two parties would read two different requests.

/**
 * Headers that have one value (RFC 9110 and those of this project). Node keeps the first of some, the last of none, and joins the rest, so
 * a proxy before the service may have checked another value than the one that counts here.
 */
const singular: ReadonlySet<string> = new Set([
  "authorization",
  "captured-at",
  "command-id",
  "content-encoding",
  "content-length",
  "content-location",
  "content-range",
  "content-type",
  // Only HTTP/2 may split it, and whoever translates to HTTP/1.1 joins it again (RFC 9113, 8.2.3).
  "cookie",
  "date",
  "from",
  "host",
  "idempotency-key",
  "if-match",
  "if-modified-since",
  "if-range",
  "if-unmodified-since",
  "last-event-id",
  "max-forwards",
  "origin",
  "proxy-authorization",
  "range",
  "referer",
  "sec-websocket-key",
  "sec-websocket-version",
  "signage-draft",
  "tus-resumable",
  "user-agent",
  // Not X-Forwarded-For: each proxy may add a line, and all of them are read.
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-http-method-override",
  "x-mcp-toolsets",
]);
const singularFamilies = /^(?:mcp-|sec-fetch-|upload-)/;

/**
 * The first header that comes again although it may come once, as the client spelled it; null if there is none.
 * @param raw names and values alternating, as `IncomingMessage.rawHeaders`
 */
export function repeatedHeader(raw: readonly string[]): string | null {
  const names = new Set<string>();
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    if (names.has(name) && isSingular(name)) return raw[at]!;
    names.add(name);
  }
  return null;
}

/** True for a header that may come only once, by its lower-case name. */
export function isSingular(name: string): boolean {
  return singular.has(name) || singularFamilies.test(name);
}
