// The history of heartbeats: minutes, pages, daily uptime and retention.
import { expect, test } from "vitest";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { TestService, heartbeat, errorPointers, type Device } from "../../harness.ts";
import { openTables } from "../../tables-of.ts";
import { isOnPostgres } from "../../test-database.ts";

const minute = 60_000;
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

test("[HBH1] the heartbeats of a minute are stored as one row with the worst of each measurement and the latest of each status field", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(noon);
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice();
  await sendHeartbeat(device, {
    cpu_load: 0.5,
    memory_bytes: 300,
    temperature_c: null,
    disk_free_bytes: 1_000,
    rendering: false,
    boot_id: "a",
  });
  clock.advance(30_000);
  await sendHeartbeat(device, { cpu_load: 0.2, memory_bytes: 200, temperature_c: 61, disk_free_bytes: 900, boot_id: "b", uptime_ms: 7 });
  clock.advance(minute);
  await sendHeartbeat(device, { cpu_load: 0.9 });
  const { body } = await api.call("GET", `players/${device.playerId}/heartbeats`);
  expect(body.next_cursor).toBeNull();
  expect(body.data).toMatchObject([
    { minute: "2026-11-21T12:01:00.000Z", beats: 1, rendering: 1, cpu_load_max: 0.9 },
    {
      minute: "2026-11-21T12:00:00.000Z",
      beats: 2,
      rendering: 1,
      cpu_load_max: 0.5,
      memory_bytes_max: 300,
      temperature_c_max: 61,
      disk_free_bytes_min: 900,
      boot_id: "b",
      uptime_ms: 7,
    },
  ]);
});

test("[HBH2] the history can be read page by page and by range, and survives a restart", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(noon);
  let playerId: string;
  {
    await using api = await TestService.start(folder.path, { clock });
    const device = await api.pairDevice();
    ({ playerId } = device);
    for (let count = 0; count < 5; count += 1) {
      await sendHeartbeat(device);
      clock.advance(minute);
    }
  }
  await using api = await TestService.start(folder.path, { clock });
  const path = `players/${playerId}/heartbeats`;
  const minutes: string[] = [];
  for (let cursor = ""; ;) {
    const { body } = await api.call("GET", `${path}?limit=2${cursor}`);
    minutes.push(...body.data.map((row: { minute: string }) => row.minute.slice(14, 16)));
    if (body.next_cursor === null) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  expect(minutes).toEqual(["04", "03", "02", "01", "00"]);
  const range = await api.call("GET", `${path}?from=2026-11-21T12:01:00Z&to=2026-11-21T12:03:00Z`);
  expect(range.body.data.map((row: { minute: string }) => row.minute.slice(14, 16))).toEqual(["02", "01"]);
  expect((await api.call("GET", `${path}?from=yesterday`)).status).toBe(422);
  expect((await api.call("GET", "players/plr_01jd3v8q6m9x2k4n7r5t1w0yzh/heartbeats")).status).toBe(404);
});

test("[HBH3] uptime is the share of each day's minutes with a heartbeat, counted from the pairing of the player", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(Date.UTC(2026, 10, 20, 23, 56));
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice();
  // Three of the first day's four minutes have a heartbeat; so does the first half of the next hour.
  for (let count = 0; count < 4; count += 1) {
    if (count !== 2) await sendHeartbeat(device);
    clock.advance(minute);
  }
  for (let count = 0; count < 60; count += 1) {
    if (count < 30) await sendHeartbeat(device);
    clock.advance(minute);
  }
  const { body } = await api.call("GET", `players/${device.playerId}/uptime?from=2026-11-19`);
  expect(body.days).toEqual([
    { date: "2026-11-19", minutes_up: 0, minutes_total: 0, uptime_percent: null },
    { date: "2026-11-20", minutes_up: 3, minutes_total: 4, uptime_percent: 75 },
    { date: "2026-11-21", minutes_up: 30, minutes_total: 60, uptime_percent: 50 },
  ]);
  expect((await api.call("GET", `players/${device.playerId}/uptime`)).body.days).toHaveLength(30);
  for (const wrong of ["from=2026-01-01", "from=2026-11-21&to=2026-11-20", "from=2026-13-01"]) {
    const refused = await api.call("GET", `players/${device.playerId}/uptime?${wrong}`);
    expect([refused.status, errorPointers(refused)]).toEqual([422, ["?from"]]);
  }
});

test("[HBH4] minutes are kept for thirty days; permanently deleting a player deletes its minutes at once", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(noon);
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice();
  const list = async () => (await api.call("GET", `players/${device.playerId}/heartbeats`)).body.data.length as number;
  await sendHeartbeat(device);
  clock.advance(30 * day - minute);
  await sendHeartbeat(device);
  expect(await list()).toBe(2);
  // PostgreSQL drops the minutes of a UTC day together, once all of them are old enough.
  clock.advance(60 * minute + (isOnPostgres ? day : 0));
  await expect.poll(list).toBe(1);
  const rows = (): unknown => {
    using telemetry = openTables(folder.path, "telemetry");
    return telemetry.prepare("SELECT count(*) AS minutes FROM heartbeat_minutes").get()!["minutes"];
  };
  expect((await api.call("DELETE", `players/${device.playerId}`)).status).toBe(204);
  expect((await api.call("GET", `players/${device.playerId}/heartbeats`)).status).toBe(404);
  expect(rows()).toBe(1);
  expect((await api.call("DELETE", `players/${device.playerId}?permanent=true`)).status).toBe(204);
  expect(rows()).toBe(0);
});

test("[HBH5] a heartbeat is in the history once it was answered; one that cannot be stored is answered anyway and stored later", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(noon);
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice();
  using telemetry = openTables(folder.path, "telemetry");
  telemetry.exec("ALTER TABLE heartbeat_minutes RENAME TO unavailable");
  await sendHeartbeat(device, { cpu_load: 0.7 });
  expect((await api.call("GET", `players/${device.playerId}/heartbeats`)).status).toBe(500);
  expect((await api.call("GET", `players/${device.playerId}`)).body).toMatchObject({ status: "online" });
  telemetry.exec("ALTER TABLE unavailable RENAME TO heartbeat_minutes");
  await sendHeartbeat(device);
  const { body } = await api.call("GET", `players/${device.playerId}/heartbeats`);
  expect(body.data).toMatchObject([{ beats: 2, cpu_load_max: 0.7 }]);
});
