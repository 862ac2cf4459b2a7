// The part `networks`: a node in a network namespace of its own loses PostgreSQL or NATS, both ways or one way, under the load of `faults`.
import { Cluster } from "./cluster/cluster.ts";
import { isReady } from "./cluster/node.ts";
import { judgeEverything } from "./load/judge.ts";
import { Load } from "./load/load.ts";
import { NodeNetworks, type Loss } from "./networks/node-networks.ts";
import { untilNormal } from "./normal.ts";
import type { ScalePart, ScaleTest } from "./scale-part.ts";

interface Cut {
  name: string;
  engine: "postgres" | "nats";
  loss: Loss;
}

const losses: Record<string, Loss> = { cut: "both", mute: "sent", deaf: "received" };
const cutMs = { usual: 60_000, short: 20_000 };
const betweenMs = { usual: 3_000, short: 500 };

export const networks: ScalePart = {
  about: "a node in its own network namespace cut from PostgreSQL and NATS, both ways and one way, under load: nothing lost (root)",
  unit: "rounds",
  usual: 1,
  async run(test) {
    const { run, engines } = test;
    if (!engines.postgres || test.nodes < 2) return "networks are cut between several nodes and PostgreSQL";
    const made = await NodeNetworks.create(test.nodes);
    if ("reason" in made) return made.reason;
    await using networks = made.networks;
    await using cluster = await Cluster.start(test.work, { engines, nodes: test.nodes, random: run.random, networks });
    await using load = await Load.start(test, cluster);
    await untilNormal(load);
    for (let round = 0; round < run.amount; round += 1)
      for (const cut of planOf(test)) {
        await run.pause(test.isShort ? betweenMs.short : betweenMs.usual);
        await tryCut(load, networks, cut);
      }
    await load.endWriting();
    await judgeEverything(load);
    return null;
  },
};

/** Every loss of every engine that runs, in a random order. */
function planOf({ run, engines, only }: ScaleTest): Cut[] {
  const all = (["postgres", "nats"] as const)
    .filter((engine) => engines[engine])
    .flatMap((engine) => Object.entries(losses).map(([loss, kind]) => ({ name: `${loss}-${engine}`, engine, loss: kind })));
  return run.random.shuffled(all).filter(({ name }) => only === null || only.includes(name));
}

async function tryCut(load: Load, networks: NodeNetworks, { name, engine, loss }: Cut): Promise<void> {
  const { run, isShort } = load.test;
  const place = run.random.integer(0, load.cluster.running.length - 1);
  const node = load.cluster.running[place]!;
  load.tally.take();
  await run.try({ cut: name, node: node.engine.name }, async () => {
    await networks.cut(place, load.cluster[engine]!.port, loss);
    let dropped = 0;
    try {
      await run.pause(isShort ? cutMs.short : cutMs.usual);
      const ready = await isReady(node.url);
      // Without NATS the nodes tell each other by PostgreSQL; without PostgreSQL the others serve.
      if (ready !== (engine === "nats")) run.violate(`${node.engine.name} is ${ready ? "" : "not "}ready at the end of ${name}`);
    } finally {
      dropped = await networks.heal(place);
    }
    if (dropped === 0) run.violate(`${name} has dropped nothing: it proves nothing`);
    const { service, players } = await untilNormal(load);
    const times = { normal_ms: Math.round(service), players_ms: Math.round(players) };
    run.print({ table: true, cut: name, node: node.engine.name, dropped, ...times, ...load.tally.take() });
    return service;
  });
}
