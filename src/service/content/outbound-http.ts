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
  maxRedirects?: number;
  /** Where `http://` may lead: to any address that may be called (the default), or only to the blocks that were allowed. */
  plain?: Plain;
  /** Ends it whole; the caller bounds the time with it. */
  signal: AbortSignal;
}

type Plain = "any" | "allowed";
type Ask = Pick<EgressRequest, "method" | "headers" | "body" | "signal">;

/** An answer from outside. The body has to be read or destroyed. */
export interface EgressAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Readable;
  /** The address that answered, after redirects. */
  url: string;
}

/**
 * Thrown for an address that is not called. The message says what to do and may be shown to whoever gave the address: of a name
 * it tells neither its addresses nor whether it has any. The cause does, for the service's own log.
 */
export class EgressRefused extends Error {
  constructor(message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = "EgressRefused";
  }
}

/**
 * Why a request out failed, for whoever gave the address. It holds no address that a name was found to have: who may name
 * addresses could map the service's network with it.
 */
export function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return "the connection failed";
  if (error instanceof EgressRefused) return error.message;
  if (error.cause instanceof Error) return failureOf(error.cause);
  const code = "code" in error && typeof error.code === "string" ? ` (${error.code})` : "";
  return `the connection failed${code}`;
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
export class OutboundHttp implements AsyncDisposable {
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
  async request(address: string, { maxRedirects = 0, plain = "any", ...about }: EgressRequest): Promise<EgressAnswer> {
    let answer = await this.#ask(this.#checkedUrl(address, plain), plain, about);
    const { host } = new URL(answer.url);
    for (let redirected = 0; ; redirected += 1) {
      const next = answer.headers["location"];
      if (maxRedirects === 0 || !redirects.has(answer.status) || typeof next !== "string") return answer;
      // Its body is of no use; read to the end it would hold the connection.
      answer.body.on("error", () => undefined).destroy();
      if (redirected === maxRedirects) throw new EgressRefused(`${host} redirects more than ${maxRedirects} times`);
      try {
        answer = await this.#ask(this.#checkedUrl(URL.parse(next, answer.url)?.href ?? "", plain), plain, about);
      } catch (error) {
        const cause = refusalIn(error);
        if (cause === null) throw error;
        throw new EgressRefused(`${host} redirects to an address that is not called: give the final address, if it is public`, { cause });
      }
    }
  }

  async #ask(url: URL, plain: Plain, { method = "GET", headers, body, signal }: Ask): Promise<EgressAnswer> {
    const { request } = await import("undici");
    const answer = await request(url, {
      dispatcher: await this.#dispatcher(url.protocol === "http:" ? plain : "any"),
      method,
      headers: { "user-agent": "signage-player", "accept-encoding": "identity", ...headers },
      body: body ?? null,
      signal,
    });
    return { status: answer.statusCode, headers: answer.headers, body: answer.body, url: url.href };
  }

  /**
   * Looks at an address without calling it; names are looked up only by a call.
   * @throws EgressRefused when it could never be called.
   */
  check(address: string): void {
    this.#checkedUrl(address);
  }

  /**
   * Looks at an address without calling it. An http name that has to be allowed is looked up; an https one only by each call,
   * since a refusal would tell which names there are inside.
   * @throws EgressRefused when it would not be called.
   */
  async look(address: string, { plain = "any", signal }: Pick<EgressRequest, "plain" | "signal">): Promise<void> {
    const url = this.#checkedUrl(address, plain);
    const host = bare(url.hostname);
    if (ipaddr.isValid(host) || url.protocol !== "http:" || plain !== "allowed") return;
    const found = await this.#addressesOf(host, signal);
    if (found.length === 0 || !found.every((each) => this.#isAllowed(each.address))) throw withoutTls(url.hostname);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const agent of this.#agents.values()) await (await agent).destroy();
  }

  /** The addresses of a name; none when it has none, or when they are not known before `signal` aborts. */
  #addressesOf(host: string, signal: AbortSignal): Promise<LookupAddress[]> {
    return new Promise((resolve) => {
      // A lookup cannot be called off; its answer is then of no use to anybody.
      signal.addEventListener("abort", () => resolve([]), { once: true });
      if (signal.aborted) resolve([]);
      this.#resolve(host, { all: true }, (error, found) => resolve(error === null ? found : []));
    });
  }

  #checkedUrl(address: string, plain: Plain = "any"): URL {
    const url = URL.canParse(address) ? new URL(address) : null;
    if (url === null || !["http:", "https:"].includes(url.protocol))
      throw new EgressRefused("Only http:// and https:// addresses are called");
    if (url.username !== "" || url.password !== "") throw new EgressRefused("The address must not hold a user name or a password");
    // A literal is never looked up, so it is checked here; the URL parser has resolved its spellings.
    const literal = bare(url.hostname);
    if (ipaddr.isValid(literal)) this.#checkLiteral(url.protocol === "http:" && plain === "allowed", literal, url.hostname);
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

  /**
   * Looks a name up; if any of its addresses is not for calling, none is: a name that mixes them is up to something. What has no
   * address is refused in the same words as what has a private one, or the words would tell which names there are inside.
   */
  readonly #lookupFor =
    (mustBeAllowed: boolean): LookupFunction =>
    (hostname, options, done) => {
      this.#resolve(hostname, { ...options, all: true }, (error, found) => {
        const mayCall = (address: string): boolean => (mustBeAllowed ? this.#isAllowed(address) : this.#mayCall(address));
        const inner = found?.find(({ address }) => !mayCall(address));
        const [first] = found ?? [];
        if (error !== null || inner !== undefined || first === undefined) {
          const cause = error ?? new Error(inner === undefined ? "no address was found" : `${hostname} is ${inner.address}`);
          return done(mustBeAllowed ? withoutTls(hostname, cause) : new EgressRefused(unknownName(hostname), { cause }), "", 0);
        }
        if (options.all === true) return done(null, found);
        return done(null, first.address, first.family);
      });
    };

  /** @throws EgressRefused for an address, as it was written, that is not called. */
  #checkLiteral(mustBeAllowed: boolean, address: string, host: string): void {
    if (mustBeAllowed && !this.#isAllowed(address)) throw withoutTls(host);
    if (this.#mayCall(address)) return;
    const plain = ipaddr.process(address).toString();
    throw new EgressRefused(`${host} is not a public address: give the service --allow-address ${plain} if it may call it`);
  }

  #isAllowed(address: string): boolean {
    const plain = ipaddr.process(address);
    return this.#allowed.some((block) => block[0].kind() === plain.kind() && plain.match(block));
  }

  #mayCall(address: string): boolean {
    return isPublic(address) || this.#isAllowed(address);
  }
}

function withoutTls(host: string, cause?: unknown): EgressRefused {
  // Where a name leads is not told: it may be a secret of the network that the service stands in.
  const block = ipaddr.isValid(bare(host)) ? ` ${ipaddr.process(bare(host)).toString()}` : " with its address";
  const words = `${host} is not called without TLS: give an https:// address, or give the service --allow-address${block} if it may call it so`;
  return new EgressRefused(words, { cause });
}

function unknownName(host: string): string {
  return `${host} is not a public address, or there is none of this name: check it. In the service's own network only what --allow-address names is called`;
}

/** The refusal that an error is or was caused by; null: it is none. */
export function refusalIn(error: unknown): EgressRefused | null {
  if (error instanceof EgressRefused) return error;
  return error instanceof Error && error.cause !== undefined ? refusalIn(error.cause) : null;
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
