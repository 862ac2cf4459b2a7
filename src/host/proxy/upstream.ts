// The route to a remote address: direct, or through a proxy of the network.
import { hostOf, portOf } from "../../base/http/url-host.ts";

/** Direct, through an HTTP proxy, or impossible. */
export type Route = { is: "direct" } | { is: "proxy"; host: string; port: number } | { is: "unusable"; reason: string };

/** Finds the route to an address's host. */
export type Router = (url: string) => Promise<Route>;

const direct: Route = { is: "direct" };

/** A router by `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, which it reads as Chromium does on Linux. */
export function routerFromEnvironment(env: Readonly<Record<string, string | undefined>>): Router {
  const read = (name: string): string => env[name] ?? env[name.toUpperCase()] ?? "";
  const proxies = {
    "http:": read("http_proxy") || read("all_proxy"),
    "https:": read("https_proxy") || read("all_proxy"),
  };
  const exceptions = read("no_proxy")
    .split(",")
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== "");
  return (url) => {
    const { protocol, hostname, host } = new URL(url);
    const proxy = proxies[protocol as keyof typeof proxies];
    const isExcepted = exceptions.some((each) => {
      const suffix = each.replace(/^\*?\.?/, "");
      return each === "*" || host === suffix || hostname === suffix || hostname.endsWith(`.${suffix}`);
    });
    return Promise.resolve(proxy === "" || isExcepted ? direct : routeThrough(proxy));
  };
}

/** The first route of a list as browsers resolve it: `DIRECT` or `PROXY host:port`, separated by semicolons. */
export function parseProxyList(resolved: string): Route {
  const [kind = "", address = ""] = resolved.split(";")[0]!.trim().split(/\s+/);
  if (/^direct$/i.test(kind)) return direct;
  return routeThrough(/^proxy$/i.test(kind) ? address : `${kind.toLowerCase()}://${address}`);
}

function routeThrough(proxy: string): Route {
  const address = proxy.includes("://") ? proxy : `http://${proxy}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== "http:") {
    return {
      is: "unusable",
      reason: `the network's proxy ${url?.origin ?? ""} is not an HTTP proxy: configure one such as http://HOST:PORT`,
    };
  }
  return { is: "proxy", host: hostOf(url), port: portOf(url) };
}
