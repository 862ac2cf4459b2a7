// The service's start time and memory, empty and full, and its reads against bare Fastify routes in the same run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import Fastify from "fastify";
import { rootFolder } from "../src/main/folders.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { startService } from "../test/support/programs/programs.ts";
import { printFigure, percentiles } from "./lib.ts";
import { measureLoad, type LoadResult } from "./load.ts";
import { fillDataFolder, type FilledFolder } from "./stored.ts";

const rounds = Number(process.argv[2] ?? 5);
const roundMs = 2_000;
const assets = Number(process.argv[3] ?? 100_000);
const players = assets / 10;

/**
 * Serves bare routes: `/memory` sends the service's own responses from memory; `/database` reads the same rows with a prepared
 * statement and sends them unchanged. Prints its port.
 */
async function serveBare(): Promise<never> {
  const [bodies, folder, asset, player] = process.argv.slice(3) as [string, string, string, string];
  const app = Fastify({ logger: false });
  for (const [name, body] of Object.entries(JSON.parse(bodies) as Record<string, unknown>)) app.get(`/memory/${name}`, async () => body);
  const state = new DatabaseSync(join(folder, "state.db"), { readOnly: true });
  for (const [name, id] of Object.entries({ asset, player })) {
    const one = state.prepare(`SELECT * FROM ${name}s WHERE id = ?`);
    const page = state.prepare(`SELECT * FROM ${name}s WHERE team_id = ? ORDER BY created_at DESC, id DESC LIMIT 26`);
    const team = one.get(id)!["team_id"]!;
    app.get(`/database/${articleOf(name)}-${name}`, async () => one.get(id));
    app.get(`/database/25-${name}s`, async () => ({ data: page.all(team).slice(0, 25) }));
  }
  await app.listen({ port: 0, host: "127.0.0.1" });
  const [address] = app.addresses();
  process.stdout.write(`${typeof address === "object" ? address.port : ""}\n`);
  return new Promise(() => undefined);
}

function articleOf(noun: string): string {
  return /^[aeiou]/.test(noun) ? "an" : "a";
}

async function startBare(
  bodies: Record<string, unknown>,
  folder: string,
  { assetId, playerId }: FilledFolder,
): Promise<{ url: string; pid: number } & AsyncDisposable> {
  const given = ["bare", JSON.stringify(bodies), folder, assetId, playerId];
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...given], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return {
    url: `http://127.0.0.1:${port.toString().trim()}`,
    pid: child.pid!,
    async [Symbol.asyncDispose]() {
      const gone = once(child, "exit");
      child.kill();
      await gone;
    },
  };
}

/** Resident memory of a process, MB. */
async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) / 1_024;
}

/** The CPU time of a process, ms. The kernel reports hundredths of a second. */
async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** The result of a load, and the server's CPU time per response. */
async function loaded(pid: number, url: string, token: string): Promise<LoadResult & { cpuMs: number }> {
  const before = await cpuMs(pid);
  const done = await measureLoad(url, token, roundMs);
  return { ...done, cpuMs: ((await cpuMs(pid)) - before) / done.times.length };
}

async function measureStart(name: string, folder: string): Promise<void> {
  const times: number[] = [];
  const memory: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    await using service = await startService(folder);
    times.push(performance.now() - started);
    memory.push(await residentMb(service.program.pid));
  }
  printFigure(`start to listening, ${name}, ms (aim 2000)`, percentiles(times));
  printFigure(`resident at listening, ${name}, MB (aim 150)`, percentiles(memory));
}

/** The same of a program that only listens: the least that a service on Node and Fastify can take. */
async function measureBareStart(): Promise<void> {
  const program = `import Fastify from "fastify"; await Fastify().listen({ port: 0, host: "127.0.0.1" }); process.stdout.write("listening");`;
  const times: number[] = [];
  const memory: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      cwd: rootFolder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    times.push(performance.now() - started);
    memory.push(await residentMb(child.pid!));
    const gone = once(child, "exit");
    child.kill();
    await gone;
  }
  printFigure("start to listening, bare Fastify, ms", percentiles(times));
  printFigure("resident at listening, bare Fastify, MB", percentiles(memory));
}

async function measureReads(folder: string, stored: FilledFolder): Promise<void> {
  const { token, assetId, playerId } = stored;
  await using service = await startService(folder);
  const { url } = service.api;
  const reads = {
    "an asset": { path: `/api/v1/assets/${assetId}`, aim: 0.5 },
    "a player": { path: `/api/v1/players/${playerId}`, aim: 0.5 },
    "25 assets": { path: "/api/v1/assets", aim: 0.33 },
    "25 players": { path: "/api/v1/players", aim: 0.33 },
  };
  const bodies: Record<string, unknown> = {};
  for (const [name, { path }] of Object.entries(reads)) {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
    bodies[name.replace(" ", "-")] = await response.json();
  }
  await using bare = await startBare(bodies, folder, stored);
  for (const [name, { path, aim }] of Object.entries(reads)) {
    const [fromMemory, fromDatabase] = ["memory", "database"].map((kind) => `${bare.url}/${kind}/${name.replace(" ", "-")}`) as [
      string,
      string,
    ];
    // Warm up until the hot code is compiled.
    for (const each of [url + path, fromMemory, fromDatabase]) await measureLoad(each, token, 3_000);
    const runs: Record<"ours" | "bare" | "bareReading", LoadResult & { cpuMs: number }>[] = [];
    // Alternate, so that other load on the machine affects all alike.
    for (let round = 0; round < rounds; round += 1) {
      const ours = await loaded(service.program.pid, url + path, token);
      const inMemory = await loaded(bare.pid, fromMemory, token);
      runs.push({ ours, bare: inMemory, bareReading: await loaded(bare.pid, fromDatabase, token) });
    }
    const { p50, p99 } = percentiles(runs.flatMap(({ ours }) => ours.times));
    printFigure(`GET ${name}`, {
      aim_ratio: aim,
      ratio_to_bare: median(runs.map((run) => run.ours.rps / run.bare.rps)),
      // On a busy machine the rates vary; the CPU time varies less.
      ratio_by_cpu: median(runs.map((run) => run.bare.cpuMs / run.ours.cpuMs)),
      ratio_to_bare_reading: median(runs.map((run) => run.ours.rps / run.bareReading.rps)),
      rps: median(runs.map(({ ours }) => ours.rps)),
      cpu_ms: median(runs.map(({ ours }) => ours.cpuMs)),
      p50_ms: p50,
      p99_ms: p99,
    });
  }
  printFigure("resident after the load, MB", { value: Math.round(await residentMb(service.program.pid)) });
}

/** The median, rounded to a thousandth. */
function median(values: number[]): number {
  return Number(values.toSorted((a, b) => a - b)[values.length >> 1]!.toFixed(3));
}

if (process.argv[2] === "bare") await serveBare();
await using folder = await temporaryFolder();
const [empty, full] = ["empty", "full"].map((name) => join(folder.path, name)) as [string, string];
await mkdir(empty);
await mkdir(full);
await measureBareStart();
await measureStart("empty", empty);
const stored = await fillDataFolder(full, assets, players);
await measureStart(`full (${assets} assets, ${players} players)`, full);
await measureReads(full, stored);
