// The whole service on loopback: PostgreSQL, nats-server, S3, nodes and HAProxy, each a real process of its own.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { postgresFolder } from "../../../test/support/postgres.ts";
import type { Random } from "../../soak/random.ts";
import type { Engines } from "../scale-part.ts";
import type { NodeNetworks } from "../networks/node-networks.ts";
import type { Engine } from "./engine.ts";
import { freePort } from "./free-port.ts";
import { startNats, type NatsServer } from "./nats.ts";
import { adminToken, serviceNode, type ServiceNode } from "./node.ts";
import { startPostgres, type PostgresServer } from "./postgres.ts";
import { sampleNodes, startProxy, type Proxy } from "./proxy.ts";
import { startS3, type S3Server } from "./s3.ts";

const loopback = "127.0.0.1";

export interface ClusterOptions {
  engines: Engines;
  /** How many nodes run at first. */
  nodes: number;
  random: Random;
  /** Each node in a network namespace of its own; default: all on loopback. */
  networks?: NodeNetworks;
  /** More flags of each node. */
  flags?: readonly string[];
}

export class Cluster implements AsyncDisposable {
  /** This machine's address, as the nodes see it. */
  readonly host: string;
  readonly postgres: PostgresServer | null;
  readonly nats: NatsServer | null;
  readonly s3: S3Server | null;
  /** As many as the proxy knows; only the first ones run. */
  readonly nodes: readonly ServiceNode[];
  readonly proxy: Proxy;
  /** An operator's token. */
  readonly token: string;
  /** Where the output of every program is. */
  readonly logs: string;
  readonly #owned: AsyncDisposableStack;

  private constructor(
    parts: Pick<Cluster, "host" | "postgres" | "nats" | "s3" | "nodes" | "proxy" | "token" | "logs">,
    owned: AsyncDisposableStack,
  ) {
    ({
      host: this.host,
      postgres: this.postgres,
      nats: this.nats,
      s3: this.s3,
      nodes: this.nodes,
      proxy: this.proxy,
      token: this.token,
      logs: this.logs,
    } = parts);
    this.#owned = owned;
  }

  /** Starts everything in `work`. Several nodes need PostgreSQL. */
  static async start(work: string, { engines, nodes: count, random, networks, flags: more = [] }: ClusterOptions): Promise<Cluster> {
    await using opened = new AsyncDisposableStack();
    const logs = join(work, "logs");
    await mkdir(logs, { recursive: true });
    const port = (): Promise<number> => freePort(random);
    const own = <T extends { engine: Engine } | null>(part: T): T => {
      if (part !== null) opened.use(part.engine);
      return part;
    };
    const host = networks?.hostAddress ?? loopback;
    const addresses = [...new Set([loopback, host])].join();
    const binaries = join(await postgresFolder(), "bin");
    const postgres = own(engines.postgres ? await startPostgres(work, logs, await port(), binaries, addresses) : null);
    const nats = own(engines.nats ? await startNats(logs, await port(), host) : null);
    const s3 = own(engines.s3 ? await startS3(work, logs, await port(), host) : null);
    const flags = [
      ...(postgres === null ? [] : ["--database", postgres.url(host)]),
      ...(nats === null ? [] : ["--messages", nats.url, "--messages-accept-old-server"]),
      ...(s3 === null ? [] : s3.flags),
      ...more,
    ];
    const known = engines.postgres ? sampleNodes : 1;
    if (count > known) throw new Error("several nodes need PostgreSQL");
    const ports = await Promise.all(Array.from({ length: known }, port));
    const nodes = ports.map((each, place) => {
      const name = `node-${place + 1}`;
      return own(serviceNode({ name, port: each, data: join(work, name), flags, ...networks?.of(place) }, logs));
    });
    // One after the other: the first one makes the tables and the first token.
    for (const { engine } of nodes.slice(0, count)) await engine.start();
    const urls = nodes.map(({ url }) => url.replace("http://", ""));
    const proxy = own(await startProxy(work, logs, await port(), urls));
    const token = await adminToken(nodes[0]!.data);
    return new Cluster({ host, postgres, nats, s3, nodes, proxy, token, logs }, opened.move());
  }

  /** The nodes that run. */
  get running(): ServiceNode[] {
    return this.nodes.filter(({ engine }) => engine.isRunning);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }
}
