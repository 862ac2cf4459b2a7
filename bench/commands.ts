// A command from its REST request to its result, on a real player's command path, beside a bare WebSocket round trip. Usage: commands.ts [count]
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { eventsSubprotocol } from "../src/protocol/operator/events.ts";
import { pairFolder, startDevice } from "../scripts/soak/commands/paired-device.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { type Api, startService } from "../test/support/programs/programs.ts";
import { percentiles, printFigure } from "./lib.ts";

const count = Number(process.argv[2] ?? 200);
const warmUp = 10;

await using folder = await temporaryFolder();
await using service = await startService(join(folder.path, "service"));
const home = join(folder.path, "device");
const playerId = await pairFolder(service.api, home, "Screen");
await using device = startDevice(`${service.api.url}/`, home, join(folder.path, "effects.jsonl"));
await device.line("started");
const bare = await measureBare();
const commands = await measureCommands(service.api);
printFigure("bare WebSocket round trip, ms", bare);
printFigure("command, REST to result, ms", commands);
printFigure("command beside bare round trip, ratio", { p50: ratio(commands.p50, bare.p50), p99: ratio(commands.p99, bare.p99) });

/** Each command is sent when the one before has ended. A subscriber to events sees the end. */
async function measureCommands(api: Api): Promise<ReturnType<typeof percentiles>> {
  const headers = { authorization: `Bearer ${api.token}` };
  const socket = new WebSocket(`${api.url.replace("http", "ws")}/api/v1/events`, eventsSubprotocol, { headers });
  await once(socket, "open");
  const ended = new Map<string, () => void>();
  const early = new Set<string>();
  socket.on("message", (raw: Buffer) => {
    const message = JSON.parse(raw.toString()) as { type: string; data: { type?: string; data?: { id: string } } };
    if (message.type !== "event" || message.data.type !== "command.succeeded") return;
    const { id } = message.data.data!;
    const resolve = ended.get(id);
    if (resolve === undefined) early.add(id);
    else resolve();
  });
  socket.send(JSON.stringify({ type: "subscribe", id: "1", data: { kinds: ["commands"] } }));
  await once(socket, "message");
  const times: number[] = [];
  for (let time = 0; time < warmUp + count; time += 1) {
    const startedAt = performance.now();
    const { id } = await api.ok("POST", `players/${playerId}/commands`, { type: "ping" });
    if (!early.delete(id)) await new Promise<void>((resolve) => ended.set(id, resolve));
    if (time >= warmUp) times.push(performance.now() - startedAt);
  }
  socket.close();
  return percentiles(times);
}

async function measureBare(): Promise<ReturnType<typeof percentiles>> {
  const echo = fork(fileURLToPath(new URL("commands/echo.ts", import.meta.url)), { execArgv: [] });
  const [port] = (await once(echo, "message")) as [number];
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  await once(socket, "open");
  const times: number[] = [];
  for (let time = 0; time < warmUp + count; time += 1) {
    const startedAt = performance.now();
    socket.send("x".repeat(500));
    await once(socket, "message");
    if (time >= warmUp) times.push(performance.now() - startedAt);
  }
  socket.close();
  echo.kill();
  return percentiles(times);
}

function ratio(a: number, b: number): number {
  return Math.round((10 * a) / b) / 10;
}
