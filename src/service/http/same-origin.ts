// Refuses writes that another website makes a browser send with the cookie of a session (cross-site request forgery).
import type { Sender } from "../people/browser-cookies.ts";
import { ProblemError } from "./problem.ts";

/**
 * Checks that a write comes from a page of this service: from the configured public URL, or from the host that it is sent to.
 * Browsers name the page's origin in every such request, also where they omit `Sec-Fetch-Site` because the page came without TLS.
 * @throws ProblemError 403.
 */
export function checkSameOrigin({ header, baseUrl }: Sender): void {
  const from = hostOf(header("origin"));
  if (from !== null && (from === header("host")?.toLowerCase() || from === hostOf(baseUrl ?? undefined))) return;
  throw new ProblemError("forbidden", "This request came from another website: open the console and repeat it there");
}

/** The host and port of an origin or a URL; null if it is missing or opaque. */
function hostOf(origin: string | undefined): string | null {
  return origin !== undefined && URL.canParse(origin) ? new URL(origin).host || null : null;
}
