// Connections of HTTP requests, kept open for reuse: direct ones, and those through the network's proxy.
import type { LookupFunction } from "node:net";
import type { buildConnector, Dispatcher } from "undici";
import { reasonOf } from "../fault.ts";
import { type Network, proxyFor } from "./network.ts";
import type { HttpProxy } from "./proxy-route.ts";
import { openTunnel, proxyUnreachable } from "./tunnel.ts";
import { hostPort } from "./url-host.ts";

export interface RoutedAgentOptions {
  network: Network;
  /** How long a server may send nothing. */
  silenceLimitMs: number;
  /** Resolves the hosts of direct connections; by default as the machine does. */
  lookup?: LookupFunction;
}

/** The connection of a request. */
export interface RequestRoute {
  dispatcher: Dispatcher;
  /** The proxy that the request goes through; null for none. */
  proxy: HttpProxy | null;
}

const connectLimitMs = 10_000;

export class RoutedAgent implements AsyncDisposable {
  readonly #options: RoutedAgentOptions;
  /** By proxy; the key of direct connections is empty. */
  readonly #dispatchers = new Map<string, Promise<Dispatcher>>();
  readonly #end = new AbortController();

  constructor(options: RoutedAgentOptions) {
    this.#options = options;
  }

  /** The route of a request to `url`. @throws ProxyFault if its proxy cannot be used. */
  async routeTo(url: URL): Promise<RequestRoute> {
    const proxy = await proxyFor(this.#options.network, url);
    const key = proxy === null ? "" : JSON.stringify(proxy);
    const dispatcher = this.#dispatchers.get(key) ?? this.#createDispatcher(proxy);
    this.#dispatchers.set(key, dispatcher);
    return { dispatcher: await dispatcher, proxy };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    for (const dispatcher of this.#dispatchers.values()) await (await dispatcher).destroy();
  }

  /** Loads undici at the first request: it loads slowly and would delay the first picture. */
  async #createDispatcher(proxy: HttpProxy | null): Promise<Dispatcher> {
    const { Agent, buildConnector: build } = await import("undici");
    const { network, lookup, silenceLimitMs } = this.#options;
    const limits = { headersTimeout: silenceLimitMs, bodyTimeout: silenceLimitMs };
    if (proxy !== null) {
      const connect = connectorThrough(proxy, createConnector(build, network), this.#end.signal);
      return new Agent({ ...limits, connect }).compose(forwardThrough(proxy));
    }
    return new Agent({ ...limits, connect: createConnector(build, network, lookup === undefined ? {} : { lookup }) });
  }
}

/** Verifies certificates regardless of the environment: `ServiceKeyChange` takes https as proof of the service's name. */
function createConnector(build: typeof buildConnector, { certificates }: Network, more: { lookup?: LookupFunction } = {}) {
  const limits = { timeout: connectLimitMs, ...more };
  const plain = build(limits);
  let secure: buildConnector.connector | null = null;
  return ((options, callback) => {
    if (options.protocol !== "https:") return plain(options, callback);
    secure ??= build({ ...limits, rejectUnauthorized: true, secureContext: certificates() });
    return secure(options, callback);
  }) satisfies buildConnector.connector;
}

/** Opens tunnels for https. For http, undici connects to the proxy itself, because `forwardThrough` names it as the origin. */
function connectorThrough(proxy: HttpProxy, connect: buildConnector.connector, signal: AbortSignal): buildConnector.connector {
  return (options, callback) => {
    if (options.protocol !== "https:") {
      return connect(options, (error, socket) =>
        error === null ? callback(null, socket) : callback(proxyUnreachable(proxy, error), null),
      );
    }
    void connectByTunnel(options, callback);
  };
  async function connectByTunnel(options: buildConnector.Options, callback: buildConnector.Callback): Promise<void> {
    try {
      const httpSocket = await openTunnel(proxy, hostPort(options.hostname, options.port || 443), connectLimitMs, signal);
      connect({ ...options, httpSocket }, callback);
    } catch (error) {
      callback(error instanceof Error ? error : new Error(reasonOf(error)), null);
    }
  }
}

/** Sends requests for http addresses to the proxy, with the whole address as their target (RFC 9112, section 3.2.2). */
function forwardThrough(proxy: HttpProxy): Dispatcher.DispatcherComposeInterceptor {
  const { host, port, authorization } = proxy;
  return (dispatch) => (options, handler) => {
    const target = new URL(String(options.origin));
    if (target.protocol !== "http:") return dispatch(options, handler);
    const own = { host: target.host, ...(authorization !== undefined && { "proxy-authorization": authorization }) };
    const headers = { ...(options.headers as Record<string, string> | undefined), ...own };
    return dispatch({ ...options, origin: `http://${hostPort(host, port)}`, path: `${target.origin}${options.path}`, headers }, handler);
  };
}
