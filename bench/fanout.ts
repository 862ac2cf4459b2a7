// One change for all players: how long until each is notified, and until each has its desired state.
// Usage: fanout.ts [players] [changes] [--database] [--nodes N] [--profile FOLDER]
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openPostgresStore } from "../src/service/store/postgres/postgres-store.ts";
import { openStore, type Store } from "../src/service/store/store.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { startService, type Api } from "../test/support/programs/programs.ts";
import { percentiles, printFigure, usageOf } from "./lib.ts";
import type { SwarmCommand } from "./swarm/child.ts";
import { fillPlayers } from "./swarm/fill.ts";
import type { SwarmStats } from "./swarm/player.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { database: { type: "boolean", default: false }, nodes: { type: "string", default: "1" }, profile: { type: "string" } },
});
const players = Number(positionals[0] ?? 10_000);
const changes = Number(positionals[1] ?? 5);
const nodeCount = Number(values.nodes);
if (nodeCount > 1 && !values.database) throw new Error("several nodes need --database");
const engine = values.database ? "PostgreSQL" : "SQLite";
const itemCount = 30;
const scheduleCount = 5;
const processes = 2;
const handshakesAtOnce = 24;
const settleMs = 3_000;
const longestMs = 60_000;

type Report = SwarmStats & { stateCount: number };
const now = (): number => performance.timeOrigin + performance.now();

await using cleanup = new AsyncDisposableStack();
const folder = cleanup.use(await temporaryFolder());
const first = join(folder.path, "node-0");
const postgres = values.database ? cleanup.use(await startPostgres({ isDurable: true })) : null;
const database = postgres === null ? null : await postgres.createDatabase();
const flags = database === null ? [] : ["--database", database];
const { layoutId, tokens } = await prepare();
// The services inherit it: each writes a profile when it ends.
if (values.profile !== undefined) process.env["NODE_OPTIONS"] = `--cpu-prof --cpu-prof-dir=${values.profile}`;
const nodes = await Promise.all(
  Array.from({ length: nodeCount }, async (_, place) => cleanup.use(await startService(join(folder.path, `node-${place}`), ...flags))),
);
delete process.env["NODE_OPTIONS"];
const swarm = Array.from({ length: processes }, () => fork(fileURLToPath(new URL("swarm/child.ts", import.meta.url)), { execArgv: [] }));
cleanup.defer(() => swarm.forEach((child) => child.kill()));
await connectAll();
await setTimeout(settleMs);
await measureChanges(nodes[0]!.api);

async function prepare(): Promise<{ layoutId: string; tokens: string[] }> {
  for (let place = 0; place < nodeCount; place += 1) await mkdir(join(folder.path, `node-${place}`));
  let made: string;
  {
    await using service = await startService(first, ...flags);
    made = await publish(service.api);
  }
  // A further node of a database does not make a token.
  for (let place = 1; place < nodeCount; place += 1)
    await cp(join(first, "admin-token"), join(folder.path, `node-${place}`, "admin-token"));
  await using store: Store = database === null ? await openStore(first) : await openPostgresStore(database);
  const filled = await fillPlayers(store, made, players);
  return { layoutId: made, tokens: filled.map(({ token }) => token) };
}

/** A layout of a usual size, and schedules of it for all. */
async function publish(api: Api): Promise<string> {
  const items = Array.from({ length: itemCount }, (_, place) => ({
    type: "web",
    url: `https://example.com/page/${place}`,
    duration_ms: 10_000,
  }));
  const { layoutId: made } = await api.publish(items);
  for (let place = 0; place < scheduleCount; place += 1) {
    const [starts_at, ends_at] = [`2026-01-0${place + 1}T09:00:00`, `2026-01-0${place + 1}T10:00:00`];
    const timing = { starts_at, ends_at, rrule: "FREQ=WEEKLY", timezone: "Europe/London", priority: place };
    await api.ok("POST", "schedules", { name: `Schedule ${place}`, layout_id: made, target: { type: "team" }, ...timing });
  }
  return made;
}

async function connectAll(): Promise<void> {
  const share = Math.ceil(players / processes);
  await Promise.all(
    swarm.map((child, place) => {
      const { url } = nodes[place % nodeCount]!.api;
      return send(child, {
        is: "open",
        url,
        tokens: tokens.slice(place * share, (place + 1) * share),
        atOnce: handshakesAtOnce / processes,
      });
    }),
  );
}

async function measureChanges(api: Api): Promise<void> {
  const notified: number[] = [];
  const fetched: number[] = [];
  const answered: number[] = [];
  let serviceMs = 0;
  let loadMs = 0;
  for (let round = 0; round < changes; round += 1) {
    await ask({ is: "take" });
    const before = usage();
    const started = now();
    await api.ok("PATCH", `layouts/${layoutId}`, { background_color: `#00000${round + 1}` });
    answered.push(now() - started);
    while (total(await ask({ is: "count" })) < players && now() - started < longestMs) await setTimeout(100);
    // Their reports of it are part of a change, too.
    await setTimeout(settleMs);
    const reports = await ask({ is: "take" });
    const hints = reports.flatMap((each) => each.hints).map((at) => at - started);
    const states = reports.flatMap((each) => each.states).map((at) => at - started);
    if (hints.length !== players || states.length !== players) {
      throw new Error(`of ${players} players ${hints.length} were notified, and ${states.length} fetched the state`);
    }
    notified.push(...hints);
    fetched.push(...states);
    serviceMs += usage().service - before.service;
    loadMs += usage().load - before.load;
  }
  const about = { engine, nodes: nodeCount, players };
  printFigure("a change for all: answered, ms", { ...about, ...percentiles(answered) });
  printFigure("a change for all: notified, ms", { ...about, ...percentiles(notified) });
  printFigure("a change for all: fetched, ms (aim: p99 2000 per 10,000 players of a node)", { ...about, ...percentiles(fetched) });
  printFigure("a change for all: CPU time for each player, µs", {
    ...about,
    services: Math.round((1_000 * serviceMs) / changes / players),
    load: Math.round((1_000 * loadMs) / changes / players),
  });
}

function total(reports: readonly Report[]): number {
  return reports.reduce((sum, { stateCount }) => sum + stateCount, 0);
}

function ask(command: SwarmCommand): Promise<Report[]> {
  return Promise.all(swarm.map((child) => send(child, command)));
}

async function send(child: ChildProcess, command: SwarmCommand): Promise<Report> {
  const reply = once(child, "message");
  child.send(command);
  return ((await reply) as [Report])[0];
}

function usage(): { service: number; load: number } {
  const of = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + usageOf(pid).cpuMs, 0);
  return { service: of(nodes.map(({ program }) => program.pid)), load: of(swarm.map(({ pid }) => pid!)) };
}
