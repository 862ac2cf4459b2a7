// The origin and the address under which clients reach this service, and absolute links with it.
import type { FastifyRequest } from "fastify";
import { apiPrefix } from "../operations/operation.ts";
import { publicBase } from "./public-url.ts";
import { ProblemError } from "./problem.ts";

/**
 * The origins of this service's own pages, as browsers name them: that of `--public-url`, and that of the address that the request was sent
 * to. Where both have the same host and port only the first counts: behind a proxy that ends TLS, the second names the wrong scheme.
 */
export function ownOrigins(request: FastifyRequest, publicUrl: string | null): readonly string[] {
  const requested = requestedOrigin(request);
  if (publicUrl === null) return requested === null ? [] : [requested];
  const known = new URL(publicUrl);
  return requested === null || new URL(requested).host === known.host ? [known.origin] : [known.origin, requested];
}

/** The origin of the address that a request was sent to; null if its Host header is invalid. */
function requestedOrigin(request: FastifyRequest): string | null {
  const requested = `${request.protocol}://${request.host}`;
  // The client chooses the Host header, so only a plain host name and port may go into a link.
  return /^https?:\/\/(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(requested) && URL.canParse(requested)
    ? new URL(requested).origin
    : null;
}

/**
 * The address of this service as a caller knows it, without a slash at its end: its origin, and the path of `--public-url`.
 * Null if the Host header is invalid.
 */
export function baseUrlOf(request: FastifyRequest, publicUrl: string | null): string | null {
  return publicUrl === null ? requestedOrigin(request) : publicBase(publicUrl);
}

const linkFields = new Set(["url", "thumbnail_url", "image_url", "text_url"]);

/** Copies a body with its links to this service made absolute. A copy, since the body may be kept for a repeat. */
export function withAbsoluteLinks(body: unknown, baseUrl: string): unknown {
  if (Array.isArray(body)) return body.map((each) => withAbsoluteLinks(each, baseUrl));
  if (typeof body !== "object" || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => {
      const isLink = linkFields.has(key) && typeof value === "string" && value.startsWith(`${apiPrefix}/`);
      return [key, isLink ? baseUrl + value : withAbsoluteLinks(value, baseUrl)];
    }),
  );
}

/** The part of a request by which it is known which page sends it. */
interface PageSender {
  /** The origins of this service's own pages, see `ownOrigins`. */
  readonly origins: readonly string[];
  /** Reads a request header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
}

/**
 * Checks that a write comes from a page of this service, by scheme, host and port: who can change a page that came without TLS must not
 * write with a session that has TLS. Browsers name the page's origin in every such request, also where they omit `Sec-Fetch-Site` because
 * the page came without TLS.
 * @throws ProblemError 403.
 */
export function checkSameOrigin({ header, origins }: PageSender): void {
  const from = header("origin");
  if (from !== undefined && origins.includes(from)) return;
  throw new ProblemError(
    "forbidden",
    `This request came from another website (${(from ?? "without an Origin").slice(0, 200)}, not ${origins.join(" or ")}): open the console ` +
      "and repeat it there. Behind a proxy that ends TLS, start the service with --public-url",
  );
}
