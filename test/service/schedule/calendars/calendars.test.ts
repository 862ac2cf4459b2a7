// Calendars at the service: stored, imported, used by schedules, and sent to the players of these schedules.
import { expect, test } from "vitest";
import { programAt } from "../../../../src/schedule/program.ts";
import { Calendar } from "../../../../src/protocol/scheduling/calendars.ts";
import { DesiredState } from "../../../../src/protocol/device/desired-state.ts";
import { ScheduleOutlook } from "../../../../src/protocol/scheduling/schedules.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { readyOf } from "../../../support/states.ts";
import { TestService, errorPointers, type Device } from "../../harness.ts";
import { createOtherTeam } from "../../people/people.ts";
import { openTables } from "../../tables-of.ts";

// A Sunday.
const now = Date.UTC(2026, 10, 22, 12);
const missingId = "01jd3v8q6m9x2k4n7r5t1w0yzh";
const dates = [{ date: "2026-12-25", name: "Christmas Day" }, { date: "2027-01-01" }];

async function open(folder: string) {
  const api = await TestService.start(folder, { clock: new FakeClock(now) });
  const layout = (await api.call("POST", "layouts", { name: "L", width: 100, height: 100 })).body;
  const calendar = (await api.call("POST", "calendars", { name: "Public holidays", dates })).body;
  const base = { name: "S", layout_id: layout.id, target: { type: "team" }, starts_at: "2026-11-23T00:00", timezone: "Europe/Berlin" };
  const calendarCondition = (is_listed: boolean, id: string = calendar.id) => ({
    conditions: [{ type: "calendar", calendar_id: id, is_listed }],
  });
  const schedule = (more: object = {}) => api.call("POST", "schedules", { ...base, ...more });
  return { api, layout, calendar, calendarCondition, schedule, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

async function stateOf(device: Device): Promise<DesiredState> {
  return DesiredState.parse((await device.call("GET", "state")).body);
}

test("[CAL8] a calendar can be created, listed, read, changed and deleted", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api } = setup;
  const created = await api.call("POST", "calendars", {
    name: "Fairs",
    dates: [{ date: "2027-02-02" }, { date: "2026-12-03", name: "Market" }],
  });
  expect([created.status, created.headers.get("location")]).toEqual([
    201,
    expect.stringMatching(`^http://[^/]+/api/v1/calendars/${created.body.id}$`),
  ]);
  const calendar = Calendar.parse(created.body);
  expect(calendar.dates).toEqual([{ date: "2026-12-03", name: "Market" }, { date: "2027-02-02" }]);
  const path = `calendars/${calendar.id}`;
  const read = await api.call("GET", path);
  expect([read.body, read.headers.get("etag")]).toEqual([calendar, created.headers.get("etag")]);
  expect((await api.call("GET", "calendars?limit=1")).body.data).toEqual([calendar]);
  expect((await api.call("GET", "calendars?q=fair")).body.data).toEqual([calendar]);
  expect((await api.call("GET", "calendars")).body.data).toHaveLength(2);
  const match = { "if-match": read.headers.get("etag")! };
  const changed = await api.call("PATCH", path, { dates: [{ date: "2027-02-02" }] }, match);
  expect(changed.body).toMatchObject({ name: "Fairs", dates: [{ date: "2027-02-02" }], warnings: [] });
  expect((await api.call("PATCH", path, { name: "Shows" }, match)).status).toBe(412);
  expect((await api.call("PATCH", path, { name: "Fairs" })).headers.get("etag")).toBe(changed.headers.get("etag"));
  expect((await api.call("POST", "calendars", { name: "Empty" })).body.dates).toEqual([]);
  expect((await api.call("DELETE", path)).status).toBe(204);
  expect((await api.call("GET", path)).status).toBe(404);
  const entries = (await api.call("GET", "audit?limit=100")).body.data;
  expect(entries.filter((entry: { resource_id: string }) => entry.resource_id === calendar.id)).toMatchObject([
    { action: "deleteCalendar", resource_type: "calendars" },
    { action: "updateCalendar" },
    { action: "updateCalendar" },
    { action: "createCalendar" },
  ]);
  using store = openTables(folder.path);
  const events = store.prepare("SELECT type, data FROM events WHERE data LIKE ? ORDER BY seq").all(`%${calendar.id}%`);
  const data = JSON.stringify({ calendar_id: calendar.id, name: "Fairs" });
  expect(events).toEqual(["calendar.created", "calendar.updated", "calendar.deleted"].map((type) => ({ type, data })));
});

test.each([
  ["a duplicate day", { dates: [{ date: "2026-12-25" }, { date: "2026-12-25", name: "again" }] }, "/dates/1/date"],
  ["a day that does not exist", { dates: [{ date: "2026-02-30" }] }, "/dates/0/date"],
  ["too many days", { dates: Array.from({ length: 2_001 }, () => ({ date: "2026-12-25" })) }, "/dates"],
  ["dates and a file", { dates, ical: "BEGIN:VCALENDAR" }, "/ical"],
  ["an invalid file", { ical: "hello" }, "/ical"],
])("[CAL9] creating or changing a calendar with %s is rejected with a pointer", async (_what, fields, pointer) => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, calendar } = setup;
  const rejected = await api.call("POST", "calendars", { name: "C", ...fields });
  expect([rejected.status, errorPointers(rejected)[0]]).toEqual([422, pointer]);
  const change = await api.call("PATCH", `calendars/${calendar.id}`, fields);
  expect([change.status, errorPointers(change)[0]]).toEqual([422, pointer]);
  expect((await api.call("GET", `calendars/${calendar.id}`)).body.dates).toEqual(dates);
});

test("[CAL10] an iCalendar file sets or replaces the dates, and the response lists what was left out", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, calendar } = setup;
  const event = (...lines: string[]) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"];
  const ical = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    ...event("DTSTART;VALUE=DATE:20241225", "DTEND;VALUE=DATE:20241227", "RRULE:FREQ=YEARLY;COUNT=4", "SUMMARY:Weihnach", " ten"),
    ...event("DTSTART;VALUE=DATE:20101225"),
    "END:VCALENDAR",
  ].join("\r\n");
  const created = await api.call("POST", "calendars", { name: "File", ical });
  expect([created.status, created.body]).toMatchObject([201, { warnings: [{ code: "outside" }] }]);
  const expected = [2025, 2026, 2027].flatMap((year) => [25, 26].map((day) => ({ date: `${year}-12-${day}`, name: "Weihnachten" })));
  expect(created.body.dates).toEqual(expected);
  const changed = await api.call("PATCH", `calendars/${calendar.id}`, { ical });
  expect(changed.body).toMatchObject({ name: "Public holidays", dates: expected });
});

test("[CAL11] a schedule can limit its windows by a calendar, whose dates are sent only to its players", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, calendar, layout, calendarCondition, schedule } = setup;
  const [lobby, bar] = [await api.pairDevice("Lobby"), await api.pairDevice("Bar")];
  const before = await stateOf(bar);
  const created = await schedule({ target: { type: "player", player_id: lobby.playerId }, ...calendarCondition(false) });
  expect(created.body.conditions).toEqual(calendarCondition(false).conditions);
  expect(await stateOf(bar)).toEqual(before);
  const state = await stateOf(lobby);
  expect(state.calendars).toEqual([{ id: calendar.id, dates: ["2026-12-25", "2027-01-01"] }]);
  expect((await api.call("GET", `players/${lobby.playerId}`)).body.desired_revision).toBe(state.revision);
  // The player's scheduler accepts the state that the service sends.
  const shown = (at: string) => programAt(readyOf(state), Date.parse(at)).program.layout?.id;
  expect([shown("2026-12-24T12:00Z"), shown("2026-12-25T12:00Z")]).toEqual([layout.id, undefined]);
});

test("[CAL12] a change of a calendar's dates reaches the players of the schedules that use it, also by socket; a change of its name does not", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, calendar, calendarCondition, schedule } = setup;
  const [lobby, bar] = [await api.pairDevice("Lobby"), await api.pairDevice("Bar")];
  await api.call("PATCH", `players/${bar.playerId}`, { tags: ["bar"] });
  await schedule({ target: { type: "tag", tag: "bar" }, ...calendarCondition(true) });
  await schedule({ target: { type: "player", player_id: lobby.playerId } });
  const link = await bar.connect();
  const revisions = async () => [(await stateOf(lobby)).revision, (await stateOf(bar)).revision];
  const [ofLobby, ofBar] = await revisions();
  const path = `calendars/${calendar.id}`;
  await api.call("PATCH", path, { name: "Holidays" });
  expect(await revisions()).toEqual([ofLobby, ofBar]);
  await api.call("PATCH", path, { dates: [{ date: "2026-12-24" }] });
  const [still, moved] = await revisions();
  expect([still, moved === ofBar]).toEqual([ofLobby, false]);
  expect((await stateOf(bar)).calendars).toEqual([{ id: calendar.id, dates: ["2026-12-24"] }]);
  expect((await link.next("state.changed")).data.revision).toBe(moved);
  link.socket.close();
  // The names of single days do not affect any screen.
  await api.call("PATCH", path, { dates: [{ date: "2026-12-24", name: "Eve" }] });
  expect(await revisions()).toEqual([ofLobby, moved]);
});

test("[CAL13] a calendar that a schedule uses cannot be deleted, even while the schedule is in the bin", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, calendar, calendarCondition, schedule } = setup;
  const created = (await schedule({ name: "Lunch", ...calendarCondition(false) })).body;
  const rejected = async () => {
    const { status, body } = await api.call("DELETE", `calendars/${calendar.id}`);
    return [status, body.type, body.detail.includes("“Lunch”"), body.detail.includes("in the bin")];
  };
  expect(await rejected()).toEqual([409, "/problems/in-use", true, false]);
  await api.call("DELETE", `schedules/${created.id}`);
  expect(await rejected()).toEqual([409, "/problems/in-use", true, true]);
  expect((await api.call("POST", `schedules/${created.id}/restore`)).status).toBe(200);
  await api.call("PATCH", `schedules/${created.id}`, { conditions: [] });
  expect((await api.call("DELETE", `calendars/${calendar.id}`)).status).toBe(204);
});

test("[CAL14] a schedule cannot use a calendar that does not exist or that belongs to another team", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, calendarCondition, schedule } = setup;
  const theirs = (await (await createOtherTeam(api)).call("POST", "calendars", { name: "Theirs", dates })).body;
  const good = (await schedule()).body;
  for (const id of [`cal_${missingId}`, theirs.id as string]) {
    const rejected = await schedule(calendarCondition(true, id));
    expect([rejected.status, errorPointers(rejected)]).toEqual([422, ["/conditions/0/calendar_id"]]);
    const change = await api.call("PATCH", `schedules/${good.id}`, calendarCondition(true, id));
    expect([change.status, errorPointers(change)]).toEqual([422, ["/conditions/0/calendar_id"]]);
    if (id === theirs.id) expect((await api.call("GET", `calendars/${id}`)).status).toBe(404);
  }
});

test("[CAL15] the response for a schedule names its calendars and gives its next window on their dates, with a warning if there is none", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, calendar, calendarCondition, schedule } = setup;
  await api.pairDevice("Lobby");
  const outlook = async (more: object) => ScheduleOutlook.parse((await schedule(more)).body);
  expect(await outlook(calendarCondition(false))).toMatchObject({
    summary: "From 23 November 2026 00:00 on, Berlin, except on Public holidays",
    next_at: "2026-11-22T23:00:00.000Z",
    warnings: [],
  });
  expect(await outlook({ ...calendarCondition(true), priority: 1 })).toMatchObject({
    summary: "From 23 November 2026 00:00 on, Berlin, only on Public holidays",
    next_at: "2026-12-24T23:00:00.000Z",
    warnings: [],
  });
  const field = "/conditions/0/calendar_id";
  const message = expect.stringContaining("Public holidays");
  await api.call("PATCH", `calendars/${calendar.id}`, { dates: [{ date: "2025-12-25" }] });
  expect(await outlook({ ...calendarCondition(true), starts_at: "2025-11-23T00:00" })).toMatchObject({
    next_at: null,
    warnings: [{ code: "past", field, message }],
  });
  expect(await outlook({ ...calendarCondition(false), priority: 2 })).toMatchObject({
    warnings: [{ code: "calendar-ended", field, message }],
  });
  await api.call("PATCH", `calendars/${calendar.id}`, { dates: [] });
  expect((await outlook(calendarCondition(true))).warnings).toMatchObject([{ code: "conditions-exclude", field, message }]);
});

test("[CAL16] the explanation of why a schedule does not play names the calendar that excludes it", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, calendarCondition, schedule } = setup;
  const device = await api.pairDevice("Lobby");
  const created = (await schedule(calendarCondition(false))).body;
  const why = async (at: string) =>
    (await api.call("GET", `players/${device.playerId}/why?schedule_id=${created.id}&at=${at}`)).body.schedule as {
      verdict: string;
      detail: string;
    };
  expect((await why("2026-12-24T12:00:00Z")).verdict).toBe("shows");
  expect(await why("2026-12-25T12:00:00Z")).toMatchObject({
    verdict: "not-due",
    detail: expect.stringMatching(/except on Public holidays.*2026-12-25T23:00/),
    next_at: "2026-12-25T23:00:00.000Z",
  });
});

test("[CAL17] shares are added up only on days on which the calendars let both schedules play", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, calendar, calendarCondition, schedule } = setup;
  await api.pairDevice("Lobby");
  const daily = { starts_at: "2026-11-23T08:00", ends_at: "2026-11-23T18:00", rrule: "FREQ=DAILY", interrupt: { share_percent: 60 } };
  expect((await schedule({ ...daily, ...calendarCondition(true) })).status).toBe(201);
  const other = await schedule({ ...daily, ...calendarCondition(false) });
  expect(other.status).toBe(201);
  const rejected = await schedule(daily);
  expect([rejected.status, errorPointers(rejected)]).toEqual([422, ["/interrupt/share_percent"]]);
  expect((await api.call("GET", `calendars/${calendar.id}`)).status).toBe(200);
});

test("[CAL23] an item's calendar reaches the players that show the item; an unknown one is rejected, and one in use cannot be deleted", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, calendar, calendarCondition } = setup;
  const [lobby, bar] = [await api.pairDevice("Lobby"), await api.pairDevice("Bar")];
  const text = { type: "text", text: "Soup", duration_ms: 5_000 };
  for (const [more, pointer] of [
    [{ conditions: [] }, "conditions"],
    [{ conditions: Array.from({ length: 11 }, () => ({ type: "tag", tag: "bar" })) }, "conditions"],
    [{ conditions: [{ type: "date", from: "2026-12-01" }] }, "conditions/0/type"],
    [calendarCondition(true, `cal_${missingId}`), "conditions/0/calendar_id"],
  ] as const) {
    const rejected = await api.call("POST", "playlists", { name: "P", items: [text, { ...text, ...more }] });
    expect([rejected.status, errorPointers(rejected)]).toEqual([422, [`/items/1/${pointer}`]]);
  }
  const { layout, playlist } = await api.createLayout([text, { ...text, ...calendarCondition(false) }]);
  await api.call("PATCH", `players/${bar.playerId}`, { layout_id: layout.id, timezone: "UTC" });
  expect((await stateOf(lobby)).calendars).toBeUndefined();
  const state = await stateOf(bar);
  expect(state.calendars).toEqual([{ id: calendar.id, dates: ["2026-12-25", "2027-01-01"] }]);
  const shown = (at: string) => programAt(readyOf(state), Date.parse(at)).program.zones[0]!.timeline.items.length;
  expect([shown("2026-12-24T12:00Z"), shown("2026-12-25T12:00Z")]).toEqual([2, 1]);

  const link = await bar.connect();
  await api.call("PATCH", `calendars/${calendar.id}`, { dates: [{ date: "2026-12-24" }] });
  const { revision } = await stateOf(bar);
  expect((await link.next("state.changed")).data.revision).toBe(revision);
  expect(revision).not.toBe(state.revision);
  link.socket.close();

  const rejected = async () => {
    const { status, body } = await api.call("DELETE", `calendars/${calendar.id}`);
    return [status, body.detail?.includes(playlist.name), body.detail?.includes("in the bin")];
  };
  expect(await rejected()).toEqual([409, true, false]);
  await api.call("PATCH", `players/${bar.playerId}`, { layout_id: null });
  await api.call("DELETE", `layouts/${layout.id}`);
  await api.call("DELETE", `playlists/${playlist.id}`);
  expect(await rejected()).toEqual([409, true, true]);
  await api.call("DELETE", `playlists/${playlist.id}?permanent=true`);
  expect((await api.call("DELETE", `calendars/${calendar.id}`)).status).toBe(204);
});
