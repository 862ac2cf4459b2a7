// The part `transactions`: two nodes without a message server, while transactions stay open on their PostgreSQL for longer than announcements are kept.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { startPostgres } from "../../test/support/postgres.ts";
import { EventSubscriber } from "../../test/service/events/event-subscriber.ts";
import { call } from "../../test/service/harness.ts";
import { freePort } from "./cluster/free-port.ts";
import { adminToken, isReady, serviceNode } from "./cluster/node.ts";
import type { ScalePart, ScaleTest } from "./scale-part.ts";

const roundMs = 10_000;
// A node polls every second; the rest is for a busy machine.
const limitMs = 20_000;
// After that a node says who holds it back.
const announcerMs = 15_000;

/** What stays open, and where. The last one is opened at the end. */
const openers = [
  { name: "another database, has written", isForeign: true, statements: ["CREATE TABLE t (n int)", "INSERT INTO t VALUES (1)"] },
  { name: "this database, read-only", isForeign: false, statements: ["SELECT count(*) FROM state.announcements"] },
  { name: "this database, has written", isForeign: false, statements: ["INSERT INTO state.meta (key, value) VALUES ('left-open', '1')"] },
] as const;
const announcement = "INSERT INTO state.announcements (node_id, kind, body) VALUES ('nod_psql', 'events.appended', '{\"teamIds\":[]}')";

export const transactions: ScalePart = {
  about: "transactions that stay open on the same PostgreSQL: what one node changes, the other tells; no node ends",
  unit: "minutes",
  usual: 20,
  async run(test) {
    await using opened = new AsyncDisposableStack();
    const { run, work } = test;
    const logs = join(work, "logs");
    await mkdir(logs, { recursive: true });
    const postgres = opened.use(await startPostgres());
    const [database, foreign] = [await postgres.createDatabase(), await postgres.createDatabase(false)];
    const nodes = [];
    for (const name of ["node-1", "node-2"]) {
      const node = serviceNode({ name, port: await freePort(run.random), data: join(work, name), flags: ["--database", database] }, logs);
      opened.use(node.engine);
      await node.engine.start();
      nodes.push(node);
    }
    const [first, second] = nodes as [(typeof nodes)[0], (typeof nodes)[0]];
    const token = await adminToken(first.data);
    const pids = nodes.map(({ engine }) => engine.pid);
    for (const { name, isForeign, statements } of openers) {
      const client = opened.use(await openTransaction(isForeign ? foreign : database, statements));
      run.print({ opened: name, pid: client.pid });
    }
    using watcher = new EventSubscriber(second.url, token);
    await watcher.subscribe(["playlist_updates"]);
    const tellChange = (name: string) => changeIsTold(test, { from: first.url, token, watcher, name });
    const startedAt = performance.now();
    const minutesPassed = () => (performance.now() - startedAt) / 60_000;
    for (let round = 0; minutesPassed() < run.amount; round += 1) {
      await run.try({ round }, () => tellChange(`round ${round}`));
      if (round % 12 === 0) run.print({ minute: Math.round(minutesPassed()), ...(await stateOf(database, nodes)) });
      if (!nodes.every(({ engine }) => engine.isRunning)) break;
      await run.pause(roundMs);
    }
    const announcer = opened.use(await openTransaction(database, [announcement]));
    run.print({ opened: "this database, has announced something", pid: announcer.pid });
    for (const until = performance.now() + announcerMs; performance.now() < until;) {
      await run.try({ with: "an open announcement" }, () => tellChange("beside an open announcement"));
      await run.pause(1_000);
    }
    run.print({ ...(await stateOf(database, nodes)), ready: await readyDetail(second.url), metric: await heldBackMetric(second.url) });
    for (const [at, { engine, url }] of nodes.entries()) {
      if (!engine.isRunning || engine.pid !== pids[at]) run.violate(`${engine.name} has ended`);
      else if (!(await isReady(url))) run.violate(`${engine.name} is not ready`);
    }
    return null;
  },
};

async function openTransaction(database: string, statements: readonly string[]) {
  const client = new pg.Client({ connectionString: database, application_name: "psql" });
  client.on("error", () => undefined);
  await client.connect();
  await client.query("BEGIN");
  for (const statement of statements) await client.query(statement);
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return { pid: rows[0]!.pid, [Symbol.asyncDispose]: () => client.end() };
}

interface Change {
  from: string;
  token: string;
  watcher: EventSubscriber;
  name: string;
}

/** Makes a change at one node. @returns after how long the other node told it, ms */
async function changeIsTold({ run }: ScaleTest, { from, token, watcher, name }: Change): Promise<number> {
  const startedAt = performance.now();
  const { body, status } = await call(from, "POST", "playlists", { name, items: [] }, { authorization: `Bearer ${token}` });
  if (status !== 201) run.violate(`a change got ${status}`);
  const isTold = () => watcher.received.some((message) => message.type === "event" && JSON.stringify(message.data).includes(body.id));
  while (!isTold() && performance.now() - startedAt < limitMs) await run.pause(50);
  if (!isTold()) run.violate(`"${name}" was not told within ${limitMs / 1_000} s`);
  return performance.now() - startedAt;
}

async function stateOf(database: string, nodes: readonly { engine: { isRunning: boolean } }[]) {
  const client = new pg.Client(database);
  await client.connect();
  const { rows } = await client.query<{ announcements: string; trimmed: string | null }>(`SELECT count(*) AS announcements,
    (SELECT value FROM state.meta WHERE key = 'announcements-trimmed-id') AS trimmed FROM state.announcements`);
  await client.end();
  return { ...rows[0]!, running: nodes.filter(({ engine }) => engine.isRunning).length };
}

async function readyDetail(url: string): Promise<string> {
  return (await fetch(`${url}/readyz`)).text();
}

async function heldBackMetric(url: string): Promise<string> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return text.split("\n").find((line) => line.startsWith("signage_node_held_back_seconds{")) ?? "";
}
