// Refuses writes that another website makes a browser send with the cookie of a session (cross-site request forgery).
import { ProblemError } from "./problem.ts";

/** The part of a request by which it is known which page sends it. */
export interface PageSender {
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
