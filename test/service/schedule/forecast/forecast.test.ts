// The forecast of a player over REST and MCP, compared with the decisions of the player.
import { expect, test } from "vitest";
import { programAt } from "../../../../src/schedule/program.ts";
import { DesiredState } from "../../../../src/protocol/device/desired-state.ts";
import { Forecast } from "../../../../src/protocol/scheduling/forecast.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { readyOf } from "../../../support/states.ts";
import { Agent, eras } from "../../mcp/agent.ts";
import { TestService, heartbeat, errorPointers, type Device } from "../../harness.ts";

const now = Date.UTC(2026, 9, 23, 12);
const weekMs = 7 * 86_400_000;
// In this week the clocks in Europe are set back.
const timezone = "Europe/Berlin";

async function open(folder: string) {
  const api = await TestService.start(folder, { clock: new FakeClock(now) });
  const device = await api.pairDevice("Lobby");
  const layoutOf = async (name: string) => (await api.call("POST", "layouts", { name, width: 100, height: 100 })).body.id as string;
  const path = `players/${device.playerId}`;
  await api.call("PATCH", path, { timezone });
  const forecast = async (query = ""): Promise<Forecast> => Forecast.parse((await api.call("GET", `${path}/forecast${query}`)).body);
  const schedule = async (about: object) => (await api.call("POST", "schedules", { target: { type: "team" }, ...about })).body.id as string;
  return { api, device, path, layoutOf, forecast, schedule, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

/** The player's decision at each boundary and at the instant before it. */
async function decidedBy(device: Device, { stretches }: Forecast): Promise<(string | null)[]> {
  const ready = readyOf(DesiredState.parse((await device.call("GET", "state")).body));
  const at = (instant: number) => programAt(ready, instant, { interventions: [], deviceTimeZone: "UTC" }).program.layout?.id ?? null;
  return stretches.flatMap(({ from, to }) => [at(Date.parse(from)), at(Date.parse(to) - 1)]);
}

test.each(eras)(
  "[FOR1] the forecast equals the player's own decisions, at each boundary and across a clock change; MCP returns the same week (%s)",
  async (era) => {
    await using folder = await temporaryFolder();
    await using setup = await open(folder.path);
    const { api, device, forecast, layoutOf, path, schedule } = setup;
    const [usual, lunch, night] = [await layoutOf("Usual"), await layoutOf("Lunch"), await layoutOf("Night")];
    await api.call("PATCH", path, { layout_id: usual });
    const daily = { rrule: "FREQ=DAILY" };
    const lunchId = await schedule({
      name: "Lunch",
      layout_id: lunch,
      starts_at: "2026-10-20T12:00",
      ends_at: "2026-10-20T14:00",
      ...daily,
    });
    await schedule({ name: "Night", layout_id: night, starts_at: "2026-10-20T22:00", ends_at: "2026-10-21T06:00", ...daily });
    const week = await forecast("?limit=500");
    expect([week.from, week.to, week.timezone, week.next_from]).toEqual([
      new Date(now).toISOString(),
      new Date(now + weekMs).toISOString(),
      timezone,
      null,
    ]);
    const shown = week.stretches.flatMap(({ layout_id }) => [layout_id, layout_id]);
    expect(shown).toEqual(await decidedBy(device, week));
    expect(week.stretches.slice(1).map(({ from }) => from)).toEqual(week.stretches.slice(0, -1).map(({ to }) => to));
    // The night in which the clocks are set back is an hour longer.
    const lengths = week.stretches
      .filter(({ layout_name }) => layout_name === "Night")
      .map(({ from, to }) => Date.parse(to) - Date.parse(from));
    expect(new Set(lengths)).toEqual(new Set([8 * 3_600_000, 9 * 3_600_000]));
    expect(week.stretches.find(({ layout_id }) => layout_id === lunch)).toMatchObject({
      by: "schedule",
      schedule_id: lunchId,
      schedule_name: "Lunch",
    });
    expect(week.revision).toBe((await device.call("GET", "state")).body.revision);

    await using agent = await Agent.connect(api.service.url, api.token, era);
    const uri = `signage://players/${device.playerId}/week`;
    const { contents } = await agent.client.readResource({ uri });
    expect(JSON.parse((contents[0] as { text: string }).text)).toEqual(week);
  },
);

test("[FOR2] a forecast has no gaps: where no schedule is active it gives the player's own layout, or nothing", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, forecast, layoutOf, path, schedule } = setup;
  const layout_id = await layoutOf("Event");
  await schedule({ name: "Event", layout_id, starts_at: "2026-10-24T10:00", ends_at: "2026-10-24T11:00" });
  const kinds = async () => (await forecast()).stretches.map(({ by, layout_name }) => [by, layout_name]);
  expect(await kinds()).toEqual([
    ["nothing", null],
    ["schedule", "Event"],
    ["nothing", null],
  ]);
  await api.call("PATCH", path, { layout_id: await layoutOf("Usual") });
  expect(await kinds()).toEqual([
    ["default", "Usual"],
    ["schedule", "Event"],
    ["default", "Usual"],
  ]);
});

test("[FOR3] an override that the player confirmed is in the forecast until its end; a cleared override is not", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, device, forecast, layoutOf, path } = setup;
  const layout_id = await layoutOf("Alarm");
  const send = async (type: string, args: object) => (await api.call("POST", `${path}/commands`, { type, args })).body.id as string;
  const override_id = await send("override.set", { layout_id, duration_ms: 3_600_000 });
  expect((await forecast()).stretches.map(({ by }) => by)).toEqual(["nothing"]);
  const until = new Date(now + 3_600_000).toISOString();
  await device.call("POST", `commands/${override_id}/status`, { status: "succeeded", result: { override_id, until }, error: null });
  expect((await forecast()).stretches).toMatchObject([
    { by: "override", override_id, layout_id, layout_name: "Alarm", to: until },
    { by: "nothing", from: until },
  ]);
  await send("override.clear", {});
  expect((await forecast()).stretches.map(({ by }) => by)).toEqual(["nothing"]);
});

test("[FOR4] a forecast covers at most a week and a limited number of intervals; the response says where the next request continues", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, forecast, layoutOf, path, schedule } = setup;
  const layout_id = await layoutOf("Hourly");
  for (let hour = 0; hour < 24; hour += 2) {
    const two = String(hour).padStart(2, "0");
    await schedule({ name: two, layout_id, starts_at: `2026-10-20T${two}:00`, ends_at: `2026-10-20T${two}:30`, rrule: "FREQ=DAILY" });
  }
  const whole = await forecast("?limit=500");
  expect(whole.stretches.length).toBeGreaterThan(150);
  const parts = [];
  for (let from: string | null = whole.from; from !== null;) {
    const part: Forecast = await forecast(`?limit=50&from=${from}&to=${whole.to}`);
    expect(part.stretches.length).toBeLessThanOrEqual(50);
    expect(part.to).toBe(part.stretches.at(-1)!.to);
    parts.push(...part.stretches);
    from = part.next_from;
  }
  expect(parts).toEqual(whole.stretches);
  const ask = (query: string) => api.call("GET", `${path}/forecast?${query}`);
  expect(errorPointers(await ask("from=2026-10-23T00:00:00Z&to=2026-10-23T00:00:00Z"))).toEqual(["?to"]);
  expect(errorPointers(await ask("from=2026-10-23T00:00:00Z&to=2026-10-30T00:00:01Z"))).toEqual(["?to"]);
  expect((await ask("limit=501")).status).toBe(422);
});

test("[FOR5] the forecast of a player without a time zone of its own uses the time zone that its device reports", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, device, forecast, layoutOf, path, schedule } = setup;
  await api.call("PATCH", path, { timezone: null });
  const layout_id = await layoutOf("Event");
  await schedule({ name: "Event", layout_id, starts_at: "2026-10-26T10:00", ends_at: "2026-10-26T11:00" });
  const begins = async () => (await forecast()).stretches[1]!.from;
  expect([(await forecast()).timezone, await begins()]).toEqual(["Europe/London", "2026-10-26T10:00:00.000Z"]);
  await device.call("POST", "heartbeat", heartbeat({ timezone: "Asia/Tokyo" }));
  expect([(await forecast()).timezone, await begins()]).toEqual(["Asia/Tokyo", "2026-10-26T01:00:00.000Z"]);
});

test("[FOR6] a pause and variables that the player confirmed are in its forecast until they end", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, device, forecast, layoutOf, path, schedule } = setup;
  const [usual, event, open1] = [await layoutOf("Usual"), await layoutOf("Event"), await layoutOf("Open")];
  await api.call("PATCH", path, { layout_id: usual });
  // 12:00Z is 14:00 in Berlin.
  await schedule({ name: "Event", layout_id: event, starts_at: "2026-10-23T14:10", ends_at: "2026-10-23T14:40" });
  const conditions = [{ type: "variable", name: "door_open", value: true }];
  await schedule({ name: "Open", layout_id: open1, starts_at: "2026-10-23T15:00", ends_at: "2026-10-23T18:00", conditions });
  const send = async (type: string, args: object, result: object | null) => {
    const { id } = (await api.call("POST", `${path}/commands`, { type, args })).body;
    await device.call("POST", `commands/${id}/status`, { status: "succeeded", result, error: null });
  };
  const kinds = async () => (await forecast("?to=2026-10-23T18:00:00Z")).stretches.map(({ layout_name, to }) => [layout_name, to]);
  const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString();
  const end = at(360);
  const plain = [
    ["Usual", at(10)],
    ["Event", at(40)],
    ["Usual", end],
  ];
  expect(await kinds()).toEqual(plain);
  await send("pause", { duration_ms: 20 * 60_000 }, { until: at(20) });
  expect(await kinds()).toEqual([["Usual", at(20)], ...plain.slice(1)]);
  await send("resume", {}, { ended: 1 });
  expect(await kinds()).toEqual(plain);
  await send("variables.set", { variables: { door_open: true }, duration_ms: 120 * 60_000 }, { until: at(120) });
  const opened = [...plain.slice(0, 2), ["Usual", at(60)], ["Open", at(120)], ["Usual", end]];
  expect(await kinds()).toEqual(opened);
  await send("variables.clear", { names: ["door_open"] }, { ended: 1 });
  expect(await kinds()).toEqual(plain);
  // A variable that a trigger on the device set is known only from the heartbeat.
  const reported = { ...heartbeat({ variables: { door_open: true } }), timezone };
  await device.call("POST", "heartbeat", reported);
  expect(await kinds()).toEqual([...plain.slice(0, 2), ["Usual", at(60)], ["Open", at(240)], ["Usual", end]]);
});
