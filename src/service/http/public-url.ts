// The path of `--public-url`: where it belongs in links, and how it is taken off requests that arrive with it.
import type { IncomingMessage, Server } from "node:http";

/** `--public-url` without a slash at its end, such as `https://example.com/signage`. */
export function publicBase(publicUrl: string): string {
  return new URL(publicUrl).origin + pathOfBase(publicUrl);
}

/** The path of a base URL without a slash at its end: empty for a service at the root of its host. */
export function pathOfBase(baseUrl: string | null): string {
  return baseUrl === null ? "" : new URL(baseUrl).pathname.replace(/\/+$/, "");
}

/** The first parts of the service's own paths, which the path of `--public-url` may not begin with. */
const ownPaths = new Set([".well-known", "api", "assets", "docs", "healthz", "mcp", "metrics", "problems", "readyz"]);

/** True if the path differs from the service's own paths, so that a proxy can forward both. */
export function isUsablePath(publicUrl: string): boolean {
  return !ownPaths.has(new URL(publicUrl).pathname.split("/")[1]!);
}

/**
 * Takes the path of `--public-url` off the requests and upgrades that arrive with it: some proxies pass it on, some do not.
 * Call it after all other listeners have been added to the front.
 */
export function stripPublicPath(server: Server, publicUrl: string | null): void {
  const path = pathOfBase(publicUrl);
  if (path === "") return;
  const strip = (request: IncomingMessage): void => {
    const url = request.url ?? "/";
    if (!url.startsWith(path)) return;
    const rest = url.slice(path.length);
    if (rest === "" || rest.startsWith("?")) request.url = `/${rest}`;
    else if (rest.startsWith("/")) request.url = rest;
  };
  server.prependListener("request", strip);
  server.prependListener("upgrade", strip);
}
