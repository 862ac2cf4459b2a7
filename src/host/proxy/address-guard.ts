// Where a host of the web may be connected to: resolves its name and refuses this machine's own addresses.
import { lookup as lookUp } from "node:dns/promises";
import { isIP } from "node:net";
import type { Clock } from "../../base/clock.ts";
import { Fault } from "../../base/fault.ts";
import { hostPort } from "../../base/http/url-host.ts";
import { isRemoteAddress, isPrivateAddress } from "../../base/http/ip-address.ts";

/** The addresses of a name. Rejects when it has none. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

export interface AddressGuardOptions {
  /** Whether content may reach a service of this machine, by the host and port of its URL; IPv6 addresses without brackets. */
  mayReachLocal: (host: string, port: number) => boolean;
  lookup?: Lookup | undefined;
  clock: Clock;
}

// Each connection of a page asks for its name. What is checked is the address that is connected to, so a kept answer is as safe as a fresh one.
const keptMs = 10_000;
const maxKept = 500;
const loopback = ["127.0.0.1", "::1"];

const systemLookup: Lookup = async (hostname) => (await lookUp(hostname, { all: true })).map(({ address }) => address);

/** Decides, and remembers what names resolve to for some seconds. */
export class AddressGuard {
  readonly #options: AddressGuardOptions;
  readonly #known = new Map<string, { addresses: Promise<readonly string[]>; until: number }>();
  /** Hosts with their ports that the player itself serves to its browser. */
  #own: ReadonlySet<string> = new Set();
  /** Hosts of the sites that are shown. */
  #shown: readonly string[] = [];

  constructor(options: AddressGuardOptions) {
    this.#options = options;
  }

  /** Says where the player itself serves, as `host:port` of its URLs. */
  setPlayerHosts(hosts: Iterable<string>): void {
    this.#own = new Set(hosts);
  }

  /** Says which hosts the sites have that are shown. */
  setSiteHosts(hosts: readonly string[]): void {
    this.#shown = hosts;
  }

  /**
   * The addresses at which `host` may be connected to, all of them checked.
   * @param host of a URL; an IPv6 address without brackets.
   * @param asker the host of the page that asks, where the request tells it.
   * @throws Fault `refused` when one of them is this machine's, or of a private network and a public page asks; `unreachable` when the name has none.
   */
  async addressesOf(host: string, port: number, asker: string | null): Promise<readonly string[]> {
    const addresses = await this.#resolve(host);
    if (this.#own.has(hostPort(host, port)) || this.#options.mayReachLocal(host, port)) return addresses;
    if (!addresses.every(isRemoteAddress)) throw refusal(host, port);
    if (addresses.some(isPrivateAddress) && !(await this.#mayAskPrivate(host, asker))) {
      throw new Fault("refused", `${hostPort(host, port)} is of a private network, which pages of public addresses may not reach`);
    }
    return addresses;
  }

  /**
   * Chromium keeps public pages from private networks (Local Network Access), but not where it has a proxy and therefore
   * sees no addresses. A page that does not tell who it is may ask where a site of a private network, or one of the
   * player's own, is shown.
   */
  async #mayAskPrivate(host: string, asker: string | null): Promise<boolean> {
    if (this.#shown.includes(host)) return true;
    const askers = asker === null ? this.#shown : [asker];
    const answers = await Promise.all(askers.map((each) => this.#resolve(each).catch(() => [])));
    return answers.some((addresses) => addresses.some(isPrivateAddress));
  }

  /**
   * Makes sure that a host that a proxy of the network will resolve is not this machine, as far as can be known here.
   * @throws Fault `refused` when it is.
   */
  async assertNotLocal(host: string, port: number): Promise<void> {
    const addresses = await this.#resolve(host).catch(() => []); // a name that only the proxy knows
    if (!addresses.every(isRemoteAddress)) throw refusal(host, port);
  }

  /** Whether the player or an exception allows this host, so that no proxy of the network is asked for it. */
  isLocal(host: string, port: number): boolean {
    return this.#own.has(hostPort(host, port)) || this.#options.mayReachLocal(host, port);
  }

  async #resolve(host: string): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host];
    // RFC 6761: these names never leave the machine. Not every resolver knows all of them.
    if (/(^|\.)localhost\.?$/i.test(host)) return loopback;
    const { clock, lookup = systemLookup } = this.#options;
    const now = clock.monotonic();
    const known = this.#known.get(host);
    if (known !== undefined && known.until > now) return await known.addresses;
    const addresses = lookup(host).then(
      (found) => {
        if (found.length === 0) throw unresolved(host);
        return found;
      },
      () => {
        throw unresolved(host);
      },
    );
    this.#known.delete(host);
    this.#known.set(host, { addresses, until: now + keptMs });
    if (this.#known.size > maxKept) this.#known.delete(this.#known.keys().next().value!);
    // A network that comes back is to be noticed with the next request.
    addresses.catch(() => this.#known.delete(host));
    return await addresses;
  }
}

function unresolved(host: string): Fault {
  return new Fault("unreachable", `the name ${host} cannot be resolved: check the address, and DNS`);
}

function refusal(host: string, port: number): Fault {
  const name = hostPort(host, port);
  return new Fault(
    "refused",
    `${name} is this machine itself, which content may not reach: to allow it, start the player with --allow-local ${name}`,
  );
}
