// Display hours and recurring commands at the service: stored, checked, published, previewed; and the calendars that they use.
import { expect, test } from "vitest";
import { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { Player } from "../../../src/protocol/operator/resources.ts";
import { ControlPreview } from "../../../src/protocol/scheduling/control-preview.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { EventSubscriber } from "../events/event-subscriber.ts";
import { errorPointers, heartbeat, TestService } from "../harness.ts";

// The Thursday before Christmas Day.
const now = Date.UTC(2026, 11, 24, 12);
const missing = "cal_01jd3v8q6m9x2k4n7r5t1w0yzh";
const workdays = ["MO", "TU", "WE", "TH", "FR"];

async function open(folder: string) {
  const clock = new FakeClock(now);
  const api = await TestService.start(folder, { clock });
  const device = await api.pairDevice("Shop");
  const dates = [{ date: "2026-12-25" }, { date: "2026-12-26" }];
  const calendar = (await api.call("POST", "calendars", { name: "Public holidays", dates })).body;
  const path = `players/${device.playerId}`;
  const hours = {
    open: [
      { weekdays: workdays, from: "08:00", until: "20:00" },
      { weekdays: ["SA"], from: "10:00", until: "16:00" },
    ],
    exceptions: [{ calendar_id: calendar.id, open: [] as object[] }],
  };
  const nightly = { name: "Nightly", command: { type: "reboot", args: {} }, at: ["03:30"], enabled: true };
  return {
    api,
    clock,
    device,
    calendar,
    hours,
    nightly,
    change: (body: object) => api.call("PATCH", path, body),
    state: async () => DesiredState.parse((await device.call("GET", "state")).body),
    preview: (query = "") => api.call("GET", `${path}/control-preview${query}`),
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

test("[DHR28] display hours and recurring commands are stored, published with the dates of their calendars, and removed again", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { revision } = await setup.state();
  const changed = await setup.change({ timezone: "Europe/Berlin", display_hours: setup.hours, recurring_commands: [setup.nightly] });
  expect(Player.parse(changed.body)).toMatchObject({ display_hours: setup.hours, recurring_commands: [setup.nightly] });
  const state = await setup.state();
  expect(state.player).toMatchObject({ display_hours: setup.hours, recurring_commands: [setup.nightly] });
  expect(state.calendars).toEqual([{ id: setup.calendar.id, dates: ["2026-12-25", "2026-12-26"] }]);
  expect(state.revision).not.toBe(revision);
  await setup.change({ timezone: null, display_hours: null, recurring_commands: [] });
  const free = await setup.state();
  expect([free.player.display_hours, free.player.recurring_commands, free.revision]).toEqual([undefined, undefined, revision]);
});

test.each<[object, string]>([
  [{ display_hours: { open: [{ from: "8:00" }] } }, "/display_hours/open/0/from"],
  [{ display_hours: { open: [{ from: "08:00", until: "08:00" }] } }, "/display_hours/open/0/until"],
  [{ display_hours: { open: [], exceptions: [{ calendar_id: missing, open: [] }] } }, "/display_hours/exceptions/0/calendar_id"],
  [{ recurring_commands: [{ name: "a", command: { type: "unpair" }, at: ["03:30"] }] }, "/recurring_commands/0/command/type"],
  [{ recurring_commands: [{ name: "a", command: { type: "reboot" }, at: ["24:00"] }] }, "/recurring_commands/0/at/0"],
  [{ recurring_commands: [{ name: "a", command: { type: "reboot" }, at: [] }] }, "/recurring_commands/0/at"],
  [
    { recurring_commands: [{ name: "a", command: { type: "reboot" }, at: ["03:30"], calendar: { calendar_id: missing } }] },
    "/recurring_commands/0/calendar/calendar_id",
  ],
])("[RCM12] invalid hours and recurring commands are rejected with their pointer: %j", async (body, pointer) => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const refused = await setup.change(body);
  expect([refused.status, errorPointers(refused)]).toEqual([422, [pointer]]);
});

test("[RCM12] a recurring command with wrong arguments, or a name that is used twice, is rejected", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const loud = { name: "Quiet", command: { type: "audio.volume", args: { percent: 200 } }, at: ["22:00"] };
  const refused = await setup.change({ recurring_commands: [loud] });
  expect([refused.status, errorPointers(refused)]).toEqual([422, ["/recurring_commands/0/command/args/percent"]]);
  expect((await setup.change({ recurring_commands: [setup.nightly, setup.nightly] })).status).toBe(422);
});

test("[DHR29] a calendar that display hours or recurring commands use cannot be deleted, and a change of its dates reaches their players", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const path = `calendars/${setup.calendar.id}`;
  const recurring = { ...setup.nightly, calendar: { calendar_id: setup.calendar.id, is_listed: false } };
  for (const body of [
    { display_hours: setup.hours, recurring_commands: [] },
    { display_hours: null, recurring_commands: [recurring] },
  ]) {
    await setup.change(body);
    const refused = await setup.api.call("DELETE", path);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining("“Shop”")]);
    const { revision } = await setup.state();
    const dates = [{ date: body.display_hours === null ? "2027-06-01" : "2027-06-02" }];
    expect((await setup.api.call("PATCH", path, { dates })).status).toBe(200);
    // The service announces the new revision by itself.
    const answer = await setup.device.call("POST", "heartbeat", heartbeat());
    expect(answer.body.revision).not.toBe(revision);
    expect((await setup.state()).revision).toBe(answer.body.revision);
    expect((await setup.api.call("GET", `players/${setup.device.playerId}`)).body.desired_revision).toBe(answer.body.revision);
  }
  expect((await setup.api.call("DELETE", `players/${setup.device.playerId}`)).status).toBe(204);
  expect((await setup.api.call("DELETE", path)).body.detail).toContain("in the bin");
  expect((await setup.api.call("DELETE", `players/${setup.device.playerId}?permanent=true`)).status).toBe(204);
  expect((await setup.api.call("DELETE", path)).status).toBe(204);
});

test("[DHR30] the preview lists when the display is on and off, and when recurring commands run, across holidays, with the hours in words", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const quiet = { name: "Quiet", command: { type: "audio.volume", args: { percent: 10 } }, at: ["19:00"], weekdays: workdays };
  const off = { ...setup.nightly, name: "Off", enabled: false };
  const recurring_commands = [{ ...quiet, calendar: { calendar_id: setup.calendar.id, is_listed: false } }, setup.nightly, off];
  await setup.change({ timezone: "Europe/Berlin", display_hours: setup.hours, recurring_commands });
  const preview = ControlPreview.parse((await setup.preview("?to=2026-12-28T12:00:00Z")).body);
  expect(preview).toMatchObject({ timezone: "Europe/Berlin", from: "2026-12-24T12:00:00.000Z", runs_left_out: 0 });
  expect(preview.summary).toBe("Mondays to Fridays 08:00 to 20:00; Saturdays 10:00 to 16:00; on Public holidays off");
  expect(preview.display.map(({ from, power }) => `${from.slice(5, 16)} ${power}`)).toEqual([
    "12-24T12:00 on",
    "12-24T19:00 off",
    "12-28T07:00 on",
  ]);
  expect(preview.display.at(-1)!.to).toBe(preview.to);
  expect(preview.runs.map(({ at, name }) => `${at.slice(5, 16)} ${name}`)).toEqual([
    "12-24T18:00 Quiet",
    "12-25T02:30 Nightly",
    "12-26T02:30 Nightly",
    "12-27T02:30 Nightly",
    "12-28T02:30 Nightly",
  ]);
  await setup.change({ display_hours: null, recurring_commands: [] });
  expect((await setup.preview()).body).toMatchObject({ summary: "Always on", display: [], runs: [], to: "2026-12-31T12:00:00.000Z" });
  expect(errorPointers(await setup.preview("?to=2026-12-24T12:00:00Z"))).toEqual(["?to"]);
  expect(errorPointers(await setup.preview("?to=2027-12-24T12:00:00Z"))).toEqual(["?to"]);
});

test("[RCM13] the preview lists at most 500 runs and tells how many more there are", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const at = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, "0")}:15`);
  await setup.change({ timezone: "UTC", recurring_commands: [{ name: "Often", command: { type: "reload" }, at }] });
  const preview = ControlPreview.parse((await setup.preview("?to=2027-01-23T12:00:00Z")).body);
  expect([preview.runs.length, preview.runs_left_out]).toEqual([500, 30 * 24 - 500]);
});

test("[DHR31] a player that draws nothing while its display is off on purpose raises no error", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const display = {
    asked: "off",
    reason: "hours",
    until: null,
    power: "off",
    by: "wlopm",
    brightness_percent: null,
    rotation: null,
    mode: null,
    input: null,
  };
  const beat = (more: object) => setup.device.call("POST", "heartbeat", heartbeat({ rendering: false, uptime_ms: 3_600_000, ...more }));
  using listener = new EventSubscriber(setup.api.service.url, setup.api.token);
  await listener.subscribe(["player_updates", "presence", "problems"]);
  await beat({ telemetry: { display } });
  await setup.change({ name: "Shop at night" });
  await listener.event("player.updated");
  await beat({ telemetry: { display: { ...display, asked: "on", power: "on" } } });
  await listener.event("player.error");
  const types = listener.events.map(({ data }) => data.type).filter((type) => ["player.updated", "player.error"].includes(type));
  expect(types).toEqual(["player.updated", "player.error"]);
});
