// The website that passkeys belong to. Pure.
import { isIP } from "node:net";

/** A website to which browsers bind passkeys. */
export interface PasskeySite {
  /** Its host name, WebAuthn's RP ID. */
  readonly host: string;
  readonly origin: string;
}

/**
 * The website at an address of the service, from `--public-url` or the request's Host header. Null where browsers offer no passkeys:
 * they want TLS, or localhost, and a host name instead of an IP address. An attacker who chooses the Host header gains nothing: a
 * passkey signs with its own host name, and the service stores for which one it was made.
 */
export function passkeySiteAt(baseUrl: string | null): PasskeySite | null {
  if (baseUrl === null) return null;
  const { hostname: host, origin, protocol } = new URL(baseUrl);
  if (isIP(host) !== 0 || host.startsWith("[")) return null;
  const isLocal = host === "localhost" || host.endsWith(".localhost");
  return protocol === "https:" || isLocal ? { host, origin } : null;
}
