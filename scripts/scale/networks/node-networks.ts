// A network namespace for each node, joined to this machine by a bridge, in which packets from or to one port can be dropped. Needs root.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { hasErrorCode } from "../../../src/base/fault.ts";

const run = promisify(execFile);

/** What is lost: packets in both directions, those that the node sends, or those that it should get. */
export type Loss = "both" | "sent" | "received";

const prefix = "sgscale";
// A number of this process, so that two runs do not meet.
const id = process.pid % 250;
const bridge = `${prefix}${process.pid}`;
const network = `10.215.${id}`;

export class NodeNetworks implements AsyncDisposable {
  /** This machine's address, as the nodes see it. */
  readonly hostAddress = `${network}.1`;
  readonly #names: readonly string[];

  private constructor(count: number) {
    this.#names = Array.from({ length: count }, (_, place) => `${bridge}n${place + 1}`);
  }

  /** Null with a reason if this machine or user cannot make them. */
  static async create(count: number): Promise<{ networks: NodeNetworks } | { reason: string }> {
    const networks = new NodeNetworks(count);
    try {
      await removeLeftovers();
      await ip("link", "add", bridge, "type", "bridge");
      await ip("addr", "add", `${networks.hostAddress}/24`, "dev", bridge);
      await ip("link", "set", bridge, "up");
      for (const place of networks.#names.keys()) await networks.#add(place);
      return { networks };
    } catch (error) {
      await networks[Symbol.asyncDispose]();
      return { reason: `no network namespaces: ${error instanceof Error ? error.message : String(error)}` };
    }
  }

  /** Where the node runs, and its address there; null: it has no namespace. @param place from 0. */
  of(place: number): { namespace: string; address: string } | null {
    const namespace = this.#names[place];
    return namespace === undefined ? null : { namespace, address: `${network}.${place + 2}` };
  }

  /** Drops packets between the node and a TCP port of {@link hostAddress}, without a word to either side. */
  async cut(place: number, port: number, loss: Loss): Promise<void> {
    if (loss !== "received") await this.#nft(place, "add", "rule", "inet", prefix, "out", "tcp", "dport", String(port), "counter", "drop");
    if (loss !== "sent") await this.#nft(place, "add", "rule", "inet", prefix, "in", "tcp", "sport", String(port), "counter", "drop");
  }

  /** Ends all cuts of the node. @returns how many packets they have dropped. */
  async heal(place: number): Promise<number> {
    const rules = await this.#nft(place, "list", "table", "inet", prefix);
    await this.#nft(place, "flush", "table", "inet", prefix);
    return [...rules.matchAll(/counter packets (\d+)/g)].reduce((sum, [, packets]) => sum + Number(packets), 0);
  }

  async #add(place: number): Promise<void> {
    const name = this.#names[place]!;
    // Names of devices have at most 15 characters.
    const ends = [`sga${process.pid}n${place}`, `sgb${process.pid}n${place}`] as const;
    await ip("netns", "add", name);
    await ip("link", "add", ends[0], "type", "veth", "peer", "name", ends[1], "netns", name);
    await ip("link", "set", ends[0], "master", bridge, "up");
    await ip("-n", name, "addr", "add", `${this.of(place)!.address}/24`, "dev", ends[1]);
    await ip("-n", name, "link", "set", ends[1], "up");
    await ip("-n", name, "link", "set", "lo", "up");
    await this.#nft(place, "add", "table", "inet", prefix);
    for (const [chain, hook] of Object.entries({ in: "input", out: "output" }))
      await this.#nft(place, "add", "chain", "inet", prefix, chain, `{ type filter hook ${hook} priority 0; policy accept; }`);
  }

  #nft(place: number, ...argv: string[]): Promise<string> {
    return ip("netns", "exec", this.#names[place]!, "nft", ...argv);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Each of them may not exist, if not all could be made.
    for (const name of this.#names) await ip("netns", "del", name).catch(() => undefined);
    await ip("link", "del", bridge).catch(() => undefined);
  }
}

/** Removes what a run that was killed has left. */
async function removeLeftovers(): Promise<void> {
  const names = await ip("netns", "list");
  for (const [name, pid] of names.matchAll(new RegExp(`^${prefix}(\\d+)n\\d+`, "gm"))) {
    if (isThere(Number(pid))) continue;
    await ip("netns", "del", name);
    // Only the first of its namespaces finds it.
    await ip("link", "del", `${prefix}${pid}`).catch(() => undefined);
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !hasErrorCode(error, "ESRCH");
  }
}

/** @returns what it prints. */
async function ip(...argv: string[]): Promise<string> {
  return (await run("ip", argv)).stdout;
}
