// Announcements between nodes on a real PostgreSQL and a real nats-server.
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isFault } from "../../../src/base/fault.ts";
import { AnnouncementLog } from "../../../src/service/nodes/announcement-log.ts";
import { judgeNatsVersion } from "../../../src/service/nodes/nats-version.ts";
import { TestNats } from "../../support/nats.ts";
import { startPostgres, type TestPostgres } from "../../support/postgres.ts";
import { waitUntil } from "../../support/polling.ts";
import { startNode } from "./test-nodes.ts";

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres[Symbol.asyncDispose]());

test("[NOD1] a node hears what another commits, once, and nothing of what it rolls back or announces itself", async () => {
  const database = await postgres.createDatabase();
  await using a = await startNode(database);
  await using b = await startNode(database);
  await a.announce("players.changed", { playerIds: ["one"] });
  const failing = a.store.write(async (db) => {
    await a.nodes.announce(db, "players.changed", { playerIds: ["rolled back"] });
    throw new Error("the write fails");
  });
  await expect(failing).rejects.toThrow("the write fails");
  await a.store.write(async (db) => {
    for (let time = 0; time < 3; time += 1) await a.nodes.announce(db, "players.changed", { playerIds: ["two"] });
  });
  await b.announce("players.changed", { playerIds: ["three"] });
  await waitUntil("both have heard", () => b.heard.includes("two") && a.heard.includes("three"));
  expect(b.heard).toEqual(["one", "two"]);
  expect(a.heard).toEqual(["three"]);
});

test("[NOD2] an announcement whose transaction commits late is heard, although later ones were written before", async () => {
  const database = await postgres.createDatabase();
  await using b = await startNode(database);
  await using late = await openTransaction(database);
  await late.announce("late");
  await using a = await startNode(database);
  await a.announce("players.changed", { playerIds: ["early"] });
  // Long enough for the poll of every second: nothing is delivered before what may still commit before it.
  await waitUntil("b has polled meanwhile", () => b.nodes.figures.pollLagSeconds > 0.5);
  await waitUntil("b has polled again", () => b.nodes.figures.pollLagSeconds < 0.5);
  await late.commit();
  await waitUntil("b has heard both", () => b.heard.length === 2);
  expect(b.heard).toEqual(["late", "early"]);
});

test("[NOD3] with a message server an announcement arrives at once, and one whose message is lost by the next poll", async () => {
  const database = await postgres.createDatabase();
  await using nats = await TestNats.start();
  const messages = { url: nats.url, acceptsOldServer: true };
  await using a = await startNode(database, { messages });
  await using b = await startNode(database, { messages });
  await waitUntil(
    "both are connected",
    () => a.nodes.figures.isMessagingConnected === true && b.nodes.figures.isMessagingConnected === true,
  );
  await a.announce("players.changed", { playerIds: ["hurried"] });
  await waitUntil("it is heard by message", () => b.nodes.figures.counts.heardByMessage === 1);
  // Written without a message, as if it were lost.
  await using silent = await openTransaction(database);
  await silent.announce("lost");
  await silent.commit();
  await waitUntil("the lost one is heard", () => b.heard.length === 2);
  expect(b.heard).toEqual(["hurried", "lost"]);
  expect(b.nodes.figures.counts).toMatchObject({ heardByMessage: 1, heardByPoll: 1 });
});

test("[NOD4] while the message server is away nothing is lost, and when it is back messages arrive again", async () => {
  const database = await postgres.createDatabase();
  await using nats = await TestNats.start();
  const messages = { url: nats.url, acceptsOldServer: true };
  await using a = await startNode(database, { messages });
  await using b = await startNode(database, { messages });
  const connected = (is: boolean) => () => [a, b].every(({ nodes }) => nodes.figures.isMessagingConnected === is);
  await waitUntil("both are connected", connected(true));
  await nats.stop("SIGKILL");
  await waitUntil("both have noticed", connected(false));
  for (let n = 0; n < 20; n += 1) await a.announce("players.changed", { playerIds: [`away ${n}`] });
  await waitUntil("all are heard by polling", () => b.heard.length === 20);
  await nats.start();
  await waitUntil("both are connected again", connected(true), 30_000);
  const before = b.nodes.figures.counts.heardByMessage;
  await a.announce("players.changed", { playerIds: ["back"] });
  await waitUntil("it is heard by message", () => b.nodes.figures.counts.heardByMessage === before + 1);
  expect(new Set(b.heard).size).toBe(21);
  expect(b.heard).toHaveLength(21);
});

test("[NOD5] two services that share a message server do not hear each other, and what is no message is ignored", async () => {
  const [one, two] = [await postgres.createDatabase(), await postgres.createDatabase()];
  // Copies of one database would have the same epoch.
  await Promise.all([setEpoch(one, "evt_one"), setEpoch(two, "evt_two")]);
  await using nats = await TestNats.start();
  const messages = { url: nats.url, acceptsOldServer: true };
  await using a = await startNode(one, { messages });
  await using b = await startNode(one, { messages });
  await using other = await startNode(two, { messages });
  await waitUntil("all are connected", () => [a, b, other].every(({ nodes }) => nodes.figures.isMessagingConnected === true));
  const foreign = { epoch: "evt_two", node: "nod_x", is: "announced", xid: "99999999", id: 1, kind: "players.changed" };
  for (const text of ["", "{", "null", JSON.stringify({ ...foreign, body: { playerIds: ["foreign"] } })]) a.nodes.hear(text);
  a.nodes.hear(JSON.stringify({ ...foreign, epoch: "evt_one", is: "broadcast", kind: "heartbeats", body: { beats: [{ playerId: 7 }] } }));
  await a.announce("players.changed", { playerIds: ["own"] });
  await waitUntil("b has heard it", () => b.heard.includes("own"));
  expect(other.heard).toEqual([]);
  expect(a.heard).toEqual([]);
  expect(a.nodes.figures.counts.refusedMessages).toBe(4);
});

test("[NOD6] a node that has not read for longer than announcements are kept ends with a clear message", async () => {
  const database = await postgres.createDatabase();
  await using a = await startNode(database);
  await using b = await startNode(database);
  await a.announce("players.changed", { playerIds: ["one"] });
  await waitUntil("b has heard it", () => b.heard.length === 1);
  const admin = new pg.Client(database);
  await admin.connect();
  // As if the newest announcement that b has not read were trimmed already.
  await admin.query("INSERT INTO state.meta (key, value) VALUES ('announcements-trimmed', (txid_current() + 5)::text)");
  await admin.end();
  const error = await b.ended;
  expect(isFault(error, "node-behind")).toBe(true);
  expect(String(error)).toContain("start it again");
});

test("[NOD7] trimming keeps what is new, and says up to where it has deleted", async () => {
  const database = await postgres.createDatabase();
  const pool = new pg.Pool({ connectionString: database });
  // The server ends while the pool closes its last connection.
  pool.on("error", () => undefined);
  await using _closing = { [Symbol.asyncDispose]: () => pool.end() };
  const insert =
    "INSERT INTO state.announcements (node_id, kind, body, created_at) VALUES ('nod_a', 'players.changed', $1, $2) RETURNING xid::text";
  const old = BigInt((await pool.query<{ xid: string }>(insert, ["old", Date.now() - 700_000])).rows[0]!.xid);
  await pool.query(insert, ["new", Date.now()]);
  const announcements = new AnnouncementLog(pool, "nod_reader");
  expect(await announcements.isTrimmedAfter({ xid: 0n, id: 0 })).toBe(false);
  await announcements.trim();
  const { rows: left } = await pool.query<{ body: string }>("SELECT body FROM state.announcements");
  expect(left.map(({ body }) => body)).toEqual(["new"]);
  expect(await announcements.isTrimmedAfter({ xid: old - 1n, id: 0 })).toBe(true);
  expect(await announcements.isTrimmedAfter({ xid: old, id: 9 })).toBe(false);
});

test("[NOD8] a nats-server with known holes is refused with its remedy, unless a setting accepts it", async () => {
  const database = await postgres.createDatabase();
  await using nats = await TestNats.start();
  await expect(startNode(database, { messages: { url: nats.url } })).rejects.toThrow(/CVE-2023-47090.*--messages-accept-old-server/s);
  await using accepted = await startNode(database, { messages: { url: nats.url, acceptsOldServer: true } });
  expect(accepted.lines.some(({ msg }) => msg === "the message server has known security holes")).toBe(true);
  const verdicts = ["2.9.25", "2.10.2", "2.10.29", "2.11.15", "2.11.16", "2.12.6", "2.12.7", "2.13.9", "2.14.0", "3.0.0", "x"].map(
    (version) => judgeNatsVersion(version).is,
  );
  const [refused, advised, good] = ["refused", "advised-against", "good"];
  expect(verdicts).toEqual([refused, advised, advised, advised, good, advised, good, advised, good, good, refused]);
});

async function setEpoch(database: string, epoch: string): Promise<void> {
  const client = new pg.Client(database);
  await client.connect();
  await client.query("INSERT INTO state.meta (key, value) VALUES ('journal-epoch', $1)", [epoch]);
  await client.end();
}

/** A transaction that announces as a node does, and commits when the test says so. */
async function openTransaction(database: string) {
  const client = new pg.Client(database);
  await client.connect();
  await client.query("BEGIN");
  return {
    announce: async (playerId: string) => {
      const body = JSON.stringify({ playerIds: [playerId] });
      await client.query("INSERT INTO state.announcements (node_id, kind, body) VALUES ('nod_late', 'players.changed', $1)", [body]);
    },
    commit: async () => void (await client.query("COMMIT")),
    [Symbol.asyncDispose]: () => client.end(),
  };
}
