// Chooses the loopback address of the player's page and listens there.
import { createHash } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { hasErrorCode } from "../../base/fault.ts";

/**
 * Listens on a loopback host derived from `owner`, at `port` if it is free, and returns the origin. Browsers separate
 * cookies and processes by host, not by port: with a host of its own the page shares them with no other local server.
 */
export async function listenOnLoopback(server: Server, owner: string, port: number | null): Promise<string> {
  const host = hostFor(owner);
  const places = [...(port === null ? [] : [{ host, port }]), { host, port: 0 }];
  // macOS has only 127.0.0.1. There, other services on 127.0.0.1 cannot be framed.
  await listenAtFirst(server, [...places, { host: "127.0.0.1", port: 0 }]);
  const address = server.address() as AddressInfo;
  return `http://${address.address}:${address.port}`;
}

/** An address of 127.0.0.0/8 that no other program of this machine is likely to use. */
function hostFor(owner: string): string {
  const digest = createHash("sha256").update(`surface of ${owner}`).digest();
  return `127.${[...digest.subarray(0, 3)].map((byte) => 1 + (byte % 254)).join(".")}`;
}

/** Listens at the first of these places that exists on this machine and is free. */
async function listenAtFirst(server: Server, [place, ...others]: readonly { host: string; port: number }[]): Promise<void> {
  try {
    server.listen(place);
    await once(server, "listening");
  } catch (error) {
    const isUnavailable = hasErrorCode(error, "EADDRNOTAVAIL", "EADDRINUSE");
    if (!isUnavailable || others.length === 0) throw error;
    await listenAtFirst(server, others);
  }
}
