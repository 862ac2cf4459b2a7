// A network of its own for the player: a namespace with one cable to this machine, which root can make and break.
import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { Program } from "../../test/support/programs/programs.ts";
import { SlowLine } from "./slow-line.ts";

const run = promisify(execFile);
// A number of this process, so that two runs do not meet.
const id = process.pid % 250;
const name = `soak${process.pid}`;
const [ourEnd, theirEnd] = [`${name}a`, `${name}b`];
const ourAddress = `10.213.${id}.1`;
const theirAddress = `10.213.${id}.2`;
/** Frames to it reach nobody, so packets are lost without any notice to either side. */
const nobodysMac = "02:00:00:00:00:01";
// Reserved for documentation (RFC 5737): no server responds there.
const deafNameServer = "192.0.2.1";
const settings = `/etc/netns/${name}`;
// A program for Node inside the namespace.
const handshake = `
  const from = performance.now();
  const socket = require("node:net").connect(Number(process.argv[2]), process.argv[1]);
  const end = (ms) => { console.log(JSON.stringify(ms)); process.exit(); };
  socket.on("connect", () => end(Math.round(performance.now() - from)));
  socket.on("error", () => end(null));
  setTimeout(() => end(null), 5_000);
`;

export class NetworkNamespace implements AsyncDisposable {
  /** This machine's address, as the player sees it. */
  readonly address = ourAddress;
  /** A name of {@link address} that only the namespace knows. */
  readonly hostName = "service.soak.test";

  /** Null with a reason if this machine or user cannot make one. */
  static async create(): Promise<{ namespace: NetworkNamespace } | { reason: string }> {
    const namespace = new NetworkNamespace();
    try {
      await ip("netns", "add", name);
      await mkdir(settings, { recursive: true });
      await writeFile(`${settings}/resolv.conf`, `nameserver ${deafNameServer}\n`);
      await namespace.setNames(true);
      await ip("link", "add", ourEnd, "type", "veth", "peer", "name", theirEnd, "netns", name);
      await ip("addr", "add", `${ourAddress}/30`, "dev", ourEnd);
      await ip("link", "set", ourEnd, "up");
      await inside("ip", "addr", "add", `${theirAddress}/30`, "dev", theirEnd);
      await inside("ip", "link", "set", theirEnd, "up");
      await inside("ip", "link", "set", "lo", "up");
      // Without a route a question would fail at once.
      await inside("ip", "route", "add", deafNameServer, "dev", theirEnd);
      await inside("ip", "neigh", "add", deafNameServer, "lladdr", nobodysMac, "dev", theirEnd, "nud", "permanent");
      return { namespace };
    } catch (error) {
      await namespace[Symbol.asyncDispose]();
      return { reason: `no network namespace: ${error instanceof Error ? error.message : String(error)}` };
    }
  }

  /** Starts a headless player inside. */
  startPlayer(server: string, folder: string, more: readonly string[] = []): Program {
    const flags = ["src/main/cli.ts", "start", "--server", server, "--data", folder, "--engine", "chromium", "--headless", ...more];
    return new Program(["netns", "exec", name, process.execPath, ...flags], {}, "ip");
  }

  /** Drops every packet in both directions, or no longer. */
  async setDropping(isDropping: boolean): Promise<void> {
    const on = ["lladdr", nobodysMac, "nud", "permanent"];
    const [ours, theirs] = [
      [theirAddress, "dev", ourEnd],
      [ourAddress, "dev", theirEnd],
    ];
    await ip("neigh", isDropping ? "replace" : "del", ...ours!, ...(isDropping ? on : []));
    await inside("ip", "neigh", isDropping ? "replace" : "del", ...theirs!, ...(isDropping ? on : []));
  }

  /** Whether {@link hostName} can be resolved. Without it, questions to the name server get no response. */
  async setNames(areKnown: boolean): Promise<void> {
    // Written in place, because the namespace mounts this very file.
    await writeFile(`${settings}/hosts`, `127.0.0.1 localhost\n${areKnown ? `${ourAddress} ${this.hostName}\n` : ""}`);
  }

  /** Delays and loses packets, until the line ends. */
  startSlowLine(): Promise<SlowLine> {
    return SlowLine.start({ namespace: name, prefix: name, nearAddress: ourAddress, farAddress: theirAddress });
  }

  /** Rejects unless this machine has nft, which {@link allowOnly} needs. */
  async checkFirewall(): Promise<void> {
    await inside("nft", "list", "ruleset");
  }

  /** Drops what is sent from inside to anything but one TCP port of {@link address}. */
  async allowOnly(port: number): Promise<void> {
    await inside("nft", "add", "table", "inet", name);
    await inside("nft", "add", "chain", "inet", name, "out", "{ type filter hook output priority 0; policy accept; }");
    await inside("nft", "add", "rule", "inet", name, "out", "oifname", theirEnd, "tcp", "dport", String(port), "accept");
    await inside("nft", "add", "rule", "inet", name, "out", "oifname", theirEnd, "drop");
  }

  /** How long a TCP handshake with a port of {@link address} takes from inside, in ms; null if there is none within five seconds. */
  async handshakeMs(port: number): Promise<number | null> {
    const { stdout } = await run("ip", ["netns", "exec", name, process.execPath, "-e", handshake, ourAddress, String(port)]);
    return JSON.parse(stdout) as number | null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Each of them may not exist, if the namespace could not be made.
    await ip("netns", "del", name).catch(() => undefined);
    await ip("link", "del", ourEnd).catch(() => undefined);
    await rm(settings, { recursive: true, force: true });
  }
}

async function ip(...argv: string[]): Promise<void> {
  await run("ip", argv);
}

async function inside(...argv: string[]): Promise<void> {
  await ip("netns", "exec", name, ...argv);
}
