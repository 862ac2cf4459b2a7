// The timeline of many screens, and the effect that a change of a schedule would have on them.
import { expect, test } from "vitest";
import { Forecast } from "../../../../src/protocol/scheduling/forecast.ts";
import { ScheduleEffect, Timeline } from "../../../../src/protocol/scheduling/timeline.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { errorPointers, TestService } from "../../harness.ts";

// A Friday. On the Sunday after it the clocks in Europe are set back.
const now = Date.UTC(2026, 9, 23, 12);
const dayMs = 86_400_000;
const instant = (ms: number) => new Date(ms).toISOString();

async function open(folder: string, names: readonly string[]) {
  const api = await TestService.start(folder, { clock: new FakeClock(now) });
  const ids: string[] = [];
  for (const name of names) ids.push((await api.pairDevice(name)).playerId);
  const created = async (path: string, body: object) => {
    const answer = await api.call("POST", path, body);
    expect([path, answer.status]).toEqual([path, 201]);
    return answer.body.id as string;
  };
  const setPlayer = async (id: string, body: object) => expect((await api.call("PATCH", `players/${id}`, body)).status).toBe(200);
  const timeline = async (query = "") => Timeline.parse((await api.call("GET", `timeline${query}`)).body);
  const effect = async ({ to, ...change }: { to?: string; schedule_id?: string; change: object | null }) =>
    ScheduleEffect.parse((await api.call("POST", "schedules/effect", { changes: [change], to })).body);
  const zone = { name: "Main", left: 0, top: 0, width: 100, height: 100 };
  const layoutWith = async (name: string, items: readonly object[]) => {
    const playlist_id = await created("playlists", { name, items });
    return created("layouts", { name, width: 100, height: 100, zones: [{ ...zone, playlist_id }] });
  };
  const layout = (name: string) => layoutWith(name, [{ type: "text", text: name }]);
  return { api, ids, created, layout, layoutWith, setPlayer, timeline, effect, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

test("[TLN1] the timeline has for each screen what its own forecast says, and screens that play the same share one plan", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path, ["Hall 1", "Hall 2", "Café"]);
  const { api, ids, created, layout, setPlayer, timeline } = setup;
  const [usual, lunch] = [await layout("Usual"), await layout("Lunch")];
  for (const id of ids.slice(0, 2)) await setPlayer(id, { layout_id: usual, tags: ["hall"], timezone: "Europe/Berlin" });
  await setPlayer(ids[2]!, { layout_id: usual, timezone: "America/New_York" });
  const daily = { starts_at: "2026-10-20T12:00", ends_at: "2026-10-20T14:00", rrule: "FREQ=DAILY" };
  await created("schedules", { name: "Lunch", layout_id: lunch, target: { type: "tag", tag: "hall" }, ...daily });
  const all = await timeline();
  expect(all.data.map(({ name, timezone, plan }) => [name, timezone, plan])).toEqual([
    ["Café", "America/New_York", 0],
    ["Hall 2", "Europe/Berlin", 1],
    ["Hall 1", "Europe/Berlin", 1],
  ]);
  for (const { player_id, plan } of all.data) {
    const forecast = Forecast.parse((await api.call("GET", `players/${player_id}/forecast?limit=500`)).body);
    expect(all.plans[plan]!.stretches.map(({ turns, content, ...stretch }) => [turns, typeof content, stretch])).toEqual(
      forecast.stretches.map((stretch) => [[], "string", stretch]),
    );
  }
  expect(all.plans[1]!.stretches.map(({ layout_name }) => layout_name).slice(0, 3)).toEqual(["Usual", "Lunch", "Usual"]);
});

test("[TLN2] the timeline is paged and filtered by tag, name and ids; its span is at most 32 days", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path, ["A", "B", "C"]);
  const { api, ids, setPlayer, timeline } = setup;
  await setPlayer(ids[1]!, { tags: ["hall"] });
  const first = await timeline("?limit=2");
  const second = await timeline(`?limit=2&cursor=${first.next_cursor}`);
  expect([first, second].map(({ data }) => data.map(({ name }) => name))).toEqual([["C", "B"], ["A"]]);
  expect(second.next_cursor).toBe(null);
  for (const query of ["?tag=hall", "?q=b", `?ids=${ids[1]}`]) expect((await timeline(query)).data.map(({ name }) => name)).toEqual(["B"]);
  const month = await timeline(`?from=${instant(now)}&to=${instant(now + 32 * dayMs)}`);
  expect([month.to, month.plans[0]!.to]).toEqual([instant(now + 32 * dayMs), instant(now + 32 * dayMs)]);
  const tooLong = await api.call("GET", `timeline?from=${instant(now)}&to=${instant(now + 33 * dayMs)}`);
  expect([tooLong.status, errorPointers(tooLong)]).toEqual([422, ["?to"]]);
});

test("[TLN3] content that takes turns is named beside what it interrupts, without an interval for each turn", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path, ["Hall"]);
  const { ids, created, layout, setPlayer, timeline } = setup;
  const [usual, advert] = [await layout("Usual"), await layout("Advert")];
  await setPlayer(ids[0]!, { layout_id: usual, timezone: "UTC" });
  const interrupt = { share_percent: 25, play_ms: 10_000 };
  const times = { starts_at: "2026-10-24T10:00", ends_at: "2026-10-24T12:00" };
  const id = await created("schedules", { name: "Advert", layout_id: advert, target: { type: "team" }, interrupt, ...times });
  const { plans } = await timeline();
  const turns = [{ schedule_id: id, schedule_name: "Advert" }];
  expect(plans[0]!.stretches.map(({ from, layout_name, turns: named }) => [from, layout_name, named])).toEqual([
    [instant(now), "Usual", []],
    ["2026-10-24T10:00:00.000Z", "Usual", turns],
    ["2026-10-24T12:00:00.000Z", "Usual", []],
  ]);
});

test("[TLN4] the effect of a new, a changed and a deleted schedule names the screens, the first time and the gaps, and changes nothing", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path, ["Hall 1", "Hall 2", "Hall 3"]);
  const { api, ids, created, layout, setPlayer, effect } = setup;
  const [usual, menu] = [await layout("Usual"), await layout("Menu")];
  for (const id of ids.slice(0, 2)) await setPlayer(id, { layout_id: usual, tags: ["hall"], timezone: "UTC" });
  await setPlayer(ids[2]!, { tags: ["hall"], timezone: "UTC" });
  const target = { type: "tag", tag: "hall" };
  const tuesdays = { starts_at: "2026-10-27T09:00", ends_at: "2026-10-27T11:00", rrule: "FREQ=WEEKLY" };
  const change = { name: "Menu", layout_id: menu, target, ...tuesdays };
  const planned = await effect({ change, to: instant(now + 7 * dayMs) });
  expect([planned.screen_count, planned.first_at, planned.gaps]).toEqual([3, "2026-10-27T09:00:00.000Z", []]);
  expect(planned.screens.map(({ name, before, after }) => [name, before.layout_name, after.layout_name])).toEqual([
    ["Hall 1", "Usual", "Menu"],
    ["Hall 2", "Usual", "Menu"],
    ["Hall 3", null, "Menu"],
  ]);
  expect((await api.call("GET", "schedules")).body.data).toEqual([]);

  const id = await created("schedules", change);
  const sunday = { starts_at: "2026-10-25T09:00", ends_at: "2026-10-25T11:00" };
  const moved = await effect({ schedule_id: id, change: sunday, to: instant(now + 7 * dayMs) });
  expect([moved.screen_count, moved.first_at]).toEqual([3, "2026-10-25T09:00:00.000Z"]);
  const deleted = await effect({ schedule_id: id, change: null, to: instant(now + 7 * dayMs) });
  expect([deleted.screen_count, deleted.first_at, deleted.gap_count]).toEqual([3, "2026-10-27T09:00:00.000Z", 1]);
  expect(deleted.gaps.map(({ name, from, to }) => [name, from, to])).toEqual([
    ["Hall 3", "2026-10-27T09:00:00.000Z", "2026-10-27T11:00:00.000Z"],
  ]);
  expect((await effect({ schedule_id: id, change: { name: "Another name" } })).screen_count).toBe(0);
  expect((await api.call("GET", `schedules/${id}`)).body).toMatchObject({ name: "Menu", starts_at: "2026-10-27T09:00" });
  const { data: entries } = (await api.call("GET", "audit")).body;
  expect(entries.filter(({ action }: { action: string }) => action === "getScheduleEffect")).toEqual([]);
});

test("[TLN5] the effect of a schedule that cannot play is refused like the schedule itself, and to a token that may not read screens", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path, []);
  const { api, created, layout } = setup;
  const layoutId = await layout("Menu");
  const change = {
    name: "Menu",
    layout_id: layoutId,
    target: { type: "team" },
    starts_at: "2026-10-27T09:00",
    ends_at: "2026-10-27T08:00",
  };
  const refused = await api.call("POST", "schedules/effect", { changes: [{ change }] });
  expect([refused.status, errorPointers(refused)]).toEqual([422, ["/changes/0/change/ends_at"]]);
  const id = await created("schedules", { ...change, ends_at: "2026-10-27T10:00" });
  const worse = await api.call("POST", "schedules/effect", { changes: [{ schedule_id: id, change: { ends_at: "2026-10-27T08:00" } }] });
  expect([worse.status, errorPointers(worse)]).toEqual([422, ["/changes/0/change/ends_at"]]);
  // It names screens, which not every token may read.
  const { secret } = (await api.call("POST", "tokens", { name: "T", scopes: ["schedules:read"] })).body;
  const narrow = { authorization: `Bearer ${secret}` };
  expect((await api.call("POST", "schedules/effect", { changes: [{ schedule_id: id, change: null }] }, narrow)).status).toBe(403);
  const past = await api.call("POST", "schedules/effect", { changes: [{ schedule_id: id, change: null }], from: instant(now - dayMs) });
  expect([past.status, errorPointers(past)]).toEqual([422, ["/from"]]);
});

test("[TLN6] in a draft the timeline and the effect of a change are those of the content in it, and neither changes it", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path, ["Hall"]);
  const { api, ids, layout, setPlayer } = setup;
  const [usual, lunch] = [await layout("Usual"), await layout("Lunch")];
  await setPlayer(ids[0]!, { layout_id: usual, timezone: "UTC" });
  const draft = (await api.call("POST", "drafts", { name: "Christmas" })).body;
  const within = { "signage-draft": draft.id };
  const times = { starts_at: "2026-10-24T12:00", ends_at: "2026-10-24T14:00" };
  const planned = await api.call("POST", "schedules", { name: "L", layout_id: lunch, target: { type: "team" }, ...times }, within);
  const layoutsIn = async (headers: Record<string, string>) =>
    Timeline.parse((await api.call("GET", "timeline", undefined, headers)).body).plans[0]!.stretches.map((each) => each.layout_name);
  expect(await layoutsIn({})).toEqual(["Usual"]);
  expect(await layoutsIn(within)).toEqual(["Usual", "Lunch", "Usual"]);
  const deletion = { changes: [{ schedule_id: planned.body.id, change: null }] };
  expect((await api.call("POST", "schedules/effect", deletion)).status).toBe(404);
  const effect = ScheduleEffect.parse((await api.call("POST", "schedules/effect", deletion, within)).body);
  expect(effect.screens).toMatchObject([{ name: "Hall", before: { layout_name: "Lunch" }, after: { layout_name: "Usual" } }]);
  expect((await api.call("GET", `drafts/${draft.id}`)).body.changes).toHaveLength(1);
  expect(await layoutsIn(within)).toEqual(["Usual", "Lunch", "Usual"]);
});

test("[TLN7] the intervals of the timeline say whether they look the same, also after a change within a playlist", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path, ["Hall", "Café"]);
  const { api, ids, created, setPlayer } = setup;
  const item = (text: string) => ({ items: [{ type: "text", text }] });
  const [shown, other] = [await created("playlists", { name: "Shown", ...item("Soup") }), await created("playlists", { name: "Other" })];
  const zone = { name: "Main", left: 0, top: 0, width: 100, height: 100 };
  const newLayout = (name: string, playlist_id: string) =>
    created("layouts", { name, width: 100, height: 100, zones: [{ ...zone, playlist_id }] });
  await setPlayer(ids[0]!, { layout_id: await newLayout("Menu", shown) });
  await setPlayer(ids[1]!, { layout_id: await newLayout("Aside", other) });
  const draft = (await api.call("POST", "drafts", { name: "Christmas" })).body;
  const within = { "signage-draft": draft.id };
  expect((await api.call("PATCH", `playlists/${shown}`, item("Salad"), within)).status).toBe(200);
  const contents = async (headers: Record<string, string> = {}) => {
    const { data, plans } = Timeline.parse((await api.call("GET", "timeline", undefined, headers)).body);
    return Object.fromEntries(data.map(({ name, plan }) => [name, plans[plan]!.stretches.map(({ content }) => content)]));
  };
  const [live, drafted] = [await contents(), await contents(within)];
  expect(drafted["Café"]).toEqual(live["Café"]);
  expect(drafted["Hall"]).not.toEqual(live["Hall"]);
  expect(await contents()).toEqual(live);
});

test("[TLN8] a gap in the timeline says why: no schedule is for the screen, none is due, or some take no part", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path, ["Without", "Lunch", "Only VIP"]);
  const { ids, created, layout, setPlayer, timeline } = setup;
  const lunch = await layout("Lunch");
  const times = { starts_at: "2026-10-24T12:00", ends_at: "2026-10-24T14:00" };
  await setPlayer(ids[0]!, { timezone: "UTC" });
  await setPlayer(ids[1]!, { timezone: "UTC", tags: ["noon"] });
  await setPlayer(ids[2]!, { timezone: "UTC", tags: ["vip"] });
  await created("schedules", { name: "Noon", layout_id: lunch, target: { type: "tag", tag: "noon" }, ...times });
  const conditions = [{ type: "variable", name: "guests", op: "at_least", value: 10 }];
  await created("schedules", { name: "VIP", layout_id: lunch, target: { type: "tag", tag: "vip" }, conditions, ...times });
  const { data, plans } = await timeline();
  const reasons = data.map(({ name, plan }) => [name, ...plans[plan]!.stretches.map((each) => each.empty_because)]);
  expect(Object.fromEntries(reasons.map(([name, ...rest]) => [name, rest]))).toEqual({
    Without: ["no-schedule"],
    Lunch: ["not-due", null, "not-due"],
    "Only VIP": ["set-aside"],
  });
});
