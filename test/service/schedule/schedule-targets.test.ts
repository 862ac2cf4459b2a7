// Schedules with several targets: which players they reach, and the effect of deleting one of these players.
import { expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, errorPointers, type Device } from "../harness.ts";
import { openTables } from "../tables-of.ts";

const missingId = "plr_01jd3v8q6m9x2k4n7r5t1w0yzh";
const day = 86_400_000;

const player = ({ playerId }: Device) => ({ type: "player", player_id: playerId });
const tag = (text: string) => ({ type: "tag", tag: text });
const any = (...of: object[]) => ({ target: { type: "any", of } });

async function open(folder: string, clock = new FakeClock(Date.UTC(2026, 10, 22, 12))) {
  const api = await TestService.start(folder, { clock });
  const layout = (await api.call("POST", "layouts", { name: "L", width: 100, height: 100 })).body;
  const base = { name: "S", layout_id: layout.id, starts_at: "2026-11-01T00:00" };
  const create = (more: object) => api.call("POST", "schedules", { ...base, ...more });
  return { api, clock, layout, create, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

async function sent(device: Device): Promise<string[]> {
  return (await device.call("GET", "state")).body.schedules.map(({ id }: { id: string }) => id);
}

test("[SRE9] a schedule with several targets reaches each player that any of them matches, once", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, layout, create } = setup;
  const [lobby, bar, hall, other] = [
    await api.pairDevice("Lobby"),
    await api.pairDevice("Bar"),
    await api.pairDevice("Hall"),
    await api.pairDevice("Other"),
  ];
  await api.call("PATCH", `players/${bar.playerId}`, { tags: ["bar"] });
  await api.call("PATCH", `players/${hall.playerId}`, { tags: ["bar", "foyer"] });
  const target = any(tag("bar"), tag("foyer"), player(hall), player(lobby));
  const created = await create(target);
  expect([created.status, created.body.screens]).toEqual([201, 3]);
  expect(created.body).toMatchObject(target);
  const { id } = created.body;
  expect([await sent(lobby), await sent(bar), await sent(hall), await sent(other)]).toEqual([[id], [id], [id], []]);
  expect((await api.call("GET", "schedules")).body.data).toMatchObject([target]);
  const why = async (device: Device) => (await api.call("GET", `players/${device.playerId}/why?schedule_id=${id}`)).body.schedule.verdict;
  expect([await why(lobby), await why(hall), await why(other)]).toEqual(["shows", "shows", "not-for-it"]);
  // A change of its layout reaches the same players.
  const before = (await lobby.call("GET", "state")).body.revision;
  await api.call("PATCH", `layouts/${layout.id}`, { background_color: "#123456" });
  expect((await lobby.call("GET", "state")).body.revision).not.toBe(before);
  // Shares count once on a player that several targets match.
  const share = (share_percent: number, more: object) => create({ interrupt: { share_percent }, ...more });
  expect((await share(60, target)).status).toBe(201);
  expect((await share(40, { target: player(hall) })).status).toBe(201);
  expect(errorPointers(await share(41, { target: player(lobby) }))).toEqual(["/interrupt/share_percent"]);
  expect((await share(41, { target: player(other) })).status).toBe(201);
});

test("[SRE9] a write to a schedule with several targets is announced to all players matched before and after", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, create } = setup;
  const [lobby, bar, other] = [await api.pairDevice("Lobby"), await api.pairDevice("Bar"), await api.pairDevice("Other")];
  const links = await Promise.all([lobby, bar, other].map((device) => device.connect()));
  const [toLobby, toBar, toOther] = links;
  const { body } = await create(any(player(lobby), player(bar)));
  await Promise.all([toLobby!.next("state.changed"), toBar!.next("state.changed")]);
  const path = `schedules/${body.id}`;
  const changed = await api.call("PATCH", path, any(player(bar), player(other)));
  expect(changed.body.screens).toBe(2);
  await Promise.all([toLobby!.next("state.changed"), toOther!.next("state.changed")]);
  expect([await sent(lobby), await sent(bar), await sent(other)]).toEqual([[], [body.id], [body.id]]);
  await api.call("PATCH", path, { target: { type: "team" } });
  await toLobby!.next("state.changed");
  await api.call("PATCH", path, any({ type: "team" }, player(lobby)));
  expect([await sent(lobby), await sent(bar), await sent(other)]).toEqual([[body.id], [body.id], [body.id]]);
  await api.call("DELETE", path);
  await Promise.all([toBar!.next("state.changed"), toOther!.next("state.changed")]);
  await api.call("POST", `${path}/restore`);
  await Promise.all([toBar!.next("state.changed"), toOther!.next("state.changed")]);
  expect(await sent(bar)).toEqual([body.id]);
  for (const link of links) {
    link.socket.close();
    await link.closed;
  }
});

test.each([
  ["only one entry", [tag("bar")], "/target/of"],
  ["too many entries", Array.from({ length: 101 }, (_, n) => tag(`t${n}`)), "/target/of"],
  ["a duplicate", [tag("bar"), tag("foyer"), tag("bar")], "/target/of/2"],
  ["a list within the list", [tag("bar"), any(tag("a"), tag("b")).target], "/target/of/1/type"],
  ["a player that does not exist", [tag("bar"), { type: "player", player_id: missingId }], "/target/of/1/player_id"],
])("[SRE9] creating or changing targets with %s is rejected with a pointer", async (_what, of, pointer) => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, create } = setup;
  const rejected = await create({ target: { type: "any", of } });
  expect([rejected.status, errorPointers(rejected)]).toEqual([422, [pointer]]);
  const good = (await create(any(tag("a"), tag("b")))).body;
  const change = await api.call("PATCH", `schedules/${good.id}`, { target: { type: "any", of } });
  expect([change.status, errorPointers(change)]).toEqual([422, [pointer]]);
  expect((await api.call("GET", `schedules/${good.id}`)).body).toEqual(good);
});

test("[SRE10] a player in the bin no longer gets a schedule but stays in its targets, and gets it again when restored", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, create } = setup;
  const [lobby, bar] = [await api.pairDevice("Lobby"), await api.pairDevice("Bar")];
  const target = any(player(lobby), player(bar));
  const { id } = (await create(target)).body;
  expect((await api.call("DELETE", `players/${lobby.playerId}`)).status).toBe(204);
  const without = await api.call("GET", `schedules/${id}`);
  expect(without.body).toMatchObject({ ...target, screens: 1, warnings: [] });
  expect(await sent(bar)).toEqual([id]);
  // The schedule can be changed meanwhile, but a player in the bin cannot be added.
  expect((await api.call("PATCH", `schedules/${id}`, { name: "Other" })).status).toBe(200);
  expect((await api.call("PATCH", `schedules/${id}`, any(tag("bar"), player(lobby), player(bar)))).status).toBe(200);
  expect(errorPointers(await create(target))).toEqual(["/target/of/0/player_id"]);
  await api.call("PATCH", `schedules/${id}`, target);
  expect((await api.call("DELETE", `players/${bar.playerId}`)).status).toBe(204);
  const empty = await api.call("GET", `schedules/${id}`);
  expect(empty.body).toMatchObject({ ...target, screens: 0, warnings: [{ code: "no-screens", field: "/target" }] });
  await api.call("POST", `players/${lobby.playerId}/restore`);
  expect(await sent(lobby)).toEqual([id]);
  await api.call("POST", `players/${bar.playerId}/restore`);
  expect(await sent(bar)).toEqual([id]);
  // A schedule that is itself in the bin is not restored with a player.
  await api.call("DELETE", `schedules/${id}`);
  await api.call("DELETE", `players/${lobby.playerId}`);
  await api.call("POST", `players/${lobby.playerId}/restore`);
  expect(await sent(lobby)).toEqual([]);
});

test("[SRE10] permanently deleting a player removes it from the targets, and deletes a schedule that has no other target", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path);
  const { api, clock, create } = setup;
  const [lobby, bar, hall] = [await api.pairDevice("Lobby"), await api.pairDevice("Bar"), await api.pairDevice("Hall")];
  const three = (await create(any(player(lobby), player(bar), tag("foyer")))).body;
  const two = (await create(any(player(lobby), player(bar)))).body;
  const binned = (await create(any(player(lobby), player(hall)))).body;
  await api.call("DELETE", `schedules/${binned.id}`);
  const targetOf = async (id: string) => (await api.call("GET", `schedules/${id}`)).body.target;
  const untouched = await create(any(tag("bar"), player(hall)));
  using store = openTables(folder.path);
  const last = () => Number(store.prepare("SELECT max(seq) AS seq FROM events").get()!["seq"]);
  const eventsSince = (seq: number) =>
    store
      .prepare("SELECT type, data FROM events WHERE type LIKE 'schedule.%' AND seq > ? ORDER BY seq")
      .all(seq)
      .map(({ type, data }) => `${String(type)} ${JSON.parse(String(data)).schedule_id}`);
  const before = last();
  expect((await api.call("DELETE", `players/${lobby.playerId}?permanent=true`)).status).toBe(204);
  expect(await targetOf(three.id)).toEqual({ type: "any", of: [player(bar), tag("foyer")] });
  expect(await targetOf(two.id)).toEqual(player(bar));
  expect(eventsSince(before)).toEqual([`schedule.updated ${three.id}`, `schedule.updated ${two.id}`]);
  expect(await sent(bar)).toEqual([three.id, two.id]);
  expect((await api.call("POST", `schedules/${binned.id}/restore`)).body.target).toEqual(player(hall));
  const both = (await create(any(player(bar), player(hall)))).body;
  // The same after thirty days in the bin. A schedule for only one player goes into the bin with it.
  await api.call("DELETE", `players/${bar.playerId}`);
  await api.call("DELETE", `players/${hall.playerId}`);
  expect([await targetOf(both.id), await targetOf(two.id)]).toEqual([any(player(bar), player(hall)).target, undefined]);
  const binnedAll = last();
  clock.advance(30 * day + 3_600_000);
  await expect.poll(async () => targetOf(three.id)).toEqual(tag("foyer"));
  const left = (await api.call("GET", "schedules")).body.data.map(({ id }: { id: string }) => id);
  expect(new Set(left)).toEqual(new Set([three.id, untouched.body.id]));
  expect(await targetOf(untouched.body.id)).toEqual(tag("bar"));
  expect((await api.call("GET", "schedules?deleted=true")).body.data).toEqual([]);
  const purged = [`schedule.updated ${three.id}`, `schedule.updated ${untouched.body.id}`, `schedule.deleted ${both.id}`];
  expect(new Set(eventsSince(binnedAll))).toEqual(new Set(purged));
  // A schedule whose only remaining target is in the bin stays, and is deleted with that player.
  const [first, second] = [await api.pairDevice(), await api.pairDevice()];
  const waiting = (await create(any(player(first), player(second)))).body;
  await api.call("DELETE", `players/${first.playerId}`);
  await api.call("DELETE", `players/${second.playerId}?permanent=true`);
  expect(await targetOf(waiting.id)).toEqual(player(first));
  const seq = last();
  await api.call("DELETE", `players/${first.playerId}?permanent=true`);
  expect([await targetOf(waiting.id), eventsSince(seq)]).toEqual([undefined, [`schedule.deleted ${waiting.id}`]]);
});
