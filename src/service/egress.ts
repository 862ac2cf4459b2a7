// The service's way out: HTTP to addresses that others name, never to the network it stands in.
import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import type { Readable } from "node:stream";
import ipaddr from "ipaddr.js";
import type { Dispatcher } from "undici";

/** A block of addresses in CIDR notation, such as `10.1.0.0/16`. */
export type AddressBlock = string;

/** What a request out may do. */
export interface EgressRequest {
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Redirects that are followed, each checked like the first address; 0 follows none and gives back the answer as it is. */
  mostRedirects?: number;
  /** Ends it whole; the caller bounds the time with it. */
  signal: AbortSignal;
}

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

const connectMs = 10_000;
const silentMs = 30_000;
const redirects = new Set([301, 302, 303, 307, 308]);

/** Calls out over connections whose address was checked when it was looked up, and is not looked up again. */
export class Egress implements AsyncDisposable {
  readonly #allowed: ReturnType<typeof ipaddr.parseCIDR>[];
  #agent: Promise<Dispatcher> | null = null;

  /** @param allowed blocks that may be called though they are not public. @throws when one is no CIDR. */
  constructor(allowed: readonly AddressBlock[] = []) {
    this.#allowed = allowed.map((block) => ipaddr.parseCIDR(block));
  }

  /**
   * Sends a request to an address that somebody else chose.
   * @throws EgressRefused for what is not HTTP, for addresses of the service's own network and for too many redirects;
   * otherwise what the network threw.
   */
  async request(address: string, { mostRedirects = 0, ...about }: EgressRequest): Promise<EgressAnswer> {
    const { request } = await import("undici");
    let url = this.#checkedUrl(address);
    for (let redirected = 0; ; redirected += 1) {
      const { statusCode, headers, body } = await request(url, {
        dispatcher: await this.#dispatcher(),
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
      url = this.#checkedUrl(new URL(next, url).href);
    }
  }

  /**
   * Looks at an address without calling it; names are looked up only by a call.
   * @throws EgressRefused when it could never be called.
   */
  check(address: string): void {
    this.#checkedUrl(address);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  #checkedUrl(address: string): URL {
    const url = URL.canParse(address) ? new URL(address) : null;
    if (url === null || !["http:", "https:"].includes(url.protocol))
      throw new EgressRefused("Only http:// and https:// addresses are called");
    if (url.username !== "" || url.password !== "") throw new EgressRefused("The address must not hold a user name or a password");
    // A literal is never looked up, so it is checked here; the URL parser has resolved its spellings.
    const literal = url.hostname.replace(/^\[|\]$/g, "");
    if (ipaddr.isValid(literal)) this.#check(literal, url.hostname);
    return url;
  }

  #dispatcher(): Promise<Dispatcher> {
    this.#agent ??= import("undici").then(
      ({ Agent }) =>
        new Agent({
          connect: { lookup: this.#lookup, timeout: connectMs },
          headersTimeout: silentMs,
          bodyTimeout: silentMs,
          maxRedirections: 0,
        } as never),
    );
    return this.#agent;
  }

  /** Looks a name up; if any of its addresses is not for calling, none is: a name that mixes them is up to something. */
  readonly #lookup: LookupFunction = (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, "", 0);
      try {
        for (const { address } of found) this.#check(address, hostname);
      } catch (refused) {
        return done(refused as Error, "", 0);
      }
      const [first] = found;
      if (options.all === true) return done(null, found);
      return done(null, first!.address, first!.family);
    });
  };

  #check(address: string, host: string): void {
    if (isPublic(address)) return;
    const plain = ipaddr.process(address);
    if (this.#allowed.some((block) => block[0].kind() === plain.kind() && plain.match(block))) return;
    throw new EgressRefused(`${host} is not a public address: give the service --allow-address ${plain.toString()} if it may call it`);
  }
}

// Prefixes that carry an IPv4 address inside and that ipaddr.js has no name for: IPv4-compatible, and NAT64 for local use (RFC 8215).
const disguises = ["::/96", "64:ff9b:1::/48"].map((block) => ipaddr.parseCIDR(block));

/** Whether an address is one of the public internet: not private, local, mapped, translated, multicast or reserved. */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.parse(address);
  return parsed.range() === "unicast" && !disguises.some((block) => block[0].kind() === parsed.kind() && parsed.match(block));
}
