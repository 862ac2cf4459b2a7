// The cookies of a browser: its session, the mark of a browser in which a person has signed in before, and a single sign-on that has begun.
import { pathOfBase } from "../../http/public-url.ts";
import { parseBearer } from "../authentication.ts";
import { hashSecret, isWellFormedSession } from "../token-secrets.ts";

/** The part of a request by which it is known who sends it. */
export interface Sender {
  /** The service's address as the sender knows it; null: unknown. */
  readonly baseUrl: string | null;
  /** Reads a request header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
}

/**
 * The names and values of this service's cookies. Cookies do not distinguish ports, so the names contain a part that is the service's
 * own: two services on one host do not overwrite each other's. With TLS the prefix `__Host-` makes browsers refuse a cookie that
 * another host of the same domain, or a page without TLS, tries to plant. Below a path of a host (`--public-url`) the cookies are
 * sent to that path only, for which `__Secure-` is the prefix: the host's other programs do not get them.
 */
export class BrowserCookies {
  readonly #suffix: string;

  /** @param serviceKey the public key of the service */
  constructor(serviceKey: string) {
    this.#suffix = hashSecret(serviceKey).slice(0, 10);
  }

  /**
   * The secret of the `Authorization` header, else of the session's cookie; undefined: there is neither. Another site cannot make a
   * browser send the header, but may make it send the cookie: see `checkSameOrigin`.
   */
  presentedSecret(sender: Sender): string | undefined {
    const authorization = sender.header("authorization");
    if (authorization === undefined) return this.sessionSecret(sender);
    const token = parseBearer(authorization);
    // A session is valid only where its cookie is, which scripts cannot read.
    return token === undefined || isWellFormedSession(token) ? undefined : token;
  }

  /** The secret in the session's cookie; undefined: there is none. */
  sessionSecret(sender: Sender): string | undefined {
    const cookie = this.#read(sender, "session");
    return cookie !== undefined && isWellFormedSession(cookie) ? cookie : undefined;
  }

  /** The secret that marks a browser in which a person has signed in before; undefined: there is none. */
  browserSecret(sender: Sender): string | undefined {
    return this.#read(sender, "browser");
  }

  /** A `Set-Cookie` header that keeps a session's secret until `expiresAt`, epoch ms. */
  setSession(sender: Sender, secret: string, expiresAt: number): string {
    return this.#set(sender, "session", secret, `Expires=${new Date(expiresAt).toUTCString()}`);
  }

  /** A `Set-Cookie` header that deletes a session's secret. */
  clearSession(sender: Sender): string {
    return this.#set(sender, "session", "", "Max-Age=0");
  }

  /** A `Set-Cookie` header that marks the browser. Each sign-in prolongs it: browsers keep no cookie for more than 400 days. */
  setBrowser(sender: Sender, secret: string): string {
    return this.#set(sender, "browser", secret, `Max-Age=${400 * 86_400}`);
  }

  /** The secret of a sign-in that waits for the provider of single sign-on; undefined: there is none. */
  ssoSecret(sender: Sender): string | undefined {
    return this.#read(sender, "sso");
  }

  /** A `Set-Cookie` header that keeps the secret of a sign-in for `ms`. */
  setSso(sender: Sender, secret: string, ms: number): string {
    return this.#set(sender, "sso", secret, `Max-Age=${Math.trunc(ms / 1_000)}`);
  }

  /** A `Set-Cookie` header that deletes the secret of a sign-in. */
  clearSso(sender: Sender): string {
    return this.#set(sender, "sso", "", "Max-Age=0");
  }

  #read(sender: Sender, kind: Kind): string | undefined {
    return cookiesIn(sender.header("cookie")).get(this.#nameOf(sender, kind));
  }

  #set(sender: Sender, kind: Kind, value: string, end: string): string {
    const attributes = [
      `Path=${pathOfBase(sender.baseUrl) || "/"}`,
      "HttpOnly",
      "SameSite=Strict",
      ...(isSecure(sender) ? ["Secure"] : []),
    ];
    return [`${this.#nameOf(sender, kind)}=${value}`, end, ...attributes].join("; ");
  }

  #nameOf(sender: Sender, kind: Kind): string {
    const prefix = pathOfBase(sender.baseUrl) === "" ? "__Host-" : "__Secure-";
    return `${isSecure(sender) ? prefix : ""}signage_${kind}_${this.#suffix}`;
  }
}

type Kind = "session" | "browser" | "sso";

/** The cookies of a `Cookie` header (RFC 6265 section 4.2). The first of several with one name counts. */
function cookiesIn(header: string | undefined): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of (header ?? "").split(";")) {
    const at = pair.indexOf("=");
    const name = pair.slice(0, Math.max(at, 0)).trim();
    if (name !== "" && !cookies.has(name)) cookies.set(name, pair.slice(at + 1).trim());
  }
  return cookies;
}

function isSecure({ baseUrl }: Sender): boolean {
  return baseUrl !== null && new URL(baseUrl).protocol === "https:";
}
