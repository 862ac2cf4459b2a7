// Real processes of the service on one PostgreSQL and one nats-server: pause, kill, drain, and what the probes say. Each test goes on
// with the two nodes that the one before has left.
import { copyFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { TestNats } from "../../support/nats.ts";
import { waitUntil } from "../../support/polling.ts";
import { startPostgres } from "../../support/postgres.ts";
import { Program } from "../../support/programs/programs.ts";
import { signalIfThere } from "../../support/programs/signal-if-there.ts";
import { call, Device, DeviceSocket, type ApiResponse } from "../harness.ts";
import { connect as connectTo } from "./faulty-database.ts";

/** A node as a process, and the API of the service through it. */
class NodeProcess implements AsyncDisposable {
  readonly program: Program;
  readonly url: string;
  readonly token: string;

  private constructor(program: Program, url: string, token: string) {
    this.program = program;
    this.url = url;
    this.token = token;
  }

  static async start(folder: string, flags: readonly string[]): Promise<NodeProcess> {
    const program = new Program(["src/main/cli.ts", "serve", "--port", "0", "--data", folder, ...flags]);
    const { url } = await program.line("listening");
    return new NodeProcess(program, String(url), (await readFile(join(folder, "admin-token"), "utf8")).trim());
  }

  has(line: string): boolean {
    return this.program.lines.some(({ msg }) => msg === line);
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

const opened = new AsyncDisposableStack();
let nats: TestNats;
let database: string;
let flags: string[];
let folders: readonly [string, string];
let pgFolder: string;
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let a: NodeProcess;
let b: NodeProcess;

beforeAll(async () => {
  const home = opened.use(await temporaryFolder());
  pgFolder = opened.use(await temporaryFolder()).path;
  [postgres, nats] = await Promise.all([startPostgres({ folder: pgFolder }), TestNats.start()]);
  opened.defer(() => postgres[Symbol.asyncDispose]());
  opened.use(nats);
  database = await postgres.createDatabase();
  flags = ["--database", database, "--messages", nats.url, "--messages-accept-old-server", "--drain", "1"];
  folders = [join(home.path, "a"), join(home.path, "b")];
  for (const each of folders) await mkdir(each);
  a = opened.use(await NodeProcess.start(folders[0], flags));
  await copyFile(join(folders[0], "admin-token"), join(folders[1], "admin-token"));
  b = opened.use(await NodeProcess.start(folders[1], flags));
});
afterAll(() => opened.disposeAsync());

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

test("[NOD21] a node that is paused loses the duties to another, which serves its players; when it wakes it goes on", async () => {
  await waitUntil("a has the duties", async () => (await a.metric("signage_node_has_duties")) === 1);
  const device = await pair(a);
  process.kill(a.program.pid, "SIGSTOP");
  const link = await connect(b, device);
  await b.call("POST", `players/${device.playerId}/commands`, { type: "identify" });
  await link.next("command");
  await waitUntil("b has the duties", async () => (await b.metric("signage_node_has_duties")) === 1);
  await waitUntil("a counts as gone", async () => (await b.metric("signage_nodes_live")) === 1);
  process.kill(a.program.pid, "SIGCONT");
  await waitUntil("a is back", async () => (await b.metric("signage_nodes_live")) === 2);
  await waitUntil("a has given up its duties", async () => (await a.metric("signage_node_has_duties")) === 0);
  // What the paused node commits reaches the socket of the other.
  await a.call("POST", `players/${device.playerId}/commands`, { type: "identify" });
  await link.next("command");
  link.socket.terminate();
});

test("[NOD22] after kill -9 of a node another one takes the duties and the players, and every confirmed write is there", async () => {
  // The one that was not paused has the duties.
  const device = await pair(b);
  const link = await connect(b, device);
  const created: string[] = [];
  const writing = (async () => {
    for (;;) {
      const answer = await b.call("POST", "playlists", { name: "P", items: [] }).catch(() => null);
      if (answer === null) return;
      created.push(answer.body.id);
    }
  })();
  await waitUntil("some are written", () => created.length > 20);
  await b.program.kill();
  await Promise.all([writing, link.closed]);
  const again = await connect(a, device);
  for (const id of created) expect((await a.call("GET", `playlists/${id}`)).status).toBe(200);
  await a.call("POST", `players/${device.playerId}/commands`, { type: "identify" });
  await again.next("command");
  await waitUntil("a has the duties", async () => (await a.metric("signage_node_has_duties")) === 1);
  again.socket.terminate();
});

test("[NOD23] a node that is told to stop sends its players away, and when the drain's time has passed it gives back its leases and ends", async () => {
  b = opened.use(await NodeProcess.start(folders[1], flags));
  const devices = await Promise.all([pair(a), pair(a)]);
  const links = await Promise.all(devices.map((device) => connect(a, device)));
  const away = links.map(async (link, at) => {
    await link.closed;
    (await connect(b, devices[at]!)).socket.terminate();
  });
  process.kill(a.program.pid, "SIGTERM");
  await Promise.all(away);
  expect(await a.program.exitCode).toBe(0);
  await waitUntil("it has said how long it drained", () => a.has("drained"));
  const drained = a.program.lines.find(({ msg }) => msg === "drained")!;
  expect(drained["players"]).toBe(2);
  expect(drained["took_ms"]).toBeGreaterThanOrEqual(999);
  // Nobody waits for the end of its leases.
  const { node } = a.program.lines.find(({ msg }) => msg === "this node shares its database")!;
  await using client = await connectTo(database);
  const { rows } = await client.query(
    `SELECT lease_until <= extract(epoch from clock_timestamp()) * 1000 AS has_left,
      (SELECT held_until = 0 OR node_id <> $1 FROM state.leases WHERE name = 'duties') AS has_no_duties FROM state.nodes WHERE id = $1`,
    [node],
  );
  expect(rows).toEqual([{ has_left: true, has_no_duties: true }]);
  await waitUntil("b is alone", async () => (await b.metric("signage_nodes_live")) === 1);
  await waitUntil("b has the duties", async () => (await b.metric("signage_node_has_duties")) === 1);
});

test("[NOD24] without NATS a node stays ready and says so; without PostgreSQL it is not ready, stays up, and is ready when it is back", async () => {
  const device = await pair(b);
  const link = await connect(b, device);
  const ready = async () => {
    const response = await fetch(`${b.url}/readyz`);
    return { status: response.status, body: (await response.json()) as { messages?: string; detail?: string } };
  };
  const isReadyWith = async (messages: string): Promise<boolean> => {
    const { status, body } = await ready();
    return status === 200 && body.messages === messages;
  };
  await waitUntil("it is ready, with the message server", () => isReadyWith("connected"));
  await nats.stop();
  await waitUntil("it is ready without the message server", () => isReadyWith("away"));
  await postgres[Symbol.asyncDispose]();
  await waitUntil("the database is missed", async () => (await ready()).status === 503);
  expect((await ready()).body.detail).toContain("database");
  // The sockets of players stay open.
  expect(link.socket.readyState).toBe(link.socket.OPEN);
  postgres = await startPostgres({ folder: pgFolder });
  await waitUntil("it is ready again", async () => (await ready()).status === 200);
  await b.call("POST", `players/${device.playerId}/commands`, { type: "identify" });
  await link.next("command");
});
