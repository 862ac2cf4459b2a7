// The desired states of many players: what they share is read and rendered once, and everybody gets what is their own.
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { picture, type TestService, type ApiResponse, type Device } from "../../harness.ts";
import { createOtherTeam } from "../../people/people.ts";
import { useService } from "../../shared-service.ts";

const shared = useService();

const fetchState = (device: Device): Promise<ApiResponse> => device.call("GET", "state");

/** A counter of the service's metrics. */
async function counterOf(api: TestService, name: string): Promise<number> {
  const metrics = String((await api.call("GET", "/metrics")).body);
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\d+)$`, "m").exec(metrics)![1]);
}

/** What `work` adds to the renderings. */
async function renderingsOf<T>(api: TestService, work: () => Promise<T>): Promise<{ result: T; renderings: number }> {
  const before = await counterOf(api, "signage_state_renderings_total");
  const result = await work();
  return { result, renderings: (await counterOf(api, "signage_state_renderings_total")) - before };
}

/** The state without what describes the player. */
function contentOf({ body }: ApiResponse) {
  const { player: _, revision: __, ...content } = body;
  return content;
}

test("[FAN1] players with the same content share one rendering of it; each gets its own settings and revision, as operators see them", async () => {
  const api = await shared.newTeam();
  const devices = await Promise.all(["One", "Two", "Three"].map((name) => api.pairDevice(name)));
  const { layout } = await api.createLayout([{ type: "text", text: "Grüße ☀", duration_ms: 5_000 }]);
  const { layout: scheduled } = await api.createLayout();
  const times = { starts_at: "2026-01-05T09:00:00", ends_at: "2026-01-05T10:00:00", rrule: "FREQ=DAILY", timezone: "Europe/London" };
  await api.call("POST", "schedules", { name: "Mornings", layout_id: scheduled.id, target: { type: "team" }, priority: 1, ...times });
  for (const [place, { playerId }] of devices.entries()) {
    const own = {
      variables: { floor: String(place) },
      tags: ["all", `floor-${place}`],
      orientation: place === 2 ? "portrait" : "landscape",
    };
    expect((await api.call("PATCH", `players/${playerId}`, { layout_id: layout.id, ...own })).status).toBe(200);
  }
  const wall = { wall_width: 3_940, wall_height: 1_080, left: 2_020, top: 0, width: 1_920, height: 1_080 };
  expect((await api.call("PATCH", `players/${devices[0]!.playerId}`, { wall })).status).toBe(200);

  const { result: states, renderings } = await renderingsOf(api, () => Promise.all([...devices, ...devices].map(fetchState)));
  expect(renderings).toBe(1);
  for (const [place, device] of devices.entries()) {
    const { body, headers } = states[place]!;
    const seen = (await api.call("GET", `players/${device.playerId}/desired-state`)).body.state;
    expect(body).toMatchObject({ player: { id: device.playerId, variables: { floor: String(place) } }, layout: { id: layout.id } });
    expect(headers.get("etag")).toBe(`"${body.revision}"`);
    expect(body).toEqual(seen);
    expect(contentOf(states[place]!)).toEqual(contentOf(states[0]!));
    expect((await device.call("GET", "state", undefined, { "if-none-match": `"${body.revision}"` })).status).toBe(304);
  }
  expect(states[0]!.body.player.wall).toEqual(wall);
  expect(states[1]!.body.player.wall).toBeUndefined();
  expect(new Set(states.map(({ body }) => body.revision)).size).toBe(3);
  expect(states[0]!.body.layouts.map(({ id }: { id: string }) => id)).toEqual([scheduled.id]);
  // The same content again needs no rendering, until it changes.
  expect((await renderingsOf(api, () => Promise.all(devices.map(fetchState)))).renderings).toBe(0);
  await api.call("PATCH", `layouts/${layout.id}`, { background_color: "#123456" });
  const after = await renderingsOf(api, () => Promise.all(devices.map(fetchState)));
  expect(after.renderings).toBe(1);
  expect(after.result.map(({ body }) => body.layout.background_color)).toEqual(Array(3).fill("#123456"));
});

test("[FAN2] players of two teams share nothing, even where both show the same", async () => {
  const api = await shared.newTeam();
  const stranger = await createOtherTeam(api);
  const ours = await api.pairDevice();
  const theirs = await api.newDevice();
  expect((await stranger.call("POST", "players/pair", { code: theirs.grant.user_code, name: "Screen" })).status).toBe(201);
  await theirs.firstToken();
  // Nothing is assigned to either.
  const empty = await renderingsOf(api, () => Promise.all([ours, theirs].map(fetchState)));
  expect(empty.renderings).toBe(2);
  const { layout, asset } = await api.showPicture(ours);
  const times = { starts_at: "2026-01-05T09:00:00", ends_at: "2026-01-05T10:00:00", timezone: "Europe/London" };
  await api.call("POST", "schedules", { name: "Ours", layout_id: layout.id, target: { type: "team" }, priority: 1, ...times });
  // Nothing but the schedule of its team tells this one from the other team's.
  const idle = await api.pairDevice();
  const result = await Promise.all([ours, theirs, ours, theirs, idle].map(fetchState));
  expect(result[4]!.body).toMatchObject({ layout: null, layouts: [{ id: layout.id }], schedules: [{ name: "Ours" }] });
  expect(result[0]!.body).toMatchObject({ layout: { id: layout.id }, assets: [{ id: asset.id }], schedules: [{ name: "Ours" }] });
  expect(result[2]!.body).toEqual(result[0]!.body);
  for (const { body } of [result[1]!, result[3]!]) {
    expect(body).toMatchObject({ player: { id: theirs.playerId }, layout: null, layouts: [], playlists: [], assets: [], schedules: [] });
  }
});

test("[FAN3] an override, a schedule and a safe picture of one player are in its state only", async () => {
  const api = await shared.newTeam();
  const [one, two, three] = [await api.pairDevice(), await api.pairDevice(), await api.pairDevice()];
  const { layout } = await api.createLayout();
  for (const { playerId } of [one, two, three]) await api.call("PATCH", `players/${playerId}`, { layout_id: layout.id });
  const safe = (await api.upload(await picture())).body;
  const states = async () => (await Promise.all([one, two, three, one].map(fetchState))).map(({ body }) => body);
  const { layout: own } = await api.createLayout();

  const set = { type: "override.set", args: { layout_id: own.id, duration_ms: 60_000 } };
  expect((await api.call("POST", `players/${one.playerId}/commands`, set)).status).toBe(202);
  const overridden = await renderingsOf(api, states);
  expect(overridden.result.map(({ layouts }) => layouts.length)).toEqual([1, 0, 0, 1]);
  expect(overridden.renderings).toBe(2);
  await api.call("POST", `players/${one.playerId}/commands`, { type: "override.clear", args: {} });

  const times = { starts_at: "2026-01-05T09:00:00", ends_at: "2026-01-05T10:00:00", timezone: "Europe/London" };
  const target = { type: "player", player_id: two.playerId };
  expect((await api.call("POST", "schedules", { name: "Own", layout_id: own.id, target, priority: 1, ...times })).status).toBe(201);
  expect((await states()).map(({ layouts, schedules }) => [layouts.length, schedules.length])).toEqual([
    [0, 0],
    [1, 1],
    [0, 0],
    [0, 0],
  ]);

  expect((await api.call("PATCH", `players/${three.playerId}`, { safe_asset_id: safe.id })).status).toBe(200);
  expect((await states()).map(({ assets, player }) => [assets.length, player.safe_asset_id])).toEqual([
    [0, undefined],
    [0, undefined],
    [1, safe.id],
    [0, undefined],
  ]);
});

test("[FAN4] while content changes, no player gets a state that is older than what was committed before it asked", async () => {
  const api = await shared.newTeam();
  const devices = await Promise.all(Array.from({ length: 6 }, () => api.pairDevice()));
  const { layout } = await api.createLayout();
  for (const { playerId } of devices) await api.call("PATCH", `players/${playerId}`, { layout_id: layout.id });
  let committed = 0;
  const lastChange = 12;
  const readAll = async (device: Device): Promise<void> => {
    while (committed < lastChange) {
      const before = committed;
      const { body } = await fetchState(device);
      expect(Number.parseInt(body.layout.background_color.slice(1), 16)).toBeGreaterThanOrEqual(before);
      expect(body.player.id).toBe(device.playerId);
    }
  };
  const reading = Promise.all(devices.map(readAll));
  for (let change = 1; change <= lastChange; change += 1) {
    const background_color = `#${change.toString(16).padStart(6, "0")}`;
    expect((await api.call("PATCH", `layouts/${layout.id}`, { background_color })).status).toBe(200);
    committed = change;
  }
  await reading;
  for (const device of devices) expect((await fetchState(device)).body.layout.background_color).toBe("#00000c");
});

test("[BTQ5] requests of players that come together are authenticated by one query; an unknown token is still refused", async () => {
  const api = await shared.newTeam();
  const devices = await Promise.all(Array.from({ length: 4 }, () => api.pairDevice()));
  const { hostname, port } = new URL(api.service.url);
  const tokens = [...devices.map(({ access }) => access.access_token), `sgn_dev_${"x".repeat(43)}`];
  const before = await counterOf(api, "signage_token_queries_total");
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const last = tokens.length - 1;
  const requests = tokens.map((token, place) => {
    const close = place === last ? "Connection: close\r\n" : "";
    return `GET /api/v1/device/state HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n${close}\r\n`;
  });
  // In one packet: the service reads all of them in one turn.
  socket.write(requests.join(""));
  const answers = (await text(socket)).split("HTTP/1.1 ").slice(1);
  expect(answers.map((answer) => answer.slice(0, 3))).toEqual(["200", "200", "200", "200", "401"]);
  for (const [place, { playerId }] of devices.entries()) expect(answers[place]).toContain(`"player":{"id":"${playerId}"`);
  expect((await counterOf(api, "signage_token_queries_total")) - before).toBe(1);
});
