// Decides to which addresses of a host the browser may connect. Rejects this machine's own addresses.
import { lookup as lookUp } from "node:dns/promises";
import { isIP } from "node:net";
import type { Clock } from "../../base/clock.ts";
import { Fault } from "../../base/fault.ts";
import { isRemoteAddress, isPrivateAddress } from "../../base/http/ip-address.ts";
import { hostPort } from "../../base/http/url-host.ts";

/** Resolves a host name to its addresses. Rejects when it has none. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

export interface AddressGuardOptions {
  /** Tells if content may connect to a service of this machine, by the host and port of its URL. IPv6 addresses have no brackets. */
  mayReachLocal: (host: string, port: number) => boolean;
  lookup?: Lookup | undefined;
  clock: Clock;
}

// Each connection of a page resolves its host. The checked address is the one connected to, so a cached result is as safe as a new one.
const cacheMs = 10_000;
const maxCached = 500;
const loopback = ["127.0.0.1", "::1"];

const systemLookup: Lookup = async (hostname) => (await lookUp(hostname, { all: true })).map(({ address }) => address);

/** Checks hosts, and caches resolved names for some seconds. */
export class AddressGuard {
  readonly #options: AddressGuardOptions;
  readonly #cache = new Map<string, { addresses: Promise<readonly string[]>; until: number }>();
  /** `host:port` of the servers that the player itself runs for its browser. */
  #playerHosts: ReadonlySet<string> = new Set();
  /** Hosts of the sites that iframes show. */
  #siteHosts: readonly string[] = [];

  constructor(options: AddressGuardOptions) {
    this.#options = options;
  }

  /** Sets the hosts that the player itself serves, as `host:port` of their URLs. */
  setPlayerHosts(hosts: Iterable<string>): void {
    this.#playerHosts = new Set(hosts);
  }

  /** Sets the hosts of the sites that iframes show. */
  setSiteHosts(hosts: readonly string[]): void {
    this.#siteHosts = hosts;
  }

  /**
   * The addresses of `host`, all of which may be connected to.
   * @param host of a URL; an IPv6 address without brackets.
   * @param requester the host of the requesting page, if known.
   * @throws Fault `refused` when an address belongs to this machine, or to a private network and the page is public; `unreachable` when
   * the name cannot be resolved.
   */
  async addressesOf(host: string, port: number, requester: string | null): Promise<readonly string[]> {
    const addresses = await this.#resolve(host);
    if (this.#playerHosts.has(hostPort(host, port)) || this.#options.mayReachLocal(host, port)) return addresses;
    if (!addresses.every(isRemoteAddress)) throw refusal(host, port);
    if (addresses.some(isPrivateAddress) && !(await this.#mayRequestPrivate(host, requester))) {
      throw new Fault("refused", `${hostPort(host, port)} is in a private network, to which pages from public addresses may not connect`);
    }
    return addresses;
  }

  /**
   * Chromium blocks requests of public pages to private networks (Local Network Access), but not with a proxy, because it then
   * sees no addresses. A request of an unknown page is allowed if a site of a private network is shown.
   */
  async #mayRequestPrivate(host: string, requester: string | null): Promise<boolean> {
    if (this.#siteHosts.includes(host)) return true;
    const requesters = requester === null ? this.#siteHosts : [requester];
    const addressLists = await Promise.all(requesters.map((each) => this.#resolve(each).catch(() => [])));
    return addressLists.some((addresses) => addresses.some(isPrivateAddress));
  }

  /**
   * Checks that a host which the network's proxy will resolve is not this machine, as far as can be known here.
   * @throws Fault `refused` when it is.
   */
  async assertNotLocal(host: string, port: number): Promise<void> {
    const addresses = await this.#resolve(host).catch(() => []); // a name that only the proxy can resolve
    if (!addresses.every(isRemoteAddress)) throw refusal(host, port);
  }

  /** True if the player serves this host or an exception allows it: then the network's proxy is not used for it. */
  isLocal(host: string, port: number): boolean {
    return this.#playerHosts.has(hostPort(host, port)) || this.#options.mayReachLocal(host, port);
  }

  async #resolve(host: string): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host];
    // RFC 6761: these names are always loopback. Not every resolver knows all of them.
    if (/(^|\.)localhost\.?$/i.test(host)) return loopback;
    const { clock, lookup = systemLookup } = this.#options;
    const now = clock.monotonic();
    const entry = this.#cache.get(host);
    if (entry !== undefined && entry.until > now) return await entry.addresses;
    const addresses = lookup(host).then(
      (result) => {
        if (result.length === 0) throw resolutionFault(host);
        return result;
      },
      () => {
        throw resolutionFault(host);
      },
    );
    this.#cache.delete(host);
    this.#cache.set(host, { addresses, until: now + cacheMs });
    if (this.#cache.size > maxCached) this.#cache.delete(this.#cache.keys().next().value!);
    // The next request retries, because the network may have come back.
    addresses.catch(() => this.#cache.delete(host));
    return await addresses;
  }
}

function resolutionFault(host: string): Fault {
  return new Fault("unreachable", `the name ${host} cannot be resolved: check the address, and DNS`);
}

function refusal(host: string, port: number): Fault {
  const name = hostPort(host, port);
  return new Fault(
    "refused",
    `${name} is this machine itself, to which content may not connect: to allow it, start signage-player with --allow-local ${name}`,
  );
}
