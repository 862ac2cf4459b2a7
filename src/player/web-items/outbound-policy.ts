// Which addresses content may reach through the player: not this machine's own, except the services that --allow-local names.
import { Fault } from "../../base/fault.ts";
import type { AddressRule, OutboundPolicy } from "../../base/http/outbound-http.ts";
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

function localRejected(host: string): Fault {
  return new Fault(
    "refused",
    `${host} is this machine or is only valid on it, and content may not reach it: to allow it, start the player with --allow-local HOST:PORT`,
  );
}
