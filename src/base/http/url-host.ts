// The host and the port of a URL, in the form that sockets and name lookups take them.

const defaultPorts: Readonly<Record<string, number>> = { "http:": 80, "https:": 443, "ws:": 80, "wss:": 443 };

/** The hostname of a URL. An IPv6 address has no brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** The port of an http, https, ws or wss URL. If the URL names none, it is the scheme's default port. */
export function portOf(url: URL): number {
  return Number(url.port || defaultPorts[url.protocol]);
}

/** A host and a port as URLs write them: an IPv6 address gets brackets. */
export function hostPort(host: string, port: number | string): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
