// The proxy for all of the browser's traffic: connects only where content is allowed to go.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "../../base/clock.ts";
import { isFault } from "../../base/fault.ts";
import type { HttpProxy, Router } from "../../base/http/proxy-route.ts";
import { connectThrough } from "../../base/http/tunnel.ts";
import { repeatedHeader } from "../../base/http/repeated-header.ts";
import { hostOf, hostPort, portOf } from "../../base/http/url-host.ts";
import type { Log } from "../../base/log.ts";
import type { IframeSite } from "../../player/host.ts";
import { type Lookup, AddressGuard } from "./address-guard.ts";
import { describeConnectionError, openConnection } from "./connection.ts";
import { forward } from "./forward.ts";

/** The connections that content may open. */
export interface NetworkAccess {
  /** Tells if it may reach a service of this machine, by the host and port of its URL; by default none. IPv6 addresses have no brackets. */
  mayReachLocal?: (host: string, port: number) => boolean;
  /** Resolves host names; by default as the machine does. */
  lookup?: Lookup;
  /** The route to a remote address: direct, or through a proxy of the network. By default the browser's settings decide. */
  route?: Router;
}

export interface BrowserProxyOptions extends NetworkAccess {
  route: Router;
  clock: Clock;
  log: Log;
}

// Chromium keeps connections to its proxy for reuse, and copes with ones that were closed in the meantime.
const idleLimitMs = 60_000;
const maxRememberedErrors = 200;
const maxHeaderBytes = 256 * 1024;

/**
 * An HTTP proxy on loopback for one browser. It resolves each name itself, rejects this machine's own addresses, and connects to
 * exactly the addresses that it has checked. So a name whose address changes between check and connection gains nothing.
 */
export class BrowserProxy implements AsyncDisposable {
  readonly #options: BrowserProxyOptions;
  readonly #guard: AddressGuard;
  readonly #server: Server;
  readonly #tunnels = new Set<Socket>();
  /** Why the last connection to a host failed, by host and port. */
  readonly #errors = new Map<string, string>();
  #pageUrl: string | null = null;
  #bundleUrls: readonly string[] = [];

  private constructor(options: BrowserProxyOptions) {
    this.#options = options;
    const { mayReachLocal = () => false, lookup, clock } = options;
    this.#guard = new AddressGuard({ mayReachLocal, lookup, clock });
    this.#server = createServer({ maxHeaderSize: maxHeaderBytes, keepAliveTimeout: idleLimitMs, requestTimeout: 0 });
    this.#server.on("request", (request, response) => void this.#onRequest(request, response));
    this.#server.on("connect", (request, client, head) => void this.#onConnect(request, client as Socket, head));
  }

  /** Listens on a free port of 127.0.0.1. */
  static async open(options: BrowserProxyOptions): Promise<BrowserProxy> {
    const proxy = new BrowserProxy(options);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    proxy.#server.unref(); // the browser keeps the program running, not its proxy
    return proxy;
  }

  /** The proxy's URL, such as `http://127.0.0.1:41234`. */
  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Allows connections to the server of the player's page. */
  allowPage(url: string): void {
    this.#pageUrl = url;
    this.#updatePlayerHosts();
  }

  /** Sets the sites that iframes may show. Connections to those that the player itself serves are then allowed. */
  allowSites(sites: readonly IframeSite[]): void {
    this.#guard.setSiteHosts(sites.map(({ url }) => hostOf(new URL(url))));
    this.#bundleUrls = sites.filter(({ isConfinedToOrigin }) => isConfinedToOrigin).map(({ url }) => url);
    this.#updatePlayerHosts();
  }

  /** Why the last connection to an address's host failed, with a remedy; null when it did not fail. */
  connectionErrorOf(url: string): string | null {
    return URL.canParse(url) ? (this.#errors.get(keyOf(new URL(url))) ?? null) : null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    const close = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    for (const tunnel of this.#tunnels) tunnel.destroy();
    await close;
  }

  #updatePlayerHosts(): void {
    const urls = [...(this.#pageUrl === null ? [] : [this.#pageUrl]), ...this.#bundleUrls];
    this.#guard.setPlayerHosts(urls.map((url) => keyOf(new URL(url))));
  }

  /** Handles a request for an http: address. */
  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = request.url ?? "";
    if (!address.startsWith("http://") || !URL.canParse(address) || repeatedHeader(request.rawHeaders) !== null)
      return void response.writeHead(400, { connection: "close" }).end();
    const url = new URL(address);
    try {
      const { socket, proxy } = await this.#connect(url, "http", requesterOf(request.headers));
      if (response.destroyed) return void socket.destroy();
      await forward(request, response, url, { socket, proxy });
    } catch (error) {
      this.#onError(url, error);
      // To the browser this is a failed connection, as it would be without a proxy. A status would look like the site's response.
      response.destroy();
    }
  }

  /** Opens a tunnel, for https: and for WebSockets. */
  async #onConnect(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    this.#tunnels.add(client);
    client.once("close", () => this.#tunnels.delete(client));
    client.on("error", () => client.destroy());
    const authority = `https://${request.url ?? ""}`;
    if (!URL.canParse(authority)) return void client.end("HTTP/1.1 400 Bad Request\r\n\r\n", () => client.destroy());
    const url = new URL(authority);
    try {
      const { socket, proxy } = await this.#connect(url, "https", null);
      if (proxy !== null) await connectThrough(socket, proxy, keyOf(url));
      socket.on("error", () => client.destroy());
      if (client.destroyed) return void socket.destroy();
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      if (head.length > 0) socket.write(head);
      // Data that one side sent before it closed is still forwarded.
      client.once("close", () => socket.destroySoon());
      socket.once("close", () => client.destroySoon());
      client.pipe(socket).pipe(client);
    } catch (error) {
      this.#onError(url, error);
      client.end("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", () => client.destroy());
    }
  }

  /** A connection to the host of `url`, or to the network's proxy on the way there. @throws Fault `refused` or `unreachable`. */
  async #connect(url: URL, scheme: "http" | "https", requester: string | null): Promise<{ socket: Socket; proxy: HttpProxy | null }> {
    const host = hostOf(url);
    const port = portOf(url);
    const key = hostPort(host, port);
    const route = this.#guard.isLocal(host, port) ? ({ is: "direct" } as const) : await this.#options.route(`${scheme}://${key}/`);
    if (route.is === "unusable") throw new Error(route.reason);
    const proxy = route.is === "proxy" ? route : null;
    if (proxy !== null) await this.#guard.assertNotLocal(host, port);
    const destination =
      proxy === null
        ? { addresses: await this.#guard.addressesOf(host, port, requester), host, port }
        : { proxy: { host: proxy.host, port: proxy.port } };
    const socket = await openConnection(destination, this.#options.clock);
    this.#errors.delete(key);
    return { socket, proxy };
  }

  #onError(url: URL, error: unknown): void {
    const key = keyOf(url);
    const reason = describeConnectionError(error);
    if (isFault(error, "refused") && this.#errors.get(key) !== reason)
      this.#options.log.warn({ host: key, reason }, "content was not allowed to connect");
    this.#errors.delete(key);
    this.#errors.set(key, reason);
    if (this.#errors.size > maxRememberedErrors) this.#errors.delete(this.#errors.keys().next().value!);
  }
}

/** The host of the page that sent a request, if the request's headers name it. */
function requesterOf({ origin, referer = "" }: IncomingHttpHeaders): string | null {
  const url = origin === undefined || origin === "null" ? referer : origin;
  return URL.canParse(url) ? hostOf(new URL(url)) : null;
}

/** Host and port of a URL, the default port included. */
function keyOf(url: URL): string {
  return hostPort(hostOf(url), portOf(url));
}
