// Finds the secret by which a request proves who sends it: an access token, or the cookie of a browser's session.
import { parseBearer } from "./authentication.ts";
import { isWellFormedSession } from "./token-secrets.ts";

/** The name of the cookie that holds a session's secret. */
export const sessionCookie = "signage_session";

/**
 * The secret of the `Authorization` header, else of the session's cookie; undefined: there is neither. Another site cannot make a
 * browser send the header, but may make it send the cookie: see `checkSameOrigin`.
 * @param header reads a request header by its lower-case name
 */
export function presentedSecret(header: (name: string) => string | undefined): string | undefined {
  const authorization = header("authorization");
  if (authorization !== undefined) {
    const token = parseBearer(authorization);
    // A session is valid only where its cookie is, which scripts cannot read.
    return token === undefined || isWellFormedSession(token) ? undefined : token;
  }
  const cookie = cookiesIn(header("cookie")).get(sessionCookie);
  return cookie !== undefined && isWellFormedSession(cookie) ? cookie : undefined;
}

/** The cookies of a `Cookie` header (RFC 6265 section 4.2). The first of several with one name counts. */
export function cookiesIn(header: string | undefined): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of (header ?? "").split(";")) {
    const at = pair.indexOf("=");
    const name = pair.slice(0, Math.max(at, 0)).trim();
    if (name !== "" && !cookies.has(name)) cookies.set(name, pair.slice(at + 1).trim());
  }
  return cookies;
}

/**
 * A `Set-Cookie` header that keeps a session's secret in the browser until `expiresAt`, epoch ms; null: that deletes it.
 * @param path of the service on its host: other services there do not get the cookie
 */
export function sessionCookieHeader(secret: string, expiresAt: number | null, isSecure: boolean, path: string): string {
  const attributes = [`Path=${path || "/"}`, "HttpOnly", "SameSite=Strict", ...(isSecure ? ["Secure"] : [])];
  const end = expiresAt === null ? "Max-Age=0" : `Expires=${new Date(expiresAt).toUTCString()}`;
  return [`${sessionCookie}=${expiresAt === null ? "" : secret}`, end, ...attributes].join("; ");
}
