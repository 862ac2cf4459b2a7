// Lists with filters and pages, the bin, and bulk requests.
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { FakeClock } from "../../support/clock.ts";
import { TestService, picture, errorPointers, type ApiResponse } from "../harness.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

const day = 86_400_000;
const ids = (answer: ApiResponse): string[] => answer.body.data.map(({ id }: { id: string }) => id);
const problem = (answer: ApiResponse): unknown[] => [answer.status, answer.body.type];

/** All pages of a list, with one entry per page. */
async function everyPage(api: TestService, path: string): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const at: string = cursor === null ? "" : `&cursor=${cursor}`;
    const answer = await api.call("GET", `${path}${path.includes("?") ? "&" : "?"}limit=1${at}`);
    expect(answer.status).toBe(200);
    found.push(...ids(answer));
    cursor = answer.body.next_cursor;
  } while (cursor !== null);
  return found;
}

test("[BIN1] players can be filtered by status, tag, name and layout, alone and combined, page by page", async () => {
  const api = await shared.newTeam();
  const devices = [await api.pairDevice("Lobby ÉTAGE 1"), await api.pairDevice("lobby étage 2"), await api.pairDevice("Kitchen 100%")];
  const [first, second, third] = devices.map((device) => device.playerId) as [string, string, string];
  const layout = (await api.call("POST", "layouts", { name: "L" })).body.id as string;
  for (const id of [first, third]) await api.call("PATCH", `players/${id}`, { tags: ["floor 1", "all"], layout_id: layout });
  await api.call("PATCH", `players/${second}`, { tags: ["all"] });
  const link = await devices[1]!.connect();
  const list = (query: string) => everyPage(api, `players?${query}`);
  expect(await list("q=LOBBY")).toEqual([second, first]);
  expect(await list("q=%C3%A9tage")).toEqual([second, first]);
  expect(await list("q=0%25")).toEqual([third]);
  expect(await list("q=_")).toEqual([]);
  expect(await list("tag=all")).toEqual([third, second, first]);
  expect(await list("tag=floor%201")).toEqual([third, first]);
  expect(await list("tag=floor")).toEqual([]);
  expect(await list(`layout_id=${layout}`)).toEqual([third, first]);
  expect(await list("status=online")).toEqual([second]);
  expect(await list("status=offline")).toEqual([third, first]);
  expect(await list(`status=offline&tag=all&q=lobby&layout_id=${layout}`)).toEqual([first]);
  await api.call("PATCH", `players/${first}`, { tags: [] });
  expect(await list("tag=all")).toEqual([third, second]);
  await api.call("DELETE", `players/${third}`);
  expect(await list("tag=all")).toEqual([second]);
  link.socket.close();
  await link.closed;
  for (const wrong of ["status=asleep", "tag=", "q=", "layout_id=lay_1", "colour=red"]) {
    expect((await api.call("GET", `players?${wrong}`)).status).toBe(422);
  }
});

test("[BIN2] a cursor is rejected with other filters than its own, and so is an invalid cursor", async () => {
  const api = await shared.newTeam();
  for (const name of ["A", "AB", "ABC"]) await api.call("POST", "playlists", { name });
  const page = await api.call("GET", "playlists?limit=1&q=a");
  const cursor = page.body.next_cursor as string;
  expect(ids(await api.call("GET", `playlists?limit=2&q=a&cursor=${cursor}`))).toHaveLength(2);
  for (const query of [`q=b&cursor=${cursor}`, `cursor=${cursor}`, `q=a&deleted=true&cursor=${cursor}`, "cursor=x", "cursor=WzEsMl0"]) {
    const answer = await api.call("GET", `playlists?${query}`);
    expect([answer.status, errorPointers(answer)]).toEqual([422, ["?cursor"]]);
  }
});

test("[BIN3] a deleted resource is only visible in the bin and can be restored unchanged; a resource in use cannot be deleted", async () => {
  const api = await shared.newTeam();
  const { playlist, layout } = await api.createLayout([{ type: "text", text: "hello" }]);
  expect(problem(await api.call("DELETE", `playlists/${playlist.id}`))).toEqual([409, "/problems/in-use"]);
  expect((await api.call("DELETE", `layouts/${layout.id}`)).status).toBe(204);
  expect((await api.call("DELETE", `playlists/${playlist.id}`)).status).toBe(204);
  for (const path of [`layouts/${layout.id}`, `playlists/${playlist.id}`]) {
    expect((await api.call("GET", path)).status).toBe(404);
    expect((await api.call("PATCH", path, { name: "N" })).status).toBe(404);
    expect((await api.call("DELETE", path)).status).toBe(404);
  }
  expect(ids(await api.call("GET", "layouts"))).toEqual([]);
  const bin = await api.call("GET", "playlists?deleted=true&q=p");
  expect(bin.body.data).toMatchObject([{ id: playlist.id, items: playlist.items }]);
  expect(Date.parse(bin.body.data[0].deleted_at)).toBeGreaterThan(0);
  const device = await api.pairDevice();
  const assign = await api.call("PATCH", `players/${device.playerId}`, { layout_id: layout.id });
  expect([assign.status, errorPointers(assign)]).toEqual([422, ["/layout_id"]]);
  const zones = [{ name: "main", left: 0, top: 0, width: 100, height: 100, playlist_id: playlist.id }];
  expect((await api.call("POST", "layouts", { name: "M", width: 100, height: 100, zones })).status).toBe(422);

  const restored = await api.call("POST", `layouts/${layout.id}/restore`);
  expect([restored.status, restored.body]).toEqual([200, { ...layout, updated_at: restored.body.updated_at }]);
  expect((await api.call("GET", `playlists/${playlist.id}`)).body.items).toEqual(playlist.items);
  expect((await api.call("POST", `layouts/${layout.id}/restore`)).body).toEqual(restored.body);
  await api.call("PATCH", `players/${device.playerId}`, { layout_id: layout.id });
  expect((await device.call("GET", "state")).body.playlists).toMatchObject([{ id: playlist.id }]);
  expect((await api.call("POST", "layouts/lay_01jd3v8q6m9x2k4n7r5t1w0yzh/restore")).status).toBe(404);
});

test("[BIN4] the bin keeps resources for thirty days unless they are permanently deleted; a restored layout loses references to deleted playlists", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const { playlist, layout } = await api.createLayout();
  await api.call("DELETE", `layouts/${layout.id}`);
  const etag = { "if-match": '"other"' };
  expect((await api.call("DELETE", `playlists/${playlist.id}?permanent=true`, undefined, etag)).status).toBe(412);
  expect((await api.call("DELETE", `playlists/${playlist.id}?permanent=true`)).status).toBe(204);
  expect((await api.call("POST", `playlists/${playlist.id}/restore`)).status).toBe(404);
  const restored = await api.call("POST", `layouts/${layout.id}/restore`);
  expect(restored.body.zones).toMatchObject([{ id: layout.zones[0].id, playlist_id: null }]);

  // An asset can be permanently deleted even if a playlist in the bin uses it.
  const asset = (await api.upload(await picture())).body.id as string;
  const items = [
    { type: "image", asset_id: asset },
    { type: "text", text: "stays" },
  ];
  const pictures = (await api.call("POST", "playlists", { name: "Q", items })).body.id as string;
  await api.call("DELETE", `playlists/${pictures}`);
  expect((await api.call("DELETE", `assets/${asset}?permanent=true`)).status).toBe(204);
  expect((await api.call("POST", `playlists/${pictures}/restore`)).body.items).toMatchObject([{ type: "text", text: "stays" }]);

  await api.call("DELETE", `layouts/${layout.id}`);
  clock.advance(30 * day - 3_600_000);
  expect(ids(await api.call("GET", "layouts?deleted=true"))).toEqual([layout.id]);
  clock.advance(2 * 3_600_000);
  await expect.poll(async () => ids(await api.call("GET", "layouts?deleted=true"))).toEqual([]);
});

test("[SCM4] commands can be listed by status and type, for one player and for all", async () => {
  const api = await shared.newTeam();
  const one = await api.pairDevice("One");
  const two = await api.pairDevice("Two");
  const send = async (playerId: string, type: string): Promise<string> =>
    (await api.call("POST", `players/${playerId}/commands`, { type })).body.id;
  const a = await send(one.playerId, "reload");
  const b = await send(one.playerId, "identify");
  const c = await send(two.playerId, "reload");
  await one.call("POST", `commands/${a}/status`, { status: "succeeded" });
  expect(await everyPage(api, "commands")).toEqual([c, b, a]);
  expect(await everyPage(api, "commands?type=reload")).toEqual([c, a]);
  expect(await everyPage(api, "commands?type=reload&status=queued")).toEqual([c]);
  expect(await everyPage(api, `commands?player_id=${one.playerId}`)).toEqual([b, a]);
  expect(await everyPage(api, `players/${one.playerId}/commands?status=succeeded`)).toEqual([a]);
  expect((await api.call("GET", "commands?type=fly")).status).toBe(422);
});

test("[SCM5] one request sends a command to all players with a tag or to listed players: to all or none, once per idempotency key", async () => {
  const api = await shared.newTeam();
  const devices = [await api.pairDevice("1"), await api.pairDevice("2"), await api.pairDevice("3")];
  const [first, second, third] = devices.map((device) => device.playerId) as [string, string, string];
  for (const id of [first, second]) await api.call("PATCH", `players/${id}`, { tags: ["lobby"] });
  const link = await devices[0]!.connect();
  const body = { target: { tag: "lobby" }, type: "identify", args: { duration_ms: 2_000 }, ttl_s: 60 };
  const created = await api.call("POST", "commands", body, { "idempotency-key": "k" });
  expect(created.status).toBe(202);
  expect(created.body).toMatchObject({ count: 2, type: "identify", commands: [{ player_id: first }, { player_id: second }] });
  await link.next("command");
  const again = await api.call("POST", "commands", body, { "idempotency-key": "k" });
  expect([again.headers.get("idempotency-replayed"), again.body]).toEqual(["true", created.body]);
  expect(await everyPage(api, "commands")).toHaveLength(2);
  const polled = await devices[1]!.call("POST", "heartbeat", (await import("../harness.ts")).heartbeat());
  expect(polled.body.commands).toHaveLength(1);

  const named = (player_ids: string[]) => api.call("POST", "commands", { target: { player_ids }, type: "reload" });
  const unknown = "plr_01jd3v8q6m9x2k4n7r5t1w0yzh";
  const refused = await named([third, unknown]);
  expect([refused.status, errorPointers(refused)]).toEqual([422, ["/target/player_ids/1"]]);
  expect(await everyPage(api, "commands")).toHaveLength(2);
  expect((await named([third, third])).body.count).toBe(1);
  expect((await api.call("POST", "commands", { target: { tag: "nobody" }, type: "reload" })).body.count).toBe(0);
  for (const wrong of [{ type: "reload" }, { target: {}, type: "reload" }, { target: { tag: "a" }, type: "fly" }, { ...body, extra: 1 }]) {
    expect((await api.call("POST", "commands", wrong)).status).toBe(422);
  }
  link.socket.close();
  await link.closed;
});

test("[BLK1] one request changes the layout and tags of many players and returns how many changed", async () => {
  const api = await shared.newTeam();
  const devices = [await api.pairDevice("1"), await api.pairDevice("2")];
  const player_ids = devices.map((device) => device.playerId);
  const layout = (await api.call("POST", "layouts", { name: "L" })).body.id as string;
  const link = await devices[0]!.connect();
  const bulk = (target: object, change: object) => api.call("POST", "players/bulk", { target, change });
  const done = await bulk({ player_ids }, { layout_id: layout, tags_add: ["a", "b", "a"] });
  expect([done.status, done.body]).toEqual([200, { matched: 2, changed: 2, warnings: [] }]);
  expect((await link.next("state.changed")).data.revision).toBe((await api.call("GET", `players/${player_ids[0]}`)).body.desired_revision);
  expect((await bulk({ tag: "a" }, { layout_id: layout, tags_add: ["a"] })).body).toEqual({ matched: 2, changed: 0, warnings: [] });
  expect((await bulk({ player_ids: [player_ids[1]] }, { layout_id: null, tags_remove: ["a"] })).body).toEqual({
    matched: 1,
    changed: 1,
    warnings: [],
  });
  expect((await api.call("GET", `players/${player_ids[1]}`)).body).toMatchObject({ layout_id: null, tags: ["b"] });
  expect(ids(await api.call("GET", "players?tag=a"))).toEqual([player_ids[0]]);
  const many = Array.from({ length: 50 }, (_, index) => `t${index}`);
  expect(errorPointers(await bulk({ tag: "b" }, { tags_add: many }))).toEqual(["/change/tags_add"]);
  expect(errorPointers(await bulk({ tag: "b" }, { layout_id: "lay_01jd3v8q6m9x2k4n7r5t1w0yzh" }))).toEqual(["/change/layout_id"]);
  link.socket.close();
  await link.closed;
});

test("[SCM6] a command that was started but not reported as ended fails an hour after its expiry; a late report still counts", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice();
  const path = `players/${device.playerId}/commands`;
  const { id } = (await api.call("POST", path, { type: "reload", ttl_s: 600 })).body;
  await device.call("POST", `commands/${id}/status`, { status: "acknowledged" });
  clock.advance(600_000 + 3_500_000);
  expect((await api.call("GET", `${path}/${id}`)).body.status).toBe("acknowledged");
  clock.advance(200_000);
  const ended = (await api.call("GET", `${path}/${id}`)).body;
  expect(ended).toMatchObject({ status: "failed", error: { code: "no-answer" } });
  await device.firstToken().catch(() => device.renew().then((answer) => (device.access = answer.body)));
  await device.call("POST", `commands/${id}/status`, { status: "running" });
  expect((await api.call("GET", `${path}/${id}`)).body.status).toBe("failed");
  await device.call("POST", `commands/${id}/status`, { status: "succeeded" });
  expect((await api.call("GET", `${path}/${id}`)).body).toMatchObject({ status: "succeeded", error: null });
});

test("[SCM7] a screenshot can be deleted together with its file", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const shot = "shot_01jd3v8q6m9x2k4n7r5t1w0yzh";
  expect((await device.putScreenshot(shot, await picture())).status).toBe(204);
  expect((await api.call("DELETE", `screenshots/${shot}`)).status).toBe(204);
  for (const path of [`screenshots/${shot}`, `screenshots/${shot}/image`]) expect((await api.call("GET", path)).status).toBe(404);
  expect((await api.call("DELETE", `screenshots/${shot}`)).status).toBe(404);
  expect(ids(await api.call("GET", `players/${device.playerId}/screenshots`))).toEqual([]);
});
