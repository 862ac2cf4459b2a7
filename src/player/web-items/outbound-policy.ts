// Which addresses content may reach through the player: not this machine's own, except the services that --allow-local names.
import { Fault } from "../../base/fault.ts";
import type { AddressRule, OutboundPolicy } from "../../base/http/outbound-http.ts";
import type { Network } from "../../base/http/network.ts";
import type { Router } from "../../base/http/proxy-route.ts";
import { isRemoteAddress } from "../../base/http/ip-address.ts";
import { hostOf, portOf } from "../../base/http/url-host.ts";

const remoteOnly: AddressRule = {
  allows: isRemoteAddress,
  addressRejected: localRejected,
  nameRejected: (hostname, cause) => (cause instanceof Error ? cause : localRejected(`${hostname} (${cause.address})`)),
};
const anyAddress: AddressRule = { ...remoteOnly, allows: () => true };

/** @param mayReachLocal whether content may reach this host and port even on this machine. IPv6 addresses have no brackets. */
export function contentPolicy(mayReachLocal: (host: string, port: number) => boolean = () => false): OutboundPolicy {
  return { ruleFor: (url) => (mayReachLocal(hostOf(url), portOf(url)) ? anyAddress : remoteOnly) };
}

/** The network of content: services of this machine are reached without a proxy. */
export function contentNetwork(network: Network, mayReachLocal: (host: string, port: number) => boolean): Network {
  const route: Router = async (address) => {
    const url = new URL(address);
    return mayReachLocal(hostOf(url), portOf(url)) ? { is: "direct" } : await network.route(address);
  };
  return { ...network, route };
}

function localRejected(host: string): Fault {
  return new Fault(
    "refused",
    `${host} is this machine or is only valid on it, and content may not reach it: to allow it, start signage-player with --allow-local HOST:PORT`,
  );
}
