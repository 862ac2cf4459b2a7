// Schedules at the service: stored, validated field by field, and sent to the players they are for.
import { expect, test } from "vitest";
import { programAt } from "../../../src/schedule/program.ts";
import { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { Schedule } from "../../../src/protocol/scheduling/schedules.ts";
import { openTestStore } from "../test-database.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { readyOf } from "../../support/states.ts";
import { TestService, type Device, picture, errorPointers } from "../harness.ts";

const missingId = "01jd3v8q6m9x2k4n7r5t1w0yzh";

async function open(folder: string) {
  const api = await TestService.start(folder);
  const layout = (await api.call("POST", "layouts", { name: "L", width: 100, height: 100 })).body;
  const base = { name: "S", layout_id: layout.id, target: { type: "team" }, starts_at: "2026-11-27T22:00", ends_at: "2026-11-28T02:00" };
  const create = (more: object = {}) => api.call("POST", "schedules", { ...base, ...more });
  return { api, layout, base, create, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

async function stateOf(device: Device): Promise<DesiredState> {
  return DesiredState.parse((await device.call("GET", "state")).body);
}

test("[SRE1] schedules can be created, listed, read, changed and deleted over REST", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, create } = setup;
  const created = await create({ rrule: "FREQ=WEEKLY;BYDAY=FR", exdates: ["2026-12-25"] });
  expect(created.status).toBe(201);
  const schedule = Schedule.parse(created.body);
  expect(schedule).toMatchObject({ priority: 0, timezone: null, conditions: [], interrupt: null, sync_epoch: null });
  for (let n = 0; n < 3; n += 1) await create();
  const first = (await api.call("GET", "schedules?limit=3")).body;
  const second = (await api.call("GET", `schedules?limit=3&cursor=${first.next_cursor}`)).body;
  expect([first.data.length, second.data]).toEqual([3, [schedule]]);
  const path = `schedules/${schedule.id}`;
  const read = await api.call("GET", path);
  const changed = await api.call("PATCH", path, { priority: 7 }, { "if-match": read.headers.get("etag")! });
  expect(changed.body).toMatchObject({ ...created.body, priority: 7, updated_at: changed.body.updated_at });
  expect((await api.call("PATCH", path, { priority: 8 }, { "if-match": read.headers.get("etag")! })).status).toBe(412);
  expect((await api.call("PATCH", path, { priority: 7 })).body).toEqual(changed.body);
  expect((await api.call("DELETE", path)).status).toBe(204);
  expect((await api.call("GET", path)).status).toBe(404);
});

test.each([
  ["that recurs every second", { rrule: "FREQ=SECONDLY" }, "/rrule"],
  ["that recurs every minute", { rrule: "FREQ=MINUTELY;INTERVAL=5" }, "/rrule"],
  ["that never starts", { rrule: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30" }, "/rrule"],
  ["that is over before it starts", { rrule: "FREQ=DAILY;UNTIL=20200101" }, "/rrule"],
  ["whose every day is excluded", { rrule: "FREQ=DAILY;COUNT=1", exdates: ["2026-11-27"] }, "/rrule"],
  ["whose windows never end", { rrule: "FREQ=DAILY", ends_at: null }, "/ends_at"],
  ["whose windows last a year", { rrule: "FREQ=DAILY", ends_at: "2027-11-28T02:00" }, "/ends_at"],
  ["with COUNT and UNTIL", { rrule: "FREQ=DAILY;COUNT=3;UNTIL=20270101" }, "/rrule"],
  ["with an interval of zero", { rrule: "FREQ=DAILY;INTERVAL=0" }, "/rrule"],
  ["in an unknown time zone", { timezone: "Mars/Olympus_Mons" }, "/timezone"],
  ["that ends before it begins", { ends_at: "2026-11-27T21:59" }, "/ends_at"],
  ["that ends as it begins", { ends_at: "2026-11-27T22:00" }, "/ends_at"],
  ["that mixes wall time and instant", { ends_at: "2026-11-28T02:00:00Z" }, "/ends_at"],
  ["on a day that does not exist", { starts_at: "2026-02-30T10:00" }, "/starts_at"],
  ["for a layout that does not exist", { layout_id: `lay_${missingId}` }, "/layout_id"],
  ["for a player that does not exist", { target: { type: "player", player_id: `plr_${missingId}` } }, "/target/player_id"],
  ["with a sync epoch in the future", { sync_epoch: "2190-01-01T00:00:00Z" }, "/sync_epoch"],
  ["with a share above a hundred per cent", { interrupt: { share_percent: 101 } }, "/interrupt/share_percent"],
  [
    "with a date condition that ends before it begins",
    { conditions: [{ type: "date", from: "2026-12-02", until: "2026-12-01" }] },
    "/conditions/0/until",
  ],
  ["with an empty daypart", { conditions: [{ type: "daypart", from: "08:00", until: "08:00" }] }, "/conditions/0/until"],
])("[SRE2] creating or changing a schedule %s is rejected with a pointer", async (_what, fields, pointer) => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, create } = setup;
  const rejected = await create(fields);
  expect([rejected.status, errorPointers(rejected)]).toEqual([422, [pointer]]);
  const good = (await create()).body;
  const change = await api.call("PATCH", `schedules/${good.id}`, fields);
  expect([change.status, errorPointers(change)]).toEqual([422, [pointer]]);
  expect((await api.call("GET", `schedules/${good.id}`)).body).toEqual(good);
});

test("[SRE3] a schedule reaches the players it is for, with its layout, and no others", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, layout, create } = setup;
  const [lobby, bar] = [await api.pairDevice("Lobby"), await api.pairDevice("Bar")];
  await api.call("PATCH", `players/${bar.playerId}`, { tags: ["bar"], variables: { queue: 3 } });
  const before = await stateOf(lobby);
  const tagged = (await create({ target: { type: "tag", tag: "bar" } })).body;
  expect(await stateOf(lobby)).toEqual(before);
  const state = await stateOf(bar);
  expect(state).toMatchObject({ layout: null, layouts: [{ id: layout.id }], schedules: [{ id: tagged.id }] });
  expect(state.player).toMatchObject({ tags: ["bar"], variables: { queue: 3 } });
  expect((await api.call("GET", `players/${bar.playerId}`)).body.desired_revision).toBe(state.revision);
  const own = (await create({ target: { type: "player", player_id: lobby.playerId } })).body;
  const all = (await create()).body;
  expect((await stateOf(lobby)).schedules.map(({ id }) => id)).toEqual([own.id, all.id]);
  expect((await stateOf(bar)).schedules.map(({ id }) => id)).toEqual([tagged.id, all.id]);
  // The player's scheduler accepts the state that the service sends.
  const { program } = programAt(readyOf(await stateOf(lobby)), Date.UTC(2026, 10, 27, 23));
  expect(program.layout?.id).toBe(layout.id);
  // Removing a tag removes its schedules; a change of the layout reaches all players that have it scheduled.
  await api.call("PATCH", `players/${bar.playerId}`, { tags: [] });
  expect((await stateOf(bar)).schedules.map(({ id }) => id)).toEqual([all.id]);
  const { revision } = await stateOf(bar);
  await api.call("PATCH", `layouts/${layout.id}`, { background_color: "#123456" });
  expect((await stateOf(bar)).revision).not.toBe(revision);
  expect((await api.call("DELETE", `layouts/${layout.id}`)).status).toBe(409);
  await api.call("PATCH", `schedules/${all.id}`, { target: { type: "player", player_id: lobby.playerId } });
  expect(await stateOf(bar)).toMatchObject({ schedules: [], layouts: [] });
});

test("[SRE4] ten thousand schedules on one player are accepted and sent", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, layout, base, create } = setup;
  const device = await api.pairDevice("Lobby");
  const { name, target: _target, layout_id: _layout, ...timing } = base;
  const defaults = { rrule: null, exdates: [], timezone: null, priority: 0, conditions: [], interrupt: null, sync_epoch: null };
  const { team_id } = (await api.call("GET", `players/${device.playerId}`)).body;
  // Insert the rows that ten thousand calls would create: the calls would take minutes.
  await using store = await openTestStore(folder.path);
  await store.write(async (db) => {
    for (let part = 0; part < 100; part += 1) {
      const rows = Array.from({ length: 100 }, (_, n) => ({
        id: `sch_01jd3v8q6m9x2k4n7r5t1${String(part * 100 + n).padStart(5, "0")}`,
        team_id,
        name,
        layout_id: layout.id,
        target_type: "player",
        target_value: device.playerId,
        timing: JSON.stringify({ ...timing, ...defaults }),
        created_at: 1,
        updated_at: 1,
      }));
      await db.insertInto("schedules").values(rows).execute();
    }
  });
  const last = await create({ target: { type: "player", player_id: device.playerId } });
  expect(last.status).toBe(201);
  const state = await stateOf(device);
  expect(state.schedules).toHaveLength(10_001);
  expect(programAt(readyOf(state), Date.UTC(2026, 10, 27, 23)).program.layout?.id).toBe(layout.id);
});

test("[OVR1] an override command adds its content to the player's desired state; clearing the override removes the content", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, layout } = setup;
  const device = await api.pairDevice("Lobby");
  const asset = (await api.upload(await picture())).body;
  const send = (type: string, args: object) => api.call("POST", `players/${device.playerId}/commands`, { type, args });
  const empty = await stateOf(device);
  const shown = await send("override.set", { layout_id: layout.id, duration_ms: 60_000 });
  expect(shown.status).toBe(202);
  expect(await stateOf(device)).toMatchObject({ layout: null, layouts: [{ id: layout.id }] });
  const alone = await send("override.set", { asset_id: asset.id, level: "emergency" });
  expect((await stateOf(device)).assets).toMatchObject([{ id: asset.id }]);
  expect((await api.call("DELETE", `assets/${asset.id}`)).status).toBe(409);
  await send("override.clear", { override_id: alone.body.id });
  expect(await stateOf(device)).toMatchObject({ layouts: [{ id: layout.id }], assets: [] });
  await send("override.clear", {});
  expect((await stateOf(device)).revision).toBe(empty.revision);
});

test("[OVR2] an override that shows nothing, or something that does not exist, is rejected with a pointer to the field", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, layout } = setup;
  const device = await api.pairDevice("Lobby");
  const send = (args: object) => api.call("POST", `players/${device.playerId}/commands`, { type: "override.set", args });
  expect(errorPointers(await send({}))).toEqual(["/args/layout_id"]);
  expect(errorPointers(await send({ layout_id: layout.id, asset_id: `ast_${missingId}` }))).toEqual(["/args/layout_id"]);
  expect(errorPointers(await send({ layout_id: `lay_${missingId}` }))).toEqual(["/args/layout_id"]);
  expect(errorPointers(await send({ asset_id: `ast_${missingId}` }))).toEqual(["/args/asset_id"]);
  expect(errorPointers(await send({ layout_id: layout.id, duration_ms: 1 }))).toEqual(["/args/duration_ms"]);
});

test("[SRE5] an item whose validity ends before it begins is rejected with a pointer", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const item = { type: "text", text: "a", valid_from: "2026-12-02T00:00:00Z", valid_until: "2026-12-01T00:00:00Z" };
  const rejected = await setup.api.call("POST", "playlists", { name: "P", items: [{ type: "text", text: "b" }, item] });
  expect([rejected.status, errorPointers(rejected)]).toEqual([422, ["/items/1/valid_until"]]);
});

test("[SRE6] an item's limit of plays per hour is validated with a pointer, stored, and reaches the player", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, layout } = setup;
  const device = await api.pairDevice("Lobby");
  const text = { type: "text", text: "a", duration_ms: 10_000 };
  const send = (items: object[]) => api.call("POST", "playlists", { name: "P", items });
  for (const limit of [0, 3_601, 1.5, "4"]) {
    const rejected = await send([text, { ...text, max_plays_per_hour: limit }]);
    expect([rejected.status, errorPointers(rejected)]).toEqual([422, ["/items/1/max_plays_per_hour"]]);
  }
  const limited = { ...text, max_plays_per_hour: 4 };
  const alone = await send([limited, limited]);
  expect([alone.status, errorPointers(alone)]).toEqual([422, ["/items/0/max_plays_per_hour"]]);
  const playlist = (await send([text, limited])).body;
  expect(playlist.items[1]).toMatchObject({ max_plays_per_hour: 4 });
  const zones = [{ name: "main", left: 0, top: 0, width: 100, height: 100, playlist_id: playlist.id }];
  await api.call("PATCH", `layouts/${layout.id}`, { zones });
  await api.call("PATCH", `players/${device.playerId}`, { layout_id: layout.id });
  const { timeline } = programAt(readyOf(await stateOf(device)), Date.UTC(2026, 10, 27, 23)).program.zones[0]!;
  expect(timeline.items.filter(({ item }) => item.id === playlist.items[1].id)).toHaveLength(4);
  expect(timeline.totalMs).toBeGreaterThanOrEqual(3_600_000);
});

test("[SRE7] an item's limit per day and its dayparts are validated with a pointer, stored, and reach the player, which applies them", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, layout } = setup;
  const device = await api.pairDevice("Lobby");
  const text = { type: "text", text: "a", duration_ms: 10_000 };
  const send = (items: object[]) => api.call("POST", "playlists", { name: "P", items });
  for (const [more, pointer] of [
    [{ max_plays_per_day: 0 }, "max_plays_per_day"],
    [{ max_plays_per_day: 10_001 }, "max_plays_per_day"],
    [{ dayparts: [] }, "dayparts"],
    [{ dayparts: Array.from({ length: 21 }, () => ({})) }, "dayparts"],
    [{ dayparts: [{}, { from: "09:00", until: "09:00" }] }, "dayparts/1/until"],
    [{ dayparts: [{ from: "24:00", until: "09:00" }] }, "dayparts/0/from"],
    [{ dayparts: [{ weekdays: [] }] }, "dayparts/0/weekdays"],
    [{ dayparts: [{ from: "9:00" }] }, "dayparts/0/from"],
  ] as const) {
    const rejected = await send([text, { ...text, ...more }]);
    expect([rejected.status, errorPointers(rejected)]).toEqual([422, [`/items/1/${pointer}`]]);
  }
  const limited = { ...text, max_plays_per_day: 4, dayparts: [{ weekdays: ["MO", "FR"], from: "22:00", until: "02:00" }] };
  const alone = await send([limited, { ...text, max_plays_per_hour: 1 }]);
  expect([alone.status, errorPointers(alone)]).toEqual([422, ["/items/0/max_plays_per_day"]]);
  const playlist = (await send([text, limited])).body;
  expect(playlist.items[1]).toMatchObject(limited);
  const zones = [{ name: "main", left: 0, top: 0, width: 100, height: 100, playlist_id: playlist.id }];
  await api.call("PATCH", `layouts/${layout.id}`, { zones });
  await api.call("PATCH", `players/${device.playerId}`, { layout_id: layout.id, timezone: "UTC" });
  const ready = readyOf(await stateOf(device));
  const dailyAt = (instant: number) => programAt(ready, instant).program.zones[0]!.timeline.dailyPlays;
  expect(dailyAt(Date.UTC(2026, 10, 27, 21, 59))).toBeNull();
  // The night from Friday to Saturday: four plays on Friday, four on Saturday.
  expect(dailyAt(Date.UTC(2026, 10, 27, 23))?.plays).toHaveLength(4);
  expect(dailyAt(Date.UTC(2026, 10, 28, 1))?.plays).toHaveLength(4);
});
