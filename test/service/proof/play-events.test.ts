// Proof of play at the service: play events are stored once, listed, reported, and deleted in time.
import { gzipSync } from "node:zlib";
import { Kysely, SqliteDialect } from "kysely";
import { Migrator } from "kysely/migration";
import { expect, test } from "vitest";
import { createIds } from "../../../src/service/store/ids.ts";
import type { PlayEvent } from "../../../src/protocol/device/play-events.ts";
import { selectPlayEvents, showPlayEvent } from "../../../src/service/proof/play-events.ts";
import { playEventMigrations } from "../../../src/service/store/migrations/play-events.ts";
import type { PlayEventTables } from "../../../src/service/store/tables/telemetry.ts";
import { adaptDatabase } from "../../../src/service/store/store.ts";
import { openTestStore, isOnPostgres, databaseFlags } from "../test-database.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { startService } from "../../support/programs/programs.ts";
import { TestService, call, Device, picture, errorPointers, type ApiResponse } from "../harness.ts";
import { openTables } from "../tables-of.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

const makeId = createIds({ now: () => Date.UTC(2026, 10, 21), monotonic: () => 0, elapsed: () => 0, wait: async () => undefined });
const layout = makeId("lay");
const zone = makeId("zon");
const item = makeId("itm");

function play(startedAt: string, durationMs: number, more: Partial<PlayEvent> = {}): PlayEvent {
  const start = Date.parse(startedAt);
  return {
    id: makeId("evt"),
    layout_id: layout,
    zone_id: zone,
    schedule_id: null,
    item_id: item,
    asset_id: null,
    sha256: null,
    revision: "r1",
    result: "completed",
    reason: null,
    started_at: new Date(start).toISOString(),
    ended_at: new Date(start + durationMs).toISOString(),
    duration_ms: durationMs,
    started_monotonic_ms: 1_000.5,
    ended_monotonic_ms: 1_000.5 + durationMs,
    boot_id: "b1",
    clock_offset_ms: 12.5,
    clock_error_ms: 3,
    ...more,
  };
}

const send = (device: Device, events: readonly unknown[]): Promise<ApiResponse> => device.call("POST", "play-events", { events });

test("[POP1] a play event is stored once, however often it is sent; each invalid event is reported and does not block the others", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const first = play("2026-11-21T10:00:00Z", 8_000);
  const second = play("2026-11-21T10:00:08Z", 2_000, { result: "cut", reason: "replaced" });
  const wrong = { ...play("2026-11-21T10:00:10Z", 1), duration_ms: -1, extra: true };
  const answer = await send(device, [first, wrong, second, first, 7]);
  expect([answer.status, answer.body.accepted, answer.body.duplicates]).toEqual([200, 2, 1]);
  expect(answer.body.rejected).toMatchObject([
    { index: 1, id: wrong.id, errors: [{ pointer: "/duration_ms" }, { pointer: "/extra" }] },
    { index: 4, id: null },
  ]);
  expect((await send(device, [second, first])).body).toEqual({ accepted: 0, duplicates: 2, rejected: [] });
  // Ids belong to a player: the same id of another player is another event.
  const other = await api.pairDevice("Other");
  expect((await send(other, [first])).body.accepted).toBe(1);
  const listed = (await api.call("GET", `play-events?player_id=${device.playerId}`)).body.data;
  // An older player, such as this one, does not send the cause of the layout.
  const noCause = { layer: null, override_id: null };
  expect(listed).toEqual([
    { ...second, ...noCause, player_id: device.playerId, received_at: listed[0].received_at },
    { ...first, ...noCause, player_id: device.playerId, received_at: listed[1].received_at },
  ]);
  expect((await call(api.service.url, "POST", "device/play-events", { events: [first] })).status).toBe(401);
});

test("[POP2] a batch has at most 500 events, may be compressed, and its size is limited while it is decompressed", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const events = Array.from({ length: 500 }, (_, index) => play(new Date(Date.UTC(2026, 10, 21) + index * 1_000).toISOString(), 1_000));
  const packed = { "content-type": "application/json", "content-encoding": "gzip" };
  const sent = await device.call("POST", "play-events", gzipSync(JSON.stringify({ events })), packed);
  expect([sent.status, sent.body]).toEqual([200, { accepted: 500, duplicates: 0, rejected: [] }]);
  expect((await send(device, [...events, events[0]])).status).toBe(422);
  expect((await send(device, [])).status).toBe(422);
  const bomb = gzipSync(Buffer.alloc(200 * 1_024 * 1_024, 32));
  expect(bomb.length).toBeLessThan(1_000_000);
  expect((await device.call("POST", "play-events", bomb, packed)).status).toBe(413);
  expect((await device.call("POST", "play-events", Buffer.from("no gzip"), packed)).status).toBe(400);
  expect((await device.call("POST", "play-events", gzipSync("{}").subarray(0, 12), packed)).status).toBe(400);
  expect((await device.call("POST", "play-events", gzipSync("{"), packed)).status).toBe(400);
  expect((await device.call("POST", "play-events", gzipSync("{}"), { ...packed, "content-encoding": "br" })).status).toBe(415);
  expect((await send(device, [events[0]])).body.duplicates).toBe(1);
});

test("[POP3] play events are listed by player, layout, zone, asset, item, result and time, page by page", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const asset = makeId("ast");
  const [otherLayout, otherZone, otherItem] = [makeId("lay"), makeId("zon"), makeId("itm")];
  const events = [
    play("2026-11-21T10:00:00Z", 1_000),
    play("2026-11-21T10:00:01Z", 1_000, { layout_id: otherLayout }),
    play("2026-11-21T10:00:02Z", 1_000, { zone_id: otherZone }),
    play("2026-11-21T10:00:03Z", 1_000, { asset_id: asset, sha256: "a".repeat(64) }),
    play("2026-11-21T10:00:04Z", 1_000, { item_id: otherItem }),
    play("2026-11-21T10:00:05Z", 0, { result: "failed", reason: "decode" }),
    // Two events with the same beginning: neither is lost between two pages.
    play("2026-11-21T10:00:05Z", 0, { result: "skipped", reason: "not-ready" }),
  ];
  await send(device, events);
  const list = async (query: string): Promise<number[]> => {
    const places: number[] = [];
    for (let cursor = ""; ;) {
      const { status, body } = await api.call("GET", `play-events?limit=1&${query}${cursor}`);
      expect(status).toBe(200);
      places.push(...body.data.map(({ id }: PlayEvent) => events.findIndex((event) => event.id === id)));
      if (body.next_cursor === null) return places;
      cursor = `&cursor=${body.next_cursor}`;
    }
  };
  expect(await list("")).toEqual([6, 5, 4, 3, 2, 1, 0]);
  expect(await list(`player_id=${device.playerId}`)).toHaveLength(7);
  expect(await list(`player_id=${makeId("plr")}`)).toEqual([]);
  expect(await list(`layout_id=${otherLayout}`)).toEqual([1]);
  expect(await list(`zone_id=${otherZone}`)).toEqual([2]);
  expect(await list(`asset_id=${asset}`)).toEqual([3]);
  expect(await list(`item_id=${otherItem}`)).toEqual([4]);
  expect(await list("result=failed")).toEqual([5]);
  expect(await list("from=2026-11-21T10:00:01Z&to=2026-11-21T10:00:03Z")).toEqual([2, 1]);
  expect((await api.call("GET", "play-events?result=great")).status).toBe(422);
});

test("[POP4] the report counts plays and their duration by any group, in days and hours of any time zone", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice("Lobby");
  const asset = (await api.upload(await picture(), "image/png", "poster")).body.id as string;
  const about = { asset_id: asset, sha256: "b".repeat(64) };
  await send(device, [
    // Across the end of summer time in London, 2026-10-25 at 01:00 UTC: the day has 25 hours, one of them twice.
    play("2026-10-24T22:59:00Z", 10_000, about),
    play("2026-10-24T23:00:00Z", 20_000, about),
    play("2026-10-25T00:30:00Z", 5_000, { ...about, result: "cut", reason: "replaced" }),
    play("2026-10-25T01:30:00Z", 7_000),
    play("2026-10-25T23:59:00Z", 0, { ...about, result: "failed", reason: "decode" }),
    play("2026-10-26T00:00:00Z", 0, { ...about, result: "skipped", reason: "not-ready" }),
    play("2026-10-26T00:10:00Z", 0, { ...about, result: "not_shown", reason: "display_off" }),
  ]);
  const span = "from=2026-10-20T00:00:00Z&to=2026-10-30T00:00:00Z&timezone=Europe/London";
  const report = async (query: string) => (await api.call("GET", `reports/proof-of-play?${span}&${query}`)).body.data;
  expect(await report("")).toMatchObject([
    { asset_id: asset, asset_name: "poster", plays: 3, completed: 2, cut: 1, failed: 1, skipped: 1, not_shown: 1, duration_ms: 35_000 },
    { asset_id: null, asset_name: null, plays: 1, completed: 1, duration_ms: 7_000, first_at: "2026-10-25T01:30:00.000Z" },
  ]);
  expect(await report("group_by=day")).toMatchObject([
    { day: "2026-10-24", plays: 1, duration_ms: 10_000 },
    { day: "2026-10-25", plays: 3, duration_ms: 32_000, failed: 1 },
    { day: "2026-10-26", plays: 0, duration_ms: 0, skipped: 1, not_shown: 1 },
  ]);
  expect((await report("group_by=hour")).map(({ hour }: { hour: string }) => hour)).toEqual([
    "2026-10-24T23:00+01:00",
    "2026-10-25T00:00+01:00",
    "2026-10-25T01:00+01:00",
    "2026-10-25T01:00+00:00",
    "2026-10-25T23:00+00:00",
    "2026-10-26T00:00+00:00",
  ]);
  expect(await report("group_by=day,player,asset&result=cut")).toEqual([
    {
      day: "2026-10-25",
      player_id: device.playerId,
      player_name: "Lobby",
      asset_id: asset,
      asset_name: "poster",
      plays: 1,
      completed: 0,
      cut: 1,
      failed: 0,
      skipped: 0,
      not_shown: 0,
      duration_ms: 5_000,
      first_at: "2026-10-25T00:30:00.000Z",
      last_at: "2026-10-25T00:30:00.000Z",
    },
  ]);
  expect(await report(`player_id=${makeId("plr")}`)).toEqual([]);
  for (const [query, pointer] of [
    ["group_by=colour", "?group_by.0"],
    ["group_by=day,hour", "?group_by"],
    ["timezone=Mars/Base", "?timezone"],
    ["from=2026-10-30T00:00:00Z&to=2026-10-30T00:00:00Z", "?from"],
    ["from=2020-10-30T00:00:00Z&to=2026-10-30T00:00:00Z", "?from"],
  ]) {
    const refused = await api.call("GET", `reports/proof-of-play?${query}`);
    expect([refused.status, errorPointers(refused)]).toEqual([422, [pointer]]);
  }
});

test("[POP5] the report is also available as CSV, in which no cell is a formula", async () => {
  const api = await shared.newTeam();
  const names = ['=HYPERLINK("http://x")', "+1", "-2", "@SUM(A1)", 'a, "b"', "  =1", "＝1", "plain"];
  const devices = [];
  for (const name of names) devices.push(await api.pairDevice(name));
  for (const device of devices) await send(device, [play("2026-11-21T10:00:00Z", 1_500)]);
  const path = "reports/proof-of-play?group_by=player&from=2026-11-20T00:00:00Z&to=2026-11-22T00:00:00Z";
  const csv = await api.call("GET", path, undefined, { accept: "text/csv" });
  expect(csv.headers.get("content-type")).toContain("text/csv");
  expect(csv.headers.get("content-disposition")).toContain("proof-of-play.csv");
  const lines = (csv.body as Buffer).toString().split("\r\n");
  expect(lines[0]).toBe("player_id,player_name,plays,completed,cut,failed,skipped,duration_ms,first_at,last_at,not_shown");
  const figures = "1,1,0,0,0,1500,2026-11-21T10:00:00.000Z,2026-11-21T10:00:00.000Z,0";
  const cells = ['"\'=HYPERLINK(""http://x"")"', "'+1", "'-2", "'@SUM(A1)", '"a, ""b"""', "'=1", "'＝1", "plain"];
  expect(lines.slice(1)).toEqual([...devices.map((device, index) => `${device.playerId},${cells[index]},${figures}`), ""]);
  expect((await api.call("GET", `${path}&format=csv`)).body).toEqual(csv.body);
  expect((await api.call("GET", `${path}&format=json`, undefined, { accept: "text/csv" })).body.data).toHaveLength(names.length);
});

test("[POP6] play events are kept for the configured time, counted from their arrival", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock, playEventDays: 10 });
  const device = await api.pairDevice();
  // The plays of a device that booted in 1970 are not lost.
  await send(device, [play("1970-01-01T00:00:10Z", 1_000)]);
  const list = async () => (await api.call("GET", "play-events")).body.data.length as number;
  clock.advance(10 * 86_400_000 - 1_000);
  expect(await list()).toBe(1);
  clock.advance(3_600_000);
  await expect.poll(list).toBe(0);
});

test("[POP7] acknowledged play events survive kill -9", async () => {
  await using folder = await temporaryFolder();
  const sent: string[] = [];
  {
    await using service = await startService(folder.path, ...(await databaseFlags(folder.path)));
    const device = new Device(service.api.url);
    await device.askForCode();
    await service.api.ok("POST", "players/pair", { code: device.grant.user_code, name: "Lobby" });
    await device.firstToken();
    for (let batch = 0; batch < 10; batch += 1) {
      const events = Array.from({ length: 20 }, () => play("2026-11-21T10:00:00Z", 1_000));
      expect((await send(device, events)).body.accepted).toBe(20);
      sent.push(...events.map(({ id }) => id));
    }
    // One more batch is in progress when the service dies: it is stored completely or not at all.
    const last = Array.from({ length: 20 }, () => play("2026-11-21T11:00:00Z", 1_000));
    const underWay = send(device, last).catch(() => null);
    await service.program.kill();
    await underWay;
  }
  await using service = await TestService.start(folder.path);
  const list = async (query: string) =>
    (await service.call("GET", `play-events?limit=100&${query}`)).body as { data: PlayEvent[]; next_cursor: string | null };
  const found: string[] = [];
  for (let cursor = ""; ;) {
    const { data, next_cursor } = await list(`to=2026-11-21T10:30:00Z${cursor}`);
    found.push(...data.map(({ id }) => id));
    if (next_cursor === null) break;
    cursor = `&cursor=${next_cursor}`;
  }
  expect(found.toSorted()).toEqual(sent.toSorted());
  expect([0, 20]).toContain((await list("from=2026-11-21T10:30:00Z")).data.length);
});

test("[POP23] play events are listed, filtered and counted by layout, layer, schedule, override, item and player, as JSON and as CSV", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice("Lobby");
  const other = await api.pairDevice("Hall");
  const [schedule, override, otherLayout] = [makeId("sch"), makeId("cmd"), makeId("lay")];
  const by = {
    default: { layer: "default", schedule_id: null, override_id: null },
    schedule: { layer: "schedule", schedule_id: schedule, override_id: null, layout_id: otherLayout },
    interrupt: { layer: "interrupt", schedule_id: makeId("sch"), override_id: null },
    override: { layer: "override", schedule_id: null, override_id: override },
  } as const;
  const events = [
    play("2026-11-21T10:00:00Z", 1_000, by.default),
    play("2026-11-21T10:00:01Z", 2_000, by.schedule),
    play("2026-11-21T10:00:03Z", 4_000, by.interrupt),
    play("2026-11-21T10:00:07Z", 8_000, by.override),
    play("2026-11-21T10:00:15Z", 16_000),
  ];
  await send(device, events);
  await send(other, [play("2026-11-21T10:00:01Z", 32_000, by.schedule)]);
  const list = async (query: string): Promise<number[]> => {
    const { status, body } = await api.call("GET", `play-events?player_id=${device.playerId}&${query}`);
    expect(status).toBe(200);
    return body.data.map(({ id }: PlayEvent) => events.findIndex((event) => event.id === id));
  };
  expect(await list(`schedule_id=${schedule}`)).toEqual([1]);
  expect(await list(`override_id=${override}`)).toEqual([3]);
  expect(await list("layer=interrupt")).toEqual([2]);
  const both = (await api.call("GET", `play-events?schedule_id=${schedule}`)).body.data;
  expect(both).toHaveLength(2);
  for (const { playerId } of [device, other]) expect(both).toContainEqual(expect.objectContaining({ player_id: playerId, ...by.schedule }));
  for (const query of ["layer=pause", "schedule_id=x", "override_id=x"])
    expect((await api.call("GET", `play-events?${query}`)).status).toBe(422);
  const span = "from=2026-11-21T00:00:00Z&to=2026-11-22T00:00:00Z";
  const report = async (query: string): Promise<unknown[]> => (await api.call("GET", `reports/proof-of-play?${span}&${query}`)).body.data;
  const byLayer = await report("group_by=layer,schedule,override");
  expect(byLayer).toHaveLength(5);
  for (const row of [
    { ...by.default, duration_ms: 1_000 },
    { layer: "schedule", schedule_id: schedule, override_id: null, duration_ms: 34_000, plays: 2 },
    { ...by.interrupt, duration_ms: 4_000 },
    { ...by.override, duration_ms: 8_000 },
    { layer: null, schedule_id: null, override_id: null, duration_ms: 16_000 },
  ]) {
    expect(byLayer).toContainEqual(expect.objectContaining(row));
  }
  const byPlayer = await report("group_by=layout,player&layer=schedule");
  expect(byPlayer).toHaveLength(2);
  for (const [{ playerId }, duration_ms] of [
    [device, 2_000],
    [other, 32_000],
  ] as const) {
    expect(byPlayer).toContainEqual(expect.objectContaining({ layout_id: otherLayout, player_id: playerId, duration_ms }));
  }
  expect(await report(`group_by=item&override_id=${override}`)).toMatchObject([{ item_id: item, plays: 1, duration_ms: 8_000 }]);
  const csv = await api.call("GET", `reports/proof-of-play?${span}&group_by=layer,schedule,override&layer=schedule&format=csv`);
  expect((csv.body as Buffer).toString().split("\r\n")).toEqual([
    "layer,schedule_id,override_id,plays,completed,cut,failed,skipped,duration_ms,first_at,last_at,not_shown",
    `schedule,${schedule},,2,2,0,0,0,34000,2026-11-21T10:00:01.000Z,2026-11-21T10:00:01.000Z,0`,
    "",
  ]);
});

test.skipIf(isOnPostgres)("[POP24] a data folder of the previous version keeps its play events, each with its schedule", async () => {
  await using folder = await temporaryFolder();
  const [team, scheduleId] = [makeId("team"), makeId("sch")];
  const old = [play("2026-11-21T10:00:00Z", 1_000), play("2026-11-21T10:00:01Z", 1_000, { schedule_id: scheduleId })];
  {
    const file = openTables(folder.path, "plays");
    const db = new Kysely<PlayEventTables>({ dialect: new SqliteDialect({ database: adaptDatabase(file) }) });
    const first = { "0001-first": playEventMigrations["0001-first"]! };
    expect((await new Migrator({ db, provider: { getMigrations: async () => first } }).migrateToLatest()).error).toBeUndefined();
    for (const event of old) {
      const { id, layout_id, zone_id, item_id, asset_id, result, started_at, duration_ms, ...details } = event;
      const kept = { id, layout_id, zone_id, item_id, asset_id, result, duration_ms, details: JSON.stringify(details) };
      const about = { player_id: makeId("plr"), team_id: team, started_at: Date.parse(started_at), received_at: 1 };
      await db
        .insertInto("play_events")
        .values({ ...kept, ...about } as never)
        .execute();
    }
    await db.destroy();
  }
  await using store = await openTestStore(folder.path);
  const rows = await selectPlayEvents(store.plays, team, {}).selectAll().orderBy("started_at").execute();
  expect(rows.map(showPlayEvent)).toMatchObject(old.map((event) => ({ ...event, layer: null, override_id: null })));
  const found = await selectPlayEvents(store.plays, team, { schedule_id: scheduleId }).selectAll().execute();
  expect(found.map(({ id }) => id)).toEqual([old[1]!.id]);
});
