// Acts that make statements of a real PostgreSQL fail while nodes run: locks, timeouts, cancelled statements, ended connections.
import { setImmediate } from "node:timers/promises";
import pg from "pg";
import { expect, test } from "vitest";
import { isFault } from "../../../src/base/fault.ts";
import { openPostgresStore } from "../../../src/service/store/postgres/postgres-store.ts";
import type { Store } from "../../../src/service/store/store.ts";
import { createLog } from "../../support/recording-log.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { waitUntil } from "../../support/polling.ts";
import { waitForLockedQuery } from "../../support/postgres.ts";
import { TestService, type ApiResponse } from "../harness.ts";
import { connect, createPlaylist, endConnections, expectAlive, namesOfPlaylists, persist, waits } from "./faulty-database.ts";
import { startNode, testClock } from "./test-nodes.ts";
import { startTwoServices, type TwoServices } from "./two-services.ts";
import { usePostgres } from "./use-postgres.ts";

const postgres = usePostgres();

// What the loops of a service read or write at least every few seconds, and what requests do.
const lockedTables = [
  "state.nodes",
  "state.leases",
  "state.announcements",
  "state.write_turns",
  "state.meta",
  "state.players",
  "state.playlists",
  "state.commands",
  "state.command_batches",
  "state.webhook_deliveries",
  "state.assets",
  "state.player_links",
  "state.quota_use",
  "telemetry.heartbeats",
  "plays.play_events",
];

test.each([
  ["statement_timeout", "57014"],
  ["lock_timeout", "55P03"],
])("[DBE6] while tables are locked and %s ends what waits, nodes answer 503 and none ends; then both go on", async (setting) => {
  await using two = await startTwoServices(postgres);
  await using operator = await connect(two.database);
  const name = two.database.split("/").at(-1);
  expect((await createPlaylist(two.a, "before")).status).toBe(201);
  await operator.query(`ALTER DATABASE ${name} SET ${setting} = '200ms'`);
  await endConnections(operator);
  await persist(() => two.a.call("GET", "playlists"));
  await persist(() => two.b.call("GET", "playlists"));
  const since = { a: two.lines.a.length, b: two.lines.b.length };
  await using locking = await connect(two.database);
  await locking.query("SET lock_timeout = 0; SET statement_timeout = 0; BEGIN");
  for (const table of lockedTables) await locking.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  for (const node of ["a", "b"] as const) {
    for (const loop of ["node lease", "announcements", "webhooks", "heartbeats of others", "connectivity of others"])
      await waitUntil(`${loop} of ${node} waits`, () => waits(two.lines[node], loop, since[node]));
    const { status, headers } = await createPlaylist(two[node], `locked-${node}`);
    expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
    expect((await two[node].call("GET", "/readyz")).status).toBe(503);
  }
  await locking.query("ROLLBACK");
  for (const node of ["a", "b"] as const) await persist(() => createPlaylist(two[node], `locked-${node}`));
  await expectBothGoOn(two, ["before", "locked-a", "locked-b"]);
});

/** Each node answers, hears the other, and its loops run: one of them takes the duties again. */
async function expectBothGoOn({ a, b, lines, database }: TwoServices, names: readonly string[]): Promise<void> {
  await persist(() => createPlaylist(a, "after-a"));
  await persist(() => createPlaylist(b, "after-b"));
  const all = [...names, "after-a", "after-b"].toSorted();
  expect(await namesOfPlaylists(a)).toEqual(all);
  expect(await namesOfPlaylists(b)).toEqual(all);
  await using client = await connect(database);
  const leases = "SELECT count(*)::int AS count FROM state.nodes WHERE lease_until > extract(epoch FROM clock_timestamp()) * 1000";
  await waitUntil("both have a lease", async () => (await client.query(leases)).rows[0].count === 2);
  const held = "SELECT 1 FROM state.leases WHERE name = 'duties' AND held_until > extract(epoch FROM clock_timestamp()) * 1000";
  await waitUntil("one has the duties", async () => (await client.query(held)).rows.length === 1);
  expectAlive(lines.a, lines.b);
}

test("[DBE7] statements that are cancelled again and again end no node, and nothing that was confirmed is lost or done twice", async () => {
  await using two = await startTwoServices(postgres);
  await using operator = await connect(two.database);
  const stopping = new AbortController();
  const cancelling = (async () => {
    let count = 0;
    const running = `SELECT count(*) FILTER (WHERE pg_cancel_backend(pid))::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'signage-service' AND state = 'active'`;
    while (!stopping.signal.aborted) {
      const { count: cancelled } = (await operator.query(running)).rows[0];
      count += cancelled;
      // Something succeeds between two of them, or it would take long.
      await (cancelled > 0 ? testClock.wait(20) : setImmediate());
    }
    return count;
  })();
  const names = Array.from({ length: 40 }, (_, index) => `name-${String(index).padStart(2, "0")}`);
  const results: ApiResponse[] = [];
  await Promise.all(
    [two.a, two.b].map(async (node, half) => {
      for (const name of names.filter((_, index) => index % 2 === half)) results.push(...(await persist(() => createPlaylist(node, name))));
    }),
  );
  stopping.abort();
  expect(await cancelling).toBeGreaterThan(0);
  expect(new Set(results.map(({ status }) => status)).difference(new Set([201, 503]))).toEqual(new Set());
  await expectBothGoOn(two, names);
});

test("[DBE8] while there is no connection left, or the server takes no writes, or connections are ended, a node waits; then it goes on", async () => {
  await using folder = await temporaryFolder();
  const database = await postgres.createDatabase(false);
  const name = database.split("/").at(-1)!;
  await using operator = await connect(database);
  await operator.query(`CREATE ROLE owner_${name} LOGIN; GRANT ALL ON DATABASE ${name} TO owner_${name}`);
  const { log, lines } = createLog();
  const asOwner = database.replace("postgres://postgres@", `postgres://owner_${name}@`);
  await using service = await TestService.start(folder.path, { database: asOwner, log });
  const troubles = [
    { name: "53300", cause: `ALTER ROLE owner_${name} CONNECTION LIMIT 0`, cure: `ALTER ROLE owner_${name} CONNECTION LIMIT -1` },
    {
      name: "25006",
      cause: `ALTER DATABASE ${name} SET default_transaction_read_only = on`,
      cure: `ALTER DATABASE ${name} RESET default_transaction_read_only`,
    },
    { name: "57P01", cause: "SELECT 1", cure: "SELECT 1" },
  ];
  for (const trouble of troubles) {
    await operator.query(trouble.cause);
    await endConnections(operator);
    if (trouble.name !== "57P01") {
      // A connection that was being made meanwhile is still good.
      await waitUntil(`it is refused: ${trouble.name}`, async () => {
        await endConnections(operator);
        const { status, headers } = await createPlaylist(service, trouble.name);
        return status === 503 && headers.get("retry-after") === "5";
      });
      const since = lines.length;
      await waitUntil(`it waits: ${trouble.name}`, () => waits(lines, "webhooks", since));
    }
    await operator.query(trouble.cure);
    await endConnections(operator);
    expect((await persist(() => createPlaylist(service, trouble.name))).at(-1)!.status).toBe(201);
  }
  expect(await namesOfPlaylists(service)).toEqual(["25006", "53300", "57P01"]);
  expectAlive(lines);
});

test("[DBE9] a locked table does not make a node take more and more connections", async () => {
  const database = await postgres.createDatabase();
  await using operator = await connect(database);
  await using node = await startNode(database);
  await operator.query("BEGIN; LOCK TABLE state.nodes, state.leases, state.announcements IN ACCESS EXCLUSIVE MODE");
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  let most = 0;
  // Each of the three queries is tried every few seconds, by a pool of three.
  const tries = () => node.lines.filter(({ msg }) => msg === "a background loop waits for the database").length;
  await using watching = await connect(database);
  await waitUntil("the loops have tried for several times", async () => {
    most = Math.max(most, (await watching.query(waiting)).rows.length);
    return tries() >= 8;
  });
  expect(most).toBeLessThanOrEqual(3);
  await operator.query("ROLLBACK");
  await waitUntil("it has a lease", () => node.nodes.figures.leaseSeconds > 0);
});

test("[DBE9] the time that the database gives to statements stays if it is shorter than the service's own", async () => {
  const database = await postgres.createDatabase();
  const name = database.split("/").at(-1)!;
  const limitOf = async (set: string) => {
    await using operator = await connect(database);
    await operator.query(`ALTER DATABASE ${name} SET statement_timeout = '${set}'`);
    await using store = await openPostgresStore(database);
    return await store.db.selectNoFrom((each) => each.fn<string>("current_setting", [each.val("statement_timeout")]).as("limit")).execute();
  };
  for (const [set, limit] of [
    ["0", "55s"],
    ["2h", "55s"],
    ["300ms", "300ms"],
    ["5s", "5s"],
  ])
    expect(await limitOf(set!)).toEqual([{ limit }]);
});

test("[DBE10] of two transactions that wait for each other the service's runs again and succeeds", async () => {
  const database = await postgres.createDatabase();
  await using store = await openPostgresStore(database);
  await using operator = await connect(database);
  const rows = ["one", "two"].map((key) => ({ key, value: "0" }));
  await store.write((db) => db.insertInto("meta").values(rows).execute());
  // Who looks for a deadlock first is the one that fails.
  await operator.query("SET deadlock_timeout = '1h'; BEGIN; UPDATE state.meta SET value = '1' WHERE key = 'two'");
  let attempts = 0;
  const set = (db: Parameters<Parameters<Store["write"]>[0]>[0], key: string) =>
    db.updateTable("meta").set({ value: "2" }).where("key", "=", key).execute();
  const crossed = Promise.withResolvers<void>();
  const writing = store.write(async (db) => {
    attempts += 1;
    await set(db, "one");
    if (attempts === 1) crossed.resolve();
    await set(db, "two");
  });
  await crossed.promise;
  await operator.query("UPDATE state.meta SET value = '1' WHERE key = 'one'");
  await operator.query("COMMIT");
  await writing;
  expect(attempts).toBeGreaterThan(1);
  expect(await store.db.selectFrom("meta").selectAll().where("key", "in", ["one", "two"]).orderBy("key").execute()).toEqual(
    rows.map((row) => ({ ...row, value: "2" })),
  );
});

test("[DBE10] a statement that is cancelled while it waits fails alone: the next write of the node succeeds", async () => {
  const database = await postgres.createDatabase();
  await using store = await openPostgresStore(database);
  await using operator = await connect(database);
  const pool = new pg.Pool({ connectionString: database });
  await using _closing = { [Symbol.asyncDispose]: () => pool.end() };
  await operator.query("BEGIN; LOCK TABLE state.meta IN ACCESS EXCLUSIVE MODE");
  const writing = store.write((db) => db.insertInto("meta").values({ key: "one", value: "" }).execute());
  const outcome = writing.catch((error: unknown) => error);
  await waitForLockedQuery(pool);
  await pool.query("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()");
  expect(isFault(await outcome, "store-unavailable")).toBe(true);
  await operator.query("ROLLBACK");
  await store.write((db) => db.insertInto("meta").values({ key: "one", value: "" }).execute());
});
