// The whole service on loopback: PostgreSQL, nats-server, S3, nodes and HAProxy, each a real process of its own.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { postgresFolder } from "../../../test/support/postgres.ts";
import type { Random } from "../../soak/random.ts";
import type { Engines } from "../scale-part.ts";
import type { Engine } from "./engine.ts";
import { freePort } from "./free-port.ts";
import { startNats, type NatsServer } from "./nats.ts";
import { adminToken, serviceNode, type ServiceNode } from "./node.ts";
import { startPostgres, type PostgresServer } from "./postgres.ts";
import { sampleNodes, startProxy, type Proxy } from "./proxy.ts";
import { startS3, type S3Server } from "./s3.ts";

export interface ClusterOptions {
  engines: Engines;
  /** How many nodes run at first. */
  nodes: number;
  random: Random;
  /** More flags of each node. */
  flags?: readonly string[];
}

export class Cluster implements AsyncDisposable {
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
    parts: Pick<Cluster, "postgres" | "nats" | "s3" | "nodes" | "proxy" | "token" | "logs">,
    owned: AsyncDisposableStack,
  ) {
    ({
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
  static async start(work: string, { engines, nodes: count, random, flags: more = [] }: ClusterOptions): Promise<Cluster> {
    await using opened = new AsyncDisposableStack();
    const logs = join(work, "logs");
    await mkdir(logs, { recursive: true });
    const port = (): Promise<number> => freePort(random);
    const own = <T extends { engine: Engine } | null>(part: T): T => {
      if (part !== null) opened.use(part.engine);
      return part;
    };
    const postgres = own(engines.postgres ? await startPostgres(work, logs, await port(), join(await postgresFolder(), "bin")) : null);
    const nats = own(engines.nats ? await startNats(logs, await port()) : null);
    const s3 = own(engines.s3 ? await startS3(work, logs, await port()) : null);
    const flags = [
      ...(postgres === null ? [] : ["--database", postgres.url()]),
      ...(nats === null ? [] : ["--messages", nats.url(), "--messages-accept-old-server"]),
      ...(s3 === null ? [] : s3.flags),
      ...more,
    ];
    const known = engines.postgres ? sampleNodes : 1;
    if (count > known) throw new Error("several nodes need PostgreSQL");
    const ports = await Promise.all(Array.from({ length: known }, port));
    const nodes = ports.map((each, place) => {
      const name = `node-${place + 1}`;
      return own(serviceNode({ name, port: each, data: join(work, name), flags }, logs));
    });
    // One after the other: the first one makes the tables and the first token.
    for (const { engine } of nodes.slice(0, count)) await engine.start();
    const proxy = own(
      await startProxy(
        work,
        logs,
        await port(),
        ports.map((each) => `127.0.0.1:${each}`),
      ),
    );
    const token = await adminToken(nodes[0]!.data);
    return new Cluster({ postgres, nats, s3, nodes, proxy, token, logs }, opened.move());
  }

  /** The nodes that run. */
  get running(): ServiceNode[] {
    return this.nodes.filter(({ engine }) => engine.isRunning);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }
}
