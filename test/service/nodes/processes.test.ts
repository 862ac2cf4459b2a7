// Two real processes of the service on one PostgreSQL and one nats-server: kill, pause, drain, and what the probes say.
import { copyFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { TestNats } from "../../support/nats.ts";
import { waitUntil } from "../../support/polling.ts";
import { startPostgres, type TestPostgres } from "../../support/postgres.ts";
import { Program } from "../../support/programs/programs.ts";
import { signalIfThere } from "../../support/programs/signal-if-there.ts";
import { call, Device, DeviceSocket, type ApiResponse } from "../harness.ts";

let postgres: TestPostgres;
let nats: TestNats;

beforeAll(async () => {
  [postgres, nats] = await Promise.all([startPostgres(), TestNats.start()]);
});
afterAll(async () => {
  await nats[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});

/** A node as a process, and the API of the service through it. */
class NodeProcess implements AsyncDisposable {
  readonly program: Program;
  url = "";
  token = "";

  constructor(folder: string, flags: readonly string[]) {
    this.program = new Program(["src/main/cli.ts", "serve", "--port", "0", "--data", folder, ...flags]);
  }

  async listening(token: string): Promise<this> {
    this.url = String((await this.program.line("listening"))["url"]);
    this.token = token;
    return this;
  }

  call(method: string, path: string, body?: unknown): Promise<ApiResponse> {
    return call(this.url, method, path, body, { authorization: `Bearer ${this.token}` });
  }

  /** The value of a metric of this node. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    const line = text.split("\n").find((each) => each.startsWith(`${name}{`));
    expect(line).toMatch(/node="nod_[0-9a-z]{26}"/);
    return Number(line!.split(" ").at(-1));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    signalIfThere(this.program.pid, "SIGCONT");
    await this.program[Symbol.asyncDispose]();
  }
}

async function startTwo(flags: readonly string[] = []) {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const database = await postgres.createDatabase();
  const folders = [join(folder.path, "a"), join(folder.path, "b")] as const;
  for (const each of folders) await mkdir(each);
  const all = ["--database", database, "--messages", nats.url, "--messages-accept-old-server", ...flags];
  const a = opened.use(new NodeProcess(folders[0], all));
  await a.program.line("listening");
  const token = (await readFile(join(folders[0], "admin-token"), "utf8")).trim();
  await copyFile(join(folders[0], "admin-token"), join(folders[1], "admin-token"));
  const b = opened.use(new NodeProcess(folders[1], all));
  await Promise.all([a.listening(token), b.listening(token)]);
  const owned = opened.move();
  return { a, b, folders, flags: all, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function pair(node: NodeProcess): Promise<Device> {
  const device = new Device(node.url);
  await device.askForCode();
  await node.call("POST", "players/pair", { code: device.grant.user_code, name: "Screen" });
  await device.firstToken();
  return device;
}

async function connect(node: NodeProcess, device: Device): Promise<DeviceSocket> {
  const link = new DeviceSocket(node.url, device.access.access_token);
  link.hello();
  await link.next("welcome");
  return link;
}

test("[NOD21] a node that is paused loses the duties to the other, which serves its players; when it wakes it changes nothing and goes on", async () => {
  await using two = await startTwo();
  const { a, b } = two;
  expect(await a.metric("signage_node_has_duties")).toBe(1);
  const device = await pair(a);
  process.kill(a.program.pid, "SIGSTOP");
  const link = await connect(b, device);
  await b.call("POST", `players/${device.playerId}/commands`, { type: "identify" });
  await link.next("command");
  await waitUntil("b has the duties", async () => (await b.metric("signage_node_has_duties")) === 1, 40_000);
  await waitUntil("a counts as gone", async () => (await b.metric("signage_nodes_live")) === 1, 40_000);
  process.kill(a.program.pid, "SIGCONT");
  await waitUntil("a is back", async () => (await b.metric("signage_nodes_live")) === 2, 40_000);
  await waitUntil("a has given up its duties", async () => (await a.metric("signage_node_has_duties")) === 0);
  // What the paused node commits reaches the socket of the other.
  await a.call("POST", `players/${device.playerId}/commands`, { type: "identify" });
  await link.next("command");
});

test("[NOD22] after kill -9 of a node the other one takes the duties and the players, and every confirmed write is there", async () => {
  await using two = await startTwo();
  const { a, b } = two;
  const device = await pair(a);
  const link = await connect(a, device);
  const created: string[] = [];
  const writing = (async () => {
    for (;;) {
      const answer = await a.call("POST", "playlists", { name: "P", items: [] }).catch(() => null);
      if (answer === null) return;
      created.push(answer.body.id);
    }
  })();
  await waitUntil("some are written", () => created.length > 20);
  await a.program.kill();
  await Promise.all([writing, link.closed]);
  const again = await connect(b, device);
  for (const id of created) expect((await b.call("GET", `playlists/${id}`)).status).toBe(200);
  await b.call("POST", `players/${device.playerId}/commands`, { type: "identify" });
  await again.next("command");
  await waitUntil("b has the duties", async () => (await b.metric("signage_node_has_duties")) === 1, 40_000);
});

test("[NOD23] a node that is told to stop is not ready at once, sends its players away over the drain's time, and serves requests meanwhile", async () => {
  await using two = await startTwo(["--drain", "3"]);
  const { a, b } = two;
  const devices = await Promise.all(Array.from({ length: 6 }, () => pair(a)));
  const links = await Promise.all(devices.map((device) => connect(a, device)));
  const away = links.map(async (link, at) => {
    await link.closed;
    const time = performance.now();
    await connect(b, devices[at]!);
    return time;
  });
  const stoppedAt = performance.now();
  process.kill(a.program.pid, "SIGTERM");
  await waitUntil("a is not ready", async () => (await fetch(`${a.url}/readyz`)).status === 503);
  expect((await fetch(`${b.url}/readyz`)).status).toBe(200);
  expect((await a.call("POST", "playlists", { name: "while draining", items: [] })).status).toBe(201);
  const times = (await Promise.all(away)).map((time) => time - stoppedAt);
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(1_500);
  expect(await a.program.exitCode).toBe(0);
  // The lease was given back: nobody waits ten seconds for its end.
  await waitUntil("b is alone with the duties", async () => (await b.metric("signage_nodes_live")) === 1, 5_000);
  await waitUntil("b has the duties", async () => (await b.metric("signage_node_has_duties")) === 1, 5_000);
});

test("[NOD24] without NATS a node stays ready and says so; without PostgreSQL it is not ready, stays up, and is ready when it is back", async () => {
  await using folder = await temporaryFolder();
  const own = await startPostgres({ folder: folder.path });
  const database = await own.createDatabase();
  await using data = await temporaryFolder();
  await using messages = await TestNats.start();
  await using node = new NodeProcess(data.path, ["--database", database, "--messages", messages.url, "--messages-accept-old-server"]);
  await node.program.line("listening");
  await node.listening((await readFile(join(data.path, "admin-token"), "utf8")).trim());
  const device = await pair(node);
  const link = await connect(node, device);
  const ready = async () => {
    const response = await fetch(`${node.url}/readyz`);
    return { status: response.status, body: (await response.json()) as { messages?: string; detail?: string } };
  };
  expect(await ready()).toMatchObject({ status: 200, body: { messages: "connected" } });
  await messages.stop();
  await waitUntil("the message server is missed", async () => (await ready()).body.messages === "away");
  expect((await ready()).status).toBe(200);
  await own[Symbol.asyncDispose]();
  await waitUntil("the database is missed", async () => (await ready()).status === 503);
  expect((await ready()).body.detail).toContain("database");
  // The sockets of players stay open.
  expect(link.socket.readyState).toBe(link.socket.OPEN);
  await using _restarted = await startPostgres({ folder: folder.path });
  await waitUntil("it is ready again", async () => (await ready()).status === 200, 40_000);
  await node.call("POST", `players/${device.playerId}/commands`, { type: "identify" });
  await link.next("command");
});
