// A service with its swarm, to be measured: nodes, their engines, and players that hold a socket at a known node.
import { Api } from "../../../test/support/programs/programs.ts";
import type { FilledPlayer } from "../../../bench/swarm/fill.ts";
import { usageOf } from "../../../bench/lib.ts";
import type { SoakRun } from "../../soak/soak-run.ts";
import { Cluster, type ClusterOptions } from "../cluster/cluster.ts";
import { Swarm, type SwarmReport } from "../load/players.ts";
import type { ScaleTest } from "../scale-part.ts";
import { fillCluster } from "./fill-cluster.ts";

/** Processes that simulate players: as many for each of both services, so that they cost both the same. */
const swarmProcesses = 2;
const reconnectLimitMs = 180_000;

export class MeasuredService implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly layoutId: string;
  /** Of each process of the swarm: its players, and the place of the node that they are connected to. */
  readonly groups: readonly { swarm: Swarm; players: readonly FilledPlayer[]; place: number }[];
  readonly #emptyBytes: number;
  readonly #owned: AsyncDisposableStack;

  private constructor(
    { cluster, layoutId, groups }: Pick<MeasuredService, "cluster" | "layoutId" | "groups">,
    emptyBytes: number,
    owned: AsyncDisposableStack,
  ) {
    this.cluster = cluster;
    this.layoutId = layoutId;
    this.groups = groups;
    this.#emptyBytes = emptyBytes;
    this.#owned = owned;
  }

  /** Starts everything in `work` and connects the players. */
  static async start(
    { run }: ScaleTest,
    { work, ...options }: Omit<ClusterOptions, "random"> & { work: string },
  ): Promise<MeasuredService> {
    await using opened = new AsyncDisposableStack();
    const cluster = opened.use(await Cluster.start(work, { ...options, random: run.random }));
    const api = new Api(cluster.proxy.url, cluster.token);
    const { layoutId } = await api.publish([{ type: "web", url: "https://example.com/", duration_ms: 10_000 }]);
    const players = await fillCluster(cluster, layoutId, run.amount);
    const emptyBytes = residentBytes(cluster);
    const share = Math.ceil(players.length / swarmProcesses);
    const { running } = cluster;
    const groups = await Promise.all(
      Array.from({ length: swarmProcesses }, async (_, process) => {
        const own = players.slice(process * share, (process + 1) * share);
        const place = process % running.length;
        const tokens = own.map(({ token }) => token);
        return { swarm: opened.use(await Swarm.start(running[place]!.url, tokens)), players: own, place };
      }),
    );
    return new MeasuredService({ cluster, layoutId, groups }, emptyBytes, opened.move());
  }

  /** An operator's client of a node, or of the proxy. */
  api(place: number | "proxy"): Api {
    const url = place === "proxy" ? this.cluster.proxy.url : this.cluster.running[place]!.url;
    return new Api(url, this.cluster.token);
  }

  /** What the swarm has noted since the last call. */
  take(): Promise<SwarmReport[]> {
    return Promise.all(this.groups.map(({ swarm }) => swarm.take()));
  }

  /** The counts of the swarm. */
  counts(): Promise<SwarmReport[]> {
    return Promise.all(this.groups.map(({ swarm }) => swarm.counts()));
  }

  /** The CPU time so far, ms: of the nodes, and with PostgreSQL and the message server. */
  cpuMs(): { nodes: number; all: number } {
    const nodes = this.cluster.running.reduce((sum, { engine }) => sum + usageOf(engine.pid).cpuMs, 0);
    const engines = [this.cluster.postgres, this.cluster.nats].reduce((sum, each) => sum + (each ? usageOf(each.engine.pid).cpuMs : 0), 0);
    return { nodes, all: nodes + engines };
  }

  /** Memory of all nodes that came with the players, kB for each player. */
  memoryPerPlayer(): number {
    const players = this.groups.reduce((sum, group) => sum + group.players.length, 0);
    return (residentBytes(this.cluster) - this.#emptyBytes) / players / 1_024;
  }

  /** Records players that are not connected, or that missed something. */
  async judge(run: SoakRun): Promise<void> {
    const connected = async (): Promise<boolean> => {
      const all = await this.counts();
      return all.every((each, place) => each.connected === this.groups[place]!.players.length);
    };
    await run.until("all players are connected", connected, reconnectLimitMs);
    for (const { gaps, lost } of await this.counts())
      if (gaps + lost > 0) run.violate(`players missed ${gaps} messages, ${lost} connections did not resume`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#owned.disposeAsync();
  }
}

/** Resident memory of all nodes. */
function residentBytes({ running }: Cluster): number {
  return running.reduce((sum, { engine }) => sum + usageOf(engine.pid).pssBytes, 0);
}
