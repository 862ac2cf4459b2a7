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
export class Egress implements AsyncDisposable {
  readonly #allowed: ReturnType<typeof ipaddr.parseCIDR>[];
  readonly #resolve: Resolve;
  #agent: Promise<Dispatcher> | null = null;

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
  async request(address: string, { mostRedirects = 0, ...about }: EgressRequest): Promise<EgressAnswer> {
    let answer = await this.#ask(this.#checkedUrl(address), about);
    const { host } = new URL(answer.url);
    for (let redirected = 0; ; redirected += 1) {
      const next = answer.headers["location"];
      if (mostRedirects === 0 || !redirects.has(answer.status) || typeof next !== "string") return answer;
      // Its body is of no use; read to the end it would hold the connection.
      answer.body.on("error", () => undefined).destroy();
      if (redirected === mostRedirects) throw new EgressRefused(`${host} redirects more than ${mostRedirects} times`);
      try {
        answer = await this.#ask(this.#checkedUrl(URL.parse(next, answer.url)?.href ?? ""), about);
      } catch (error) {
        const cause = refusalIn(error);
        if (cause === null) throw error;
        throw new EgressRefused(`${host} redirects to an address that is not called: give the final address, if it is public`, { cause });
      }
    }
  }

  async #ask(url: URL, { method = "GET", headers, body, signal }: Omit<EgressRequest, "mostRedirects">): Promise<EgressAnswer> {
    const { request } = await import("undici");
    const answer = await request(url, {
      dispatcher: await this.#dispatcher(),
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
        }),
    );
    return this.#agent;
  }

  /**
   * Looks a name up; if any of its addresses is not for calling, none is: a name that mixes them is up to something. What has no
   * address is refused in the same words as what has a private one, or the words would tell which names there are inside.
   */
  readonly #lookup: LookupFunction = (hostname, options, done) => {
    this.#resolve(hostname, { ...options, all: true }, (error, found) => {
      const inner = found?.find(({ address }) => !this.#mayCall(address));
      const [first] = found ?? [];
      if (error !== null || inner !== undefined || first === undefined) {
        const cause = error ?? new Error(inner === undefined ? "no address was found" : `${hostname} is ${inner.address}`);
        return done(new EgressRefused(unknownName(hostname), { cause }), "", 0);
      }
      if (options.all === true) return done(null, found);
      return done(null, first.address, first.family);
    });
  };

  #check(address: string, host: string): void {
    if (this.#mayCall(address)) return;
    const plain = ipaddr.process(address).toString();
    throw new EgressRefused(`${host} is not a public address: give the service --allow-address ${plain} if it may call it`);
  }

  #mayCall(address: string): boolean {
    if (isPublic(address)) return true;
    const plain = ipaddr.process(address);
    return this.#allowed.some((block) => block[0].kind() === plain.kind() && plain.match(block));
  }
}

function unknownName(host: string): string {
  return `${host} is not a public address, or there is none of this name: check it. In the service's own network only what --allow-address names is called`;
}

/** The refusal that an error is or was caused by; null: it is none. */
export function refusalIn(error: unknown): EgressRefused | null {
  if (error instanceof EgressRefused) return error;
  return error instanceof Error && error.cause !== undefined ? refusalIn(error.cause) : null;
}

// Prefixes that carry an IPv4 address inside and that ipaddr.js has no name for: IPv4-compatible, and NAT64 for local use (RFC 8215).
const disguises = ["::/96", "64:ff9b:1::/48"].map((block) => ipaddr.parseCIDR(block));

/** Whether an address is one of the public internet: not private, local, mapped, translated, multicast or reserved. */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.parse(address);
  return parsed.range() === "unicast" && !disguises.some((block) => block[0].kind() === parsed.kind() && parsed.match(block));
}
