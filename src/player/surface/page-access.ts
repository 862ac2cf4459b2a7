// Decides which requests to the loopback server come from the player's own page. A secret cookie identifies it.
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

const cookieName = "signage";

/** Rejects requests without the cookie, for another host or from another site, so that neither web items nor other programs get access. */
export class PageAccess {
  readonly #secret = randomBytes(32).toString("base64url");

  get cookie(): { name: string; value: string } {
    return { name: cookieName, value: this.#secret };
  }

  isAllowed({ headers }: IncomingMessage, origin: string): boolean {
    const site = headers["sec-fetch-site"];
    if (site !== undefined && site !== "same-origin" && site !== "none") return false;
    if (headers.origin !== undefined && headers.origin !== origin) return false;
    return `http://${headers.host}` === origin && this.#hasSecret(headers.cookie ?? "");
  }

  #hasSecret(cookieHeader: string): boolean {
    const secret = Buffer.from(this.#secret);
    return cookieHeader.split(/;\s*/).some((cookie) => {
      if (!cookie.startsWith(`${cookieName}=`)) return false;
      const value = Buffer.from(cookie.slice(cookieName.length + 1));
      return value.length === secret.length && timingSafeEqual(value, secret);
    });
  }
}
