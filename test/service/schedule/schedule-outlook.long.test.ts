// The outlook in responses to schedule writes: summary, next window, screens and warnings.
import { expect, test } from "vitest";
import { ScheduleOutlook } from "../../../src/protocol/scheduling/schedules.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService } from "../harness.ts";

// A Sunday.
const now = Date.UTC(2026, 10, 22, 12);

async function open(folder: string) {
  const api = await TestService.start(folder, { clock: new FakeClock(now) });
  const device = await api.pairDevice("Lobby");
  await api.call("PATCH", `players/${device.playerId}`, { timezone: "Europe/Berlin", tags: ["bar"] });
  const layout = (await api.call("POST", "layouts", { name: "L", width: 100, height: 100 })).body;
  const base = { name: "S", layout_id: layout.id, target: { type: "team" }, starts_at: "2026-11-27T22:00", ends_at: "2026-11-28T02:00" };
  const create = async (more: object = {}, query = ""): Promise<ScheduleOutlook> =>
    ScheduleOutlook.parse((await api.call("POST", `schedules${query}`, { ...base, ...more })).body);
  return { api, device, layout, create, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

test("[WRN1] the response to writing a schedule describes it in a sentence, with its next window and the number of its screens", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, create } = setup;
  await api.pairDevice("Hall");
  const timezone = "Europe/Berlin";
  const friday = await create({ rrule: "FREQ=WEEKLY;BYDAY=FR", timezone });
  expect(friday).toMatchObject({
    summary: "Fridays 22:00 to 02:00, Berlin",
    next_at: "2026-11-27T21:00:00.000Z",
    screens: 2,
    warnings: [],
  });
  const tagged = await create({ target: { type: "tag", tag: "bar" } }, "?dry_run=true");
  expect(tagged).toMatchObject({ summary: "27 November 2026 22:00 to 28 November 2026 02:00, each screen's own time", screens: 1 });
  const path = `schedules/${friday.id}`;
  const changed = await api.call("PATCH", path, { rrule: "FREQ=MONTHLY;BYDAY=-1FR" });
  expect(changed.body.summary).toBe("On the last Friday of each month 22:00 to 02:00, Berlin");
  const read = await api.call("GET", path);
  expect([read.body, read.headers.get("etag")]).toEqual([changed.body, changed.headers.get("etag")]);
  // The window is open now: `next_at` is its beginning.
  expect(await create({ starts_at: "2026-11-22T10:00", ends_at: null, timezone })).toMatchObject({
    summary: "From 22 November 2026 10:00 on, Berlin",
    next_at: "2026-11-22T09:00:00.000Z",
  });
});

test.each([
  [{ rrule: "FREQ=DAILY" }, "Daily 22:00 to 02:00"],
  [{ rrule: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;COUNT=3" }, "Mondays to Fridays 22:00 to 02:00, 3 times"],
  [{ rrule: "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,TU" }, "Every 2 weeks on Tuesdays and Saturdays 22:00 to 02:00"],
  [{ rrule: "FREQ=MONTHLY;BYMONTHDAY=1,-1", exdates: ["2026-12-01"] }, "On the 1st and the last day of each month 22:00 to 02:00"],
  [{ rrule: "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24" }, "Every year on the 24th in December 22:00 to 02:00"],
  [{ rrule: "FREQ=DAILY", starts_at: "2026-11-27T00:00", ends_at: "2026-11-28T00:00" }, "Daily all day"],
  [{ conditions: [{ type: "variable", name: "door_open", value: true }], ends_at: null }, "From 27 November 2026 22:00 on"],
])("[WRN1] the summary of %j is a plain sentence", async (more, words) => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { summary } = await setup.create({ timezone: "America/New_York", ...more });
  expect(summary.startsWith(`${words}, New York`)).toBe(true);
});

test.each([
  ["past", "/ends_at", { starts_at: "2026-01-01T10:00", ends_at: "2026-01-01T11:00" }],
  ["past", "/rrule", { starts_at: "2026-01-01T10:00", ends_at: "2026-01-01T11:00", rrule: "FREQ=DAILY;COUNT=5" }],
  ["clock-gap", "/starts_at", { starts_at: "2027-03-28T02:10", ends_at: "2027-03-28T02:50" }],
  ["conditions-exclude", "/conditions", { conditions: [{ type: "daypart", from: "08:00", until: "12:00" }] }],
  ["conditions-exclude", "/conditions", { conditions: [{ type: "date", from: "2027-02-01" }] }],
  ["conditions-exclude", "/conditions/1", { conditions: [tag(true), tag(false)] }],
  ["conditions-exclude", "/conditions/1", { conditions: [variable("equals", 3), variable("at_least", 4)] }],
  ["conditions-exclude", "/conditions/1", { conditions: [variable("at_most", 3), variable("at_least", 4)] }],
  ["exdate-unused", "/exdates/1", { rrule: "FREQ=WEEKLY;BYDAY=FR", exdates: ["2026-12-04", "2026-12-05"] }],
  ["exdate-unused", "/exdates/0", { exdates: ["2026-12-04"] }],
  ["no-screens", "/target", { target: { type: "tag", tag: "nowhere" } }],
])("[WRN2] a schedule that never plays, or not as intended, is accepted with a warning: %s at %s", async (code, field, more) => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { warnings } = await setup.create({ timezone: "Europe/Berlin", ...more });
  expect(warnings).toMatchObject([{ code, field, message: expect.stringMatching(/.{10}/) }]);
});

test("[WRN2] a schedule that others always outrank is accepted with a warning, and one that plays for a minute without", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, create } = setup;
  const rrule = "FREQ=DAILY";
  const above = await create({ rrule, priority: 10 });
  expect(above.warnings).toEqual([]);
  const below = await create({ rrule });
  expect(below.warnings).toMatchObject([{ code: "outranked", field: "/priority", message: expect.stringContaining(above.id) }]);
  const longer = await api.call("PATCH", `schedules/${below.id}`, { ends_at: "2026-11-28T02:01" });
  expect(longer.body.warnings).toEqual([]);
});

test("[WRN3] the API explains why a schedule plays on a player, or why not", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, create, device } = setup;
  const why = async (schedule: { id: string }, at: string) =>
    (await api.call("GET", `players/${device.playerId}/why?schedule_id=${schedule.id}&at=${at}`)).body;
  const rrule = "FREQ=DAILY";
  const low = await create({ rrule });
  const high = await create({ name: "High", rrule, starts_at: "2026-11-27T23:00", priority: 5 });
  const closed = await create({ rrule, conditions: [variable("at_least", 3)] });
  const elsewhere = await create({ target: { type: "tag", tag: "nowhere" } });
  const over = await create({ starts_at: "2026-01-01T10:00", ends_at: "2026-01-01T11:00" });
  const [evening, night] = ["2026-11-27T21:30:00Z", "2026-11-27T22:30:00Z"];
  const next_at = "2026-11-28T21:00:00.000Z";
  expect(await why(low, evening)).toMatchObject({ schedule: { verdict: "shows", next_at: null }, reasons: [{ id: low.id }, {}, {}] });
  expect((await why(low, night)).schedule).toMatchObject({ verdict: "outranked", detail: expect.stringContaining("on is High") });
  expect((await why(high, night)).schedule).toMatchObject({ verdict: "shows" });
  expect((await why(low, "2026-11-28T12:00:00Z")).schedule).toMatchObject({ verdict: "not-due", next_at });
  expect((await why(closed, night)).schedule).toMatchObject({ verdict: "set-aside", detail: expect.stringContaining("queue") });
  expect((await why(elsewhere, night)).schedule).toMatchObject({ verdict: "not-for-it" });
  expect((await why(over, night)).schedule).toMatchObject({ verdict: "not-due", next_at: null });
  expect((await api.call("GET", `players/${device.playerId}/why`)).body).toMatchObject({
    schedule: null,
    reasons: [{ layer: "default" }, {}],
  });
  expect((await api.call("GET", `players/${device.playerId}/why?schedule_id=sch_01jd3v8q6m9x2k4n7r5t1w0yzh`)).status).toBe(404);
});

test("[SCH18] a schedule that is switched off is kept but plays nowhere until it is switched on again", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, create, device } = setup;
  const sent = async () => (await device.call("GET", "state")).body.schedules.map(({ id }: { id: string }) => id);
  const share = { interrupt: { share_percent: 60 } };
  const off = await create({ enabled: false, ...share });
  expect(off).toMatchObject({ enabled: false, next_at: null, warnings: [{ code: "disabled", field: "/enabled" }] });
  expect(await sent()).toEqual([]);
  // It uses no share of the hour while it is off.
  const on = await create(share);
  expect(await sent()).toEqual([on.id]);
  const path = `schedules/${off.id}`;
  expect((await api.call("PATCH", path, { enabled: true })).status).toBe(422);
  const { body } = await api.call("GET", `players/${device.playerId}/why?schedule_id=${off.id}`);
  expect(body.schedule).toMatchObject({ verdict: "set-aside", detail: expect.stringContaining("off") });
  expect((await api.call("PATCH", `schedules/${on.id}`, { enabled: false })).status).toBe(200);
  expect((await api.call("PATCH", path, { enabled: true })).body).toMatchObject({ enabled: true, warnings: [] });
  expect(await sent()).toEqual([off.id]);
});

function tag(is_present: boolean) {
  return { type: "tag", tag: "bar", is_present };
}

function variable(op: string, value: number) {
  return { type: "variable", name: "queue", op, value };
}
