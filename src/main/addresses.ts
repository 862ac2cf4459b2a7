// Checks flags that name an address, a block of addresses or a loopback host.
import { isIP } from "node:net";

/** True if `block` is an address, or a network in CIDR notation. */
export function isBlock(block: string): boolean {
  const [address, bits, more] = block.split("/");
  const maxBits = isIP(address!) === 4 ? 32 : 128;
  return isIP(address!) !== 0 && more === undefined && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits));
}

export function isLoopback(host: string): boolean {
  if (host === "localhost" || host === "::1") return true;
  return isIP(host) === 4 && host.startsWith("127.");
}

/** True if `text` is an address or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  const [, address = "", bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && (bits === undefined || Number(bits) <= (version === 4 ? 32 : 128));
}
