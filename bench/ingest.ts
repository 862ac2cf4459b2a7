// Play events stored per second in batches of 500, with and without HTTP, against a bare insert of the same rows.
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSystemClock } from "../src/base/clock.ts";
import type { PlayEvent } from "../src/protocol/device/play-events.ts";
import { createIds } from "../src/service/store/ids.ts";
import { storePlayEvents } from "../src/service/proof/play-events.ts";
import { openStore } from "../src/service/store/store.ts";
import type { PlayerRow } from "../src/service/store/tables/fleet.ts";
import { TestService } from "../test/service/harness.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { printFigure, percentiles } from "./lib.ts";

const batches = Number(process.argv[2] ?? 100);
const makeId = createIds(createSystemClock());
const ids = { layout_id: makeId("lay"), zone_id: makeId("zon"), item_id: makeId("itm"), asset_id: makeId("ast") };

function batch(): PlayEvent[] {
  return Array.from({ length: 500 }, (_, index) => ({
    id: makeId("evt"),
    ...ids,
    schedule_id: null,
    sha256: "a".repeat(64),
    revision: "r".repeat(43),
    result: "completed" as const,
    reason: null,
    started_at: new Date(Date.UTC(2026, 10, 21) + index * 8_000).toISOString(),
    ended_at: new Date(Date.UTC(2026, 10, 21) + index * 8_000 + 8_000).toISOString(),
    duration_ms: 8_000,
    started_monotonic_ms: index * 8_000,
    ended_monotonic_ms: index * 8_000 + 8_000,
    boot_id: "0f8fad5b-d9cb-469f-a165-70867728950e",
    clock_offset_ms: 12.25,
    clock_error_ms: 3.5,
  }));
}

/** Runs `store` once per batch and prints the events per second. */
async function measure(name: string, store: (events: PlayEvent[]) => Promise<void> | void, bare?: number): Promise<number> {
  for (let warm = 0; warm < 5; warm += 1) await store(batch());
  const times: number[] = [];
  const allBatches = Array.from({ length: batches }, batch);
  const before = process.cpuUsage();
  for (const events of allBatches) {
    const from = performance.now();
    await store(events);
    times.push(performance.now() - from);
  }
  const { user, system } = process.cpuUsage(before);
  const perCpuSecond = Math.round((batches * 500 * 1e6) / (user + system));
  const perSecond = Math.round((batches * 500 * 1_000) / times.reduce((sum, each) => sum + each, 0));
  printFigure(name, {
    events_per_s: perSecond,
    events_per_cpu_s: perCpuSecond,
    ...(bare === undefined ? {} : { of_bare: Math.round((100 * perSecond) / bare) / 100 }),
    ...percentiles(times),
  });
  return perSecond;
}

const player = { id: makeId("plr"), team_id: makeId("team") } as PlayerRow;

// The same rows, indices and syncs, with one prepared statement and one transaction per batch.
const bareFolder = await temporaryFolder();
await (await openStore(bareFolder.path))[Symbol.asyncDispose]();
const file = new DatabaseSync(join(bareFolder.path, "plays.db"));
file.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
const insert = file.prepare("INSERT INTO play_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
const bare = await measure("bare insert into node:sqlite, ms per batch of 500", (events) => {
  file.exec("BEGIN");
  for (const event of events) {
    const { id, layout_id, zone_id, item_id, asset_id, result, started_at, duration_ms, ...rest } = event;
    const { schedule_id, override_id = null, layer = null, ...details } = rest;
    const columns = [player.id, id, player.team_id, layout_id, zone_id, item_id, asset_id, result];
    insert.run(...columns, Date.parse(started_at), duration_ms, Date.now(), JSON.stringify(details), schedule_id, override_id, layer);
  }
  file.exec("COMMIT");
});
file.close();

const storeFolder = await temporaryFolder();
await using store = await openStore(storeFolder.path);
await measure(
  "validated and stored, ms per batch of 500",
  async (events) => {
    const { accepted } = await storePlayEvents(store.plays, player, events, Date.now());
    if (accepted !== events.length) throw new Error(`accepted ${accepted}`);
  },
  bare,
);
await using folder = await temporaryFolder();
await using bench = await TestService.start(folder.path);
const device = await bench.pairDevice();
// Client and service share the CPU. A server that only reads measures the cost of the client.
await measure(
  "POST /device/play-events with the client, ms per batch of 500",
  async (events) => {
    const { body } = await device.call("POST", "play-events", { events });
    if (body.accepted !== events.length) throw new Error(`accepted ${body.accepted}`);
  },
  bare,
);
const sink = createServer((request, response) => request.resume().once("end", () => response.end("{}"))).listen(0, "127.0.0.1");
await once(sink, "listening");
const { port } = sink.address() as { port: number };
await measure("the client alone, against a server that only reads, ms per batch of 500", async (events) => {
  await (await fetch(`http://127.0.0.1:${port}`, { method: "POST", body: JSON.stringify({ events }) })).text();
});
sink.close();
await bareFolder[Symbol.asyncDispose]();
await storeFolder[Symbol.asyncDispose]();
