// The store on PostgreSQL, with a real server: opening, migrations, and writes of several nodes.
import { execFile } from "node:child_process";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { expect, test } from "vitest";
import { createSystemClock } from "../../../src/base/clock.ts";
import { rootFolder } from "../../../src/main/folders.ts";
import { Idempotency } from "../../../src/service/http/idempotency.ts";
import { ProblemError } from "../../../src/service/http/problem.ts";
import { openPostgresStore } from "../../../src/service/store/postgres/postgres-store.ts";
import { createIds } from "../../../src/service/store/ids.ts";
import type { Db, Store } from "../../../src/service/store/store.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { startPostgres } from "../../support/postgres.ts";
import { hasConflicts, sharedPostgres } from "../test-database.ts";
import { TestService } from "../harness.ts";

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows as Record<string, unknown>[];
}

/** Two nodes on one new database. */
async function openTwo(): Promise<{ a: Store; b: Store; url: string } & AsyncDisposable> {
  const url = await (await sharedPostgres()).createDatabase();
  const [a, b] = await Promise.all([openPostgresStore(url), openPostgresStore(url)]);
  const close = async () => void (await Promise.all([a[Symbol.asyncDispose](), b[Symbol.asyncDispose]()]));
  return { a, b, url, [Symbol.asyncDispose]: close };
}

/** Resolves when a write waits for another one that runs alone. */
async function untilWaiting(url: string): Promise<void> {
  const waiting = "SELECT pid FROM pg_locks WHERE relation = 'state.write_turns'::regclass AND NOT granted";
  await expect.poll(() => query(url, waiting)).not.toEqual([]);
}

/** A second node, which finds the first one's access token in its folder. */
async function startBeside(first: TestService, folder: string, database: string): Promise<TestService> {
  await mkdir(folder, { mode: 0o700 });
  await copyFile(join(first.folder, "admin-token"), join(folder, "admin-token"));
  return TestService.start(folder, { database });
}

/** Adds one to a number by reading and writing it, as the service does with counters, positions and limits. */
async function increment(db: Db): Promise<number> {
  const row = await db.selectFrom("meta").select("value").where("key", "=", "count").executeTakeFirst();
  const value = Number(row?.value ?? 0) + 1;
  if (row === undefined) await db.insertInto("meta").values({ key: "count", value: "1" }).execute();
  else
    await db
      .updateTable("meta")
      .set({ value: `${value}` })
      .where("key", "=", "count")
      .execute();
  return value;
}

test("[PGS1] nodes that start at once on an empty PostgreSQL database create its tables once", async () => {
  const url = await (await sharedPostgres()).createDatabase(false);
  const stores = await Promise.all(Array.from({ length: 4 }, () => openPostgresStore(url)));
  const counts = await Promise.all(stores.map((store) => store.write(increment)));
  expect(counts.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4]);
  await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
});

test("[PGS2] a database that a newer version wrote, or one that was never released, is refused and stays unchanged", async () => {
  for (const [schema, step, reason] of [
    ["telemetry", "9999-future", "written by a newer version"],
    ["plays", "0001-aaa", "written by a newer version"],
    ["state", "9999-future", "written by a newer version"],
  ] as const) {
    const url = await (await sharedPostgres()).createDatabase();
    await query(url, `INSERT INTO ${schema}.kysely_migration VALUES ('${step}', '2027-01-01T00:00:00.000Z'); DROP TABLE state.write_turns`);
    await expect(openPostgresStore(url)).rejects.toMatchObject({ code: "unsupported", message: expect.stringContaining(reason) });
    expect(await query(url, "SELECT to_regclass('state.write_turns') AS found")).toEqual([{ found: null }]);
  }
  const url = await (await sharedPostgres()).createDatabase();
  await query(url, "DELETE FROM state.kysely_migration WHERE name = '0005-records'");
  await expect(openPostgresStore(url)).rejects.toMatchObject({ code: "unsupported", message: expect.stringContaining("--database") });
});

test("[PGS3] writes of two nodes that read and change the same row lose nothing, and none fails", async () => {
  await using nodes = await openTwo();
  const each = 80;
  const results = await Promise.all([nodes.a, nodes.b].flatMap((store) => Array.from({ length: each }, () => store.write(increment))));
  expect(new Set(results).size).toBe(2 * each);
  expect(Math.max(...results)).toBe(2 * each);
});

test.skipIf(hasConflicts)("[PGS3] a write that conflicts again and again runs alone in the end", async () => {
  await using nodes = await openTwo();
  await nodes.a.write(increment);
  let attempts = 0;
  const value = await nodes.a.write(async (db) => {
    attempts += 1;
    const row = await db.selectFrom("meta").select("value").where("key", "=", "count").executeTakeFirstOrThrow();
    // The other node writes after this one has read. Once this write is alone, the other waits for it.
    const other = nodes.b.write(increment);
    await Promise.race([other, untilWaiting(nodes.url)]);
    await db
      .updateTable("meta")
      .set({ value: `${Number(row.value) + 1}` })
      .where("key", "=", "count")
      .execute();
    return Number(row.value) + 1;
  });
  expect(attempts).toBe(5);
  expect(value).toBe(6);
  await nodes.b.write(async () => undefined);
  expect(await nodes.b.write(increment)).toBe(8);
});

test.skipIf(hasConflicts)("[PGS4] the writes of a node run in order, and one that fails changes nothing and hinders no other", async () => {
  await using nodes = await openTwo();
  const seen: string[] = [];
  nodes.a.beforeCommit(async (db) => void seen.push(`before ${(await db.selectFrom("meta").select("value").execute())[0]?.value}`));
  nodes.a.onCommit(() => seen.push("after"));
  const first = nodes.a.write(increment);
  const failing = nodes.a.write(async (db) => {
    await increment(db);
    throw new Error("no");
  });
  const last = nodes.a.write(increment);
  await expect(failing).rejects.toThrow("no");
  expect(await Promise.all([first, last])).toEqual([1, 2]);
  expect(seen).toEqual(["before 1", "after", "before 2", "after"]);
});

test("[PGS5] a service on SQLite loads no package for PostgreSQL, NATS or S3", async () => {
  await using folder = await temporaryFolder();
  const program = join(rootFolder, "test/support/programs/loaded-packages.ts");
  const database = await (await sharedPostgres()).createDatabase();
  const { stdout } = await promisify(execFile)(process.execPath, [program, join(folder.path, "data"), database]);
  const ofEngines = stdout
    .trim()
    .split("\n")
    .map((line) =>
      (JSON.parse(line) as string[]).filter((name) => /^(pg|pg-.*|@nats-io\/.*|@aws-sdk\/.*|@smithy\/.*|@tus\/s3-store)$/.test(name)),
    );
  // The same program notices the package of a service that needs it.
  expect(ofEngines).toEqual([[], expect.arrayContaining(["pg"])]);
});

test("[PGS6] of two writes with the same If-Match that reach two nodes at once, one succeeds", async () => {
  await using folder = await temporaryFolder();
  const database = await (await sharedPostgres()).createDatabase();
  await using a = await TestService.start(join(folder.path, "a"), { database });
  await using b = await startBeside(a, join(folder.path, "b"), database);
  for (let round = 0; round < 8; round += 1) {
    const created = await a.call("POST", "playlists", { name: "P", items: [] });
    const write = (node: TestService, name: string) =>
      node.call("PATCH", `playlists/${created.body.id}`, { name }, { "if-match": created.headers.get("etag")! });
    const answers = await Promise.all([write(a, "of A"), write(b, "of B")]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 412]);
    const winner = answers.find(({ status }) => status === 200)!.body.name;
    expect((await b.call("GET", `playlists/${created.body.id}`)).body.name).toBe(winner);
  }
});

test("[PGS7] a request with an Idempotency-Key that is repeated at another node at the same time runs once; both get the same response", async () => {
  await using folder = await temporaryFolder();
  const database = await (await sharedPostgres()).createDatabase();
  await using a = await TestService.start(join(folder.path, "a"), { database });
  await using b = await startBeside(a, join(folder.path, "b"), database);
  for (let round = 0; round < 8; round += 1) {
    const headers = { "idempotency-key": `key-${round}`, authorization: `Bearer ${a.token}` };
    const create = (node: TestService) => node.call("POST", "playlists", { name: `P${round}`, items: [] }, headers);
    const answers = await Promise.all([create(a), create(b)]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[0]!.body).toEqual(answers[1]!.body);
    expect(answers.filter((each) => each.headers.get("idempotency-replayed") === "true")).toHaveLength(1);
  }
  expect((await a.call("GET", "playlists?limit=100")).body.data).toHaveLength(8);
});

test("[PGS8] while PostgreSQL cannot be reached, queries fail as unavailable; they succeed again when it is back", async () => {
  await using folder = await temporaryFolder();
  let server = await startPostgres({ folder: folder.path });
  await using store = await openPostgresStore(await server.createDatabase());
  expect(await store.write(increment)).toBe(1);
  await server[Symbol.asyncDispose]();
  await expect(store.write(increment)).rejects.toMatchObject({ code: "store-unavailable" });
  await expect(store.telemetry.selectFrom("heartbeats").selectAll().execute()).rejects.toMatchObject({ code: "store-unavailable" });
  server = await startPostgres({ folder: folder.path });
  expect(await store.write(increment)).toBe(2);
  await server[Symbol.asyncDispose]();
});

test("[PGS17] a database that is not there, or does not let the service in or create tables, is named with what to do", async () => {
  const postgres = await sharedPostgres();
  const database = await postgres.createDatabase(false);
  const as = (user: string) => database.replace("postgres://postgres@", `postgres://${user}@`);
  const guest = `guest_${process.pid}`;
  const refusal = (url: string) => openPostgresStore(url).catch((error: unknown) => error);
  const missing = await refusal(`${database}_missing`);
  expect(missing).toMatchObject({ code: "store-unavailable", message: expect.stringMatching(/_missing" does not exist: create it/) });
  const unknown = await refusal(as(guest));
  expect(unknown).toMatchObject({
    code: "store-unavailable",
    message: expect.stringMatching(/role "guest_\d+" does not exist: correct the user/),
  });
  await query(database, `CREATE ROLE ${guest} LOGIN`);
  const withoutRights = await refusal(as(guest));
  expect(withoutRights).toMatchObject({
    code: "refused",
    message: expect.stringMatching(/permission denied for database .*: let its user create/),
  });
  // While it runs.
  await query(database, `GRANT CREATE ON DATABASE ${database.split("/").at(-1)} TO ${guest}`);
  await using store = await openPostgresStore(as(guest));
  expect(await store.write(increment)).toBe(1);
  await query(database, `ALTER ROLE ${guest} NOLOGIN`);
  await query(database, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${guest}'`);
  const rejected = async () => (await store.write(increment).catch((error: Error) => error)) as Error;
  await expect.poll(async () => (await rejected()).message).toContain("is not permitted to log in");
  expect(await rejected()).toMatchObject({ code: "store-unavailable" });
  await query(database, `ALTER ROLE ${guest} LOGIN`);
  expect(await store.write(increment)).toBe(2);
});

test("[PGS16] a repeat that fails because the first request with its Idempotency-Key has succeeded meanwhile gets the first one's answer", async () => {
  await using nodes = await openTwo();
  const clock = createSystemClock();
  const [first, repeat] = [nodes.a, nodes.b].map((store) => new Idempotency(store, clock));
  const caller = { tokenId: "tok_1", secret: "secret" };
  const answer = { status: 201, headers: {}, body: "published" };
  const publish: Parameters<Idempotency["once"]>[3] = async (keep) => {
    await nodes.a.write((db) => keep(db, answer));
    return answer;
  };
  // The repeat has looked for the answer, and runs while the first one commits.
  const repeated = await repeat!.once(caller, "key", "hash", async () => {
    expect(await first!.once(caller, "key", "hash", publish)).toMatchObject({ ...answer, replayed: false });
    throw new ProblemError("wrong-status", "The draft cannot be published: it is published");
  });
  expect(repeated).toEqual({ ...answer, replayed: true });
  // One that was not kept fails as before.
  const refuse = repeat!.once(caller, "another", "hash", () => Promise.reject(new ProblemError("wrong-status", "No")));
  await expect(refuse).rejects.toMatchObject({ kind: "wrong-status" });
});

test("[PGS9] ids and names sort by their bytes, whatever the order that the database was created with", async () => {
  const inEnglish = "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'";
  const url = await (await sharedPostgres()).createDatabase(false, inEnglish);
  expect(await query(url, "SELECT 'a' < 'B' AS is_english")).toEqual([{ is_english: true }]);
  await using store = await openPostgresStore(url);
  const makeId = createIds(createSystemClock());
  for (const name of ["a", "B", "_", "ä", "Z"]) await store.db.insertInto("users").values({ id: makeId("usr"), name, email: null, created_at: 1, updated_at: 1 }).execute(); // prettier-ignore
  const names = (await store.db.selectFrom("users").select("name").orderBy("name").execute()).map(({ name }) => name);
  expect(names).toEqual(["B", "Z", "_", "a", "ä"]);
  const columns = `SELECT count(*)::int AS count FROM information_schema.columns WHERE table_schema IN ('state', 'telemetry', 'plays')
    AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'`;
  expect(await query(url, columns)).toEqual([{ count: 0 }]);
});

test.skipIf(hasConflicts)("[PGS10] a write that has to be alone makes those of other nodes wait", async () => {
  await using nodes = await openTwo();
  const order: string[] = [];
  const entered = Promise.withResolvers<void>();
  const leave = Promise.withResolvers<void>();
  const alone = nodes.a.writeAlone(async () => {
    entered.resolve();
    await leave.promise;
    order.push("alone");
  });
  await entered.promise;
  const other = nodes.b.write(async () => void order.push("other"));
  await untilWaiting(nodes.url);
  leave.resolve();
  await Promise.all([alone, other]);
  expect(order).toEqual(["alone", "other"]);
});
