// The HTTP client for URLs that content and operators name. It connects only to IP addresses that a policy allows.
import { lookup, type LookupAddress, type LookupAllOptions } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { Readable } from "node:stream";
import { Fault, isFault } from "../fault.ts";
import { directNetwork, type Network } from "./network.ts";
import { RoutedAgent } from "./routed-agent.ts";
import { hostOf } from "./url-host.ts";

/** Decides which IP addresses a host may have. Requests share connections only if they have the same rule object. */
export interface AddressRule {
  allows(address: string): boolean;
  /** The error for a URL whose host is an IP address that is not allowed. */
  addressRejected(address: string): Fault;
  /** The error for a hostname that cannot be resolved (`cause` is the error) or resolves to an address that is not allowed. */
  nameRejected(hostname: string, cause: LookupAddress | Error): Error;
}

/** Decides which URLs may be requested. */
export interface OutboundPolicy {
  /** @throws Fault `refused` if the URL may not be requested at all. */
  ruleFor(url: URL): AddressRule;
  /** Replaces the error for a redirect to a URL that is refused, so that the message does not reveal the target. */
  redirectRejected?(from: URL, cause: Fault): Fault;
}

/** Node's `dns.lookup` with `all: true`. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface OutboundHttpOptions {
  policy: OutboundPolicy;
  /** How long a server may send nothing. */
  silenceLimitMs?: number;
  resolve?: Resolve;
  /** By default without a proxy. */
  network?: Network;
}

export interface OutboundRequest {
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** How many redirects are followed. Each is checked like the first URL. With 0 a redirect is returned as the response. */
  maxRedirects?: number;
  /** Allows a URL, the first one or one redirected to. Default: any. */
  allowsUrl?: (url: URL) => boolean;
  /** Limits the whole request, including the body. */
  signal: AbortSignal;
}

/** The caller must read or destroy `body`. */
export interface OutboundResponse {
  /** The final URL, after redirects. */
  url: URL;
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Readable;
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

export class OutboundHttp implements AsyncDisposable {
  readonly #policy: OutboundPolicy;
  readonly #silenceLimitMs: number;
  readonly #resolve: Resolve;
  readonly #network: Network;
  readonly #agents = new Map<AddressRule, RoutedAgent>();

  constructor({ policy, silenceLimitMs = 20_000, resolve = lookup, network = directNetwork() }: OutboundHttpOptions) {
    this.#policy = policy;
    this.#network = network;
    this.#silenceLimitMs = silenceLimitMs;
    this.#resolve = resolve;
  }

  /**
   * Sends a request and follows redirects.
   * @throws Fault `refused` (by the policy, or too many redirects) or `unreachable`; the signal's reason when it aborts.
   */
  async request(address: string, { maxRedirects = 0, ...request }: OutboundRequest): Promise<OutboundResponse> {
    const first = this.checkUrl(address);
    let response = await this.#send(first, request);
    for (let redirects = 0; ; redirects += 1) {
      const { location } = response.headers;
      if (maxRedirects === 0 || !redirectStatuses.has(response.status) || typeof location !== "string") return response;
      // Reading the unused body to its end would occupy the connection.
      response.body.on("error", () => undefined).destroy();
      if (redirects === maxRedirects) throw new Fault("refused", `${first.host} redirects more than ${maxRedirects} times`);
      try {
        response = await this.#send(this.checkUrl(location, response.url), request);
      } catch (error) {
        if (!isFault(error, "refused")) throw error;
        throw this.#policy.redirectRejected?.(first, error) ?? error;
      }
    }
  }

  /**
   * Parses a URL and checks everything except the addresses of a hostname.
   * @throws Fault `refused`.
   */
  checkUrl(address: string, base?: URL): URL {
    const url = URL.parse(address, base?.href);
    if (url === null) throw new Fault("refused", `“${address.slice(0, 200)}” is not a valid URL`);
    if (url.protocol !== "http:" && url.protocol !== "https:") {
      throw new Fault("refused", `${url.protocol} addresses are not opened: only http:// and https:// are`);
    }
    const rule = this.#policy.ruleFor(url);
    // An IP address is never looked up, so it is checked here. The URL parser has normalized its spelling.
    const host = hostOf(url);
    if (isIP(host) !== 0 && !rule.allows(host)) throw rule.addressRejected(host);
    return url;
  }

  /**
   * Resolves the hostname of a checked URL without connecting to it.
   * @throws Fault `refused` if an address is not allowed, or if there is none before `signal` aborts.
   */
  async checkAddresses(url: URL, signal: AbortSignal): Promise<void> {
    const host = hostOf(url);
    if (isIP(host) !== 0) return;
    const lookup = Promise.withResolvers<void>();
    // A lookup cannot be cancelled. Its late result is ignored.
    const abort = (): void => lookup.reject(this.#policy.ruleFor(url).nameRejected(host, new Error("the lookup was aborted")));
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    this.#lookupFor(this.#policy.ruleFor(url))(host, { all: true }, (error) => (error === null ? lookup.resolve() : lookup.reject(error)));
    await lookup.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const agent of this.#agents.values()) await agent[Symbol.asyncDispose]();
  }

  async #send(url: URL, { method = "GET", headers, body, allowsUrl, signal }: OutboundRequest): Promise<OutboundResponse> {
    if (allowsUrl?.(url) === false) throw new Fault("refused", `${url.origin} is not among the declared origins`);
    // Load undici at the first request: most screens never send one.
    const { request } = await import("undici");
    try {
      const rule = this.#policy.ruleFor(url);
      const { dispatcher, proxy } = await this.#agentFor(rule).routeTo(url);
      if (proxy !== null) await this.#checkKnownAddresses(url, signal);
      const response = await request(url, {
        dispatcher,
        method,
        headers: { "user-agent": "signage-player", "accept-encoding": "identity", ...headers },
        body: body ?? null,
        signal,
      });
      return { url, status: response.statusCode, headers: response.headers, body: response.body };
    } catch (error) {
      signal.throwIfAborted();
      throw faultIn(error) ?? new Fault("unreachable", `${url.origin} does not answer`, { cause: error });
    }
  }

  /** The network's proxy also resolves names that are unknown here. A name that is known here is checked all the same. */
  async #checkKnownAddresses(url: URL, signal: AbortSignal): Promise<void> {
    try {
      await this.checkAddresses(url, signal);
    } catch (error) {
      if (isFault(error, "refused")) throw error;
    }
  }

  #agentFor(rule: AddressRule): RoutedAgent {
    const options = { network: this.#network, silenceLimitMs: this.#silenceLimitMs, lookup: this.#lookupFor(rule) };
    const agent = this.#agents.get(rule) ?? new RoutedAgent(options);
    this.#agents.set(rule, agent);
    return agent;
  }

  /** The lookup of the connection itself, so the checked address is the one connected to. One forbidden address rejects the hostname. */
  #lookupFor(rule: AddressRule): LookupFunction {
    return (hostname, options, callback) => {
      this.#resolve(hostname, { ...options, all: true }, (error, addresses) => {
        const [first] = addresses ?? [];
        const obstacle = error ?? addresses.find(({ address }) => !rule.allows(address));
        if (obstacle !== undefined || first === undefined) {
          return callback(rule.nameRejected(hostname, obstacle ?? new Error("the hostname has no address")), "", 0);
        }
        if (options.all === true) callback(null, addresses);
        else callback(null, first.address, first.family);
      });
    };
  }
}

/** The fault that caused an error, if any. */
function faultIn(error: unknown): Fault | null {
  if (error instanceof Fault) return error;
  return error instanceof Error ? faultIn(error.cause) : null;
}
