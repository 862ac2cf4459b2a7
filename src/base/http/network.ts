// How this program's connections leave the machine: through which proxy, and which certificates they trust.
import { directRouter, type HttpProxy, type Router } from "./proxy-route.ts";
import { trustedCertificates, type TrustedCertificates } from "./trusted-certificates.ts";
import { ProxyFault } from "./tunnel.ts";

export interface Network {
  route: Router;
  certificates: TrustedCertificates;
}

/** A network without a proxy. */
export function directNetwork(): Network {
  return { route: directRouter, certificates: trustedCertificates() };
}

/** The proxy for connections to `url`; null for none. @throws ProxyFault `unusable`. */
export async function proxyFor(network: Network, url: URL): Promise<HttpProxy | null> {
  const route = await network.route(url.href);
  if (route.is === "unusable") throw new ProxyFault("unusable", route.reason);
  return route.is === "proxy" ? route : null;
}
