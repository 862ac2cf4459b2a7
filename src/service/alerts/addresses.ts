// The public address of each player, as the service sees it: players behind one line share it. In memory only.
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { isPublicAddress } from "../../base/http/ip-address.ts";

interface Seen {
  /** As it was given. */
  address: string;
  /** Null: it is not public, so it says nothing about lines. */
  line: string | null;
}

export class PlayerAddresses {
  readonly #seen = new Map<string, Seen>();

  /** Records the address of a request of a player. */
  record(playerId: string, address: string): void {
    if (this.#seen.get(playerId)?.address === address) return;
    this.#seen.set(playerId, { address, line: lineOf(address) });
  }

  /** The public address by which a player was last seen; for IPv6 the network of its line. Null: none, or not seen yet. */
  of(playerId: string): string | null {
    return this.#seen.get(playerId)?.line ?? null;
  }

  /** Forgets players that are not kept. */
  keepOnly(isKept: (playerId: string) => boolean): void {
    for (const playerId of this.#seen.keys()) if (!isKept(playerId)) this.#seen.delete(playerId);
  }
}

/** The public address of a line: for IPv6 its /64, since one line has a whole /64. Null: the address is not public. */
function lineOf(address: string): string | null {
  const bare = address.split("%")[0]!;
  if (isIP(bare) === 0) return null;
  const parsed = ipaddr.process(bare);
  if (!isPublicAddress(parsed.toString())) return null;
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}
