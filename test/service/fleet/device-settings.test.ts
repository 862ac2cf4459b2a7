// The settings of a device: display hours, recurring commands, screenshots and maintenance, from the operator to the device.
import { expect, test } from "vitest";
import { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { Player } from "../../../src/protocol/operator/resources.ts";
import { newId } from "../../support/states.ts";
import { errorPointers, type TestService } from "../harness.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

const weekdaysOnly = { weekdays: ["MO", "TU", "WE", "TH", "FR"], from: "08:00", until: "20:00" };

async function createCalendar(api: TestService): Promise<string> {
  const { body } = await api.call("POST", "calendars", { name: "Holidays", dates: [{ date: "2026-12-25" }] });
  return (body as { id: string }).id;
}

test("[DVS1] display hours, recurring commands and screenshots are stored, published with their calendars, and removed again", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const calendarId = await createCalendar(api);
  const state = async () => DesiredState.parse((await device.call("GET", "state")).body);
  const before = await state();
  const display_hours = { open: [weekdaysOnly], exceptions: [{ calendar_id: calendarId, open: [] }] };
  const recurring_commands = [{ name: "Nightly restart", command: { type: "restart" }, at: ["03:30"] }];
  const screenshots = { every_s: 300, redact: [{ left: 0, top: 90, width: 100, height: 10 }] };
  const settings = { display_hours, recurring_commands, screenshots };
  const response = await api.call("PATCH", `players/${device.playerId}`, settings);
  expect(response).toMatchObject({ status: 200 });
  const changed = Player.parse(response.body);
  expect(changed).toMatchObject({
    display_hours,
    recurring_commands: [{ name: "Nightly restart", command: { type: "restart", args: {} }, at: ["03:30"], enabled: true }],
    screenshots: { every_s: 300, format: "jpeg", quality: 70, only_changed: true },
  });
  const published = await state();
  expect(published.player).toMatchObject({ display_hours, screenshots, recurring_commands: changed.recurring_commands });
  expect(published.calendars).toEqual([{ id: calendarId, dates: ["2026-12-25"] }]);
  expect([published.revision === changed.desired_revision, published.revision === before.revision]).toEqual([true, false]);
  const none = { display_hours: null, recurring_commands: [], screenshots: null };
  expect(Player.parse((await api.call("PATCH", `players/${device.playerId}`, none)).body)).toMatchObject(none);
  expect((await state()).revision).toBe(before.revision);
});

test("[DVS2] maintenance is a setting of the service: it does not change what the player should do", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const { desired_revision: before } = Player.parse((await api.call("GET", `players/${device.playerId}`)).body);
  const set = (maintenance_until: string | null) => api.call("PATCH", `players/${device.playerId}`, { maintenance_until });
  const until = "2030-01-01T00:00:00.000Z";
  expect(Player.parse((await set(until)).body)).toMatchObject({ maintenance_until: until, desired_revision: before });
  expect(Player.parse((await set(null)).body).maintenance_until).toBeNull();
});

test("[DVS3] a bulk change sets the device settings of many players, and counts only those that it changes", async () => {
  const api = await shared.newTeam();
  const [one, two] = [await api.pairDevice(), await api.pairDevice()];
  const target = { player_ids: [one.playerId, two.playerId] };
  const display_hours = { open: [weekdaysOnly], exceptions: [] };
  await api.call("PATCH", `players/${one.playerId}`, { display_hours });
  const changed = await api.call("POST", "players/bulk", { target, change: { display_hours, maintenance_until: null } });
  expect(changed).toMatchObject({ status: 200, body: { matched: 2, changed: 1 } });
  expect(DesiredState.parse((await two.call("GET", "state")).body).player.display_hours).toEqual(display_hours);
});

const unknown = newId("cal");
test.each<[Record<string, unknown>, string]>([
  [{ display_hours: { open: [{ from: "25:00" }] } }, "/display_hours/open/0/from"],
  [{ display_hours: { open: [{ from: "08:00", until: "08:00" }] } }, "/display_hours/open/0/until"],
  [{ display_hours: { open: [], exceptions: [{ calendar_id: unknown, open: [] }] } }, "/display_hours/exceptions/0/calendar_id"],
  [{ recurring_commands: [{ name: "a", command: { type: "restart" }, at: ["24:00"] }] }, "/recurring_commands/0/at/0"],
  [{ recurring_commands: [{ name: "a", command: { type: "unpair" }, at: ["01:00"] }] }, "/recurring_commands/0/command/type"],
  [
    { recurring_commands: [{ name: "a", command: { type: "audio.volume", args: { percent: 101 } }, at: ["01:00"] }] },
    "/recurring_commands/0/command/args/percent",
  ],
  [
    { recurring_commands: [{ name: "a", command: { type: "reload" }, at: ["01:00"], calendar: { calendar_id: unknown } }] },
    "/recurring_commands/0/calendar/calendar_id",
  ],
  [
    {
      recurring_commands: [
        { name: "a", command: { type: "reload" }, at: ["01:00"] },
        { name: "a", command: { type: "reload" }, at: ["02:00"] },
      ],
    },
    "/recurring_commands",
  ],
  [{ screenshots: { every_s: 5 } }, "/screenshots/every_s"],
  [{ screenshots: { redact: [{ left: -1, top: 0, width: 1, height: 1 }] } }, "/screenshots/redact/0/left"],
  [{ maintenance_until: "tomorrow" }, "/maintenance_until"],
])("[DVS4] an invalid device setting is rejected with its pointer, alone and in bulk: %j", async (change, pointer) => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const alone = await api.call("PATCH", `players/${device.playerId}`, change);
  const bulk = await api.call("POST", "players/bulk", { target: { player_ids: [device.playerId] }, change });
  expect([alone.status, errorPointers(alone)]).toEqual([422, [pointer]]);
  expect([bulk.status, errorPointers(bulk)]).toEqual([422, [`/change${pointer}`]]);
});
