// The route to a remote address: direct, or through an HTTP proxy of the network.
import { unescape } from "node:querystring";
import ipaddr from "ipaddr.js";
import { hostOf, portOf } from "./url-host.ts";

/** An HTTP proxy. */
export interface HttpProxy {
  host: string;
  port: number;
  /** The value of Proxy-Authorization, if the proxy's URL has a user name. */
  authorization?: string;
}

/** Direct, through an HTTP proxy, or impossible. */
export type Route = { is: "direct" } | ({ is: "proxy" } & HttpProxy) | { is: "unusable"; reason: string };

/** Finds the route to an address's host. */
export type Router = (url: string) => Promise<Route>;

type Environment = Readonly<Record<string, string | undefined>>;

const direct: Route = { is: "direct" };

/** A router that uses no proxy. */
export const directRouter: Router = () => Promise.resolve(direct);

/**
 * A router by `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`. A lower-case name outranks its upper-case form. This machine's
 * loopback addresses are always reached directly.
 * @param proxy a proxy for all addresses, instead of those that `env` names.
 */
export function routerFromEnvironment(env: Environment, proxy?: string): Router {
  const read = (name: string): string => env[name] ?? env[name.toUpperCase()] ?? "";
  const http = proxy ?? (read("http_proxy") || read("all_proxy"));
  const https = proxy ?? (read("https_proxy") || read("all_proxy"));
  const proxies: Readonly<Record<string, string>> = { "http:": http, "ws:": http, "https:": https, "wss:": https };
  const exceptions = read("no_proxy")
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((part) => part !== "");
  return (text) => {
    const url = new URL(text);
    const address = proxies[url.protocol] ?? "";
    const isDirect = address === "" || isLoopback(hostOf(url)) || exceptions.some((exception) => isExcepted(url, exception));
    return Promise.resolve(isDirect ? direct : routeThrough(address));
  };
}

/** The first route of a list as browsers resolve it: `DIRECT` or `PROXY host:port`, separated by semicolons. */
export function parseProxyList(list: string): Route {
  const [kind = "", address = ""] = list.split(";")[0]!.trim().split(/\s+/);
  if (/^direct$/i.test(kind)) return direct;
  return routeThrough(/^proxy$/i.test(kind) ? address : `${kind.toLowerCase()}://${address}`);
}

/** The route through the proxy at an address such as `http://user:password@proxy.example:3128`; the scheme may be left out. */
export function routeThrough(proxy: string): Route {
  const address = proxy.includes("://") ? proxy : `http://${proxy}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== "http:") {
    const name = url === null ? "" : ` ${url.protocol}//${url.host}`;
    return { is: "unusable", reason: `the network's proxy${name} is not an HTTP proxy: configure one such as http://HOST:PORT` };
  }
  const route: Route = { is: "proxy", host: hostOf(url), port: portOf(url) };
  if (url.username === "") return route;
  const credentials = `${unescape(url.username)}:${unescape(url.password)}`;
  return { ...route, authorization: `Basic ${Buffer.from(credentials).toString("base64")}` };
}

function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|::1)$/i.test(host);
}

/** True if an entry of `no_proxy` covers the host of `url`: `*`, a domain, an address, a block of addresses, or one with a port. */
function isExcepted(url: URL, exception: string): boolean {
  const host = hostOf(url).replace(/\.$/, "");
  if (ipaddr.isValidCIDR(exception)) {
    const [network, bits] = ipaddr.parseCIDR(exception);
    const address = ipaddr.isValid(host) ? ipaddr.parse(host) : null;
    return address !== null && address.kind() === network.kind() && address.match(network, bits);
  }
  const suffix = exception.replace(/^\*?\.?/, "");
  return exception === "*" || url.host === suffix || url.hostname === suffix || host === suffix || host.endsWith(`.${suffix}`);
}
