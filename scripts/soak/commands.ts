// The soak part `commands`: commands under random kills of service and players. None may be lost, run twice or run late.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { finalStatuses, type CommandStatus } from "../../src/protocol/device/commands.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { type Api, Program, startService } from "../../test/support/programs/programs.ts";
import { waitUntil } from "../../test/support/polling.ts";
import { newId } from "../../test/support/states.ts";
import { pairFolder, startDevice } from "./commands/paired-device.ts";
import type { SoakPart, SoakRun } from "./soak-run.ts";
import { Supervised } from "./supervised.ts";

interface Shown {
  id: string;
  type: string;
  status: CommandStatus;
  expires_at: string;
  history: { status: CommandStatus }[];
}
interface Place {
  api: Api;
  service: Supervised;
  devices: { playerId: string; process: Supervised }[];
  accepted: Set<string>;
}

const restartMs = 200;
const usualLanes = 12;
// The player looks at the clock immediately before it begins; its process may then wait for the CPU.
const toleranceMs = 250;
const endLimitMs = 900_000;
const giveUpMs = 120_000;

export const commands: SoakPart = {
  about: "commands under kill -9 of service and players: none lost, none twice, none late",
  unit: "commands",
  usual: 10_000,
  async run(run) {
    const players = Math.min(8, Math.max(2, Math.floor(run.amount / 500)));
    const tookMs = await runCommands(run, players);
    if (run.violations.length === 0 && !run.signal.aborted) await run.try({ players }, async () => tookMs, run.amount);
    return null;
  },
};

/**
 * Sends `run.amount` commands to `players` players, kills everything at random meanwhile, and judges every command.
 * @param longestPauseMs between two kills. @param lanes how many requests are made at the same time. @returns the time that all took, in ms.
 */
export async function runCommands(run: SoakRun, players: number, { longestPauseMs = 3_000, lanes = usualLanes } = {}): Promise<number> {
  await using folder = await temporaryFolder();
  const data = join(folder.path, "service");
  const effects = join(folder.path, "effects.jsonl");
  let first: Api;
  const prepared: { playerId: string; home: string }[] = [];
  {
    await using started = await startService(data);
    first = started.api;
    for (let place = 0; place < players; place += 1) {
      const home = join(folder.path, `device-${place}`);
      prepared.push({ home, playerId: await pairFolder(first, home, `Screen ${place}`) });
    }
    await started.program.stop();
  }
  const { port } = new URL(first.url);
  const limits = ["--requests-per-minute", "1000000"];
  const serve = (): Program => new Program(["src/main/cli.ts", "serve", "--port", port, "--data", data, ...limits]);
  await using service = new Supervised(serve, restartMs);
  await service.current.line("listening");
  await using stack = new AsyncDisposableStack();
  const devices = prepared.map(({ playerId, home }) => ({
    playerId,
    process: stack.use(new Supervised(() => startDevice(`${first.url}/`, home, effects), restartMs)),
  }));
  const place: Place = { api: first, service, devices, accepted: new Set() };
  const end = new AbortController();
  const startedAt = performance.now();
  const counts = { service: 0, player: 0 };
  const killing = killAtRandom(run, place, counts, { longestPauseMs, signal: end.signal });
  try {
    await sendAll(run, place, lanes);
    run.print({ accepted: place.accepted.size, ...counts, seconds: Math.round((performance.now() - startedAt) / 1_000) });
  } finally {
    end.abort();
    await killing;
  }
  await waitUntil("the service is up", () => allCommands(first).then(Boolean, () => false), giveUpMs);
  // One more kill of each player: the next ones connect at once, while these may wait up to a minute after many kills of the service.
  for (const { process } of devices) await process.current.kill();
  counts.player += devices.length;
  const shown = await untilAllEnded(run, place);
  const byStatus = await judge(run, place, shown, effects);
  const tookMs = performance.now() - startedAt;
  const seconds = Math.round(tookMs / 1_000);
  run.print({ commands: place.accepted.size, ...byStatus, service_kills: counts.service, player_kills: counts.player, seconds });
  return tookMs;
}

async function sendAll(run: SoakRun, place: Place, lanes: number): Promise<void> {
  let left = run.amount;
  const lane = async (): Promise<void> => {
    while (left > 0 && !run.signal.aborted) {
      left -= 1;
      const { playerId } = run.random.pick(place.devices);
      const id = await sendOne(run, place, playerId);
      if (run.random.next() < 0.03)
        await accepted(run, () => post(place.api, `players/${playerId}/commands/${id}/cancel`, {}, newId("cmd")));
      await run.pause(run.random.integer(0, 100));
    }
  };
  // Ctrl+C ends the sending: what was accepted until then is judged.
  const untilStopped = (error: unknown): void => {
    if (!run.signal.aborted) throw error;
  };
  await Promise.all(Array.from({ length: lanes }, () => lane().catch(untilStopped)));
}

/** Repeats the request until the service has accepted it; its key makes it one command. */
async function sendOne(run: SoakRun, { api, accepted: ids }: Place, playerId: string): Promise<string> {
  const kind = run.random.next();
  const ttl_s = run.random.next() < 0.15 ? run.random.integer(1, 5) : 300;
  const body =
    kind < 0.6
      ? { type: "ping", ttl_s }
      : kind < 0.98
        ? { type: "identify", args: { duration_ms: 1_000 }, ttl_s }
        : { type: "restart", ttl_s };
  const key = newId("cmd");
  const response = await accepted(run, () => post(api, `players/${playerId}/commands`, body, key));
  const { id } = (await response.json()) as { id: string };
  ids.add(id);
  return id;
}

async function accepted(run: SoakRun, request: () => Promise<Response>): Promise<Response> {
  for (;;) {
    run.signal.throwIfAborted();
    // While the service is down, the connection is refused or ends.
    const response = await request().catch(() => null);
    if (response !== null && (response.ok || response.status === 409)) return response;
    if (response !== null && response.status < 500 && response.status !== 429) {
      throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
    }
    await run.pause(50);
  }
}

function post(api: Api, path: string, body: object, key: string): Promise<Response> {
  const headers = { authorization: `Bearer ${api.token}`, "content-type": "application/json", "idempotency-key": key };
  const signal = AbortSignal.timeout(10_000);
  return fetch(`${api.url}/api/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body), signal });
}

async function killAtRandom(
  run: SoakRun,
  place: Place,
  counts: { service: number; player: number },
  { longestPauseMs, signal }: { longestPauseMs: number; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    const ended = await pause(run.random.integer(300, longestPauseMs), false, { signal }).catch(() => true);
    if (ended || run.signal.aborted) return;
    const isService = run.random.next() < 0.25 || counts.service === 0;
    const { current } = isService ? place.service : run.random.pick(place.devices).process;
    counts[isService ? "service" : "player"] += 1;
    await current.kill();
    // On a busy machine the service would otherwise never be up.
    if (isService) await isListening(place.service, current, signal);
  }
}

/** Resolves when the service that follows `killed` listens, or when `signal` aborts. */
async function isListening(service: Supervised, killed: Program, signal: AbortSignal): Promise<void> {
  while (service.current === killed && !signal.aborted) await pause(20);
  const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  await Promise.race([service.current.line("listening"), aborted]);
}

async function allCommands(api: Api): Promise<Shown[]> {
  const all: Shown[] = [];
  for (let cursor = ""; ;) {
    const page = await api.ok("GET", `commands?limit=100${cursor}`);
    all.push(...(page["data"] as unknown as Shown[]));
    if (typeof page["next_cursor"] !== "string") return all;
    cursor = `&cursor=${encodeURIComponent(page["next_cursor"])}`;
  }
}

async function untilAllEnded(run: SoakRun, { api }: Place): Promise<Shown[]> {
  const started = performance.now();
  for (;;) {
    const shown = await allCommands(api).catch(() => null);
    if (shown?.every(({ status }) => finalStatuses.includes(status)) === true) return shown;
    if (performance.now() - started > endLimitMs) {
      const open = shown?.filter(({ status }) => !finalStatuses.includes(status)) ?? [];
      for (const { id, type, status } of open) run.violate(`${id} (${type}) is still ${status} after ${endLimitMs / 1_000} s`);
      return shown ?? [];
    }
    await pause(1_000);
  }
}

/** @returns how many commands ended with which status. */
async function judge(run: SoakRun, { accepted: ids }: Place, shown: readonly Shown[], effects: string): Promise<Record<string, number>> {
  const byId = new Map(shown.map((command) => [command.id, command]));
  const begun = new Map<string, number[]>();
  for (const line of (await readFile(effects, "utf8")).trimEnd().split("\n")) {
    const { id, at } = JSON.parse(line) as { id: string; at: number };
    begun.set(id, [...(begun.get(id) ?? []), at]);
  }
  const byStatus: Record<string, number> = {};
  for (const id of ids) {
    const command = byId.get(id);
    if (command === undefined) {
      run.violate(`${id} is lost: the service accepted it and does not have it`);
      continue;
    }
    const { status, expires_at, history } = command;
    byStatus[status] = (byStatus[status] ?? 0) + 1;
    const times = begun.get(id) ?? [];
    if (times.length > 1) run.violate(`${id} (${command.type}) began ${times.length} times`);
    if (times.some((at) => at > Date.parse(expires_at) + toleranceMs)) run.violate(`${id} began after its expiry`);
    if (status === "succeeded" && times.length === 0) run.violate(`${id} succeeded but never began`);
    if ((status === "expired" || status === "rejected") && times.length > 0) run.violate(`${id} began but is ${status}`);
    if (history[0]?.status !== "queued" || history.at(-1)?.status !== status) run.violate(`${id} has a wrong history`);
  }
  for (const id of begun.keys()) if (!byId.has(id)) run.violate(`${id} began but the service does not have it`);
  return { ...byStatus, begun: begun.size };
}
