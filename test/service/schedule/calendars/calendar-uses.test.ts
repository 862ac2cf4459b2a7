// Where a calendar is used, and what a change of it would do to screens.
import { expect, test } from "vitest";
import { CalendarUses } from "../../../../src/protocol/scheduling/calendars.ts";
import { ScheduleEffect } from "../../../../src/protocol/scheduling/timeline.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { errorPointers, TestService } from "../../harness.ts";
import { createOtherTeam } from "../../people/people.ts";

// A Monday.
const now = Date.UTC(2026, 10, 23, 12);

async function open(folder: string) {
  const api = await TestService.start(folder, { clock: new FakeClock(now) });
  const created = async (path: string, body: object) => {
    const answer = await api.call("POST", path, body);
    expect([path, answer.status, JSON.stringify(answer.body.errors ?? [])]).toEqual([path, 201, "[]"]);
    return answer.body.id as string;
  };
  const calendar = await created("calendars", { name: "Holidays", dates: [{ date: "2026-12-08" }] });
  const only = (is_listed: boolean) => ({ conditions: [{ type: "calendar", calendar_id: calendar, is_listed }] });
  const path = `calendars/${calendar}`;
  const uses = async (headers?: Record<string, string>) =>
    CalendarUses.parse((await api.call("GET", `${path}/uses`, undefined, headers)).body);
  const effect = async (dates: readonly string[], headers?: Record<string, string>) => {
    const change = { dates: dates.map((date) => ({ date })) };
    return ScheduleEffect.parse((await api.call("POST", `${path}/effect`, { change }, headers)).body);
  };
  return { api, created, path, calendar, only, uses, effect, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

test("[CAL25] the uses of a calendar name schedules, playlists and players, in the bin and drafts too; until none is left it stays", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, created, path, calendar, only, uses } = setup;
  expect(await uses()).toEqual({ schedules: [], playlists: [], player_count: 0, players: [] });
  const layout = await created("layouts", { name: "L", width: 100, height: 100 });
  const base = { layout_id: layout, target: { type: "team" }, starts_at: "2026-11-23T00:00" };
  const lunch = await created("schedules", { ...base, name: "Lunch", ...only(true) });
  const gone = await created("schedules", { ...base, name: "Breakfast", ...only(false) });
  await api.call("DELETE", `schedules/${gone}`);
  const item = { type: "text", text: "x", ...only(true) };
  const list = await created("playlists", { name: "Menu", items: [item, { type: "text", text: "y" }, item] });
  const { playerId } = await api.pairDevice("Hall");
  const hours = { open: [{ from: "08:00", until: "20:00" }], exceptions: [{ calendar_id: calendar, open: [] }] };
  expect((await api.call("PATCH", `players/${playerId}`, { display_hours: hours })).status).toBe(200);
  expect(await uses()).toEqual({
    schedules: [
      { id: gone, name: "Breakfast", in_bin: true },
      { id: lunch, name: "Lunch", in_bin: false },
    ],
    playlists: [{ id: list, name: "Menu", in_bin: false, item_count: 2 }],
    player_count: 1,
    players: [{ id: playerId, name: "Hall", in_bin: false }],
  });

  const within = { "signage-draft": (await api.call("POST", "drafts", { name: "D" })).body.id };
  expect((await api.call("PATCH", `schedules/${lunch}`, { conditions: [] }, within)).status).toBe(200);
  expect((await uses(within)).schedules.map(({ name }) => name)).toEqual(["Breakfast"]);
  expect((await uses()).schedules).toHaveLength(2);
  const stranger = await createOtherTeam(api);
  expect((await stranger.call("GET", `${path}/uses`)).status).toBe(404);
  expect((await stranger.call("POST", `${path}/effect`, { change: { dates: [] } })).status).toBe(404);

  expect((await api.call("DELETE", path)).status).toBe(409);
  for (const each of [lunch, gone]) await api.call("DELETE", `schedules/${each}?permanent=true`);
  await api.call("PATCH", `playlists/${list}`, { items: [] });
  expect((await api.call("DELETE", path)).status).toBe(409);
  await api.call("PATCH", `players/${playerId}`, { display_hours: null });
  expect((await api.call("DELETE", path)).status).toBe(204);
  expect((await api.call("GET", `${path}/uses`)).status).toBe(404);
});

test("[CAL26] the effect of a change of a calendar names screens, also through items, the first time and the gaps, and changes nothing", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, created, path, only, effect } = setup;
  const days = { starts_at: "2026-11-20T09:00", ends_at: "2026-11-20T18:00", rrule: "FREQ=DAILY" };
  const [hall, bar] = [await api.pairDevice("Hall"), await api.pairDevice("Bar")];
  for (const { playerId } of [hall, bar]) await api.call("PATCH", `players/${playerId}`, { timezone: "UTC" });
  const { id: layout } = (await api.createLayout([{ type: "text", text: "Open" }])).layout;
  const target = { type: "player", player_id: hall.playerId };
  await created("schedules", { name: "Days", layout_id: layout, target, ...days, ...only(false) });
  const list = await created("playlists", {
    name: "Menu",
    items: [
      { type: "text", text: "x", ...only(true) },
      { type: "text", text: "y" },
    ],
  });
  const zone = { name: "main", left: 0, top: 0, width: 100, height: 100, playlist_id: list };
  await api.call("PATCH", `players/${bar.playerId}`, {
    layout_id: await created("layouts", { name: "B", width: 100, height: 100, zones: [zone] }),
  });

  const { body: before } = await api.call("GET", path);
  const more = await effect(["2026-12-08", "2026-12-10"]);
  expect(more).toMatchObject({ screen_count: 2, gap_count: 1 });
  expect(more.screens.map(({ name, first_at }) => [name, first_at])).toEqual([
    // A playlist whose items may come and go counts as another one from now on.
    ["Bar", "2026-11-23T12:00:00.000Z"],
    ["Hall", "2026-12-10T09:00:00.000Z"],
  ]);
  expect(more.gaps).toMatchObject([{ name: "Hall", from: "2026-12-10T09:00:00.000Z", to: "2026-12-10T18:00:00.000Z" }]);
  expect(await effect([])).toMatchObject({ screen_count: 2, gap_count: 0 });
  expect(await effect(["2026-12-08"])).toMatchObject({ screen_count: 0 });
  const tried = (body: object) => api.call("POST", `${path}/effect`, body);
  expect((await tried({ change: { name: "Other" } })).body).toMatchObject({ screen_count: 0 });
  expect((await api.call("GET", path)).body).toEqual(before);

  const within = { "signage-draft": (await api.call("POST", "drafts", { name: "D" })).body.id };
  expect((await api.call("PATCH", path, { dates: [{ date: "2026-12-10" }] }, within)).status).toBe(200);
  expect(await effect(["2026-12-10"], within)).toMatchObject({ screen_count: 0 });
  expect(await effect(["2026-12-10"])).toMatchObject({ screen_count: 2 });
  expect((await api.call("GET", path)).body).toEqual(before);

  const past = await tried({ change: { dates: [] }, from: new Date(now - 1).toISOString() });
  expect([past.status, errorPointers(past)]).toEqual([422, ["/from"]]);
  const twice = await tried({ change: { dates: [{ date: "2026-12-10" }, { date: "2026-12-10" }] } });
  expect([twice.status, errorPointers(twice)]).toEqual([422, ["/change/dates/1/date"]]);
});
