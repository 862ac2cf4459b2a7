// The roster: all screens in short rows, with their state in words.
import { expect, test } from "vitest";
import type { Heartbeat } from "../../../src/protocol/device/heartbeat.ts";
import { createProblem } from "../../../src/protocol/device/player-problems.ts";
import type { DisplayState } from "../../../src/protocol/device/telemetry.ts";
import type { RosterPlayer } from "../../../src/protocol/operator/roster.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { createOtherTeam } from "../people/people.ts";
import { heartbeat, picture, TestService, type Device } from "../harness.ts";

const start = Date.parse("2026-11-23T12:00:00.000Z");
const display: DisplayState = {
  asked: "off",
  reason: "hours",
  until: "2026-11-24T07:00:00.000Z",
  power: "off",
  by: null,
  brightness_percent: null,
  rotation: null,
  mode: null,
  input: null,
};
const applied = { is: "applied" as const, revision: "r", applied_revision: "r", ready_bytes: 0, total_bytes: 0, detail: null };

async function rowOf(api: TestService, { playerId }: Device): Promise<RosterPlayer> {
  const { body } = await api.call("GET", `players/roster?ids=${playerId}`);
  return body.data[0];
}

/** The revision that the player should have, so that it is in sync. */
async function inSync(api: TestService, { playerId }: Device): Promise<Heartbeat["content"]> {
  const revision = (await api.call("GET", `players/${playerId}`)).body.desired_revision as string;
  return { ...applied, revision, applied_revision: revision };
}

test("[CWL1] a row says in one word how a screen is, and lists what is wrong with it, most severe first, with the remedy", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice("Lobby");
  const row = (): Promise<RosterPlayer> => rowOf(api, device);
  const beat = async (more: Partial<Heartbeat>): Promise<void> => {
    expect((await device.call("POST", "heartbeat", heartbeat(more))).status).toBe(200);
  };
  expect(await row()).toMatchObject({ state: "new", status: "offline", last_seen_at: null, playing: null, in_sync: null });

  await beat({});
  expect(await row()).toMatchObject({ state: "empty", status: "online", last_seen_at: new Date(start).toISOString() });

  const content = await inSync(api, device);
  await beat({ content });
  expect(await row()).toMatchObject({ state: "playing", state_since: null, in_sync: true, problems: [], timezone: "Europe/London" });

  const problems = ["clock-unsure", "item-load", "not-rendering", "disk-low"] as const;
  await beat({ content, problems: problems.map((code) => createProblem(code, start - 1_000)) });
  const wrong = await row();
  expect(wrong).toMatchObject({ state: "wrong", problems_left_out: 1, state_since: "2026-11-23T11:59:59.000Z" });
  expect(wrong.problems.map(({ code }) => code)).toEqual(["not-rendering", "item-load", "disk-low"]);
  expect(wrong.problems[0]!.remedy).toContain("Send the command restart");

  // What the service finds by itself counts too, also if the player reports no problem.
  await beat({ content, rendering: false, uptime_ms: 120_000 });
  expect((await row()).problems.map(({ code }) => code)).toEqual(["dark"]);

  await beat({ content, telemetry: { display }, problems: [createProblem("not-rendering", start)] });
  expect(await row()).toMatchObject({ state: "off", off_reason: "hours", off_until: display.until });
  await beat({ content, telemetry: { display }, problems: [createProblem("disk-unwritable", start)] });
  expect(await row()).toMatchObject({ state: "wrong", off_reason: null });

  await api.call("PATCH", `players/${device.playerId}`, { maintenance_until: new Date(start + 60_000).toISOString() });
  expect(await row()).toMatchObject({ state: "off", off_reason: "maintenance" });
  clock.advance(60_000);
  expect(await row()).toMatchObject({ state: "wrong" });
});

test("[CWL2] a screen is late after ten minutes with older content, and offline two minutes after its last heartbeat, as the events say", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice("Lobby");
  const content = { ...applied, revision: "old", applied_revision: "old" };
  const beat = () => device.call("POST", "heartbeat", heartbeat({ content }));
  await beat();
  const states: string[] = [];
  for (let minutes = 0; minutes < 11; minutes += 1) {
    const row = await rowOf(api, device);
    expect(row.in_sync).toBe(false);
    states.push(row.state);
    clock.advance(60_000);
    await beat();
  }
  expect([...new Set(states)]).toEqual(["playing"]);
  expect(await rowOf(api, device)).toMatchObject({ state: "late", problems: [{ code: "out-of-sync" }] });

  clock.advance(91_000);
  const uncertain = await rowOf(api, device);
  expect([uncertain.status, uncertain.state === "offline"]).toEqual(["offline", false]);
  clock.advance(35_000);
  await expect.poll(async () => (await rowOf(api, device)).state).toBe("offline");
  const { last_seen_at, state_since } = await rowOf(api, device);
  expect(state_since).toBe(last_seen_at);
});

test("[CWL3] the roster has each screen of its own team once, also those created at the same instant, with what plays and its newest picture", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  await using api = await TestService.start(folder.path, { clock });
  const devices: Device[] = [];
  for (let index = 0; index < 5; index += 1) devices.push(await api.pairDevice(`Screen ${index}`));
  const [device] = devices as [Device];
  const { layout } = await api.showPicture(device);
  const why = [{ layer: "default" as const, id: null, name: "x", layout_id: layout.id, verdict: "shows" as const, detail: "d" }];
  await device.call("POST", "heartbeat", heartbeat({ content: await inSync(api, device), why }));
  await device.putScreenshot("shot_01jd3v8q6m9x2k4n7r5t1w0yza", await picture());
  await device.putScreenshot("shot_01jd3v8q6m9x2k4n7r5t1w0yzb", await picture());
  expect(await rowOf(api, device)).toMatchObject({
    playing: { layout_id: layout.id, name: layout.name, layer: "default" },
    screenshot: { id: "shot_01jd3v8q6m9x2k4n7r5t1w0yzb" },
  });

  const seen: string[] = [];
  for (let cursor: string | null = null, pages = 0; pages === 0 || cursor !== null; pages += 1) {
    const { body } = await api.call("GET", `players/roster?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`);
    expect(body.total).toBe(5);
    seen.push(...body.data.map(({ id }: RosterPlayer) => id));
    cursor = body.next_cursor;
  }
  expect(seen.toSorted()).toEqual(devices.map(({ playerId }) => playerId).toSorted());

  const other = await createOtherTeam(api);
  expect((await other.call("GET", `players/roster?ids=${device.playerId}`)).body).toEqual({ data: [], next_cursor: null, total: 0 });
  // A device that names another team's layout learns and shows nothing of it.
  const foreign = (await other.call("POST", "layouts", { name: "Secret", width: 1, height: 1, zones: [] })).body;
  await device.call("POST", "heartbeat", heartbeat({ why: [{ ...why[0]!, layout_id: foreign.id }] }));
  expect((await rowOf(api, device)).playing).toEqual({ layout_id: null, name: "x", layer: "default" });

  await api.call("DELETE", `players/${device.playerId}`);
  expect((await api.call("GET", "players/roster")).body.total).toBe(4);
  for (const query of ["limit=1001", "ids=plr_1", `ids=${Array.from({ length: 201 }, () => device.playerId).join(",")}`])
    expect((await api.call("GET", `players/roster?${query}`)).status).toBe(422);
});
