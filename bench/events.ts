// The time from a change to 1,000 subscribers, next to a bare `ws` server that sends the same text, and from a change to a webhook.
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { WebSocket, WebSocketServer } from "ws";
import { temporaryFolder } from "../test/support/folder.ts";
import { startService } from "../test/support/programs/programs.ts";
import { join } from "node:path";
import { printFigure, percentiles } from "./lib.ts";

const subscribers = Number(process.argv[2] ?? 1_000);
const changes = Number(process.argv[3] ?? 100);

// As a child process: opens the sockets, and reports for every round when the last one received the event, by the system clock.
if (process.send !== undefined) {
  const [url, token, count] = process.argv.slice(2) as [string, string, string];
  let received = 0;
  const open = async (): Promise<void> => {
    const socket = new WebSocket(url, "signage.events.v1", { headers: { authorization: `Bearer ${token}` }, perMessageDeflate: false });
    await once(socket, "open");
    const ready = new Promise<void>((resolve) => {
      socket.on("message", (raw: Buffer) => {
        const { type } = JSON.parse(raw.toString()) as { type: string };
        if (type === "subscribed") return resolve();
        if (type !== "event") return;
        received += 1;
        if (received % Number(count) === 0) process.send!(performance.timeOrigin + performance.now());
      });
    });
    socket.send(JSON.stringify({ type: "subscribe", id: "1", data: { kinds: ["playlist_updates"] } }));
    await ready;
  };
  for (let opened = 0; opened < Number(count); opened += 50) await Promise.all(Array.from({ length: 50 }, open));
  process.send(0);
} else {
  const now = (): number => performance.timeOrigin + performance.now();
  async function measure(url: string, token: string, change: (round: number) => Promise<unknown>): Promise<number[]> {
    const child = fork(fileURLToPath(import.meta.url), [url, token, String(subscribers)], { execArgv: [] });
    await once(child, "message");
    const times: number[] = [];
    for (let round = 0; round < changes; round += 1) {
      const reported = once(child, "message");
      const started = now();
      await change(round);
      times.push(((await reported) as [number])[0] - started);
    }
    child.kill();
    await once(child, "exit");
    return times;
  }

  await using folder = await temporaryFolder();
  await using service = await startService(join(folder.path, "service"), "--allow-address", "127.0.0.1/32");
  const { api } = service;
  const playlist = await api.ok("POST", "playlists", { name: "0" });
  const rename = (round: number) => api.ok("PATCH", `playlists/${String(playlist["id"])}`, { name: `${round + 1}` });
  const ours = await measure(`${api.url.replace("http", "ws")}/api/v1/events`, api.token, rename);

  // The baseline: an HTTP request that sends one text to every socket.
  const server = createServer((_request, response) => {
    const text = JSON.stringify({
      type: "event",
      seq: 1,
      data: { id: "evt_01jd3v8q6m9x2k4n7r5t1w0yzh", data: { playlist_id: playlist["id"] } },
    });
    for (const socket of sockets.clients) socket.send(text);
    response.end();
  });
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on("connection", (socket) => socket.on("message", () => socket.send('{"type":"subscribed"}')));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const bare = await measure(`ws://127.0.0.1:${port}`, "none", () => fetch(`http://127.0.0.1:${port}/`, { method: "POST" }));
  sockets.close();
  server.closeAllConnections();
  server.close();

  // From the response to the change, which follows its commit, to the message at the receiver.
  const arrived: PromiseWithResolvers<number>[] = [];
  const receiver = createServer((request, response) => {
    arrived.at(-1)!.resolve(performance.now());
    request.resume();
    response.end();
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  await api.ok("POST", "webhooks", { name: "bench", url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` });
  const first: number[] = [];
  for (let round = 0; round < changes; round += 1) {
    arrived.push(Promise.withResolvers());
    await rename(changes + round);
    const answered = performance.now();
    first.push(Math.max(0, (await arrived.at(-1)!.promise) - answered));
  }
  receiver.closeAllConnections();
  receiver.close();

  const [a, b] = [percentiles(ours), percentiles(bare)];
  printFigure(`request to the last of ${subscribers} subscribers, ms`, a);
  printFigure(`the same by bare ws, ms`, b);
  printFigure("commit to a webhook's first attempt, ms", percentiles(first));
  printFigure("ratio to bare ws", { p50: a.p50 / b.p50, p99: a.p99 / b.p99 });
}
