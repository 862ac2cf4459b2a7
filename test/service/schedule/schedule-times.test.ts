// Opening hours and all-day dates at the service: validated, described, with warnings, and sent to players.
import { expect, test } from "vitest";
import { programAt } from "../../../src/schedule/program.ts";
import { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { readyOf } from "../../support/states.ts";
import { TestService, errorPointers } from "../harness.ts";

// A Sunday.
const now = Date.UTC(2026, 10, 22, 12);
const workdays = ["MO", "TU", "WE", "TH", "FR"];
const shop = [
  { weekdays: workdays, from: "09:00", until: "12:00" },
  { weekdays: ["SA"], from: "10:00", until: "13:00" },
  { weekdays: workdays, from: "14:00", until: "18:00" },
];

async function open(folder: string) {
  const api = await TestService.start(folder, { clock: new FakeClock(now) });
  const device = await api.pairDevice("Lobby");
  const layout = (await api.call("POST", "layouts", { name: "L", width: 100, height: 100 })).body;
  const base = { name: "S", layout_id: layout.id, target: { type: "team" }, starts_at: "2026-11-01T00:00", timezone: "Europe/Berlin" };
  const create = (more: object = {}) => api.call("POST", "schedules", { ...base, ...more });
  return { api, device, layout, create, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

function hours(...entries: object[]) {
  return { conditions: [{ type: "hours", open: entries }] };
}

test.each([
  ["no entry", [], "/conditions/0/open"],
  ["an empty time", [shop[0], { from: "08:00", until: "08:00" }], "/conditions/0/open/1/until"],
  ["a time from 24:00", [{ from: "24:00", until: "08:00" }], "/conditions/0/open/0/from"],
  ["a day that does not exist", [{ weekdays: ["XX"] }], "/conditions/0/open/0/weekdays/0"],
  ["an unknown field", [{ to: "12:00" }], "/conditions/0/open/0/to"],
  ["too many entries", Array.from({ length: 51 }, () => shop[0]), "/conditions/0/open"],
])("[SRE8] opening hours with %s are rejected with a pointer to the entry", async (_what, entries, pointer) => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const rejected = await setup.create(hours(...(entries as object[])));
  expect([rejected.status, errorPointers(rejected)]).toEqual([422, [pointer]]);
});

test("[SRE8] opening hours are described in the summary; warnings, shares and the player take them into account", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, device, layout, create } = setup;
  const created = await create(hours(...shop));
  expect(created.body).toMatchObject({
    summary: "From 1 November 2026 00:00 on, Berlin, only Mondays to Fridays 09:00 to 12:00 and 14:00 to 18:00; Saturdays 10:00 to 13:00",
    next_at: "2026-11-23T08:00:00.000Z",
    warnings: [],
  });
  const daily = await create(hours({ from: "08:00", until: "09:00" }, { weekdays: ["SU"] }));
  expect(daily.body.summary).toMatch(/, only 08:00 to 09:00; Sundays all day$/);
  await api.call("DELETE", `schedules/${daily.body.id}`);
  const evening = await create({ starts_at: "2026-11-27T20:00", ends_at: "2026-11-27T21:00", ...hours(...shop) });
  expect(evening.body.warnings).toMatchObject([{ code: "conditions-exclude", field: "/conditions" }]);
  // Open only in the hour that the spring change skips.
  const gap = await create({ starts_at: "2027-03-28", ends_at: "2027-03-28", ...hours({ from: "02:10", until: "02:50" }) });
  expect(gap.body.warnings).toMatchObject([{ code: "conditions-exclude", field: "/conditions" }]);

  const state = DesiredState.parse((await device.call("GET", "state")).body);
  const shown = (instant: string) => programAt(readyOf(state), Date.parse(instant)).program.layout?.id ?? null;
  expect([shown("2026-11-23T10:00Z"), shown("2026-11-23T12:00Z"), shown("2026-11-28T11:00Z")]).toEqual([layout.id, null, layout.id]);
  const { schedule } = (await api.call("GET", `players/${device.playerId}/why?schedule_id=${created.body.id}&at=2026-11-23T12:00:00Z`))
    .body;
  expect(schedule).toMatchObject({ verdict: "not-due", next_at: "2026-11-23T13:00:00.000Z" });

  const share = (share_percent: number, ...entries: object[]) => create({ interrupt: { share_percent }, ...hours(...entries) });
  expect((await share(60, ...shop)).status).toBe(201);
  expect((await share(50, { from: "13:00", until: "14:00" }, { weekdays: ["SU"] })).status).toBe(201);
  const rejected = await share(50, { from: "13:00", until: "14:00" }, { from: "17:00", until: "20:00" });
  expect([rejected.status, errorPointers(rejected)]).toEqual([422, ["/interrupt/share_percent"]]);
});

test.each([
  ["2026-12-24", "2026-12-26", {}, "All day, 24 to 26 December 2026"],
  ["2026-12-24", "2026-12-24", {}, "All day, 24 December 2026"],
  ["2026-11-30", "2026-12-02", {}, "All day, 30 November to 2 December 2026"],
  ["2026-12-30", "2027-01-02", {}, "All day, 30 December 2026 to 2 January 2027"],
  ["2026-12-24", null, {}, "From 24 December 2026 on"],
  ["2026-12-24", "2026-12-24", { rrule: "FREQ=DAILY" }, "Daily all day"],
  ["2026-12-25", "2026-12-26", { rrule: "FREQ=WEEKLY;BYDAY=FR" }, "Fridays for 2 days"],
])("[SRE11] dates from %s to %s with %j are described as %s", async (starts_at, ends_at, more, words) => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { body } = await setup.create({ starts_at, ends_at, ...more });
  expect(body).toMatchObject({ starts_at, ends_at, summary: `${words}, Berlin`, warnings: [] });
});

test.each([
  ["that end before they begin", { starts_at: "2026-12-24", ends_at: "2026-12-23" }, "/ends_at"],
  ["that do not exist", { starts_at: "2026-02-30", ends_at: null }, "/starts_at"],
  ["next to a wall time", { starts_at: "2026-12-24", ends_at: "2026-12-25T12:00" }, "/ends_at"],
  ["next to an instant", { starts_at: "2026-12-24T00:00:00Z", ends_at: "2026-12-25" }, "/ends_at"],
  ["that recur and last more than 31 days", { starts_at: "2026-12-01", ends_at: "2027-01-01", rrule: "FREQ=YEARLY" }, "/ends_at"],
])("[SRE11] creating or changing dates %s is rejected with a pointer", async (_what, fields, pointer) => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, create } = setup;
  const rejected = await create(fields);
  expect([rejected.status, errorPointers(rejected)]).toEqual([422, [pointer]]);
  const good = await create({ starts_at: "2026-12-01", ends_at: "2026-12-31", rrule: "FREQ=YEARLY" });
  expect(good.status).toBe(201);
  const change = await api.call("PATCH", `schedules/${good.body.id}`, fields);
  expect([change.status, errorPointers(change)]).toEqual([422, [pointer]]);
});

test("[SRE11] dates are stored as dates and reach players as wall times, which players of every version read", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, device, create } = setup;
  const { body } = await create({ starts_at: "2026-12-24", ends_at: "2026-12-31" });
  const last = await create({ starts_at: "2026-12-24", ends_at: null });
  expect(body).toMatchObject({ next_at: "2026-12-23T23:00:00.000Z" });
  const sent = async () => (await device.call("GET", "state")).body.schedules;
  expect(await sent()).toMatchObject([
    { id: body.id, starts_at: "2026-12-24T00:00:00", ends_at: "2027-01-01T00:00:00" },
    { id: last.body.id, starts_at: "2026-12-24T00:00:00", ends_at: null },
  ]);
  const read = (await api.call("GET", `schedules/${body.id}`)).body;
  expect(read).toMatchObject({ starts_at: "2026-12-24", ends_at: "2026-12-31" });
  await api.call("PATCH", `schedules/${body.id}`, { ends_at: "2026-12-24" });
  expect((await sent())[0]).toMatchObject({ starts_at: "2026-12-24T00:00:00", ends_at: "2026-12-25T00:00:00" });
  // There is no day after the last one, so it ends a second early.
  await api.call("PATCH", `schedules/${body.id}`, { starts_at: "2199-12-31", ends_at: "2199-12-31" });
  expect((await sent())[0]).toMatchObject({ starts_at: "2199-12-31T00:00:00", ends_at: "2199-12-31T23:59:59" });
  // Two interrupts with a common day exceed the hour on it, and not on the days before and after.
  const share = (share_percent: number, starts_at: string, ends_at: string) => create({ interrupt: { share_percent }, starts_at, ends_at });
  expect((await share(60, "2026-12-01", "2026-12-02")).status).toBe(201);
  expect((await share(50, "2026-12-03", "2026-12-03")).status).toBe(201);
  expect((await share(50, "2026-12-02", "2026-12-02")).status).toBe(422);
});
