// Duties on a real PostgreSQL: one node at a time, and none of its writes after it has lost the lease.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { sql } from "kysely";
import pg from "pg";
import { expect, test } from "vitest";
import { Batch } from "../../../src/base/async/batch.ts";
import { isFault } from "../../../src/base/fault.ts";
import { runUnder } from "../../../src/service/nodes/leases/fence.ts";
import { Leases } from "../../../src/service/nodes/leases/leases.ts";
import { connectionTo } from "../../../src/service/store/postgres/pools.ts";
import type { Store } from "../../../src/service/store/store.ts";
import { waitForLockedQuery, startPostgres } from "../../support/postgres.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { waitUntil } from "../../support/polling.ts";
import { hasConflicts } from "../test-database.ts";
import { countAs, startNode, testClock } from "./test-nodes.ts";
import { usePostgres } from "./use-postgres.ts";

const postgres = usePostgres();

// A node with such leases loses none because its machine is slow.
const hourMs = 3_600_000;

test("[NOD9] a duty runs on one node at a time; a node that stops gives it back, and another has it within seconds", async () => {
  const database = await postgres.createDatabase();
  const running = new Set<string>();
  let most = 0;
  const duty = (name: string) => () => async (signal: AbortSignal) => {
    running.add(name);
    most = Math.max(most, running.size);
    try {
      return await testClock.wait(Infinity, signal);
    } finally {
      running.delete(name);
    }
  };
  // What is not given back ends after an hour.
  const a = await startNode(database, { duties: { only: duty("a") }, leaseMs: hourMs });
  await waitUntil("a has the duty", () => running.has("a"));
  await using b = await startNode(database, { duties: { only: duty("b") }, leaseMs: hourMs });
  await waitUntil("both know each other", () => a.nodes.liveNodeIds.size === 2 && b.nodes.liveNodeIds.size === 2);
  expect(b.nodes.figures.hasDuties).toBe(false);
  await a[Symbol.asyncDispose]();
  await waitUntil("b has the duty", () => running.has("b"));
  await waitUntil("b knows that a has gone", () => b.nodes.liveNodeIds.size === 1);
  expect(most).toBe(1);
});

test("[NOD10] a node that is paused loses its duty, and when it wakes its writes are refused", async () => {
  const database = await postgres.createDatabase();
  await using paused = await startChild(database, "paused");
  await waitUntil("it counts", async () => (await countOf(database, "paused")) > 2);
  paused.child.kill("SIGSTOP");
  await using b = await startNode(database, { duties: { counting: countAs("b") }, leaseMs: hourMs });
  await waitUntil("b has the duty", () => b.nodes.figures.hasDuties);
  // What PostgreSQL has received from it before may still commit; then it stands still.
  await waitUntil("b counts", async () => (await countOf(database, "b")) > 0);
  const whilePaused = await countOf(database, "paused");
  await waitUntil("it counts as gone", () => b.nodes.liveNodeIds.size === 1);
  paused.child.kill("SIGCONT");
  await waitUntil("it is back", () => b.nodes.liveNodeIds.size === 2);
  const before = await countOf(database, "b");
  await waitUntil("b counts on", async () => (await countOf(database, "b")) > before + 20);
  expect(await countOf(database, "paused")).toBe(whilePaused);
  expect(paused.child.exitCode).toBeNull();
  expect(b.nodes.figures.hasDuties).toBe(true);
});

// With conflicts the write in progress runs a second time, after another node has taken the lease, and is refused.
test.skipIf(hasConflicts)(
  "[NOD11] a write under a lease that another node has is refused and changes nothing; the next holder waits for a write in progress",
  async () => {
    const database = await postgres.createDatabase();
    await using node = await startNode(database);
    const pool = new pg.Pool(connectionTo(database));
    pool.on("error", () => undefined);
    await using _closing = { [Symbol.asyncDispose]: () => pool.end() };
    const [first, second] = [new Leases(pool, "nod_first"), new Leases(pool, "nod_second")];
    const lease = (await first.take("test"))!;
    expect(await second.take("test")).toBeNull();
    const write = (value: string) =>
      node.store.write(async (db) => {
        await db
          .insertInto("meta")
          .values({ key: `fenced-${value}`, value })
          .execute();
      });
    await runUnder(lease, () => write("1"));
    const entered = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<void>();
    const slow = runUnder(lease, () =>
      node.store.write(async (db) => {
        await db.insertInto("meta").values({ key: "fenced-slow", value: "" }).execute();
        entered.resolve();
        await leave.promise;
      }),
    );
    await entered.promise;
    // The holder may renew its lease meanwhile.
    expect(await first.renew(lease)).toBe(true);
    await pool.query("UPDATE state.leases SET held_until = 1 WHERE name = 'test'");
    let isTaken = false;
    const taking = second.take("test").then((taken) => {
      isTaken = true;
      return taken;
    });
    await waitForLockedQuery(pool);
    expect(isTaken).toBe(false);
    leave.resolve();
    await slow;
    expect(await taking).toEqual({ name: "test", token: lease.token + 1 });
    const refused = await runUnder(lease, () => write("2")).catch((error: unknown) => error);
    expect(isFault(refused, "lease-lost")).toBe(true);
    const { rows } = await sql<{ key: string }>`select key from meta where key like 'fenced-%' order by key`.execute(node.store.db);
    expect(rows.map(({ key }) => key)).toEqual(["fenced-1", "fenced-slow"]);
    expect(isFault(await runUnder(lease, () => node.nodes.checkDuty()).catch((error: unknown) => error), "lease-lost")).toBe(true);
    // Writes outside of a duty need no lease; a batch of several callers' items is outside, whoever has added the first one.
    await write("3");
    const batch = new Batch<string>(10, async (all) => {
      for (const each of all) await write(each);
    });
    await Promise.all([runUnder(lease, () => batch.add("4")), batch.add("5")]);
  },
);

test("[NOD12] loops of duties and of each node go on after an outage of the database, and no node counts as gone because of it", async () => {
  await using folder = await temporaryFolder();
  const server = await startPostgres({ folder: folder.path });
  const database = await server.createDatabase();
  const begun = { duty: 0, each: 0 };
  const looping = (of: keyof typeof begun) => (store: Store) => async (signal: AbortSignal) => {
    for (;;) {
      await store.write((db) => db.selectFrom("meta").selectAll().execute());
      begun[of] += 1;
      await testClock.wait(50, signal);
    }
  };
  const duties = { d: looping("duty") };
  await using a = await startNode(database, { duties, each: { e: looping("each") } });
  // When the database is back, either of them may take the duties first.
  await using b = await startNode(database, { duties });
  await waitUntil("both loops run", () => begun.duty > 3 && begun.each > 3);
  await waitUntil("the nodes know each other", () => a.nodes.liveNodeIds.size === 2 && b.nodes.liveNodeIds.size === 2);
  await server[Symbol.asyncDispose]();
  await waitUntil("a loop waits for the database", () => a.lines.some(({ msg }) => msg === "a background loop waits for the database"));
  await waitUntil("the lease of a has ended", () => a.nodes.figures.leaseSeconds < 0);
  await using _restarted = await startPostgres({ folder: folder.path });
  const after = { ...begun };
  await waitUntil("both loops run again", () => begun.duty > after.duty + 3 && begun.each > after.each + 3);
  expect([...a.lines, ...b.lines].filter(({ msg }) => msg.startsWith("a node has gone"))).toEqual([]);
  expect(await Promise.race([a.ended, b.ended, testClock.wait(0)])).toBeUndefined();
});

async function countOf(database: string, name: string): Promise<number> {
  const client = new pg.Client(database);
  await client.connect();
  const { rows } = await client.query<{ value: string }>("SELECT value FROM state.meta WHERE key = $1", [`counted-by-${name}`]);
  await client.end();
  return Number(rows[0]?.value ?? 0);
}

async function startChild(database: string, name: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, "duty-node.ts"), database, name], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exited = once(child, "exit");
  return {
    child,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
