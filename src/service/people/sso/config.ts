// The settings of single sign-on by OpenID Connect.

/** The provider of single sign-on, and who is let in by it. */
export interface SsoConfig {
  /** The issuer exactly as the provider names itself. */
  issuer: string;
  clientId: string;
  /** Read for each sign-in, so that a changed secret needs no restart. */
  clientSecretFile: string;
  /** The name by which people know the provider. */
  name: string;
  /** New people who join by the domain of their email; null: only invited people and members are let in. */
  join: { domains: readonly string[]; teamId: string | null; role: "viewer" | "editor" } | null;
}

/** True if a host name means this machine: only there may the provider be reached without TLS. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.[0-9]{1,3}){3}$/.test(hostname);
}
