// Ten thousand simulated players on one service: memory, heartbeats, a change to all, and recovery after kill -9. Usage: swarm.ts [players] [processes] [changes]
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openStore } from "../src/service/store/store.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { startService } from "../test/support/programs/programs.ts";
import { printFigure, percentiles, usageOf } from "./lib.ts";
import type { SwarmCommand } from "./swarm/child.ts";
import { fillPlayers } from "./swarm/fill.ts";
import type { SwarmStats } from "./swarm/player.ts";

const players = Number(process.argv[2] ?? 10_000);
const processes = Number(process.argv[3] ?? 3);
const changes = Number(process.argv[4] ?? 5);
const idleMs = 60_000;
const handshakesAtOnce = 24;
const settleMs = 5_000;
const maxRecoveryMs = 120_000;

type Report = SwarmStats & { hintCount: number; stateCount: number };
const now = (): number => performance.timeOrigin + performance.now();

await using folder = await temporaryFolder();
const data = join(folder.path, "service");
const { layoutId, tokens } = await prepare();
let service = await startService(data);
const { port } = new URL(service.api.url);
const url = service.api.url;
const rssBefore = rssOf(service.program.pid);

const swarm = Array.from({ length: processes }, () => fork(fileURLToPath(new URL("swarm/child.ts", import.meta.url)), { execArgv: [] }));
const loadRssBefore = swarm.map(({ pid }) => rssOf(pid!)).reduce((sum, each) => sum + each, 0);
try {
  await connectAll();
  await setTimeout(settleMs);
  printFigure("service memory per connected player, kB", {
    players,
    rss: Math.round((rssOf(service.program.pid) - rssBefore) / players / 1_024),
    load_rss: Math.round((swarm.map(({ pid }) => rssOf(pid!)).reduce((sum, each) => sum + each, 0) - loadRssBefore) / players / 1_024),
    service_rss_mb: Math.round(rssOf(service.program.pid) / 1_024 ** 2),
  });
  await heartbeats();
  await layoutChanges();
  await setTimeout(settleMs);
  await killed();
} finally {
  for (const child of swarm) child.kill();
  await service[Symbol.asyncDispose]();
}

async function prepare(): Promise<{ layoutId: string; tokens: string[] }> {
  await using first = await startService(data);
  const { layoutId: made } = await first.api.publish([{ type: "web", url: "https://example.com/", duration_ms: 10_000 }]);
  await first.program.stop();
  await using store = await openStore(data);
  const filled = await fillPlayers(store, made, players);
  return { layoutId: made, tokens: filled.map(({ token }) => token) };
}

async function connectAll(): Promise<void> {
  const started = now();
  const before = usage();
  const share = Math.ceil(players / processes);
  await Promise.all(
    swarm.map((child, place) => {
      const ownTokens = tokens.slice(place * share, (place + 1) * share);
      return send(child, { is: "open", url, tokens: ownTokens, atOnce: Math.ceil(handshakesAtOnce / processes) });
    }),
  );
  const seconds = (now() - started) / 1_000;
  printFigure("first handshakes", { players, per_s: Math.round(players / seconds), ...cpuSince(before, seconds) });
}

async function heartbeats(): Promise<void> {
  const before = usage();
  const started = now();
  await setTimeout(idleMs);
  printFigure("heartbeats of all at 30 s", { players, ...cpuSince(before, (now() - started) / 1_000) });
}

async function layoutChanges(): Promise<void> {
  const all: number[] = [];
  const had: number[] = [];
  for (let round = 0; round < changes; round += 1) {
    await take();
    const before = usage();
    const started = now();
    await service.api.ok("PATCH", `layouts/${layoutId}`, { background_color: `#00000${round + 1}` });
    const answered = Math.round(now() - started);
    const seconds = () => (now() - started) / 1_000;
    while ((await count()).reduce((sum, report) => sum + report.stateCount, 0) < players && seconds() < 60) await setTimeout(100);
    const reports = await take();
    const hints = reports.flatMap((each) => each.hints).map((at) => at - started);
    const states = reports.flatMap((each) => each.states).map((at) => at - started);
    if (hints.length !== players) throw new Error(`${hints.length} of ${players} received the change`);
    all.push(...hints);
    had.push(...states);
    const state = { fetched: states.length, fetched_p99: percentiles(states).p99 };
    printFigure("one layout change: notification, ms", {
      round,
      ...percentiles(hints),
      answered,
      ...state,
      ...cpuSince(before, seconds()),
    });
    await setTimeout(settleMs);
  }
  printFigure("layout change, from the request to each player's notification, ms", { players, ...percentiles(all) });
  printFigure("layout change, until each player has fetched the state, ms", { players, ...percentiles(had) });
}

/** Sends a command to every player, kills the service after the response, and measures the reconnection to a new one. */
async function killed(): Promise<void> {
  await take();
  const commanded = (await count()).reduce((sum, { commands }) => sum + commands, 0);
  await service.api.ok("POST", "commands", { target: { tag: "all" }, type: "identify", args: {}, ttl_s: 600 });
  await service.program.kill();
  const killedAt = now();
  const loadBefore = loadUsage();
  service = await startService(data, "--port", port);
  const upAt = now();
  const returned: number[] = [];
  const attempts: number[] = [];
  const wanted = Math.ceil(players * 0.99);
  while (now() - killedAt < maxRecoveryMs) {
    await setTimeout(500);
    for (const report of await take()) {
      returned.push(...report.welcomes.filter((at) => at > killedAt).map((at) => at - killedAt));
      attempts.push(...report.attempts.map((at) => at - killedAt));
    }
    if (returned.length >= players) break;
  }
  const seconds = (now() - killedAt) / 1_000;
  await setTimeout(settleMs);
  const reports = await count();
  const sum = (read: (each: Report) => number) => reports.reduce((total, each) => total + read(each), 0);
  const asked = attempts.filter((at) => at >= upAt - killedAt);
  printFigure("kill -9: recovery", {
    players,
    service_down_ms: Math.round(upAt - killedAt),
    back: returned.length,
    back_99_percent_ms: Math.round(returned.toSorted((a, b) => a - b)[wanted - 1] ?? -1),
    handshakes_asked: asked.length,
    handshakes_asked_peak_per_s: peak(asked),
    attempts_peak_per_s: peak(attempts),
    service_cpu_percent: Math.round(usageOf(service.program.pid).cpuMs / seconds / 10),
    load_cpu_percent: Math.round((loadUsage() - loadBefore) / seconds / 10),
  });
  printFigure("kill -9: losses", {
    commands_sent: players,
    commands_heard: sum((each) => each.commands) - commanded,
    gaps_in_seq: sum((each) => each.gaps),
    not_resumed: sum((each) => each.lost),
  });
}

/** The highest count within a whole second. */
function peak(times: readonly number[]): number {
  const bySecond = Map.groupBy(times, (at) => Math.floor(at / 1_000));
  return Math.max(0, ...[...bySecond.values()].map(({ length }) => length));
}

async function send(child: ChildProcess, command: SwarmCommand): Promise<Report> {
  const reply = once(child, "message");
  child.send(command);
  return ((await reply) as [Report])[0];
}
function count(): Promise<Report[]> {
  return Promise.all(swarm.map((child) => send(child, { is: "count" })));
}
function take(): Promise<Report[]> {
  return Promise.all(swarm.map((child) => send(child, { is: "take" })));
}

function usage(): { service: number; load: number } {
  return { service: usageOf(service.program.pid).cpuMs, load: loadUsage() };
}
function loadUsage(): number {
  return swarm.reduce((sum, { pid }) => sum + usageOf(pid!).cpuMs, 0);
}
/** CPU usage in percent of a core: of the service, and of the processes that simulate the players. */
function cpuSince(before: { service: number; load: number }, seconds: number): Record<string, number> {
  const after = usage();
  const percent = (ms: number) => Math.round(ms / seconds / 10);
  return { service_cpu_percent: percent(after.service - before.service), load_cpu_percent: percent(after.load - before.load) };
}

function rssOf(pid: number): number {
  return 1_024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]);
}
