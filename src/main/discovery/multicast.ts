// Multicast DNS of this machine: the usual group and port on all interfaces, or others, such as only loopback in tests.
import { networkInterfaces } from "node:os";
import multicastDns from "multicast-dns";
import { reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";

/** Options of the package multicast-dns. Empty: port 5353 on every interface. */
export interface MulticastOptions {
  port?: number;
  /** The IPv4 address of the only interface to use. */
  interface?: string;
  /** The address to bind to. A socket that is bound to an interface's own address would receive no multicast. */
  bind?: string;
}

/** Sends and receives multicast DNS until it is destroyed. Null where that is impossible; every failure is reported in the log. */
export function openMulticast(options: MulticastOptions, log: Log): multicastDns.MulticastDNS | null {
  const fail = (error: unknown): void => log.warn({ reason: reasonOf(error) }, "multicast DNS does not work on this network");
  try {
    // The package reads them in a timer, where an error would end this program. A sandbox without AF_NETLINK refuses them.
    networkInterfaces();
  } catch (error) {
    fail(error);
    return null;
  }
  const network = multicastDns(options);
  network.on("error", fail);
  // Such as an interface that cannot multicast; the others are used.
  network.on("warning", (error: Error) => log.debug({ reason: reasonOf(error) }, "multicast DNS"));
  return network;
}
