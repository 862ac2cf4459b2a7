// Announcements between nodes on a real PostgreSQL and a real nats-server.
import pg from "pg";
import { expect, test } from "vitest";
import { Fault } from "../../../src/base/fault.ts";
import { Random } from "../../../scripts/soak/random.ts";
import { AnnouncementLog } from "../../../src/service/nodes/announcements/log.ts";
import { judgeNatsVersion } from "../../../src/service/nodes/messages/nats-version.ts";
import { TestNats } from "../../support/nats.ts";
import { waitUntil } from "../../support/polling.ts";
import { startNode, type TestNode, testClock } from "./test-nodes.ts";
import { usePostgres } from "./use-postgres.ts";

const postgres = usePostgres();

/** Announces at `from` until `to` has heard one by message: a poll that comes at the same moment may be first. @returns what was heard */
async function announceUntilMessage(from: TestNode, to: TestNode): Promise<string[]> {
  const before = to.nodes.figures.counts.heardByMessage;
  const heardBefore = to.heard.length;
  const announced: string[] = [];
  await waitUntil("one is heard by message", async () => {
    announced.push(`hurried ${announced.length}`);
    await from.announce("players.changed", { playerIds: [announced.at(-1)!] });
    await waitUntil("it is heard", () => to.heard.length === heardBefore + announced.length);
    return to.nodes.figures.counts.heardByMessage > before;
  });
  return announced;
}

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

test("[NOD2] an announcement whose transaction commits late is heard, and holds back none of the later ones", async () => {
  const database = await postgres.createDatabase();
  await using b = await startNode(database);
  await using late = await openTransaction(database);
  await late.announce("late");
  await using a = await startNode(database);
  await a.announce("players.changed", { playerIds: ["early"] });
  await waitUntil("b has heard the early one", () => b.heard.length === 1);
  await late.commit();
  await waitUntil("b has heard both", () => b.heard.length === 2);
  expect(b.heard).toEqual(["early", "late"]);
  await waitUntil("nothing is waited for any more", () => b.nodes.figures.missingAnnouncements === 0);
});

test("[NOD27] of transactions that announce, commit and roll back in any order, each committed announcement is heard once", async () => {
  const database = await postgres.createDatabase();
  await using b = await startNode(database);
  const random = new Random(27);
  const expected: string[] = [];
  // Up to eight are open at once, for as long as several polls take.
  const writer = async (name: number): Promise<void> => {
    await using transaction = await openTransaction(database);
    for (let round = 0; round < 12; round += 1) {
      if (round > 0) await transaction.begin();
      const told = Array.from({ length: random.integer(1, 4) }, (_, part) => `${name}-${round}-${part}`);
      for (const each of told) {
        await transaction.announce(each);
        await testClock.wait(random.integer(0, 150));
      }
      if (random.integer(0, 3) === 0) await transaction.rollback();
      else {
        await transaction.commit();
        expected.push(...told);
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, name) => writer(name)));
  await waitUntil("b has heard all", () => b.heard.length >= expected.length);
  await waitUntil("nothing is waited for any more", () => b.nodes.figures.missingAnnouncements === 0);
  expect(b.heard.toSorted()).toEqual(expected.toSorted());
  expect(b.nodes.figures.counts.resynchronized).toBe(0);
});

const bystanders = {
  "another database, writing": { isForeign: true, statements: ["CREATE TABLE t (n int)", "INSERT INTO t VALUES (1)"] },
  "this database, idle": { isForeign: false, statements: ["SELECT 1"] },
  "this database, reading announcements": { isForeign: false, statements: ["SELECT count(*) FROM state.announcements"] },
  "this database, writing": { isForeign: false, statements: ["INSERT INTO state.meta (key, value) VALUES ('left-open', '1')"] },
};

test.for(Object.entries(bystanders))(
  "[NOD28] a transaction that stays open without announcing anything delays and ends nothing: in %s",
  async ([, { isForeign, statements }]) => {
    const database = await postgres.createDatabase();
    const open = new pg.Client(isForeign ? await postgres.createDatabase(false) : database);
    await open.connect();
    await open.query("BEGIN");
    for (const each of statements) await open.query(each);
    try {
      await using a = await startNode(database);
      await using b = await startNode(database);
      await a.announce("players.changed", { playerIds: ["one"] });
      await waitUntil("b has heard it", () => b.heard.length === 1);
      await withLog(database, "nod_trimmer", async (log) => {
        // As if ten minutes had passed; nodes store every three seconds up to where they have read.
        await waitUntil("what all have read is trimmed", async () => {
          await log.trim({ afterMs: 0 });
          return (await log.read(0, [], 10)).page.length === 0;
        });
      });
      await a.announce("players.changed", { playerIds: ["two"] });
      await waitUntil("b has heard the next, too", () => b.heard.length === 2);
      await using c = await startNode(database);
      await a.announce("players.changed", { playerIds: ["three"] });
      await waitUntil("a node that starts meanwhile hears what follows", () => c.heard.length === 1);
      expect([a, b, c].map(({ nodes }) => nodes.figures.counts.resynchronized)).toEqual([0, 0, 0]);
      expect(b.nodes.figures.heldBackBy).toEqual([]);
    } finally {
      await open.end();
    }
  },
);

test("[NOD29] a node says which open transaction it waits for, keeps what follows it, and hears what it announces when it ends", async () => {
  const database = await postgres.createDatabase();
  await using a = await startNode(database);
  await using b = await startNode(database);
  await using forgotten = await openTransaction(database);
  await forgotten.announce("late");
  await a.announce("players.changed", { playerIds: ["early"] });
  await waitUntil("b has heard the early one", () => b.heard.includes("early"));
  await waitUntil("b says whom it waits for", () => b.nodes.figures.heldBackBy.length === 1);
  const name = new URL(database.replace(/@[^/]*/, "@host")).pathname.slice(1);
  expect(b.nodes.figures.heldBackBy[0]).toMatchObject({ pid: forgotten.pid, applicationName: "psql", database: name });
  expect(Date.parse(b.nodes.figures.heldBackBy[0]!.since!)).toBeGreaterThan(0);
  const warnings = () => b.lines.filter(({ msg }) => msg?.startsWith("a transaction is open for long"));
  await waitUntil("b has logged it", () => warnings().length > 0);
  await withLog(database, "nod_trimmer", async (log) => {
    await log.trim({ afterMs: 0 });
    expect((await log.read(0, [], 10)).page).toHaveLength(1);
    expect(warnings()).toHaveLength(1);
    // A node that starts now cannot know the numbers of the open transaction.
    await using c = await startNode(database);
    let missed = 0;
    c.nodes.onMissed(() => void (missed += 1));
    await forgotten.commit();
    await waitUntil("b has heard it", () => b.heard.includes("late"));
    await waitUntil("the new node has read everything anew", () => missed === 1);
    await waitUntil("b says that it waits no more", () => b.nodes.figures.heldBackBy.length === 0);
    await waitUntil("all is trimmed", async () => {
      await log.trim({ afterMs: 0 });
      return (await log.read(0, [], 10)).page.length === 0;
    });
  });
  expect(b.nodes.figures.counts.resynchronized).toBe(0);
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
  const hurried = await announceUntilMessage(a, b);
  const { heardByMessage, heardByPoll } = b.nodes.figures.counts;
  // Written without a message, as if it were lost.
  await using silent = await openTransaction(database);
  await silent.announce("lost");
  await silent.commit();
  await waitUntil("the lost one is heard", () => b.heard.length === hurried.length + 1);
  expect(b.heard).toEqual([...hurried, "lost"]);
  expect(b.nodes.figures.counts).toMatchObject({ heardByMessage, heardByPoll: heardByPoll + 1 });
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
  await waitUntil("both are connected again", connected(true));
  const back = await announceUntilMessage(a, b);
  expect(b.heard).toHaveLength(20 + back.length);
  expect(new Set(b.heard).size).toBe(b.heard.length);
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

test("[NOD6] a node that has missed announcements reads everything anew and goes on", async () => {
  const database = await postgres.createDatabase();
  await using a = await startNode(database);
  await using b = await startNode(database);
  const missed: string[] = [];
  b.nodes.onMissed(() => {
    missed.push("read");
    // As a listener whose query fails.
    if (missed.length === 1) throw new Fault("store-unavailable", "the database is away");
  });
  await a.announce("players.changed", { playerIds: ["one"] });
  await waitUntil("b has heard it", () => b.heard.length === 1);
  const admin = new pg.Client(database);
  await admin.connect();
  // As if one that b has not read were trimmed already.
  const { rows } = await admin.query<{ id: string }>("SELECT nextval('state.announcements_id_seq') AS id");
  await admin.query("INSERT INTO state.meta (key, value) VALUES ('announcements-trimmed-id', $1)", [rows[0]!.id]);
  await admin.end();
  await waitUntil("b has read everything anew", () => b.nodes.figures.counts.resynchronized === 1);
  expect(missed).toEqual(["read", "read"]);
  await a.announce("players.changed", { playerIds: ["two"] });
  await waitUntil("b hears what follows", () => b.heard.length === 2);
});

test("[NOD7] trimming of announcements keeps what is new and what a living node has not read, but nothing for longer than an hour", async () => {
  const database = await postgres.createDatabase();
  const client = new pg.Client(database);
  await client.connect();
  const insert = async (body: string, ageMs: number) => {
    const text = "INSERT INTO state.announcements (node_id, kind, body, created_at) VALUES ('nod_a', 'x', $1, $2) RETURNING id";
    return Number((await client.query<{ id: string }>(text, [body, Date.now() - ageMs])).rows[0]!.id);
  };
  const node = async (id: string, isLive: boolean, readId: number | null) => {
    const values = [id, Date.now() + (isLive ? 60_000 : -1_000), readId];
    const text = `INSERT INTO state.nodes (id, host, started_at, lease_until, announcements_read) VALUES ($1, 'x', 0, $2, $3)
      ON CONFLICT (id) DO UPDATE SET announcements_read = excluded.announcements_read`;
    await client.query(text, values);
  };
  const ids = [await insert("oldest", 4_000_000), await insert("old", 700_000), await insert("unread", 700_000), await insert("new", 0)];
  await node("nod_reader", true, ids[1]!);
  await node("nod_gone", false, 0);
  await node("nod_of_older_version", true, null);
  await withLog(database, "nod_reader", async (log) => {
    const left = async () => (await log.read(0, [], 10)).page.map(({ body }) => body);
    expect((await log.read(0, [], 10)).trimmedId).toBe(0);
    await log.trim();
    expect(await left()).toEqual(["unread", "new"]);
    expect((await log.read(0, [], 10)).trimmedId).toBe(ids[1]);
    await node("nod_reader", true, ids[3]!);
    await log.trim();
    expect(await left()).toEqual(["new"]);
    await node("nod_reader", true, 0);
    await insert("unread for an hour", 3_700_000);
    await log.trim();
    expect(await left()).toEqual(["new"]);
  });
  await client.end();
});

test("[NOD8] a nats-server with known security holes is refused with its remedy, unless a setting accepts it", async () => {
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

/** A transaction that announces as a node does, and ends when the test says so. */
async function openTransaction(database: string) {
  const client = new pg.Client({ connectionString: database, application_name: "psql" });
  await client.connect();
  await client.query("BEGIN");
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return {
    pid: rows[0]!.pid,
    announce: async (playerId: string) => {
      const body = JSON.stringify({ playerIds: [playerId] });
      await client.query("INSERT INTO state.announcements (node_id, kind, body) VALUES ('nod_late', 'players.changed', $1)", [body]);
    },
    begin: async () => void (await client.query("BEGIN")),
    commit: async () => void (await client.query("COMMIT")),
    rollback: async () => void (await client.query("ROLLBACK")),
    [Symbol.asyncDispose]: () => client.end(),
  };
}

async function withLog(database: string, nodeId: string, use: (log: AnnouncementLog) => Promise<void>): Promise<void> {
  const pool = new pg.Pool({ connectionString: database });
  // The server ends while the pool closes its last connection.
  pool.on("error", () => undefined);
  await using _closing = { [Symbol.asyncDispose]: () => pool.end() };
  await use(new AnnouncementLog(pool, nodeId));
}
