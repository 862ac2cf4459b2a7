// Opens addresses that content names: http and https only, never this machine's own, each redirect looked at anew.
import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { Agent, Dispatcher } from "undici";
import { Fault } from "../../base/fault.ts";
import { isRemoteAddress } from "../../base/http/ip-address.ts";

const connectLimitMs = 10_000;
const silenceLimitMs = 20_000;
const maxRedirects = 5;

/** An open answer. Read or destroy `body`. */
export interface Opened {
  url: URL;
  status: number;
  headers: Dispatcher.ResponseData["headers"];
  body: Dispatcher.ResponseData["body"];
}

export interface OpenOptions {
  headers?: Record<string, string>;
  /** Whether an address, first or redirected to, may be asked. Without it: any. */
  allows?: (url: URL) => boolean;
  signal: AbortSignal;
}

export class OutboundHttp implements AsyncDisposable {
  readonly #mayReach: (address: string) => boolean;
  readonly #isExcepted: (host: string, port: number) => boolean;
  /** With a look at each address, and without one for what is excepted. */
  readonly #agents = new Map<"checked" | "excepted", Agent>();

  /**
   * @param mayReach is asked about every address before it is connected to, so that a name cannot be rebound later.
   * @param isExcepted tells which hosts and ports of URLs may have any address; IPv6 addresses without brackets.
   */
  constructor(mayReach: (address: string) => boolean = isRemoteAddress, isExcepted: (host: string, port: number) => boolean = () => false) {
    this.#mayReach = mayReach;
    this.#isExcepted = isExcepted;
  }

  /**
   * GETs an address, following up to five redirects.
   * @throws Fault `refused` (not to be asked) or `unreachable`; an AbortError when `signal` aborts.
   */
  async open(address: string, { headers = {}, allows = () => true, signal }: OpenOptions): Promise<Opened> {
    if (!URL.canParse(address)) throw new Fault("refused", "this is no address");
    let url = new URL(address);
    for (let hop = 0; hop <= maxRedirects; hop++) {
      this.#check(url, allows);
      const answer = await this.#request(url, headers, signal);
      const { location } = answer.headers;
      if (answer.statusCode < 300 || answer.statusCode > 399 || answer.statusCode === 304 || typeof location !== "string") {
        return { url, status: answer.statusCode, headers: answer.headers, body: answer.body };
      }
      answer.body.on("error", () => undefined).destroy(); // a redirect's own words are of no use
      if (!URL.canParse(location, url.href)) throw new Fault("refused", `redirects to “${location.slice(0, 200)}”, which is no address`);
      url = new URL(location, url);
    }
    throw new Fault("refused", `redirects more than ${maxRedirects} times`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const agent of this.#agents.values()) await agent.destroy();
  }

  #check(url: URL, allows: (url: URL) => boolean): void {
    if (url.protocol !== "http:" && url.protocol !== "https:") throw new Fault("refused", `${url.protocol} addresses are not opened`);
    if (!allows(url)) throw new Fault("refused", `${url.origin} is not among the declared origins`);
    // Names are looked at when they are resolved; an address is not resolved.
    const host = url.hostname.replace(/^\[|\]$/g, "");
    if (isIP(host) !== 0 && !this.#mayReach(host) && !this.#excepts(url)) throw refusal(host);
  }

  async #request(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    // Loaded at the first need: most screens never ask for anything outside.
    const { Agent: AgentClass, request } = await import("undici");
    const kind = this.#excepts(url) ? "excepted" : "checked";
    const agent =
      this.#agents.get(kind) ??
      new AgentClass({
        connect: { ...(kind === "checked" ? { lookup: this.#lookup } : {}), timeout: connectLimitMs },
        headersTimeout: silenceLimitMs,
        bodyTimeout: silenceLimitMs,
        maxResponseSize: -1,
      });
    this.#agents.set(kind, agent);
    try {
      return await request(url, { dispatcher: agent, headers, signal });
    } catch (error) {
      signal.throwIfAborted();
      const cause = error instanceof Error && error.cause instanceof Fault ? error.cause : error;
      if (cause instanceof Fault) throw cause;
      throw new Fault("unreachable", `${url.origin} does not answer`, { cause: error });
    }
  }

  #excepts({ hostname, port, protocol }: URL): boolean {
    return this.#isExcepted(hostname.replace(/^\[|\]$/g, ""), Number(port || (protocol === "https:" ? 443 : 80)));
  }

  readonly #lookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, "", 0);
      const closed = addresses.find(({ address }) => !this.#mayReach(address));
      if (closed !== undefined) return callback(refusal(`${hostname} (${closed.address})`), "", 0);
      const [first] = addresses;
      if (options.all === true) callback(null, addresses);
      else callback(null, first!.address, first!.family);
    });
  };
}

function refusal(host: string): Fault {
  return new Fault(
    "refused",
    `${host} is this machine or an address that only makes sense on it: content may not reach it. To allow it, start the player with --allow-local, which takes the host and the port of the address`,
  );
}
