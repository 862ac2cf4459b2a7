// What is measured of a service with its swarm, a round each.
import type { ScaleTest } from "../scale-part.ts";
import type { Figure } from "./compared.ts";
import type { MeasuredService } from "./measured-service.ts";

/** The values of one figure in one round. */
interface Measured {
  figure: Figure;
  values: number[];
}

export type Measure = (test: ScaleTest, service: MeasuredService, round: number) => Promise<Measured[]>;

const arriveLimitMs = 120_000;
const commandsInRound = { usual: 60, short: 20 };
const commandPauseMs = 20;
const beatMs = { usual: 8_000, short: 2_000 };
const beatsAtOnce = 32;
const settleMs = 3_000;

/** Comparable between processes of this machine. */
const now = (): number => performance.timeOrigin + performance.now();

/** Single commands, each written at another node than the one that has the player's socket, if there is another. */
export const commands: Measure = async ({ run, isShort }, service) => {
  const { groups, cluster } = service;
  await service.take();
  const sent: { id: string; asked: number; answered: number }[] = [];
  for (let count = 0; count < (isShort ? commandsInRound.short : commandsInRound.usual); count += 1) {
    const group = groups[count % groups.length]!;
    const api = service.api((group.place + 1) % cluster.running.length);
    const asked = now();
    const { id } = await api.ok("POST", `players/${run.random.pick(group.players).id}/commands`, { type: "ping", ttl_s: 600 });
    sent.push({ id, asked, answered: now() });
    await run.pause(commandPauseMs);
  }
  const came = new Map<string, number>();
  const hasAll = async (): Promise<boolean> => {
    for (const { commandTimes } of await service.take()) for (const { id, at } of commandTimes) came.set(id, at);
    return sent.every(({ id }) => came.has(id));
  };
  await run.until("every command is at its device", hasAll, arriveLimitMs);
  return [
    { figure: time("a command: from the request to the device's socket"), values: sent.map(({ id, asked }) => came.get(id)! - asked) },
    // The commit lies between the request and its answer, so the time from the commit lies between these two figures.
    {
      figure: time("a command: from its acknowledgement to the device's socket"),
      values: sent.map(({ id, answered }) => came.get(id)! - answered),
    },
    { figure: time("a command: acknowledged"), values: sent.map(({ asked, answered }) => answered - asked) },
  ];
};

/** One change of the layout that all players show. */
export const changeToAll: Measure = async ({ run }, service, round) => {
  await service.take();
  const started = now();
  const color = `#0000${(round + 16).toString(16)}`;
  await service.api("proxy").ok("PATCH", `layouts/${service.layoutId}`, { background_color: color });
  const answered = now() - started;
  const hasAll = async (): Promise<boolean> => (await service.counts()).reduce((sum, each) => sum + each.stateCount, 0) >= run.amount;
  await run.until("every player has the change", hasAll, arriveLimitMs);
  const reports = await service.take();
  const hints = reports.flatMap((each) => each.hints).map((at) => at - started);
  const states = reports.flatMap((each) => each.states).map((at) => at - started);
  await run.pause(settleMs);
  return [
    { figure: time("a change to all: acknowledged"), values: [answered] },
    { figure: time("a change to all: a player is notified"), values: hints },
    { figure: time("a change to all: the last player is notified"), values: [Math.max(...hints)] },
    { figure: time("a change to all: a player has it"), values: states },
    { figure: time("a change to all: the last player has it"), values: [Math.max(...states)] },
  ];
};

/** Heartbeats as fast as they are answered. */
export const heartbeats: Measure = async ({ isShort }, service) => {
  await service.take();
  const ms = isShort ? beatMs.short : beatMs.usual;
  const before = service.cpuMs();
  const from = performance.now();
  await Promise.all(service.groups.map(({ swarm }) => swarm.beat(ms, beatsAtOnce)));
  const seconds = (performance.now() - from) / 1_000;
  const after = service.cpuMs();
  const answers = (await service.take()).flatMap((each) => each.answers);
  const perCpuSecond = (spentMs: number): number[] => [(1_000 * answers.length) / spentMs];
  return [
    { figure: time("a heartbeat: answered, under full load"), values: answers },
    { figure: rate("heartbeats accepted per second, on this machine with the swarm"), values: [answers.length / seconds] },
    { figure: rate("heartbeats accepted per CPU second of the nodes"), values: perCpuSecond(after.nodes - before.nodes) },
    { figure: rate("heartbeats accepted per CPU second of nodes, PostgreSQL and NATS"), values: perCpuSecond(after.all - before.all) },
  ];
};

function time(what: string): Figure {
  return { name: `${what}, ms`, isRate: false };
}

function rate(name: string): Figure {
  return { name, isRate: true };
}
