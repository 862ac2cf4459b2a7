// The whole load of a cluster under faults: writers, subscribers, a receiver of webhooks, players; and the judgement at the end.
import { Device } from "../../../test/service/harness.ts";
import { Receiver } from "../../../test/service/events/receiver.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { ScaleTest } from "../scale-part.ts";
import { Acknowledged } from "./acknowledged.ts";
import { LoadClient } from "./client.ts";
import { CommandPlayers, fromElsewhere, pairDevices, Swarm } from "./players.ts";
import { ResumingSubscriber } from "./subscriber.ts";
import { Tally } from "./tally.ts";
import { runWriter } from "./writers.ts";

const writers = { usual: 8, short: 4 };
const devices = { usual: 3, short: 2 };
const swarmSize = { usual: 100, short: 12 };

/** How requests get to the nodes. */
type Ways = "all" | "by the proxy";

export class Load implements AsyncDisposable {
  readonly test: ScaleTest;
  readonly cluster: Cluster;
  readonly tally: Tally;
  readonly client: LoadClient;
  readonly known = new Acknowledged();
  readonly swarm: Swarm;
  readonly subscribers: readonly ResumingSubscriber[];
  readonly receiver: Receiver;
  readonly commandPlayers: CommandPlayers;
  readonly #ways: Ways;
  readonly #owned: AsyncDisposableStack;
  readonly #end = new AbortController();
  readonly #writing: Promise<unknown>;

  private constructor(
    parts: Pick<Load, "test" | "cluster" | "tally" | "client" | "swarm" | "subscribers" | "receiver" | "commandPlayers">,
    ways: Ways,
    owned: AsyncDisposableStack,
  ) {
    const { test, cluster } = parts;
    this.test = test;
    this.cluster = cluster;
    this.tally = parts.tally;
    this.client = parts.client;
    this.swarm = parts.swarm;
    this.subscribers = parts.subscribers;
    this.receiver = parts.receiver;
    this.commandPlayers = parts.commandPlayers;
    this.#ways = ways;
    this.#owned = owned;
    const lanes = test.isShort ? writers.short : writers.usual;
    const place = {
      run: test.run,
      client: this.client,
      known: this.known,
      chooseUrl: () => this.chooseUrl(),
      playerIds: this.commandPlayers.playerIds,
      showCode: () => this.#showCode(),
      // Files on the disk of one node are not on that of another.
      uploads: cluster.s3 !== null || cluster.running.length === 1,
    };
    this.#writing = Promise.all(Array.from({ length: lanes }, (_, lane) => runWriter(place, `w${lane + 1}`, this.#end.signal)));
  }

  /** Starts everything on a cluster that works. */
  static async start(test: ScaleTest, cluster: Cluster, ways: Ways = "all"): Promise<Load> {
    await using opened = new AsyncDisposableStack();
    const { run, isShort } = test;
    const { proxy, token, nodes } = cluster;
    const tally = new Tally(run);
    const client = opened.use(new LoadClient(token, tally));
    const receiver = opened.use(await Receiver.start(undefined, cluster.host));
    const webhook = { name: "Receiver", url: receiver.url, events: ["*"] };
    await client.insist(() => proxy.url, { method: "POST", path: "webhooks", body: webhook }, "webhook", run.signal);
    const places = [proxy.url, ...nodes.filter(({ engine }) => engine.isRunning).map(({ url }) => url)];
    const roaming = (): string => run.random.pick([proxy.url, ...cluster.running.map(({ url }) => url)]);
    const subscribers = [
      ...places.map((url, place) => new ResumingSubscriber(place === 0 ? "by proxy" : `of node-${place}`, () => url, token, run)),
      new ResumingSubscriber("roaming", roaming, token, run),
    ].map((each) => opened.use(each));
    const commandPlayers = opened.use(await CommandPlayers.start(proxy.url, token, test.work, isShort ? devices.short : devices.usual));
    const size = test.players ?? (isShort ? swarmSize.short : swarmSize.usual);
    const paired = await pairDevices(proxy.url, token, size);
    const swarm = opened.use(
      await Swarm.start(
        proxy.url,
        paired.map((each) => each.token),
      ),
    );
    await run.until("all subscribers are at the same place", () => new Set(subscribers.map(({ seq }) => seq)).size === 1, 30_000);
    return new Load({ test, cluster, tally, client, swarm, subscribers, receiver, commandPlayers }, ways, opened.move());
  }

  /** Where the next request goes: unless all go by way of the proxy, half of them go to a node, also to one that is down. */
  chooseUrl(): string {
    const { random } = this.test.run;
    if (this.#ways === "by the proxy" || random.next() < 0.5) return this.cluster.proxy.url;
    return random.pick(this.cluster.nodes.slice(0, this.nodesAtFirst)).url;
  }

  /** As many nodes as the subscribers know. */
  get nodesAtFirst(): number {
    return this.subscribers.length - 2;
  }

  /** Ends the writing. */
  async endWriting(): Promise<void> {
    this.#end.abort();
    await this.#writing;
  }

  /** The code of a new device; null while no node answers it. */
  async #showCode(): Promise<string | null> {
    try {
      return (await new Device(this.chooseUrl()).askForCode(fromElsewhere())).user_code;
    } catch {
      return null; // The writer asks for another one later; what it may get is recorded by the other requests.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#writing.catch(() => undefined); // a violation is reported already
    await this.#owned.disposeAsync();
  }
}
