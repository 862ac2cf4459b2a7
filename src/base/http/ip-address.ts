// Whether an IP address is this machine's own, however it is written. Asks the machine's network interfaces, not DNS.
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

// 169.254.0.0/16 holds the cloud providers' secrets. The rest of the LAN is open: intranets have pages, feeds and cameras.
const closedRanges = new Set(["loopback", "unspecified", "broadcast", "multicast", "linkLocal", "reserved"]);

// Of LANs (RFC 1918, RFC 4193), and of networks behind a provider's translation (RFC 6598).
const privateRanges = new Set(["private", "uniqueLocal", "carrierGradeNat"]);

// IPv6 addresses that stand for an IPv4 address, and where in its sixteen bytes that lies: IPv4-compatible (RFC 4291),
// NAT64 (RFC 6052), NAT64 for local use in two layouts (RFC 8215), 6to4 (RFC 3056).
const carriers = (
  [
    ["::/96", [12, 13, 14, 15]],
    ["64:ff9b::/96", [12, 13, 14, 15]],
    ["64:ff9b:1::/48", [12, 13, 14, 15]],
    ["64:ff9b:1::/48", [6, 7, 9, 10]],
    ["2002::/16", [2, 3, 4, 5]],
  ] as const
).map(([block, places]) => ({ block: ipaddr.IPv6.parseCIDR(block), places }));

/** Whether an IP address is neither this machine's nor one that only makes sense on it. */
export function isRemoteAddress(address: string): boolean {
  const own = new Set(
    Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .map((each) => parse(each.address).toString()),
  );
  return meanings(parse(address)).every((meaning) => !closedRanges.has(meaning.range()) && !own.has(meaning.toString()));
}

/** Whether an IP address is one of a private network, or this machine's. */
export function isPrivateAddress(address: string): boolean {
  return !isRemoteAddress(address) || meanings(parse(address)).some((meaning) => privateRanges.has(meaning.range()));
}

/** An address without its zone; an IPv4-mapped one as the IPv4 address that it is. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 {
  return ipaddr.process(address.replace(/%.*$/, ""));
}

/** The address and whatever IPv4 addresses it stands for. */
function meanings(address: ipaddr.IPv4 | ipaddr.IPv6): (ipaddr.IPv4 | ipaddr.IPv6)[] {
  if (!(address instanceof ipaddr.IPv6)) return [address];
  const bytes = address.toByteArray();
  const carried = carriers.filter(({ block }) => address.match(block)).map(({ places }) => new ipaddr.IPv4(places.map((at) => bytes[at]!)));
  return [address, ...carried];
}
