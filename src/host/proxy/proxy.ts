// The proxy through which the browser reaches everything: connects where content may go, and nowhere else.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import type { Clock } from "../../base/clock.ts";
import { isFault, reasonOf } from "../../base/fault.ts";
import { hostOf, hostPort, portOf } from "../../base/http/url-host.ts";
import type { Log } from "../../base/log.ts";
import type { IframeSite } from "../../player/host.ts";
import { connectThrough, forward } from "./forward.ts";
import { type Lookup, AddressGuard } from "./address-guard.ts";
import type { Route, Router } from "./upstream.ts";

/** What content may reach. */
export interface NetworkAccess {
  /** Whether it may reach a service of this machine, by the host and port of its URL; by default none. IPv6 addresses have no brackets. */
  mayReachLocal?: (host: string, port: number) => boolean;
  /** Resolves the names that it asks for; by default as the machine does. */
  lookup?: Lookup;
}

/** What a gate needs. */
export interface BrowserProxyOptions extends NetworkAccess {
  /** The way to an address outside: straight, or through a proxy of the network. */
  route: Router;
  clock: Clock;
  log: Log;
}

const connectLimitMs = 20_000;
// Chromium keeps connections to its proxy for reuse, and takes one that was closed meanwhile for nothing unusual.
const idleLimitMs = 60_000;
// As Chromium has its own connections: a WebSocket whose server is gone is noticed.
const manners = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 45_000 };
const maxTroubles = 200;
const largestHeadBytes = 256 * 1024;

/**
 * An HTTP proxy on loopback for one browser. It resolves each name itself, refuses this machine's own addresses, and connects
 * to the very addresses that it has checked: names that change their address between two looks gain nothing.
 */
export class BrowserProxy implements AsyncDisposable {
  readonly #options: BrowserProxyOptions;
  readonly #reach: AddressGuard;
  readonly #server: Server;
  readonly #tunnels = new Set<Socket>();
  /** Why a host could not be connected to the last time, by host and port. */
  readonly #troubles = new Map<string, string>();
  #pageUrl: string | null = null;
  #bundleUrls: readonly string[] = [];

  private constructor(options: BrowserProxyOptions) {
    this.#options = options;
    const { mayReachLocal = () => false, lookup, clock } = options;
    this.#reach = new AddressGuard({ mayReachLocal, lookup, clock });
    this.#server = createServer({ maxHeaderSize: largestHeadBytes, keepAliveTimeout: idleLimitMs, requestTimeout: 0 });
    this.#server.on("request", (request, response) => void this.#onRequest(request, response));
    this.#server.on("connect", (request, client, head) => void this.#onConnect(request, client as Socket, head));
  }

  /** Listens on a free port of 127.0.0.1. */
  static async open(options: BrowserProxyOptions): Promise<BrowserProxy> {
    const gate = new BrowserProxy(options);
    gate.#server.listen(0, "127.0.0.1");
    await once(gate.#server, "listening");
    gate.#server.unref(); // the browser keeps the program running, not its proxy
    return gate;
  }

  /** What the browser is given as its proxy, such as `http://127.0.0.1:41234`. */
  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Says where the player serves its page, which is then reached. */
  allowPage(url: string): void {
    this.#pageUrl = url;
    this.#admit();
  }

  /** Says which sites may be framed: those that the player serves itself are then reached. */
  allowSites(sites: readonly IframeSite[]): void {
    this.#reach.setSiteHosts(sites.map(({ url }) => hostOf(new URL(url))));
    this.#bundleUrls = sites.filter(({ isConfinedToOrigin: isConfined }) => isConfined).map(({ url }) => url);
    this.#admit();
  }

  /** Why the host of an address could not be connected to the last time, in words that say what to do; null when it could. */
  connectionErrorOf(url: string): string | null {
    return URL.canParse(url) ? (this.#troubles.get(keyOf(new URL(url))) ?? null) : null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    for (const tunnel of this.#tunnels) tunnel.destroy();
    await closed;
  }

  #admit(): void {
    const urls = [...(this.#pageUrl === null ? [] : [this.#pageUrl]), ...this.#bundleUrls];
    this.#reach.setPlayerHosts(urls.map((url) => keyOf(new URL(url))));
  }

  /** A request for an http: address, which stands in the request's first line. */
  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = request.url ?? "";
    if (!address.startsWith("http://") || !URL.canParse(address)) return void response.writeHead(400, { connection: "close" }).end();
    const url = new URL(address);
    try {
      const { socket, isProxy } = await this.#connect(url, "http", askerOf(request.headers));
      if (response.destroyed) return void socket.destroy();
      await forward(request, response, url, { socket, isProxy });
    } catch (error) {
      this.#note(url, error);
      // To the browser it is a connection that failed, as it would be without a proxy; a status would look like the site's own answer.
      response.destroy();
    }
  }

  /** A tunnel, for https: and for WebSockets. */
  async #onConnect(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    this.#tunnels.add(client);
    client.once("close", () => this.#tunnels.delete(client));
    client.on("error", () => client.destroy());
    const authority = `https://${request.url ?? ""}`;
    if (!URL.canParse(authority)) return void client.end("HTTP/1.1 400 Bad Request\r\n\r\n");
    const url = new URL(authority);
    try {
      const socket = await this.#tunnel(url);
      socket.on("error", () => client.destroy());
      if (client.destroyed) return void socket.destroy();
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      if (head.length > 0) socket.write(head);
      // What either side has sent before it went is still passed on.
      client.once("close", () => socket.destroySoon());
      socket.once("close", () => client.destroySoon());
      client.pipe(socket).pipe(client);
    } catch (error) {
      this.#note(url, error);
      client.end("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    }
  }

  async #tunnel(url: URL): Promise<Socket> {
    const { socket, isProxy } = await this.#connect(url, "https", null);
    if (isProxy) await connectThrough(socket, keyOf(url));
    return socket;
  }

  /** A connection to the host of `url`, or to the proxy of the network on the way there. @throws Fault `refused` or `unreachable`. */
  async #connect(url: URL, scheme: "http" | "https", asker: string | null): Promise<{ socket: Socket; isProxy: boolean }> {
    const host = hostOf(url);
    const port = portOf(url);
    const key = hostPort(host, port);
    const route: Route = this.#reach.isLocal(host, port) ? { is: "direct" } : await this.#options.route(`${scheme}://${key}/`);
    if (route.is === "unusable") throw new Error(route.reason);
    if (route.is === "proxy") await this.#reach.assertNotLocal(host, port);
    const addresses = route.is === "proxy" ? [] : await this.#reach.addressesOf(host, port, asker);
    const socket = route.is === "proxy" ? connect({ ...manners, host: route.host, port: route.port }) : connectTo(addresses, host, port);
    const { clock } = this.#options;
    const settled = new AbortController();
    const late = clock.wait(connectLimitMs, settled.signal).then(() => {
      throw new Error("its server does not answer in time");
    });
    try {
      await Promise.race([once(socket, "connect", { signal: settled.signal }), late]);
    } catch (error) {
      socket.on("error", () => undefined).destroy();
      throw error;
    } finally {
      settled.abort();
    }
    this.#troubles.delete(key);
    return { socket, isProxy: route.is === "proxy" };
  }

  #note(url: URL, error: unknown): void {
    const key = keyOf(url);
    const reason = inWords(error);
    if (isFault(error, "refused") && this.#troubles.get(key) !== reason) {
      this.#options.log.warn({ host: key, reason }, "content was kept from this machine");
    }
    this.#troubles.delete(key);
    this.#troubles.set(key, reason);
    if (this.#troubles.size > maxTroubles) this.#troubles.delete(this.#troubles.keys().next().value!);
  }
}

/** Tries the addresses, both families at once where there are both. None but these is connected to. */
function connectTo(addresses: readonly string[], host: string, port: number): Socket {
  const all = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const [first] = all;
  if (all.length === 1) return connect({ ...manners, host: first!.address, port });
  return connect({
    ...manners,
    host,
    port,
    autoSelectFamily: true,
    lookup: (_hostname, options, callback) => (options.all === true ? callback(null, all) : callback(null, first!.address, first!.family)),
  });
}

/** The host of the page that sent a request, as far as its headers tell. */
function askerOf({ origin, referer = "" }: IncomingHttpHeaders): string | null {
  const told = origin === undefined || origin === "null" ? referer : origin;
  return URL.canParse(told) ? hostOf(new URL(told)) : null;
}

/** Host and port, the port also where it is the scheme's usual one. */
function keyOf(url: URL): string {
  return hostPort(hostOf(url), portOf(url));
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "its server does not take the connection",
  ECONNRESET: "its server does not take the connection",
  ETIMEDOUT: "its server does not answer in time",
  ENETUNREACH: "there is no way to it: check the network",
  EHOSTUNREACH: "there is no way to it: check the network",
};

function inWords(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons[code] ?? reasonOf(error);
}
