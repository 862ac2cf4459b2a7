// Alerts: what opens and closes them, what mutes them, restarts, settings, teams, and the answer to which screens are wrong.
import { expect, test } from "vitest";
import type { Heartbeat } from "../../../src/protocol/device/heartbeat.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { errorPointers, heartbeat, picture } from "../harness.ts";
import { Agent } from "../mcp/agent.ts";
import { createOtherTeam } from "../people/people.ts";
import { AlertFleet, contentAt, displayState, minute, problem } from "./alert-fleet.ts";
import { openTables, failInserts } from "../tables-of.ts";

const shotId = "shot_01jd3v8q6m9x2k4n7r5t1w0yzh";
const throttling = { throttling: { now: ["under-voltage" as const], since_start: ["under-voltage" as const] } };
const readOnly = {
  storage: { device: "sda", total_bytes: null, file_system_errors: null, wear_percent: null, smart: null, read_only: true },
};

test("[ALR1] an alert opens when its condition has lasted for the team's minutes, with cause, start and remedy, as an event and a webhook", async () => {
  await using folder = await temporaryFolder();
  await using fleet = await AlertFleet.start(folder.path);
  const [lobby] = await fleet.pair(["Lobby"], ["site:Berlin Hbf"]);
  const events = ["alert.opened", "alert.closed"];
  const webhook = (await fleet.api.call("POST", "webhooks", { name: "W", url: "https://hooks.example.com/x", events })).body;
  const fromMs = fleet.clock.now();
  lobby!.health = { ...lobby!.health, temperature_c: 86.4 };
  const alert = await fleet.opened(lobby!, "hot");
  expect(Date.parse(alert.opened_at) - fromMs).toBeGreaterThanOrEqual(10 * minute);
  expect(Date.parse(alert.since) - fromMs).toBeLessThanOrEqual(2 * minute);
  expect(alert).toMatchObject({
    player_id: lobby!.id,
    player_name: "Lobby",
    state: "open",
    site: "Berlin Hbf",
    detail: "The device is at 86 °C, the limit is 80 °C",
    remedy: expect.stringContaining("fan"),
    closed_at: null,
    acknowledged_by: null,
  });
  lobby!.health = { ...lobby!.health, temperature_c: 65 };
  const closed = await fleet.closed(alert.id);
  expect(closed).toMatchObject({ close_reason: "recovered" });
  const { data } = (await fleet.api.call("GET", `events?types=${events.join()}&player_id=${lobby!.id}`)).body;
  expect(data.map(({ type }: { type: string }) => type)).toEqual(events);
  expect(data[0].data).toMatchObject({ alert_id: alert.id, player_id: lobby!.id, name: "Lobby", kind: "hot", site: "Berlin Hbf" });
  expect(data[1].data).toMatchObject({ alert_id: alert.id, close_reason: "recovered" });
  const deliveries = (await fleet.api.call("GET", `webhooks/${webhook.id}/deliveries`)).body.data;
  expect(deliveries.map(({ type }: { type: string }) => type).toReversed()).toEqual(events);
});

const causes: [kind: string, detail: RegExp, health: Partial<Heartbeat>][] = [
  ["dark", /display-off/, { problems: [problem("display-off")] }],
  ["dark", /content-withheld/, { problems: [problem("content-withheld")] }],
  ["dark", /Nothing is drawn/, { rendering: false, uptime_ms: 120_000 }],
  ["dark", /although it should be on/, { telemetry: displayState("on", "off") }],
  ["wrong", /content-reverted \(and 1 more problem\)/, { problems: [problem("content-reverted"), problem("zone-empty")] }],
  ["wrong", /item-load/, { problems: [problem("item-load")] }],
  ["full", /no-room/, { problems: [problem("no-room")] }],
  ["full", /disk-unwritable/, { problems: [problem("disk-unwritable")] }],
  ["full", /read-only/, { telemetry: readOnly }],
  ["hot", /95 °C/, { temperature_c: 95 }],
  ["throttled", /under-voltage/, { telemetry: throttling }],
];

test("[ALR3] each kind of alert has its own conditions: problems, display, temperature, throttling, storage, heartbeats, content that is late", async () => {
  await using folder = await temporaryFolder();
  await using fleet = await AlertFleet.start(folder.path);
  await fleet.set(1, 1, { kinds: { late: { open_minutes: 1, close_minutes: 1, content_minutes: 12 } } });
  const screens = await fleet.pair(causes.map((_, index) => `Screen ${index}`));
  const [older, slow, silent] = await fleet.pair(["Older", "Slow", "Silent"]);
  for (const [index, [, , health]] of causes.entries()) Object.assign(screens[index]!.health, health);
  older!.health = { content: contentAt("another") };
  slow!.health = { content: contentAt("another", "downloading") };
  silent!.isOn = false;
  for (const [index, [kind, detail]] of causes.entries()) {
    expect((await fleet.opened(screens[index]!, kind)).detail).toMatch(detail);
  }
  expect((await fleet.opened(silent!, "late")).detail).toMatch(/is offline$/);
  expect((await fleet.opened(older!, "wrong")).detail).toMatch(/older state/);
  const late = await fleet.opened(slow!, "late");
  expect(late.detail).toMatch(/still being downloaded/);
  expect(Date.parse(late.opened_at) - Date.parse(late.since)).toBeGreaterThanOrEqual(12 * minute);
  expect((await fleet.alerts()).length).toBe(causes.length + 3);
});

test("[ALR4] a display that is off on purpose is neither dark nor wrong, and a player in maintenance has no alerts; open ones close as muted", async () => {
  await using folder = await temporaryFolder();
  await using fleet = await AlertFleet.start(folder.path);
  await fleet.set(1, 1);
  const [night, repaired, seen] = await fleet.pair(["Night", "Repaired", "Seen"]);
  const dark = { problems: [problem("not-rendering"), problem("zone-empty")] };
  for (const screen of [night!, repaired!, seen!]) Object.assign(screen.health, dark);
  night!.health.telemetry = displayState("off", "off");
  const until = new Date(fleet.clock.now() + 20 * minute).toISOString();
  await fleet.api.call("PATCH", `players/${repaired!.id}`, { maintenance_until: until });
  repaired!.isOn = false;
  // All would open in the same look.
  const { id } = await fleet.opened(seen!, "dark");
  await fleet.pass(2 * minute);
  const known = await fleet.alerts();
  expect(known.map(({ player_id }) => player_id)).toEqual([seen!.id, seen!.id]);
  expect(new Set(known.map(({ kind }) => kind))).toEqual(new Set(["dark", "wrong"]));
  expect((await fleet.now()).counts).toEqual({ total: 3, online: 2, ok: 0, troubled: 1, muted: 2 });
  seen!.health.telemetry = displayState("off", "off");
  expect(await fleet.closed(id)).toMatchObject({ close_reason: "muted" });
  // Being hot does not depend on the display.
  night!.health.temperature_c = 99;
  await fleet.opened(night!, "hot");
  // In the morning.
  night!.health.telemetry = displayState("on", "on");
  await fleet.opened(night!, "dark");
  await fleet.until(async () => fleet.clock.now() > Date.parse(until));
  await fleet.opened(repaired!, "late");
});

test("[ALR5] deleting a player closes its alerts", async () => {
  await using folder = await temporaryFolder();
  await using fleet = await AlertFleet.start(folder.path);
  await fleet.set(0, 1);
  const [gone] = await fleet.pair(["Gone"]);
  Object.assign(gone!.health, { temperature_c: 99, problems: [problem("disk-low")] });
  const hot = await fleet.opened(gone!, "hot");
  const full = await fleet.opened(gone!, "full");
  gone!.isOn = false;
  await fleet.api.call("DELETE", `players/${gone!.id}`);
  for (const { id } of [hot, full]) expect(await fleet.closed(id)).toMatchObject({ close_reason: "removed" });
  expect(await fleet.now()).toMatchObject({ counts: { total: 0 }, data: [] });
});

test("[ALR6] after a restart open alerts stay open, those about to open or close do so later, and players get time to connect", async () => {
  await using folder = await temporaryFolder();
  await using fleet = await AlertFleet.start(folder.path);
  await fleet.set(5, 5);
  await fleet.api.call("PATCH", "alert-settings", { kinds: { late: { open_minutes: 1 } } });
  const [open, pending, closing, dead, slow] = await fleet.pair(["Open", "Pending", "Closing", "Dead", "Slow to connect"]);
  for (const screen of [open!, closing!]) screen.health.temperature_c = 99;
  dead!.isOn = false;
  const ids = [await fleet.opened(open!, "hot"), await fleet.opened(closing!, "hot"), await fleet.opened(dead!, "late")].map(
    ({ id }) => id as string,
  );
  pending!.health.temperature_c = 99;
  closing!.health.temperature_c = 20;
  await fleet.pass(2 * minute);
  await fleet.stop();
  fleet.clock.advance(30 * minute);
  await fleet.startAgain();
  const startedAt = fleet.clock.now();
  slow!.isOn = false;
  await fleet.pass(1.5 * minute);
  slow!.isOn = true;
  expect(await fleet.closed(ids[1]!)).toMatchObject({ close_reason: "recovered" });
  const later = await fleet.opened(pending!, "hot");
  expect(Date.parse(later.opened_at) - startedAt).toBeGreaterThanOrEqual(5 * minute);
  await fleet.pass(6 * minute);
  const all = await fleet.alerts();
  expect(new Set(all.map(({ id }) => id))).toEqual(new Set([...ids, later.id]));
  expect(all.length).toBe(4);
  expect(all.filter(({ state }) => state === "open").map(({ id }) => id)).not.toContain(ids[1]);
});

test("[ALR7] one request lists the screens that are wrong now: most severe first, with cause, start, remedy, newest picture and counts", async () => {
  await using folder = await temporaryFolder();
  await using fleet = await AlertFleet.start(folder.path);
  await fleet.set(1, 1, { kinds: { full: { enabled: false } } });
  await fleet.pair(["Fine"], ["hall"]);
  const [hot, dark, unsure] = await fleet.pair(["Hot", "Dark", "Unsure"], ["hall", "site:Hall 3"]);
  const [silent] = await fleet.pair(["Silent"]);
  hot!.health.temperature_c = 90;
  Object.assign(dark!.health, { problems: [problem("not-rendering"), problem("disk-low")] });
  Object.assign(unsure!.health, { problems: [problem("clock-unsure")] });
  silent!.isOn = false;
  expect((await dark!.device.putScreenshot(shotId, await picture())).status).toBe(204);
  const alert = await fleet.opened(dark!, "dark");
  await fleet.opened(silent!, "late");
  await fleet.opened(hot!, "hot");
  const { counts, data, left_out } = await fleet.now();
  expect(counts).toEqual({ total: 5, online: 4, ok: 1, troubled: 4, muted: 0 });
  expect([data.map(({ name }: { name: string }) => name), left_out]).toEqual([["Dark", "Silent", "Hot", "Unsure"], 0]);
  expect(data[0]).toEqual({
    player_id: dark!.id,
    name: "Dark",
    status: "online",
    tags: ["hall", "site:Hall 3"],
    site: "Hall 3",
    troubles: [
      {
        kind: "dark",
        since: "2026-11-21T11:00:00.000Z",
        detail: "It has not-rendering",
        remedy: "Repair not-rendering",
        alert_id: alert.id,
        acknowledged_by: null,
      },
      expect.objectContaining({ kind: "full", detail: "It has disk-low", alert_id: null }),
    ],
    screenshot: { url: `/api/v1/screenshots/${shotId}/image`, captured_at: "2026-11-21T12:00:00.000Z" },
  });
  expect(data[1]).toMatchObject({ status: "offline", site: null, screenshot: null });
  expect(data[3].troubles).toMatchObject([{ kind: null, detail: "It has clock-unsure", alert_id: null }]);
  const names = async (query: string) => (await fleet.now(query)).data.map(({ name }: { name: string }) => name);
  expect(await names("?kind=full")).toEqual(["Dark"]);
  expect(await names("?tag=hall")).toEqual(["Dark", "Hot", "Unsure"]);
  expect(await fleet.now("?tag=hall&limit=1")).toMatchObject({ counts: { total: 4, ok: 1, troubled: 3 }, left_out: 2 });
});

test("[ALR7] one MCP call lists the screens that are wrong now, by a tool that agents see from the start", async () => {
  await using folder = await temporaryFolder();
  await using fleet = await AlertFleet.start(folder.path);
  const [dark] = await fleet.pair(["Dark", "Fine"]);
  Object.assign(dark!.health, { problems: [problem("not-rendering")] });
  await fleet.pass(minute);
  await using agent = await Agent.connect(fleet.api.service.url, fleet.api.token, "2026");
  expect((await agent.client.listTools()).tools.map(({ name }) => name)).toContain("list_troubled_players");
  const answer = await agent.ok("list_troubled_players", { kind: "dark" });
  expect(answer).toMatchObject({ counts: { total: 2, ok: 1, troubled: 1 }, data: [{ name: "Dark", troubles: [{ kind: "dark" }] }] });
});

test("[ALR8] alert settings change in part, are checked, and apply at once: a kind that is switched off closes its alerts", async () => {
  await using folder = await temporaryFolder();
  await using fleet = await AlertFleet.start(folder.path);
  const before = (await fleet.api.call("GET", "alert-settings")).body;
  expect(before).toMatchObject({ recipients: [], group_minutes: 2, kinds: { hot: { open_celsius: 80, close_celsius: 70 } } });
  expect(before.mail).toMatchObject({ is: "off", detail: expect.stringContaining("--smtp-host"), waiting: 0 });
  const changed = await fleet.api.call("PATCH", "alert-settings", { kinds: { hot: { open_minutes: 1 } }, repeat_hours: null });
  const { hot, ...others } = before.kinds;
  expect(changed.body).toEqual({ ...before, repeat_hours: null, kinds: { ...others, hot: { ...hot, open_minutes: 1 } } });
  for (const [body, pointer] of [
    [{ kinds: { hot: { close_celsius: 81 } } }, "/kinds/hot/close_celsius"],
    [{ kinds: { dark: { open_minutes: -1 } } }, "/kinds/dark/open_minutes"],
    [{ kinds: { cold: {} } }, "/kinds"],
    [{ recipients: ["a@example.com, b@example.com"] }, "/recipients/0"],
    [{ group_minutes: 61 }, "/group_minutes"],
  ] as const) {
    const refused = await fleet.api.call("PATCH", "alert-settings", body);
    expect([refused.status, errorPointers(refused)[0]]).toEqual([422, expect.stringContaining(pointer)]);
  }
  const [screen] = await fleet.pair(["Screen"]);
  screen!.health.temperature_c = 90;
  const { id } = await fleet.opened(screen!, "hot");
  await fleet.api.call("PATCH", "alert-settings", { kinds: { hot: { enabled: false } } });
  expect(await fleet.closed(id)).toMatchObject({ close_reason: "disabled" });
  await fleet.stop();
  await fleet.startAgain();
  expect((await fleet.api.call("GET", "alert-settings")).body.kinds.hot).toMatchObject({ enabled: false, open_minutes: 1 });
  const stale = await fleet.api.call("PATCH", "alert-settings", {}, { "if-match": '"x"' });
  expect(stale.status).toBe(412);
});

test("[ALR9] who acknowledges an alert is shown to the team, once; a closed alert cannot be acknowledged", async () => {
  await using folder = await temporaryFolder();
  await using fleet = await AlertFleet.start(folder.path);
  await fleet.set(0, 0);
  const [screen] = await fleet.pair(["Screen"]);
  screen!.health.temperature_c = 90;
  const { id } = await fleet.opened(screen!, "hot");
  const first = await fleet.api.call("POST", `alerts/${id}/acknowledge`);
  expect([first.status, first.body.acknowledged_by.name]).toEqual([200, expect.any(String)]);
  await fleet.pass(minute);
  expect((await fleet.api.call("POST", `alerts/${id}/acknowledge`)).body).toEqual(first.body);
  expect((await fleet.now()).data[0].troubles[0].acknowledged_by).toEqual(first.body.acknowledged_by);
  const { data } = (await fleet.api.call("GET", "events?types=alert.acknowledged")).body;
  expect(data.map((event: { data: { alert_id: string } }) => event.data.alert_id)).toEqual([id]);
  screen!.health.temperature_c = 20;
  await fleet.closed(id);
  expect((await fleet.api.call("POST", `alerts/${id}/acknowledge`)).status).toBe(409);
});

test("[ALR10] teams see, change and acknowledge only their own alerts and settings", async () => {
  await using folder = await temporaryFolder();
  await using fleet = await AlertFleet.start(folder.path);
  await fleet.set(0, 1);
  const other = await createOtherTeam(fleet.api);
  const waiting = await fleet.api.newDevice();
  await other.call("POST", "players/pair", { code: waiting.grant.user_code, name: "Theirs" });
  await waiting.firstToken();
  const hot = heartbeat({ temperature_c: 90 });
  const [ours] = await fleet.pair(["Ours"]);
  ours!.health.temperature_c = 90;
  const { id } = await fleet.opened(ours!, "hot");
  await waiting.call("POST", "heartbeat", hot);
  expect(await other.call("GET", "alerts")).toMatchObject({ body: { data: [] } });
  expect((await other.call("GET", "alerts/now")).body).toMatchObject({ counts: { total: 1 }, data: [{ name: "Theirs" }] });
  expect((await fleet.now()).data.map(({ name }: { name: string }) => name)).toEqual(["Ours"]);
  expect((await other.call("POST", `alerts/${id}/acknowledge`)).status).toBe(404);
  expect((await other.call("GET", "alert-settings")).body.kinds.hot.open_minutes).toBe(10);
  expect((await other.call("GET", "events?types=alert.opened")).body.data).toEqual([]);
});

test("[ALR11] alerts are kept for 90 days after their end, open ones for as long as they last", async () => {
  await using folder = await temporaryFolder();
  await using fleet = await AlertFleet.start(folder.path);
  await fleet.set(0, 0);
  const [over, dead] = await fleet.pair(["Over", "Dead"]);
  over!.health.temperature_c = 90;
  const { id } = await fleet.opened(over!, "hot");
  over!.health.temperature_c = 20;
  dead!.isOn = false;
  await fleet.closed(id);
  const late = await fleet.opened(dead!, "late");
  await fleet.stop();
  fleet.clock.advance(91 * 24 * 60 * minute);
  await fleet.startAgain();
  await eventually(async () => (await fleet.alerts()).length === 1);
  expect(await fleet.alerts()).toMatchObject([{ id: late.id, state: "open" }]);
});

test("[ALR12] alerts that cannot be stored open later, once", async () => {
  await using folder = await temporaryFolder();
  await using fleet = await AlertFleet.start(folder.path);
  await fleet.set(1, 1);
  const [screen] = await fleet.pair(["Screen"]);
  screen!.health.temperature_c = 90;
  {
    using state = openTables(folder.path);
    using _full = failInserts(state, "alerts");
    await fleet.pass(3 * minute);
    expect(await fleet.alerts()).toEqual([]);
  }
  const { id } = await fleet.opened(screen!, "hot");
  await fleet.pass(minute);
  expect((await fleet.alerts()).map((alert) => alert.id)).toEqual([id]);
});
