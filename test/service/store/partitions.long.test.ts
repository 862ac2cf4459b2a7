// The partitions of the growing tables, with a real PostgreSQL: made ahead, filled late, dropped, migrated and moved into.
import { setTimeout } from "node:timers/promises";
import { Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import pg from "pg";
import { expect, test } from "vitest";
import { createSystemClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { PlayEvent } from "../../../src/protocol/device/play-events.ts";
import { selectPlayEvents, storePlayEvents } from "../../../src/service/proof/play-events.ts";
import { createIds } from "../../../src/service/store/ids.ts";
import { moveFolder } from "../../../src/service/store/move/move.ts";
import { PooledDialect } from "../../../src/service/store/postgres/driver.ts";
import { knownMigrations } from "../../../src/service/store/postgres/known-migrations.ts";
import { migratePostgres } from "../../../src/service/store/postgres/migrate.ts";
import { growingTables, type GrowingTable } from "../../../src/service/store/partitions/growing-tables.ts";
import { makePartitions } from "../../../src/service/store/partitions/partition-statements.ts";
import { connectionTo, openPool } from "../../../src/service/store/postgres/pools.ts";
import { openPostgresStore } from "../../../src/service/store/postgres/postgres-store.ts";
import { openStore, type Store } from "../../../src/service/store/store.ts";
import type { PlayerRow } from "../../../src/service/store/tables/fleet.ts";
import { createLog } from "../../support/recording-log.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { waitForLockedQuery } from "../../support/postgres.ts";
import { sharedPostgres } from "../test-database.ts";

const patient = { timeout: 60_000 };
const dayMs = 86_400_000;
const now = Date.parse("2026-11-27T13:00:00Z");
const { signal } = new AbortController();
const makeId = createIds(createSystemClock());
const player = { id: makeId("plr"), team_id: makeId("team") } as PlayerRow;

const of = { layout_id: makeId("lay"), zone_id: makeId("zon"), item_id: makeId("itm"), schedule_id: null, asset_id: null, sha256: null };
const clocks = { started_monotonic_ms: 0, ended_monotonic_ms: 0, boot_id: "b", clock_offset_ms: 0, clock_error_ms: null };

function play(startedAt: number, id: string = makeId("evt")): PlayEvent {
  const at = new Date(startedAt).toISOString();
  const span = { started_at: at, ended_at: at, duration_ms: 0 };
  return PlayEvent.parse({ id, ...of, ...span, ...clocks, revision: "r", result: "completed", reason: null });
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows as Record<string, unknown>[];
}

/** How many rows each partition of a table has, by its name without the table's. */
async function rowsIn(url: string, table: string): Promise<Record<string, number>> {
  const rows = await query(
    url,
    `SELECT inhrelid::regclass::text AS name, coalesce(count, 0)::int AS count FROM pg_inherits
      LEFT JOIN (SELECT tableoid, count(*) AS count FROM ${table} GROUP BY tableoid) rows ON rows.tableoid = inhrelid
      WHERE inhparent = '${table}'::regclass ORDER BY inhrelid::regclass::text COLLATE "C"`,
  );
  return Object.fromEntries(rows.map(({ name, count }) => [String(name).slice(table.length + 1), Number(count)]));
}

interface Node extends AsyncDisposable {
  store: Store;
  /** Keeps a table's partitions as the cleanup of a service does that keeps its rows for `keptDays`. */
  keep(table: GrowingTable["name"], keptDays: number, at?: number): Promise<void>;
}

async function open(url: string): Promise<Node> {
  const store = await openPostgresStore(url);
  return {
    store,
    keep: (table, keptDays, at = now) => store.partitions!.keep(table, { now: at, before: at - keptDays * dayMs }, signal),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

const newDatabase = async (): Promise<string> => (await sharedPostgres()).createDatabase();
const filled = (counts: Record<string, number>) => Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
const listed = async ({ plays }: Store): Promise<string[]> =>
  (await selectPlayEvents(plays, player.team_id, {}).select("id").execute()).map(({ id }) => id).toSorted();

test("[PTN1] nodes that keep the partitions at once make those of today and the next week, each once", patient, async () => {
  const url = await newDatabase();
  await using a = await open(url);
  await using b = await open(url);
  await Promise.all(
    [a, b, a, b].flatMap((node) => [node.keep("play_events", 30), node.keep("heartbeat_minutes", 30), node.keep("heartbeat_hours", 366)]),
  );
  const days = Array.from({ length: 8 }, (_, index) => new Date(now + index * dayMs).toISOString().slice(0, 10).replaceAll("-", ""));
  expect(Object.keys(await rowsIn(url, "plays.play_events"))).toEqual([...days, "default"]);
  expect(Object.keys(await rowsIn(url, "telemetry.heartbeat_minutes"))).toEqual([...days, "default"]);
  // Four weeks.
  expect(Object.keys(await rowsIn(url, "telemetry.heartbeat_hours"))).toEqual(["20261119", "default"]);
  const event = play(now + 7 * dayMs);
  await storePlayEvents(a.store.plays, player, [event], now);
  expect(filled(await rowsIn(url, "plays.play_events"))).toEqual({ "20261204": 1 });
});

test("[PTN2] a play event that is sent again is stored once, wherever it lies meanwhile", patient, async () => {
  await using node = await open(await newDatabase());
  const events = [play(now), play(now - 20 * dayMs), play(0), play(now + 300 * dayMs)];
  const send = (all: readonly PlayEvent[]) => storePlayEvents(node.store.plays, player, all, now);
  expect(await send([...events, events[0]!])).toMatchObject({ accepted: 4, duplicates: 1 });
  await node.keep("play_events", 400);
  expect(await send(events)).toMatchObject({ accepted: 0, duplicates: 4 });
  // The clock of a player that crashed was corrected: its start is another one.
  expect(await send([play(now + 3_000, events[0]!.id)])).toMatchObject({ accepted: 0, duplicates: 1 });
  // Their partitions are dropped; they arrived late.
  await node.keep("play_events", 30, now + 29 * dayMs);
  expect(await send(events)).toMatchObject({ accepted: 0, duplicates: 4 });
  expect(await listed(node.store)).toEqual(events.map(({ id }) => id).toSorted());
  await using other = await open(await newDatabase());
  const both = await Promise.all(Array.from({ length: 6 }, () => storePlayEvents(other.store.plays, player, events, now)));
  expect(both.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(4);
});

test("[PTN3] a partition is dropped when all its days are over; rows that arrived late stay until their own time", patient, async () => {
  const url = await newDatabase();
  await using node = await open(url);
  await node.keep("play_events", 30);
  const [inTime, late] = [play(now), play(now)];
  await storePlayEvents(node.store.plays, player, [inTime], now);
  await storePlayEvents(node.store.plays, player, [late], now + 10 * dayMs);
  // The day of the partition is not over yet.
  await node.keep("play_events", 30, now + 30 * dayMs);
  expect(filled(await rowsIn(url, "plays.play_events"))).toEqual({ "20261127": 2 });
  await node.keep("play_events", 30, now + 31 * dayMs);
  expect(await rowsIn(url, "plays.play_events")).not.toHaveProperty("20261127");
  expect([await listed(node.store), (await rowsIn(url, "plays.play_events"))["default"]]).toEqual([[late.id], 1]);
  await node.keep("play_events", 30, now + 39 * dayMs);
  expect(await listed(node.store)).toEqual([late.id]);
  await node.keep("play_events", 30, now + 41 * dayMs);
  expect(await listed(node.store)).toEqual([]);
  // The setting is changed: days and weeks do not overlap, and a shorter time takes effect at once.
  await node.keep("play_events", 400, now + 41 * dayMs);
  await node.keep("play_events", 30, now + 50 * dayMs);
  const events = Array.from({ length: 30 }, (_, index) => play(now + (40 + index) * dayMs));
  await storePlayEvents(node.store.plays, player, events, now + 70 * dayMs);
  await node.keep("play_events", 30, now + 70 * dayMs);
  expect((await rowsIn(url, "plays.play_events"))["default"]).toBe(0);
  expect(await listed(node.store)).toHaveLength(30);
  await node.keep("play_events", 3, now + 76 * dayMs);
  expect(await listed(node.store)).toHaveLength(0);
});

test("[PTN4] events of players that were offline for weeks are stored, and get partitions", patient, async () => {
  const url = await newDatabase();
  await using node = await open(url);
  await node.keep("play_events", 400);
  const events = [play(now - 40 * dayMs), play(now - 41 * dayMs), play(now - 90 * dayMs), play(0), play(now)];
  expect(await storePlayEvents(node.store.plays, player, events, now)).toMatchObject({ accepted: 5 });
  expect(filled(await rowsIn(url, "plays.play_events"))).toEqual({ "20261126": 1, default: 4 });
  await node.keep("play_events", 400);
  expect(filled(await rowsIn(url, "plays.play_events"))).toEqual({ "20261126": 1, "20261015": 2, "20260827": 1, default: 1 });
  expect(await listed(node.store)).toEqual(events.map(({ id }) => id).toSorted());
  const from = new Date(now - 41 * dayMs).toISOString();
  expect(await selectPlayEvents(node.store.plays, player.team_id, { from }).select("id").execute()).toHaveLength(3);
});

test("[PTN8] a query that begins while rows are moved into a new partition finds them", patient, async () => {
  const url = await newDatabase();
  await using node = await open(url);
  const event = play(now - 40 * dayMs);
  await storePlayEvents(node.store.plays, player, [event], now);
  const pool = new pg.Pool(connectionTo(url));
  try {
    const client = await pool.connect();
    await client.query("BEGIN");
    const run = async (text: string) => (await client.query(text)).rows as unknown[];
    await makePartitions(run, growingTables.play_events, [Math.floor((now - 40 * dayMs) / dayMs)], 7);
    const reading = listed(node.store);
    await waitForLockedQuery(pool);
    await client.query("COMMIT");
    client.release();
    expect(await reading).toEqual([event.id]);
  } finally {
    await pool.end();
  }
});

test("[PTN5] a database from before has all its rows in partitions after the migration", patient, async () => {
  const url = await (await sharedPostgres()).createDatabase(false);
  for (const schema of ["telemetry", "plays"] as const) {
    await query(url, `CREATE SCHEMA ${schema}`);
    await using pool = openPool(url, schema, silentLog, { max: 1 });
    const db = new Kysely<unknown>({ dialect: new PooledDialect({ pool, prepare: `SET search_path TO ${schema}`, begin: "begin" }) });
    const before = Object.fromEntries(Object.entries(knownMigrations[schema]).filter(([name]) => name < "0070"));
    const provider = { getMigrations: async () => before };
    expect((await new Migrator({ db, provider, migrationTableSchema: schema }).migrateToLatest()).error).toBeUndefined();
  }
  const ago = (days: number) => Math.floor(Date.now() / dayMs - days);
  await query(
    url,
    `INSERT INTO plays.play_events SELECT 'plr', 'evt' || day, 'team', 'l', 'z', 'i', NULL, 'completed', (${ago(0)} - day) * ${dayMs}::bigint, 1, 5, '{}'
      FROM generate_series(0, 600) day;
     INSERT INTO telemetry.heartbeat_minutes (player_id, minute, beats, rendering, cpu_load_max, memory_bytes_max, boot_id, uptime_ms)
      SELECT 'plr', (${ago(0)} - day) * 1440, 1, 1, 0, 0, 'b', 1 FROM generate_series(0, 20) day;
     INSERT INTO telemetry.heartbeat_hours (player_id, hour, minutes, beats, rendering, cpu_load_max, memory_bytes_max, boot_id, uptime_ms)
      SELECT 'plr', (${ago(0)} - day) * 24, 1, 1, 1, 0, 0, 'b', 1 FROM generate_series(0, 100) day`,
  );
  await migratePostgres(url, silentLog);
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((one, other) => one + other, 0);
  const plays = await rowsIn(url, "plays.play_events");
  // The oldest week begins up to six days before the oldest day that is kept.
  const [year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(Object.keys(plays)[0]!)!.slice(1);
  const oldestAge = ago(0) - Date.parse(`${year}-${month}-${day}`) / dayMs;
  expect([sum(plays), plays["default"]]).toEqual([601, 600 - oldestAge]);
  expect(oldestAge).toBeGreaterThanOrEqual(400);
  expect(oldestAge).toBeLessThanOrEqual(406);
  const minutes = await rowsIn(url, "telemetry.heartbeat_minutes");
  expect([sum(minutes), minutes["default"], Object.keys(minutes).length]).toEqual([21, 0, 22]);
  const hours = await rowsIn(url, "telemetry.heartbeat_hours");
  expect([sum(hours), hours["default"]]).toEqual([101, 0]);
  // The columns and their order of letters are the same as before, and no table is left.
  await using node = await open(url);
  expect(await storePlayEvents(node.store.plays, player, [play(Date.now())], 1)).toMatchObject({ accepted: 1 });
  expect(await query(url, "SELECT 1 FROM pg_tables WHERE tablename LIKE '%before'")).toEqual([]);
});

test("[PTN6] move puts the rows of a data folder into partitions", patient, async () => {
  await using folder = await temporaryFolder();
  const events = [play(0), ...Array.from({ length: 30 }, (_, index) => play(Date.now() - index * dayMs))];
  {
    await using store = await openStore(folder.path);
    await storePlayEvents(store.plays, player, events, Date.now());
  }
  const url = await (await sharedPostgres()).createDatabase(false);
  const moved = await moveFolder(folder.path, url, silentLog, signal);
  expect(moved.filter(({ table }) => table.startsWith("plays.")).map(({ table, to }) => [table, to.rows])).toEqual([
    ["plays.play_events", 31],
  ]);
  expect((await rowsIn(url, "plays.play_events"))["default"]).toBe(1);
  await using node = await open(url);
  expect(await listed(node.store)).toEqual(events.map(({ id }) => id).toSorted());
});

test(
  "[PTN7] while a query uses a table its partitions wait for the next round, and events do not wait for the query",
  patient,
  async () => {
    const url = await newDatabase();
    const { log, lines } = createLog();
    await using store = await openPostgresStore(url, log);
    const keep = (at: number) => store.partitions!.keep("play_events", { now: at, before: at - 30 * dayMs }, signal);
    await keep(now);
    const long = new pg.Client(url);
    await long.connect();
    await long.query("BEGIN; SELECT count(*) FROM plays.play_events");
    const later = now + 40 * dayMs;
    const kept = keep(later);
    await setTimeout(500);
    const stored = storePlayEvents(store.plays, player, [play(later)], later);
    await kept;
    expect(await stored).toMatchObject({ accepted: 1 });
    expect(lines.filter(({ level }) => level === 40)).toHaveLength(1);
    expect(await rowsIn(url, "plays.play_events")).toHaveProperty("20261127");
    await long.query("COMMIT");
    await long.end();
    await keep(later);
    expect(await rowsIn(url, "plays.play_events")).not.toHaveProperty("20261127");
    expect((await rowsIn(url, "plays.play_events"))["default"]).toBe(0);
  },
);
