// Shows: one request creates everything that is needed, one request removes it, and play events prove it.
import { expect, test } from "vitest";
import { ulid } from "../../../src/base/ulid.ts";
import { programAt } from "../../../src/schedule/program.ts";
import { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { readyOf } from "../../support/states.ts";
import { Agent, eras } from "../mcp/agent.ts";
import { TestService, Device, heartbeat, picture, errorPointers } from "../harness.ts";
import { createOtherTeam, owner, createTokenFor } from "../people/people.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

const hour = 3_600_000;
const day = 24 * hour;
const noon = Date.UTC(2026, 10, 21, 12);
const at = (ms: number) => new Date(noon + ms).toISOString();

async function stateOf(device: Device): Promise<DesiredState> {
  return DesiredState.parse((await device.call("GET", "state")).body);
}

/** The names of the resources outside the bin, of each kind that a show creates. */
async function live(api: TestService): Promise<string[][]> {
  const lists = await Promise.all(["playlists", "layouts", "schedules"].map((kind) => api.call("GET", kind)));
  return lists.map(({ body }) => body.data.map(({ name }: { name: string }) => name));
}

test("[SHO1] one request shows an asset, a page or a text: it creates a playlist, a layout of the screens' size and a schedule", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { clock: new FakeClock(noon) });
  const device = await api.pairDevice("Lobby");
  await device.call("POST", "heartbeat", heartbeat());
  const usual = await api.showPicture(device);
  const asset = (await api.upload(await picture("jpeg"), "image/jpeg", "Menu.jpg")).body;
  const link = await device.connect();
  const created = await api.call("POST", "show", { asset_id: asset.id, players: [device.playerId], until: at(hour), fit: "cover" });
  expect([created.status, created.body.warnings]).toEqual([201, []]);
  await link.next("state.changed");
  const { body } = created;
  expect(body).toMatchObject({
    name: "Menu.jpg",
    status: "due",
    asset_id: asset.id,
    url: null,
    starts_at: at(0),
    ends_at: at(hour),
    next_at: at(0),
    player_count: 1,
    players: [{ player_id: device.playerId, name: "Lobby", status: "online" }],
    undo: `DELETE /api/v1/show/${body.id}`,
  });
  expect(created.headers.get("location")).toMatch(new RegExp(`^http://[^/]+/api/v1/show/${body.id}$`));
  const playlist = (await api.call("GET", `playlists/${body.playlist_id}`)).body;
  expect(playlist.items).toMatchObject([{ type: "image", asset_id: asset.id, fit: "cover" }]);
  // The layout has the size of the screen.
  const layout = (await api.call("GET", `layouts/${body.layout_id}`)).body;
  expect(layout).toMatchObject({ width: 1_280, height: 720, zones: [{ width: 1_280, height: 720, playlist_id: playlist.id }] });
  expect((await api.call("GET", `schedules/${body.schedule_id}`)).body).toMatchObject({
    priority: 900,
    loop_from: "window",
    warnings: [],
  });
  // The player decides for the show while it lasts, then for its usual layout.
  const ready = readyOf(await stateOf(device));
  const shown = (ms: number) => programAt(ready, noon + ms).program.layout?.id;
  expect([shown(1_000), shown(hour - 1_000), shown(hour + 1_000)]).toEqual([layout.id, layout.id, usual.layout.id]);
  // One entry in the audit log, one event per resource.
  const audit = (await api.call("GET", "audit")).body.data;
  expect(audit[0]).toMatchObject({ action: "show", resource_id: body.id });
  expect((await api.call("POST", "show", { text: "Closed at nine\nGood night", everywhere: true, lasts_ms: 60_000 })).body).toMatchObject({
    name: "Closed at nine Good night",
    ends_at: at(60_000),
  });
  const page = (await api.call("POST", "show", { url: "https://www.example.com/a", tags: ["x"], until: null })).body;
  expect(page).toMatchObject({ name: "www.example.com", ends_at: null, url: "https://www.example.com/a" });
  expect((await api.call("GET", "show?limit=2")).body.data.map(({ id }: { id: string }) => id)).toEqual([page.id, expect.any(String)]);
  link.socket.close();
});

test("[SHO2] a show's players are selected by id, by a unique name, by tag, or all at once; any other selection is rejected with a pointer", async () => {
  const api = await shared.newTeam();
  const lobby = await api.pairDevice("Lobby");
  const cafe = await api.pairDevice("CAFÉ Süd");
  await api.pairDevice("Twin");
  await api.pairDevice("twin");
  await api.call("PATCH", `players/${cafe.playerId}`, { tags: ["food"] });
  const show = (where: object) => api.call("POST", "show", { text: "Hello", lasts_ms: hour, ...where });
  const meant = async (where: object) => (await show(where)).body.players.map(({ name }: { name: string }) => name).toSorted();
  expect(await meant({ players: ["lobby"] })).toEqual(["Lobby"]);
  expect(await meant({ players: [lobby.playerId, "café süd", "Lobby"] })).toEqual(["CAFÉ Süd", "Lobby"]);
  expect(await meant({ players: ["Lobby"], tags: ["food"] })).toEqual(["CAFÉ Süd", "Lobby"]);
  expect(await meant({ everywhere: true })).toHaveLength(4);
  for (const [where, pointer, words] of [
    [{ players: ["Lobb"] }, "/players/0", /no screen has this id or name/],
    [{ players: ["Lobby", "Twin"] }, "/players/1", /2 screens have this name: use an id instead, such as plr_/],
    [{ players: ["plr_01jd3v8q6m9x2k4n7r5t1w0yzh"] }, "/players/0", /no screen has this id/],
    [{}, "/players", /give `players`, `tags` or both, or `everywhere/],
    [{ everywhere: true, tags: ["food"] }, "/players", /`everywhere: true` alone/],
  ] as const) {
    const answer = await show(where);
    expect([answer.status, ...errorPointers(answer)]).toEqual([422, pointer]);
    expect(answer.body.detail).toMatch(words);
  }
  // A tag also selects players that get it later.
  await show({ tags: ["late"] });
  await api.call("PATCH", `players/${lobby.playerId}`, { tags: ["late"] });
  expect((await api.call("GET", "show?limit=1")).body.data[0].player_count).toBe(1);
});

test("[SHO3] the response warns of what may keep a show off the screens, and the show is created nevertheless", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice("Lobby");
  const { layout } = await api.showPicture(device);
  const codes = async (more: object) => {
    const { status, body } = await api.call("POST", "show", { text: "Hello", lasts_ms: hour, players: ["Lobby"], ...more });
    expect(status).toBe(201);
    return body.warnings.map(({ code, field }: { code: string; field: string }) => `${code} ${field}`);
  };
  expect(await codes({})).toEqual(["offline /players"]);
  await device.call("POST", "heartbeat", heartbeat());
  expect(await codes({})).toEqual([]);
  expect(await codes({ tags: ["nobody"] })).toEqual(["no-players /tags/0"]);
  expect(await codes({ players: undefined, tags: ["nobody"] })).toEqual(["no-players /tags/0", "no-screens /players"]);
  expect(await codes({ until: null, lasts_ms: undefined })).toEqual(["open-ended /until"]);
  const turned = await api.pairDevice("Tall");
  await turned.call("POST", "heartbeat", heartbeat());
  await api.call("PATCH", `players/${turned.playerId}`, { orientation: "portrait" });
  expect(await codes({ players: ["Lobby", "Tall"] })).toEqual(["other-shapes /players"]);
  const top = { name: "Top", layout_id: layout.id, target: { type: "team" }, starts_at: "2020-01-01T00:00:00Z", priority: 950 };
  await api.call("POST", "schedules", top);
  expect(await codes({})).toEqual(["outranked /priority"]);
  expect(await codes({ priority: 960 })).toEqual([]);
  await api.call("POST", `players/${device.playerId}/commands`, { type: "override.set", args: { layout_id: layout.id } });
  expect(await codes({ priority: 970 })).toEqual(["overridden /players"]);
});

test("[SHO4] one request clears a show: its resources go to the bin, except those that something else uses", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice("Lobby");
  const before = await stateOf(device);
  const make = async () => (await api.call("POST", "show", { text: "Hello", lasts_ms: hour, everywhere: true })).body;
  const first = await make();
  expect(await live(api)).toEqual([["Hello"], ["Hello"], ["Hello"]]);
  expect((await api.call("DELETE", `show/${first.id}?dry_run=true`)).status).toBe(204);
  expect((await api.call("GET", `show/${first.id}`)).body.status).toBe("due");
  expect((await api.call("DELETE", `show/${first.id}`)).status).toBe(204);
  expect(await live(api)).toEqual([[], [], []]);
  expect((await stateOf(device)).schedules).toEqual(before.schedules);
  expect((await api.call("GET", `show/${first.id}`)).body).toMatchObject({ status: "cleared", next_at: null, players: [] });
  expect((await api.call("DELETE", `show/${first.id}`)).status).toBe(404);
  // Restored from the bin by its schedule, and cleared again, permanently.
  expect((await api.call("POST", `schedules/${first.schedule_id}/restore`)).status).toBe(200);
  expect([(await api.call("GET", `show/${first.id}`)).body.status, ...(await live(api))]).toEqual(["due", ["Hello"], ["Hello"], ["Hello"]]);
  expect((await api.call("DELETE", `show/${first.id}`)).status).toBe(204);
  expect((await api.call("DELETE", `show/${first.id}?permanent=true`)).status).toBe(204);
  expect((await api.call("GET", `show/${first.id}`)).status).toBe(404);
  for (const kind of ["playlists", "layouts", "schedules"]) {
    expect((await api.call("GET", `${kind}?deleted=true`)).body.data, kind).toEqual([]);
  }
  // A layout that a player was given, and its playlist, no longer belong to the show alone.
  const second = await make();
  await api.call("PATCH", `players/${device.playerId}`, { layout_id: second.layout_id });
  expect((await api.call("DELETE", `show/${second.id}?permanent=true`)).status).toBe(204);
  expect(await live(api)).toEqual([["Hello"], ["Hello"], []]);
  expect((await api.call("GET", `players/${device.playerId}`)).body.layout_id).toBe(second.layout_id);
});

test("[SHO5] a show's resources go to the bin a day after its end, unless someone has prolonged its schedule", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(noon);
  await using api = await TestService.start(folder.path, { clock });
  const make = async (text: string) => (await api.call("POST", "show", { text, lasts_ms: hour, everywhere: true })).body;
  const [short, long] = [await make("Short"), await make("Long")];
  expect((await api.call("PATCH", `schedules/${long.schedule_id}`, { ends_at: at(30 * day) })).status).toBe(200);
  const statuses = () => Promise.all([short, long].map(async ({ id }) => (await api.call("GET", `show/${id}`)).body.status));
  clock.advance(2 * hour);
  expect(await statuses()).toEqual(["over", "due"]);
  expect((await live(api))[2]!.toSorted()).toEqual(["Long", "Short"]);
  for (let hours = 0; hours < 25; hours += 1) clock.advance(hour);
  await expect.poll(() => live(api)).toEqual([["Long"], ["Long"], ["Long"]]);
  expect(await statuses()).toEqual(["over", "due"]);
  expect((await api.call("GET", "schedules?deleted=true")).body.data.map(({ name }: { name: string }) => name)).toEqual(["Short"]);
});

test("[SHO6] a show lasts from one moment to another of the same kind, or for a duration; invalid times are rejected with a pointer", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { clock: new FakeClock(noon) });
  const show = (when: object) => api.call("POST", "show", { text: "Hello", everywhere: true, ...when });
  const window = async (when: object) => {
    const { body } = await show(when);
    return [body.starts_at, body.ends_at, body.status];
  };
  expect(await window({ until: "2026-11-21T14:00:00+01:00" })).toEqual([at(0), at(hour), "due"]);
  expect(await window({ from: at(hour), lasts_ms: hour })).toEqual([at(hour), at(2 * hour), "planned"]);
  expect(await window({ from: "2026-11-22T09:00", until: "2026-11-22T17:30" })).toEqual([
    "2026-11-22T09:00",
    "2026-11-22T17:30",
    "planned",
  ]);
  expect(await window({ from: "2026-11-22T09:00", lasts_ms: 90_000 })).toEqual(["2026-11-22T09:00", "2026-11-22T09:01:30", "planned"]);
  expect(await window({ from: "2026-12-24", until: "2026-12-26" })).toEqual(["2026-12-24", "2026-12-26", "planned"]);
  const zoned = (await show({ from: "2026-11-22T09:00", until: "2026-11-22T10:00", timezone: "Asia/Tokyo" })).body;
  expect(zoned.next_at).toBe("2026-11-22T00:00:00.000Z");
  for (const [when, pointer, words] of [
    [{}, "/until", /give either until, null for no end, or lasts_ms/],
    [{ until: at(hour), lasts_ms: hour }, "/until", /either/],
    [{ until: "2026-11-22T09:00" }, "/from", /is required with an until in local time/],
    [{ from: "2026-11-22T09:00", until: at(day) }, "/until", /must be of the same kind as from/],
    [{ from: at(hour), until: at(hour) }, "/until", /must be after from/],
    [{ from: at(-2 * hour), until: at(-hour) }, "/until", /is in the past/],
    [{ from: "yesterday", until: null }, "/from", /must be an instant such as/],
    [{ until: null, asset_id: "ast_01jd3v8q6m9x2k4n7r5t1w0yzh" }, "/asset_id", /give exactly one of asset_id, url, text and layout_id/],
    [{ until: null, text: undefined, asset_id: "ast_01jd3v8q6m9x2k4n7r5t1w0yzh" }, "/asset_id", /there is no such asset/],
    [{ until: null, text: undefined, url: "ftp://example.com" }, "/url", /http or https/],
  ] as const) {
    const answer = await show(when);
    expect([when, answer.status, ...errorPointers(answer)]).toEqual([when, 422, pointer]);
    expect(answer.body.detail).toMatch(words);
  }
});

test("[SHO7] an idempotency key creates a show once, a dry run creates nothing, and a show requires the scopes of all its resources", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice("Lobby");
  const wish = { text: "Hello", players: ["Lobby"], lasts_ms: hour };
  const revision = (await api.call("GET", `players/${device.playerId}`)).body.desired_revision;
  expect((await api.call("POST", "show?dry_run=true", wish)).body).toMatchObject({ name: "Hello", player_count: 1 });
  expect(await live(api)).toEqual([[], [], []]);
  expect((await api.call("GET", `players/${device.playerId}`)).body.desired_revision).toBe(revision);
  const [one, two] = [
    await api.call("POST", "show", wish, { "idempotency-key": "k" }),
    await api.call("POST", "show", wish, { "idempotency-key": "k" }),
  ];
  expect([two.body.id, two.headers.get("idempotency-replayed")]).toEqual([one.body.id, "true"]);
  expect(await live(api)).toEqual([["Hello"], ["Hello"], ["Hello"]]);
  const first = await owner(api);
  const all = ["schedules:write", "playlists:write", "layouts:write", "players:read"] as const;
  for (const lacking of all) {
    const narrow = await createTokenFor(
      api,
      first,
      all.filter((scope) => scope !== lacking),
    );
    const refused = await narrow.call("POST", "show", wish);
    expect([refused.status, refused.body.detail]).toEqual([403, `The token lacks the scope ${lacking}`]);
  }
  const enough = await createTokenFor(api, first, [...all]);
  expect((await enough.call("POST", "show", wish)).status).toBe(201);
  // Another team has neither the players nor the show.
  const stranger = await createOtherTeam(api);
  expect((await stranger.call("POST", "show", wish)).status).toBe(422);
  expect((await stranger.call("GET", "show")).body.data).toEqual([]);
  for (const [method, path] of [
    ["GET", ""],
    ["GET", "/proof"],
    ["DELETE", ""],
  ] as const) {
    expect((await stranger.call(method, `show/${one.body.id}${path}`)).status).toBe(404);
  }
});

let plays = 0;

/** A play event as a player sends it, without its content. */
function playOf(start: number, durationMs: number) {
  plays += 1;
  return {
    id: `evt_01jd3v8q6m9x2k4n7r5t1w0y${String(plays).padStart(2, "0")}`,
    asset_id: null,
    sha256: null,
    revision: "r1",
    result: "completed",
    reason: null as string | null,
    started_at: new Date(start).toISOString(),
    ended_at: new Date(start + durationMs).toISOString(),
    duration_ms: durationMs,
    started_monotonic_ms: 1,
    ended_monotonic_ms: 1 + durationMs,
    boot_id: "b1",
    clock_offset_ms: 0,
    clock_error_ms: 1,
  };
}

test("[SHO8] the proof of a show counts its own plays on each player, by presented frames, with the first, the last and a screenshot", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(noon);
  await using api = await TestService.start(folder.path, { clock });
  const [lobby, hall] = [await api.pairDevice("Lobby"), await api.pairDevice("Hall")];
  const created = (await api.call("POST", "show", { text: "Hello", lasts_ms: hour, everywhere: true })).body;
  const other = (await api.call("POST", "show", { text: "Other", lasts_ms: hour, everywhere: true })).body;
  const proof = async () => (await api.call("GET", `show/${created.id}/proof`)).body;
  const zone = (await api.call("GET", `layouts/${created.layout_id}`)).body.zones[0].id;
  const item = (await api.call("GET", `playlists/${created.playlist_id}`)).body.items[0].id;
  expect((await proof()).players).toMatchObject([
    { is_showing: null, plays: 0, first_at: null },
    { is_showing: null, plays: 0, first_at: null },
  ]);
  const presented = [{ zone_id: zone, item_id: item, asset_id: null, presented_at: at(0) }];
  await lobby.call("POST", "heartbeat", heartbeat({ now_playing: presented }));
  await hall.call("POST", "heartbeat", heartbeat());
  const ids = { zone_id: zone, item_id: item };
  const play = (startMs: number, result: string, { layout_id, schedule_id } = created, durationMs = 10_000) => ({
    ...playOf(noon + startMs, durationMs),
    ...ids,
    layout_id,
    schedule_id,
    result,
    reason: result === "completed" ? null : "x",
  });
  const events = [
    play(0, "completed"),
    play(10_000, "cut"),
    play(20_000, "failed", created, 0),
    play(30_000, "skipped", created, 0),
    play(0, "completed", other),
  ];
  expect((await lobby.call("POST", "play-events", { events })).body.accepted).toBe(5);
  const shot = "shot_01jd3v8q6m9x2k4n7r5t1w0yzh";
  const command = (await api.call("POST", `players/${lobby.playerId}/commands`, { type: "screenshot", args: {} })).body;
  await lobby.putScreenshot(shot, await picture(), { "command-id": command.id, "captured-at": at(5_000) });
  const seen = await proof();
  expect([seen.plays, seen.duration_ms, seen.status]).toEqual([2, 20_000, "due"]);
  const byName = Object.fromEntries(seen.players.map((each: { name: string }) => [each.name, each]));
  expect(byName["Lobby"]).toMatchObject({
    is_showing: true,
    plays: 2,
    failed: 1,
    first_at: at(0),
    last_at: at(20_000),
    screenshot_id: shot,
  });
  expect(byName["Hall"]).toMatchObject({ is_showing: false, plays: 0, screenshot_id: null });
  // It can still be proven after it was cleared.
  clock.advance(60_000);
  await api.call("DELETE", `show/${created.id}`);
  const later = await proof();
  expect(later).toMatchObject({ plays: 2, status: "cleared" });
  expect(later.players.find(({ name }: { name: string }) => name === "Lobby")).toMatchObject({ plays: 2, screenshot_id: shot });
});

test("[SHO12] the proof of a show counts all its players and lists them in parts of at most 100", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { clock: new FakeClock(noon) });
  const devices = [await api.pairDevice("A"), await api.pairDevice("B"), await api.pairDevice("C")];
  const { id, layout_id, playlist_id } = (await api.call("POST", "show", { text: "Hello", lasts_ms: hour, everywhere: true })).body;
  const item_id = (await api.call("GET", `playlists/${playlist_id}`)).body.items[0].id;
  const zone_id = (await api.call("GET", `layouts/${layout_id}`)).body.zones[0].id;
  await devices[2]!.call("POST", "heartbeat", heartbeat({ now_playing: [{ zone_id, item_id, asset_id: null, presented_at: at(0) }] }));
  const part = async (query: string) => (await api.call("GET", `show/${id}/proof?${query}`)).body;
  const whole = await part("");
  expect(whole).toMatchObject({ player_count: 3, showing_count: 1 });
  const [first, second] = [await part("limit=2"), await part("offset=2&limit=2")];
  expect([...first.players, ...second.players]).toEqual(whole.players);
  expect([first.players.length, second.showing_count]).toEqual([2, 1]);
  expect((await api.call("GET", `show/${id}/proof?limit=101`)).status).toBe(422);
});

test("[SHO9] a show of a layout creates only a schedule, and deleting it leaves the layout", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { clock: new FakeClock(noon) });
  const device = await api.pairDevice("Lobby");
  const { layout, playlist } = await api.createLayout([{ type: "text", text: "Menu" }]);
  const created = await api.call("POST", "show", { layout_id: layout.id, players: ["Lobby"], until: null });
  expect(created.body).toMatchObject({ name: "L", layout_id: layout.id, playlist_id: playlist.id, player_count: 1, is_emergency: false });
  expect(created.body.created_by.name).toBe("Owner");
  expect(JSON.stringify(await stateOf(device))).toContain(layout.id);
  expect((await api.call("DELETE", `show/${created.body.id}`)).status).toBe(204);
  expect(await live(api)).toEqual([["P"], ["L"], []]);
  const listed = async (ended: boolean) => (await api.call("GET", `show?ended=${ended}`)).body.data.length;
  expect([await listed(true), await listed(false)]).toEqual([1, 0]);
  const empty = (await api.call("POST", "layouts", { name: "Empty" })).body;
  for (const layout_id of [empty.id, "lay_01jd3v8q6m9x2k4n7r5t1w0yzh"]) {
    expect(errorPointers(await api.call("POST", "show", { layout_id, players: ["Lobby"], until: null }))).toEqual(["/layout_id"]);
  }
});

test("[SHO10] an emergency is sent as an override too; deleting it ends its own overrides and no others, and who has not got it never shows it", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(noon);
  await using api = await TestService.start(folder.path, { clock });
  const [lobby, away] = [await api.pairDevice("Lobby"), await api.pairDevice("Away")];
  const link = await lobby.connect();
  const show = async (more: object) => (await api.call("POST", "show", { text: "Leave the building", everywhere: true, ...more })).body;
  const sent = async () => {
    const { data } = await link.next("command");
    return JSON.parse(Buffer.from(data.command.split(".")[1]!, "base64url").toString()) as { jti: string; type: string; args: object };
  };
  const first = await show({ emergency: true, until: null });
  const set = await sent();
  expect(set).toMatchObject({ type: "override.set", args: { layout_id: first.layout_id, level: "emergency" } });
  expect(first).toMatchObject({ is_emergency: true, status: "due" });
  expect(first.warnings.map(({ code }: { code: string }) => code)).not.toContain("overridden");
  // Another of the same is independent. It ends by itself, for a player that returns too late only by its schedule.
  const second = await show({ emergency: true, lasts_ms: hour });
  expect((await sent()).args).toMatchObject({ layout_id: second.layout_id, duration_ms: hour });
  const commands = (await api.call("GET", `players/${away.playerId}/commands`)).body.data;
  expect(commands.map((each: { expires_at: string }) => each.expires_at)).toEqual([at(10_000), at(7 * day)]);

  expect((await api.call("DELETE", `show/${first.id}`)).status).toBe(204);
  expect(await sent()).toMatchObject({ type: "override.clear", args: { override_id: set.jti } });
  const left = (await api.call("GET", `players/${away.playerId}/commands`)).body.data;
  expect(left.map((each: { type: string; status: string }) => [each.type, each.status])).toEqual([
    ["override.set", "queued"],
    ["override.set", "cancelled"],
  ]);
  const state = JSON.stringify(await stateOf(lobby));
  expect([state.includes(first.layout_id), state.includes(second.layout_id)]).toEqual([false, true]);
});

test("[SHO11] an emergency begins now, ends at an instant or when it is deleted, and requires the right to send commands", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { clock: new FakeClock(noon) });
  await api.pairDevice("Lobby");
  const emergency = { text: "Leave the building", everywhere: true, emergency: true };
  const pointers = async (more: object) => errorPointers(await api.call("POST", "show", { ...emergency, ...more }));
  expect(await pointers({ from: at(hour), until: at(2 * hour) })).toEqual(["/from"]);
  expect(await pointers({ from: "2026-11-21", until: "2026-11-22" })).toEqual(["/from", "/until"]);
  const scopes = ["schedules:write", "playlists:write", "layouts:write", "players:read"];
  const { secret } = (await api.call("POST", "tokens", { name: "shows", scopes })).body;
  const authorization = `Bearer ${secret}`;
  expect((await api.call("POST", "show", { ...emergency, until: null }, { authorization })).status).toBe(403);
  const shown = (await api.call("POST", "show", { ...emergency, until: null })).body;
  expect((await api.call("DELETE", `show/${shown.id}`, undefined, { authorization })).status).toBe(403);
  expect((await api.call("DELETE", `show/${shown.id}`)).status).toBe(204);
});

test.each(eras)("[MCP26] three calls show something on a screen from one moment to another and prove it (%s)", async (era) => {
  const api = await shared.newTeam();
  const device = await api.pairDevice("Lobby");
  const link = await device.connect();
  await using agent = await Agent.connect(api.service.url, api.token, era);
  const until = new Date(Date.now() + hour).toISOString();
  // First call: show.
  const { result: show, concerned } = await agent.ok("show", { text: "Welcome", players: ["lobby"], until });
  expect([show.warnings, concerned.players]).toEqual([[], [{ id: device.playerId, name: "Lobby" }]]);
  // The player gets its state, presents it, reports it, and executes the command.
  const bytes = await picture("png", 80);
  const plays = (async () => {
    await link.next("state.changed");
    const state = await stateOf(device);
    const layout = state.layouts.find(({ id }) => id === show.layout_id)!;
    const [zone] = layout.zones;
    const [item] = state.playlists.find(({ id }) => id === zone!.playlist_id)!.items;
    const ids = { zone_id: zone!.id, item_id: item!.id, asset_id: null };
    const start = Date.now();
    link.send({ type: "heartbeat", data: heartbeat({ now_playing: [{ ...ids, presented_at: new Date(start).toISOString() }] }) });
    const command = await link.next("command");
    const { jti } = JSON.parse(Buffer.from(command.data.command.split(".")[1]!, "base64url").toString());
    const shot = `shot_${ulid(Date.now())}`;
    await device.putScreenshot(shot, bytes, { "command-id": jti, "captured-at": new Date().toISOString() });
    await device.call("POST", `commands/${jti}/status`, { status: "succeeded", result: { screenshot_id: shot } });
    const play = { ...playOf(start, 10_000), ...ids, layout_id: show.layout_id, schedule_id: show.schedule_id };
    expect((await device.call("POST", "play-events", { events: [play] })).body.accepted).toBe(1);
  })();
  // Second call: take a screenshot.
  const screenshot = await agent.call("take_screenshot", { player: "Lobby", show_id: show.id });
  expect([screenshot.isError, screenshot.text]).toEqual([false, expect.stringContaining("is_showing")]);
  expect(screenshot.body).toMatchObject({ player_id: device.playerId, is_showing: true, show_id: show.id });
  expect(screenshot.content.at(-1)).toEqual({ type: "image", mimeType: "image/png", data: bytes.toString("base64") });
  await plays;
  // Third call: get the proof.
  const proof = await agent.ok("get_show_proof", { id: show.id });
  expect(proof).toMatchObject({
    plays: 1,
    players: [{ name: "Lobby", is_showing: true, plays: 1, screenshot_id: screenshot.body.screenshot_id }],
  });
  link.socket.close();
});

test("[MCP27] if a screenshot fails, the result says why: offline at once, silent after the given time, or failed with the reason", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice("Lobby");
  await using agent = await Agent.connect(api.service.url, api.token, "2026");
  expect((await agent.call("take_screenshot", { player: "Lobby" })).text).toMatch(/Lobby” is offline \(was never seen\)/);
  expect((await api.call("GET", `players/${device.playerId}/commands`)).body.data).toEqual([]);
  const link = await device.connect();
  expect((await agent.call("take_screenshot", { player: "Lobby", wait_ms: 1_000 })).text).toMatch(/sent no screenshot within 1000 ms/);
  const failing = agent.call("take_screenshot", { player: "Lobby" });
  await link.next("command");
  const command = await link.next("command");
  const { jti } = JSON.parse(Buffer.from(command.data.command.split(".")[1]!, "base64url").toString());
  const error = { code: "no-page", detail: "the page does not answer" };
  await device.call("POST", `commands/${jti}/status`, { status: "failed", error });
  expect((await failing).text).toMatch(/the command failed: the page does not answer/);
  expect((await agent.call("take_screenshot", { player: "Attic" })).text).toContain("player: no screen has this id or name");
  link.socket.close();
});
