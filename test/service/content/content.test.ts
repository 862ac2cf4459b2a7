// Playlists, layouts and desired states: checked references, stable ids, and revisions that change only with the content.
import { expect, test } from "vitest";
import { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { Layout, Playlist } from "../../../src/protocol/operator/resources.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, picture, errorPointers } from "../harness.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

const nobody = "01jd3v8q6m9x2k4n7r5t1w0yzh";

test("[CNT1] a playlist's items must reference assets of their kind; the error names each wrong item", async () => {
  const api = await shared.newTeam();
  const { id } = (await api.upload(await picture())).body;
  const items = [
    { type: "image", asset_id: id },
    { type: "image", asset_id: `ast_${nobody}` },
    { type: "video", asset_id: id },
    { type: "text", text: "hello" },
  ];
  const refused = await api.call("POST", "playlists", { name: "P", items });
  expect([refused.status, errorPointers(refused)]).toEqual([422, ["/items/1/asset_id", "/items/2/asset_id"]]);
  const created = await api.call("POST", "playlists", { name: "P", items: [items[0], items[3]] });
  expect(created.status).toBe(201);
  expect(Playlist.parse(created.body).items).toMatchObject([{ fit: "contain" }, { align: "center" }]);
});

test("[ITM39] each kind of item accepts only assets of its kind, artwork included; the error names each wrong item", async () => {
  const api = await shared.newTeam();
  const { id } = (await api.upload(await picture())).body;
  const refused = await api.call("POST", "playlists", {
    name: "P",
    items: [
      { type: "audio", asset_id: id, artwork_asset_id: `ast_${nobody}` },
      { type: "audio", asset_id: `ast_${nobody}`, artwork_asset_id: id },
      { type: "pdf", asset_id: id },
      { type: "ticker", text: "News" },
    ],
  });
  const wrong = ["/items/0/asset_id", "/items/0/artwork_asset_id", "/items/1/asset_id", "/items/2/asset_id"];
  expect([refused.status, errorPointers(refused)]).toEqual([422, wrong]);
  const items = [
    { type: "ticker", text: "News" },
    { type: "qr", data: "https://example.com" },
    { type: "feed", url: "https://news.example/feed.xml" },
    { type: "stream", protocol: "mjpeg", url: "http://10.1.2.3/video" },
  ];
  expect((await api.call("POST", "playlists", { name: "P", items })).status).toBe(201);
});

test("[CNT2] a zone must be inside its layout and show an existing playlist", async () => {
  const api = await shared.newTeam();
  const zone = { name: "z", left: 0, top: 0, width: 100, height: 100 };
  const post = (zones: object[]) => api.call("POST", "layouts", { name: "L", width: 100, height: 100, zones });
  expect(errorPointers(await post([{ ...zone, left: 100 }]))).toEqual(["/zones/0/left"]);
  expect(errorPointers(await post([zone, { ...zone, left: 1 }]))).toEqual(["/zones/1/width"]);
  expect(errorPointers(await post([{ ...zone, top: 1 }]))).toEqual(["/zones/0/height"]);
  expect(errorPointers(await post([{ ...zone, left: -1 }]))).toEqual(["/zones/0/left"]);
  expect(errorPointers(await post([{ ...zone, playlist_id: `pls_${nobody}` }]))).toEqual(["/zones/0/playlist_id"]);
  const created = await post([zone]);
  expect(created.status).toBe(201);
  expect(Layout.parse(created.body).background_color).toBe("#000000");
  const smaller = await api.call("PATCH", `layouts/${created.body.id}`, { width: 50 });
  expect([smaller.status, errorPointers(smaller)]).toEqual([422, ["/zones/0/width"]]);
});

test("[CNT3] unknown and malformed fields are rejected, each with its pointer", async () => {
  const api = await shared.newTeam();
  const items = [{ type: "image", asset_id: "nonsense", colour: 1 }, { type: "hologram" }];
  const refused = await api.call("POST", "playlists", { name: "", items, "a/b": 1 });
  expect(refused.status).toBe(422);
  expect(refused.headers.get("content-type")).toContain("application/problem+json");
  expect(errorPointers(refused).toSorted()).toEqual(["/a~1b", "/items/0/asset_id", "/items/0/colour", "/items/1/type", "/name"]);
  expect(errorPointers(await api.call("GET", "playlists?limit=1000&page=2")).toSorted()).toEqual(["?limit", "?page"]);
  expect(errorPointers(await api.call("GET", "playlists?cursor=x"))).toEqual(["?cursor"]);
});

test("[CNT4] assigning a layout publishes one document with everything that the player needs; its ETag is the revision", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice("Lobby");
  const empty = DesiredState.parse((await device.call("GET", "state")).body);
  expect(empty).toMatchObject({ layout: null, playlists: [], assets: [], player: { name: "Lobby" } });
  const { asset, playlist, layout } = await api.showPicture(device);
  const response = await device.call("GET", "state");
  const full = DesiredState.parse(response.body);
  expect(full.layout?.zones[0]?.playlist_id).toBe(playlist.id);
  expect(full.playlists).toEqual([{ id: playlist.id, items: playlist.items }]);
  expect(full.assets.map(({ sha256 }) => sha256)).toEqual([asset.sha256]);
  expect(response.headers.get("etag")).toBe(`"${full.revision}"`);
  expect((await device.call("GET", "state", undefined, { "if-none-match": `"${full.revision}"` })).status).toBe(304);
  expect((await api.call("GET", `players/${device.playerId}`)).body).toMatchObject({
    layout_id: layout.id,
    desired_revision: full.revision,
  });
  const nowhere = await api.call("PATCH", `players/${device.playerId}`, { layout_id: `lay_${nobody}` });
  expect([nowhere.status, errorPointers(nowhere)]).toEqual([422, ["/layout_id"]]);
});

test("[CNT5] an identical change alters no id, revision or timestamp, and notifies no player", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const { items, playlist, layout } = await api.showPicture(device);
  const { revision } = (await device.call("GET", "state")).body;
  const link = await device.connect();
  const same = await api.call("PATCH", `playlists/${playlist.id}`, { name: playlist.name, items });
  expect(same.body).toEqual(playlist);
  const zones = layout.zones.map(({ id: _id, ...zone }: { id: string }) => zone);
  expect((await api.call("PATCH", `layouts/${layout.id}`, { zones })).body).toEqual(layout);
  await api.call("PATCH", `players/${device.playerId}`, { layout_id: layout.id });
  // Names are not shown on screens, so a new name does not change the desired state.
  await api.call("PATCH", `playlists/${playlist.id}`, { name: "Another name" });
  expect(await link.receivesNo("state.changed")).toBe(true);
  expect((await device.call("GET", "state")).body.revision).toBe(revision);
  link.socket.close();
});

test("[CNT5] items keep their ids when others are added, removed or moved", async () => {
  const api = await shared.newTeam();
  const text = (words: string) => ({ type: "text", text: words });
  const { id, items } = (await api.call("POST", "playlists", { name: "P", items: [text("a"), text("b"), text("b")] })).body;
  const patched = (await api.call("PATCH", `playlists/${id}`, { items: [text("b"), text("c"), text("a"), text("b")] })).body.items;
  expect([patched[0].id, patched[2].id, patched[3].id]).toEqual([items[1].id, items[0].id, items[2].id]);
  const kept = (await api.call("PATCH", `playlists/${id}`, { items: [{ ...text("changed"), id: items[0].id }] })).body.items;
  expect(kept[0]).toMatchObject({ id: items[0].id, text: "changed" });
  const foreign = await api.call("PATCH", `playlists/${id}`, { items: [{ ...text("x"), id: `itm_${nobody}` }] });
  expect([foreign.status, errorPointers(foreign)]).toEqual([422, ["/items/0/id"]]);
});

test("[CNT6] resources in use cannot be deleted; the error names what uses them", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice("Lobby");
  const { playlist, layout } = await api.showPicture(device);
  const playlistRefused = await api.call("DELETE", `playlists/${playlist.id}`);
  expect([playlistRefused.status, playlistRefused.body.detail]).toEqual([409, expect.stringContaining(layout.id)]);
  const layoutRefused = await api.call("DELETE", `layouts/${layout.id}`);
  expect([layoutRefused.status, layoutRefused.body.detail]).toEqual([409, expect.stringContaining("“Lobby”")]);
  await api.call("PATCH", `players/${device.playerId}`, { layout_id: null });
  expect((await api.call("DELETE", `layouts/${layout.id}`)).status).toBe(204);
  expect((await api.call("DELETE", `playlists/${playlist.id}`)).status).toBe(204);
});

test("[CNT7] lists are sorted newest first, and paging returns each resource once", async () => {
  const api = await shared.newTeam();
  for (let index = 0; index < 7; index += 1) await api.call("POST", "playlists", { name: `P${index}` });
  const names: string[] = [];
  let cursor = "";
  do {
    const { data, next_cursor } = (await api.call("GET", `playlists?limit=3${cursor}`)).body;
    names.push(...data.map(({ name }: { name: string }) => name));
    cursor = next_cursor === null ? "" : `&cursor=${next_cursor}`;
    if (names.length === 3) await api.call("POST", "playlists", { name: "late" });
  } while (cursor !== "");
  expect(names).toEqual(["P6", "P5", "P4", "P3", "P2", "P1", "P0"]);
});

test("[CNT8] content and its revision survive a restart", async () => {
  await using folder = await temporaryFolder();
  await using first = await TestService.start(folder.path);
  const device = await first.pairDevice();
  const { playlist } = await first.showPicture(device);
  const before = (await device.call("GET", "state")).body;
  await first[Symbol.asyncDispose]();
  await using second = await TestService.start(folder.path);
  expect((await second.call("GET", `playlists/${playlist.id}`)).body).toEqual(playlist);
  expect((await second.call("GET", `players/${device.playerId}`)).body.desired_revision).toBe(before.revision);
});
