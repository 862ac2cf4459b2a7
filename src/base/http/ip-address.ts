// Classifies IP addresses: this machine's own, private or public. It reads the network interfaces and makes no DNS requests.
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

// 169.254.0.0/16 includes the metadata services of cloud providers, which give out secrets.
const localRanges = new Set(["loopback", "unspecified", "broadcast", "multicast", "linkLocal", "reserved"]);

// LANs (RFC 1918, RFC 4193) and carrier-grade NAT (RFC 6598).
const privateRanges = new Set(["private", "uniqueLocal", "carrierGradeNat"]);

// IPv6 blocks whose addresses contain an IPv4 address, and the positions of its four bytes: IPv4-compatible (RFC 4291),
// NAT64 (RFC 6052), local-use NAT64 in two layouts (RFC 8215), 6to4 (RFC 3056).
const embeddings = (
  [
    ["::/96", [12, 13, 14, 15]],
    ["64:ff9b::/96", [12, 13, 14, 15]],
    ["64:ff9b:1::/48", [12, 13, 14, 15]],
    ["64:ff9b:1::/48", [6, 7, 9, 10]],
    ["2002::/16", [2, 3, 4, 5]],
  ] as const
).map(([block, positions]) => ({ block: ipaddr.IPv6.parseCIDR(block), positions }));

/** True if an IP address belongs to another machine: not to this one, and not to a range that is only valid on this machine or link. */
export function isRemoteAddress(address: string): boolean {
  const own = new Set(
    Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .map((each) => parse(each.address).toString()),
  );
  return withEmbedded(parse(address)).every((each) => !localRanges.has(each.range()) && !own.has(each.toString()));
}

/** True if an IP address belongs to a private network or to this machine. */
export function isPrivateAddress(address: string): boolean {
  return !isRemoteAddress(address) || withEmbedded(parse(address)).some((each) => privateRanges.has(each.range()));
}

/** True if an IP address belongs to the public internet: not private, local, mapped, translated, multicast or reserved. */
export function isPublicAddress(address: string): boolean {
  const ip = ipaddr.parse(address);
  return ip.range() === "unicast" && withEmbedded(ip).length === 1;
}

/** Removes the scope id. An IPv4-mapped address becomes the IPv4 address. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 {
  return ipaddr.process(address.replace(/%.*$/, ""));
}

/** The address and the IPv4 addresses that it contains. */
function withEmbedded(address: ipaddr.IPv4 | ipaddr.IPv6): (ipaddr.IPv4 | ipaddr.IPv6)[] {
  if (!(address instanceof ipaddr.IPv6)) return [address];
  const bytes = address.toByteArray();
  const inner = embeddings
    .filter(({ block }) => address.match(block))
    .map(({ positions }) => new ipaddr.IPv4(positions.map((at) => bytes[at]!)));
  return [address, ...inner];
}
