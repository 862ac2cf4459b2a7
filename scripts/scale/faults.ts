// The part `faults`: kill -9, SIGSTOP and restart of every node and engine in turn, under load. Prints a table fault × engine × seen.
import { Cluster } from "./cluster/cluster.ts";
import type { Engine } from "./cluster/engine.ts";
import { judgeEverything } from "./load/judge.ts";
import { Load } from "./load/load.ts";
import { untilNormal } from "./normal.ts";
import type { ScalePart, ScaleTest } from "./scale-part.ts";

const faultNames = ["kill", "stop", "restart"] as const;
type FaultName = (typeof faultNames)[number];

interface Fault {
  fault: FaultName;
  /** `node` is any of them. */
  engine: string;
}

const pauses = { usual: { down: 3_000, stopped: 60_000, between: 3_000 }, short: { down: 500, stopped: 3_000, between: 500 } };

export const faults: ScalePart = {
  about: "kill -9, SIGSTOP for 60 s and restart of nodes, PostgreSQL, NATS, S3 and HAProxy under load: nothing lost, nothing twice",
  unit: "rounds",
  usual: 1,
  async run(test) {
    const { run, work, engines } = test;
    await using cluster = await Cluster.start(work, { engines, nodes: test.nodes, random: run.random });
    run.print({ started: true, nodes: cluster.running.length, ...engines });
    await using load = await Load.start(test, cluster);
    await untilNormal(load);
    for (let round = 0; round < run.amount; round += 1)
      for (const fault of planOf(test, cluster)) {
        await run.pause(test.isShort ? pauses.short.between : pauses.usual.between);
        await tryFault(load, fault);
      }
    await load.endWriting();
    await judgeEverything(load);
    return null;
  },
};

/** Every fault of every engine that runs, in a random order. */
function planOf({ run, only }: ScaleTest, { postgres, nats, s3 }: Cluster): Fault[] {
  const engines = [
    "node",
    ...(postgres === null ? [] : ["postgres"]),
    ...(nats === null ? [] : ["nats"]),
    ...(s3 === null ? [] : ["s3"]),
    "haproxy",
  ];
  const all = engines.flatMap((engine) => faultNames.map((fault) => ({ fault, engine })));
  // The proxy is no part of the service: only its loss is tried, not a hang.
  const chosen = all.filter(({ fault, engine }) => engine !== "haproxy" || fault === "kill");
  return run.random.shuffled(chosen).filter(({ fault, engine }) => only === null || only.includes(`${fault}-${engine}`));
}

async function tryFault(load: Load, { fault, engine: name }: Fault): Promise<void> {
  const { run } = load.test;
  const engine = engineOf(load, name);
  load.tally.take();
  await run.try({ fault, engine: engine.name }, async () => {
    const from = performance.now();
    await inflict(load, fault, engine);
    const faultMs = performance.now() - from;
    const { service, players } = await untilNormal(load);
    const times = { fault_ms: Math.round(faultMs), normal_ms: Math.round(service), players_ms: Math.round(players) };
    run.print({ table: true, fault, engine: engine.name, ...times, ...load.tally.take() });
    return service;
  });
}

function engineOf({ cluster, test: { run } }: Load, name: string): Engine {
  if (name === "node") return run.random.pick(cluster.running).engine;
  const part = { postgres: cluster.postgres, nats: cluster.nats, s3: cluster.s3, haproxy: cluster.proxy }[name];
  if (part == null) throw new Error(`there is no engine ${name}`);
  return part.engine;
}

async function inflict({ test: { run, isShort } }: Load, fault: FaultName, engine: Engine): Promise<void> {
  const { down, stopped } = isShort ? pauses.short : pauses.usual;
  switch (fault) {
    case "kill":
      await engine.kill();
      await run.pause(down);
      return engine.start();
    case "stop":
      engine.pause();
      try {
        await run.pause(stopped);
      } finally {
        engine.resume();
      }
      return;
    case "restart":
      await engine.stop();
      return engine.start();
  }
}
