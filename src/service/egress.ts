// The service's way out: HTTP to addresses that others name, never to the network it stands in.
import { lookup, type LookupAddress, type LookupAllOptions } from "node:dns";
import type { LookupFunction } from "node:net";
import type { Readable } from "node:stream";
import ipaddr from "ipaddr.js";
import type { Dispatcher } from "undici";

/** An address, or a block of them in CIDR notation, such as `10.1.0.0/16`. */
export type AddressBlock = string;

/** What a request out may do. */
export interface EgressRequest {
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Redirects that are followed, each checked like the first address; 0 follows none and gives back the answer as it is. */
  mostRedirects?: number;
  /** Where `http://` may lead: to any address that may be called (the default), or only to the blocks that were allowed. */
  plain?: Plain;
  /** Ends it whole; the caller bounds the time with it. */
  signal: AbortSignal;
}

type Plain = "any" | "allowed";

/** An answer from outside. The body has to be read or destroyed. */
export interface EgressAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Readable;
  /** The address that answered, after redirects. */
  url: string;
}

/** Thrown for an address that is not called. The message names the address and what to do. */
export class EgressRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = "EgressRefused";
  }
}

/** Node's `dns.lookup`, asked for all addresses. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

const connectMs = 10_000;
const silentMs = 30_000;
const redirects = new Set([301, 302, 303, 307, 308]);

/** Calls out over connections whose address was checked when it was looked up, and is not looked up again. */
export class Egress implements AsyncDisposable {
  readonly #allowed: ReturnType<typeof ipaddr.parseCIDR>[];
  readonly #resolve: Resolve;
  /** One for all addresses that may be called, one for those that were allowed: a connection of the one is none of the other. */
  readonly #agents = new Map<Plain, Promise<Dispatcher>>();

  /**
   * @param allowed blocks that may be called though they are not public.
   * @param resolve looks names up, all their addresses at once.
   * @throws when a block is none.
   */
  constructor(allowed: readonly AddressBlock[] = [], resolve: Resolve = lookup) {
    this.#resolve = resolve;
    this.#allowed = allowed.map((block) => ipaddr.parseCIDR(block.includes("/") ? block : `${block}/${block.includes(":") ? 128 : 32}`));
  }

  /**
   * Sends a request to an address that somebody else chose.
   * @throws EgressRefused for what is not HTTP, for addresses of the service's own network and for too many redirects;
   * otherwise what the network threw.
   */
  async request(address: string, { mostRedirects = 0, plain = "any", ...about }: EgressRequest): Promise<EgressAnswer> {
    const { request } = await import("undici");
    let url = this.#checkedUrl(address, plain);
    for (let redirected = 0; ; redirected += 1) {
      const { statusCode, headers, body } = await request(url, {
        dispatcher: await this.#dispatcher(url.protocol === "http:" ? plain : "any"),
        method: about.method ?? "GET",
        headers: { "user-agent": "signage-player", "accept-encoding": "identity", ...about.headers },
        body: about.body ?? null,
        signal: about.signal,
      });
      const next = headers["location"];
      if (mostRedirects === 0 || !redirects.has(statusCode) || typeof next !== "string") {
        return { status: statusCode, headers, body, url: url.href };
      }
      // Its body is of no use; read to the end it would hold the connection.
      body.on("error", () => undefined).destroy();
      if (redirected === mostRedirects) throw new EgressRefused(`${url.host} redirects more than ${mostRedirects} times`);
      url = this.#checkedUrl(new URL(next, url).href, plain);
    }
  }

  /**
   * Looks at an address without calling it; names are looked up only by a call.
   * @throws EgressRefused when it could never be called.
   */
  check(address: string): void {
    this.#checkedUrl(address);
  }

  /**
   * Looks at an address, its name's addresses too, without calling it. A name that cannot be looked up now passes over
   * https: each call looks it up again.
   * @throws EgressRefused when it would not be called, or when an http name could not be looked up before `signal` aborted.
   */
  async look(address: string, { plain = "any", signal }: Pick<EgressRequest, "plain" | "signal">): Promise<void> {
    const url = this.#checkedUrl(address, plain);
    const host = bare(url.hostname);
    if (ipaddr.isValid(host)) return;
    const mustBeAllowed = url.protocol === "http:" && plain === "allowed";
    const found = await this.#addressesOf(host, signal);
    if (typeof found !== "string") for (const each of found) this.#checkFor(mustBeAllowed, each.address, url.hostname);
    else if (mustBeAllowed) {
      throw new EgressRefused(
        `${url.hostname} could not be looked up (${found}): give an https:// address, or one that --allow-address of the service names`,
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const agent of this.#agents.values()) await (await agent).destroy();
  }

  /** The addresses of a name, or in words why there are none. */
  #addressesOf(host: string, signal: AbortSignal): Promise<LookupAddress[] | string> {
    return new Promise((resolve) => {
      // A lookup cannot be called off; its answer is then of no use to anybody.
      signal.addEventListener("abort", () => resolve("no answer in time"), { once: true });
      if (signal.aborted) resolve("no answer in time");
      this.#resolve(host, { all: true }, (error, found) => resolve(error === null ? found : (error.code ?? error.message)));
    });
  }

  #checkedUrl(address: string, plain: Plain = "any"): URL {
    const url = URL.canParse(address) ? new URL(address) : null;
    if (url === null || !["http:", "https:"].includes(url.protocol))
      throw new EgressRefused("Only http:// and https:// addresses are called");
    if (url.username !== "" || url.password !== "") throw new EgressRefused("The address must not hold a user name or a password");
    // A literal is never looked up, so it is checked here; the URL parser has resolved its spellings.
    const literal = bare(url.hostname);
    if (ipaddr.isValid(literal)) this.#checkFor(url.protocol === "http:" && plain === "allowed", literal, url.hostname);
    return url;
  }

  #dispatcher(plain: Plain): Promise<Dispatcher> {
    const agent =
      this.#agents.get(plain) ??
      import("undici").then(
        ({ Agent }) =>
          new Agent({
            connect: { lookup: this.#lookupFor(plain === "allowed"), timeout: connectMs },
            headersTimeout: silentMs,
            bodyTimeout: silentMs,
          }),
      );
    this.#agents.set(plain, agent);
    return agent;
  }

  /** Looks a name up; if any of its addresses is not for calling, none is: a name that mixes them is up to something. */
  readonly #lookupFor =
    (mustBeAllowed: boolean): LookupFunction =>
    (hostname, options, done) => {
      this.#resolve(hostname, { ...options, all: true }, (error, found) => {
        if (error !== null) return done(error, "", 0);
        try {
          for (const { address } of found) this.#checkFor(mustBeAllowed, address, hostname);
        } catch (refused) {
          return done(refused as Error, "", 0);
        }
        const [first] = found;
        if (options.all === true) return done(null, found);
        return done(null, first!.address, first!.family);
      });
    };

  #checkFor(mustBeAllowed: boolean, address: string, host: string): void {
    if (!mustBeAllowed) return this.#check(address, host);
    if (this.#isAllowed(address)) return;
    // Where a name leads is not told: it may be a secret of the network that the service stands in.
    const block = ipaddr.isValid(bare(host)) ? ` ${ipaddr.process(bare(host)).toString()}` : " with its address";
    throw new EgressRefused(
      `${host} is not called without TLS: give an https:// address, or give the service --allow-address${block} if it may call it so`,
    );
  }

  #isAllowed(address: string): boolean {
    const plain = ipaddr.process(address);
    return this.#allowed.some((block) => block[0].kind() === plain.kind() && plain.match(block));
  }

  #check(address: string, host: string): void {
    if (isPublic(address) || this.#isAllowed(address)) return;
    const plain = ipaddr.process(address);
    throw new EgressRefused(`${host} is not a public address: give the service --allow-address ${plain.toString()} if it may call it`);
  }
}

/** A host of a URL without the brackets of IPv6. */
function bare(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

// Prefixes that carry an IPv4 address inside and that ipaddr.js has no name for: IPv4-compatible, and NAT64 for local use (RFC 8215).
const disguises = ["::/96", "64:ff9b:1::/48"].map((block) => ipaddr.parseCIDR(block));

/** Whether an address is one of the public internet: not private, local, mapped, translated, multicast or reserved. */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.parse(address);
  return parsed.range() === "unicast" && !disguises.some((block) => block[0].kind() === parsed.kind() && parsed.match(block));
}
