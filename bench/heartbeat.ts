// A heartbeat on the wire and at the service: bytes of whole ones and of those that carry only what has changed, taken from a real player
// with the demo's content, and the service's CPU time for each. `node bench/heartbeat.ts [heartbeats]`
import { join } from "node:path";
import { silentLog } from "../src/base/log.ts";
import { publishDemo } from "../src/main/demo/demo-content.ts";
import { ServiceClient } from "../src/main/service-client.ts";
import { heartbeatChanges } from "../src/player/link/heartbeat-sequence.ts";
import { DeviceMessage, parseMessage } from "../src/protocol/device/messages.ts";
import type { Heartbeat } from "../src/protocol/device/heartbeat.ts";
import { mergeHeartbeat } from "../src/service/fleet/heartbeats/merge.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { startSocketProxy } from "../test/support/network/socket-proxy.ts";
import { eventually } from "../test/support/polling.ts";
import { type Api, startPlayer, startService } from "../test/support/programs/programs.ts";
import { Device, type DeviceSocket } from "../test/service/harness.ts";
import { percentiles, printFigure } from "./lib.ts";

const captured = Number(process.argv[2] ?? 25);
const [devices, perDevice, rounds] = [20, 150, 4];
const aimBytes = 1_000;

await using folder = await temporaryFolder();
await using service = await startService(join(folder.path, "service"));
const { api } = service;
const sequence = await captureHeartbeats();
await measureCpu(sequence);

/** The heartbeats of a real player that shows the demo, as it sent them. Every figure of bytes is of a whole message. */
async function captureHeartbeats(): Promise<Heartbeat[]> {
  const whole: number[] = [];
  const deltas: number[] = [];
  const heartbeats: Heartbeat[] = [];
  let isPlaying = false;
  const note = (text: string): string => {
    const parsed = parseMessage(DeviceMessage, text);
    if (parsed.is !== "known") throw new Error(`unexpected message: ${text}`);
    const { message } = parsed;
    if (message.type === "hello") heartbeats.push(message.data.heartbeat);
    if (message.type === "heartbeat") heartbeats.push(message.data);
    if (message.type !== "heartbeat.delta") return text;
    const merged = mergeHeartbeat(heartbeats.at(-1)!, message.data);
    if (merged === null) throw new Error("a delta that does not fit");
    heartbeats.push(merged);
    isPlaying ||= merged.content.is === "applied" && merged.now_playing.length > 0;
    if (!isPlaying) return text;
    deltas.push(Buffer.byteLength(text));
    whole.push(Buffer.byteLength(JSON.stringify({ ...message, type: "heartbeat", data: merged })));
    return text;
  };
  // Heartbeats come every 3 s instead of every 30 s.
  const quicken = (text: string): string => {
    const message = JSON.parse(text) as { type: string; data: { heartbeat_ms: number } };
    if (message.type === "welcome") message.data.heartbeat_ms = 3_000;
    return JSON.stringify(message);
  };
  await using proxy = await startSocketProxy(api.url, note, quicken);
  await using player = startPlayer(proxy.url, join(folder.path, "player"));
  const playerId = await api.pair(player);
  const { signal } = new AbortController();
  await publishDemo(new ServiceClient(api.url, api.token), playerId, silentLog, signal);
  await eventually(() => deltas.length >= captured);
  printFigure("bytes of a whole heartbeat", percentiles(whole));
  printFigure("bytes of a heartbeat that carries what has changed", { aim_p50: aimBytes, ...percentiles(deltas) });
  const ratio = deltas.reduce((sum, bytes) => sum + bytes, 0) / whole.reduce((sum, bytes) => sum + bytes, 0);
  printFigure("bytes of what has changed against whole heartbeats", { ratio: Number(ratio.toFixed(2)) });
  return heartbeats.slice(-captured);
}

/** The service's CPU time per heartbeat, whole and as what has changed, alternating in one run. */
async function measureCpu(heartbeats: readonly Heartbeat[]): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: devices }, () => connect(heartbeats[0]!)));
  const cpuMs: Record<"whole" | "changed", number[]> = { whole: [], changed: [] };
  for (let round = 0; round < 2 * rounds + 2; round += 1) {
    const kind = round % 2 === 0 ? "whole" : "changed";
    const before = await cpuOf(api);
    await Promise.all(sockets.map((socket) => send(socket, heartbeats, kind === "changed")));
    const used = (await cpuOf(api)) - before;
    // The first pair warms up.
    if (round >= 2) cpuMs[kind].push((1_000 * used) / (devices * perDevice));
  }
  printFigure("service CPU for a whole heartbeat, µs", percentiles(cpuMs.whole));
  printFigure("service CPU for what has changed, µs", percentiles(cpuMs.changed));
  const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
  printFigure("service CPU of what has changed against whole heartbeats", {
    ratio: Number((median(cpuMs.changed) / median(cpuMs.whole)).toFixed(2)),
  });
}

async function connect(first: Heartbeat): Promise<DeviceSocket> {
  const device = new Device(api.url);
  await device.askForCode();
  await api.ok("POST", "players/pair", { code: device.grant.user_code, name: "Screen" });
  await device.firstToken();
  const socket = device.socket();
  socket.send({ id: "first", type: "hello", data: { epoch: null, last_seq: 0, revision: null, heartbeat: first } });
  await socket.next("welcome");
  return socket;
}

/** Sends the heartbeats again and again, the first of them whole, and waits for each answer. */
async function send(socket: DeviceSocket, heartbeats: readonly Heartbeat[], asChanges: boolean): Promise<void> {
  let before: { id: string; heartbeat: Heartbeat } | null = null;
  for (let count = 0; count < perDevice; count += 1) {
    const heartbeat: Heartbeat = heartbeats[count % heartbeats.length]!;
    const id = String(count);
    if (asChanges && before !== null) {
      const data = { base: before.id, ...heartbeatChanges(before.heartbeat, heartbeat) };
      socket.send({ id, type: "heartbeat.delta", data });
    } else socket.send({ id, type: "heartbeat", data: heartbeat });
    before = { id, heartbeat };
    await socket.next("heartbeat.answer");
  }
}

/** The CPU time of the service so far, ms. */
async function cpuOf({ url, token }: Api): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
  return ["user", "system"].reduce(
    (sum, mode) => sum + 1_000 * Number(new RegExp(`^process_cpu_${mode}_seconds_total (\\S+)$`, "m").exec(text)?.[1] ?? 0),
    0,
  );
}
