// The measurements in the history of heartbeats, and its hours: computed from minutes, kept for a year.
import { expect, test } from "vitest";
import { pruneMinutes } from "../../../../src/service/fleet/heartbeats/minutes.ts";
import { rollUpHours } from "../../../../src/service/fleet/heartbeats/hours.ts";
import { isOnPostgres, openTestStore } from "../../test-database.ts";
import type { HeartbeatMinuteRow } from "../../../../src/service/store/tables/telemetry.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { seededRandom } from "../../../support/random.ts";
import { newId } from "../../../support/states.ts";
import { heartbeat, TestService, type ApiResponse, type Device } from "../../harness.ts";
import { openTables } from "../../tables-of.ts";

const minute = 60_000;
const hour = 3_600_000;
const day = 86_400_000;
const noon = Date.UTC(2026, 10, 21, 12);

async function sendHeartbeat(device: Device, more: Parameters<typeof heartbeat>[0] = {}): Promise<void> {
  let answer = await device.call("POST", "heartbeat", heartbeat(more));
  if (answer.status === 401) {
    device.access = (await device.renew()).body;
    answer = await device.call("POST", "heartbeat", heartbeat(more));
  }
  expect(answer.status).toBe(200);
}

async function history(api: TestService, { playerId }: Device, query = ""): Promise<ApiResponse["body"]> {
  return (await api.call("GET", `players/${playerId}/heartbeats${query}`)).body.data;
}

const display = { asked: null, reason: null, until: null, by: null, brightness_percent: null, rotation: null, mode: null, input: null };
const frames = (presented: number, dropped: number, late: number) => ({ presented, dropped, late, interval_ms: 30_000 });
const wifi = (signal_dbm: number) => ({ interface: "wlan0", kind: "wifi" as const, addresses: [], ssid: "Lobby", signal_dbm });
const memory = (page: number) => ({ player: 1, browser: 1, page, gpu: 1, other: 1 });

test("[TEL13] a minute has the sums of frames, the weakest signal, the page's memory, and whether it was throttled or its display off", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(noon);
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice();
  await sendHeartbeat(device);
  expect(await history(api, device)).toMatchObject([
    { minutes: 1, frames_presented: null, frames_dropped: null, signal_dbm_min: null, throttled_minutes: null, display_off_minutes: null },
  ]);
  await sendHeartbeat(device, {
    telemetry: {
      frames: frames(100, 3, 1),
      network: wifi(-60),
      memory: memory(500),
      throttling: { now: [], since_start: ["throttled"] },
      display: { ...display, power: "on" },
    },
  });
  await sendHeartbeat(device, {
    telemetry: {
      frames: frames(50, 1, 0),
      network: wifi(-82),
      memory: memory(400),
      throttling: { now: ["throttled"], since_start: ["throttled"] },
      display: { ...display, power: "off" },
    },
  });
  // A player that cannot tell changes nothing.
  await sendHeartbeat(device, { telemetry: { frames: null, network: null, throttling: null, display: { ...display, power: null } } });
  expect(await history(api, device)).toMatchObject([
    {
      beats: 4,
      frames_presented: 150,
      frames_dropped: 4,
      frames_late: 1,
      page_memory_bytes_max: 500,
      signal_dbm_min: -82,
      throttled_minutes: 1,
      display_off_minutes: 1,
    },
  ]);
});

test("[TEL14] hours that are over are kept for a year; those that ended while the service was down are computed at its start", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(noon);
  let device: Device;
  {
    await using api = await TestService.start(folder.path, { clock });
    device = await api.pairDevice();
    for (let count = 0; count < 3; count += 1) {
      const telemetry = {
        frames: frames(10, count, 0),
        throttling: { now: count === 1 ? (["throttled"] as const).slice() : [], since_start: [] },
      };
      await sendHeartbeat(device, { cpu_load: count, boot_id: `b${count}`, telemetry });
      clock.advance(10 * minute);
    }
    expect(await history(api, device, "?resolution=hour")).toEqual([]);
  }
  clock.advance(hour);
  const expected = {
    minute: "2026-11-21T12:00:00.000Z",
    minutes: 3,
    beats: 3,
    cpu_load_max: 2,
    boot_id: "b2",
    frames_presented: 30,
    frames_dropped: 3,
    throttled_minutes: 1,
  };
  for (let start = 0; start < 2; start += 1) {
    await using api = await TestService.start(folder.path, { clock });
    const hours = async () => (await history(api, device, "?resolution=hour")) as object[];
    await expect.poll(async () => (await hours()).length).toBe(1);
    expect(await hours()).toMatchObject([expected]);
  }
  await using api = await TestService.start(folder.path, { clock });
  const list = async () => (await history(api, device, "?resolution=hour")).map((row: { minute: string }) => row.minute);
  // The service has another port after its restart.
  Object.assign(device, { url: api.service.url });
  clock.advance(40 * day);
  await sendHeartbeat(device);
  clock.advance(2 * hour);
  await expect.poll(async () => (await list()).length).toBe(2);
  expect((await list()).at(-1)).toBe(expected.minute);
  // Its minutes are gone by now.
  await expect.poll(async () => (await history(api, device)).length).toBe(1);
  expect((await history(api, device, "?resolution=hour")).at(-1)).toMatchObject(expected);
  expect(await history(api, device, `?resolution=hour&from=2026-11-22T00:00:00Z&limit=1`)).toHaveLength(1);
  // On PostgreSQL the first hour goes with its four weeks, which end on 17 December.
  clock.advance((isOnPostgres ? 353 : 327) * day);
  await expect.poll(async () => (await list()).length).toBe(1);
  const stored = (): unknown => {
    using telemetry = openTables(folder.path, "telemetry");
    return telemetry.prepare("SELECT count(*) AS hours FROM heartbeat_hours").get()!["hours"];
  };
  await expect.poll(stored).toBe(1);
  expect((await api.call("DELETE", `players/${device.playerId}?permanent=true`)).status).toBe(204);
  expect(stored()).toBe(0);
});

test("[TEL15] each hour is the summary of all its minutes, also of those stored late, whenever it is computed; computing it again changes nothing", async () => {
  await using folder = await temporaryFolder();
  const store = await openTestStore(folder.path);
  const db = store.telemetry;
  const random = seededRandom(3);
  const { signal } = new AbortController();
  const players = [newId("plr"), newId("plr"), newId("plr")];
  const written: HeartbeatMinuteRow[] = [];
  const held: HeartbeatMinuteRow[] = [];
  let now = noon;
  const cut = () => now - 30 * day;
  const maybe = <T>(value: T): T | null => (random() < 0.3 ? null : value);
  const add = async (rows: HeartbeatMinuteRow[]): Promise<void> => {
    written.push(...rows);
    for (const row of rows) await db.insertInto("heartbeat_minutes").values(row).execute();
  };
  for (let step = 0; step < 120; step += 1) {
    // Most steps are an hour, some are a long outage of the service.
    const span = random() < 0.05 ? Math.floor(random() * 40) * 24 * 60 : 60;
    for (const player_id of players) {
      if (random() < 0.2) continue;
      const rows = Array.from({ length: 6 }, (_, index) => minuteRow(player_id, now / minute + index * 10, random, maybe));
      if (random() < 0.1) held.push(...rows);
      else await add(rows);
    }
    now += span * minute;
    if (random() < 0.8) {
      await rollUpHours(db, now, cut(), signal);
      await pruneMinutes(db, cut(), signal);
    }
    // Minutes of the hour before that the disk did not take until now.
    await add(held.splice(0).filter((row) => row.minute * minute > now - 1.5 * hour));
  }
  now += hour;
  await rollUpHours(db, now, cut(), signal);
  const before = await db.selectFrom("heartbeat_hours").selectAll().orderBy("player_id").orderBy("hour").execute();
  await rollUpHours(db, now, cut(), signal);
  const hours = await db.selectFrom("heartbeat_hours").selectAll().orderBy("player_id").orderBy("hour").execute();
  expect(hours).toEqual(before);
  expect(hours).toEqual(expectedHours(written));
  expect(hours.length).toBeGreaterThan(100);
  await store[Symbol.asyncDispose]();
});

function minuteRow(player_id: string, at: number, random: () => number, maybe: (value: number) => number | null): HeartbeatMinuteRow {
  const count = (): number => Math.floor(random() * 100);
  return {
    player_id,
    minute: Math.floor(at),
    beats: 1 + count(),
    rendering: count(),
    cpu_load_max: random(),
    memory_bytes_max: count(),
    page_memory_bytes_max: maybe(count()),
    temperature_c_max: maybe(count()),
    disk_free_bytes_min: maybe(count()),
    clock_error_ms_max: maybe(count()),
    drift_ms_max: maybe(count()),
    frames_presented: maybe(count()),
    frames_dropped: maybe(count()),
    frames_late: maybe(count()),
    signal_dbm_min: maybe(-count()),
    throttled_minutes: maybe(count() % 2),
    display_off_minutes: maybe(count() % 2),
    boot_id: `b${count()}`,
    uptime_ms: count(),
    revision: null,
  };
}

/** The hours of these minutes, computed another way. */
function expectedHours(minutes: readonly HeartbeatMinuteRow[]): object[] {
  const groups = Map.groupBy(minutes, (row) => `${row.player_id} ${Math.floor(row.minute / 60)}`);
  return [...groups.values()]
    .map((rows) => {
      const known = (name: keyof HeartbeatMinuteRow) => rows.map((row) => row[name]).filter((value) => value !== null) as number[];
      const fold = (name: keyof HeartbeatMinuteRow, by: (values: number[]) => number) =>
        known(name).length === 0 ? null : by(known(name));
      const sum = (name: keyof HeartbeatMinuteRow) => fold(name, (values) => values.reduce((total, value) => total + value, 0));
      const max = (name: keyof HeartbeatMinuteRow) => fold(name, (values) => Math.max(...values));
      const min = (name: keyof HeartbeatMinuteRow) => fold(name, (values) => Math.min(...values));
      const last = rows.toSorted((a, b) => a.minute - b.minute).at(-1)!;
      return {
        player_id: last.player_id,
        hour: Math.floor(last.minute / 60),
        minutes: rows.length,
        beats: sum("beats"),
        rendering: sum("rendering"),
        cpu_load_max: max("cpu_load_max"),
        memory_bytes_max: max("memory_bytes_max"),
        page_memory_bytes_max: max("page_memory_bytes_max"),
        temperature_c_max: max("temperature_c_max"),
        disk_free_bytes_min: min("disk_free_bytes_min"),
        clock_error_ms_max: max("clock_error_ms_max"),
        drift_ms_max: max("drift_ms_max"),
        frames_presented: sum("frames_presented"),
        frames_dropped: sum("frames_dropped"),
        frames_late: sum("frames_late"),
        signal_dbm_min: min("signal_dbm_min"),
        throttled_minutes: sum("throttled_minutes"),
        display_off_minutes: sum("display_off_minutes"),
        boot_id: last.boot_id,
        uptime_ms: last.uptime_ms,
        revision: last.revision,
      };
    })
    .toSorted((a, b) => (a.player_id === b.player_id ? a.hour - b.hour : a.player_id < b.player_id ? -1 : 1));
}
