// Visual settings and their way to the player: transitions, rotated zones, backgrounds, orientation.
import { expect, test } from "vitest";
import { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { Layout, Player } from "../../../src/protocol/operator/resources.ts";
import { picture, errorPointers } from "../harness.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

test("[TRA9] transitions of items, zones and layouts reach the player unchanged; invalid ones are rejected with their pointer", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const { playlist, layout } = await api.showPicture(device);
  const wipe = { type: "wipe", duration_ms: 900, easing: "linear", direction: "up" };
  const items = [{ type: "text", text: "hello", transition: wipe }];
  expect((await api.call("PATCH", `playlists/${playlist.id}`, { items })).status).toBe(200);
  const zone = { name: "z", left: 0, top: 0, width: 10, height: 10, playlist_id: playlist.id, transition: { type: "zoom" } };
  const looks = { transition: { type: "push", direction: "right" }, zones: [zone] };
  const changed = await api.call("PATCH", `layouts/${layout.id}`, looks);
  const push = { type: "push", duration_ms: 600, easing: "ease-in-out", direction: "right" };
  expect(Layout.parse(changed.body).transition).toEqual(push);
  const { layout: shown, playlists } = DesiredState.parse((await device.call("GET", "state")).body);
  expect(playlists[0]?.items[0]?.transition).toEqual(wipe);
  expect(shown?.transition).toEqual(push);
  expect(shown?.zones[0]?.transition).toEqual({ type: "zoom", duration_ms: 600, easing: "ease-in-out", direction: "left" });
  expect((await api.call("PATCH", `layouts/${layout.id}`, looks)).body).toEqual(changed.body);
  expect((await api.call("PATCH", `layouts/${layout.id}`, { transition: null })).body).toMatchObject({ transition: null });
  const wrong = await api.call("PATCH", `layouts/${layout.id}`, { transition: { type: "explode", duration_ms: -1 } });
  expect([wrong.status, errorPointers(wrong).toSorted()]).toEqual([422, ["/transition/duration_ms", "/transition/type"]]);
});

test("[ZON8] a player's orientation, a zone's rotation and a layout's background are stored and published; a background in use is kept", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const { layout } = await api.showPicture(device);
  const ground = (await api.upload(await picture("png", 80))).body;
  const zone = { name: "z", left: 0, top: 0, width: 10, height: 10, rotation: 270, background_color: "#123456" };
  await api.call("PATCH", `layouts/${layout.id}`, { background_asset_id: ground.id, zones: [zone] });
  const turned = await api.call("PATCH", `players/${device.playerId}`, { orientation: "portrait" });
  expect(Player.parse(turned.body).orientation).toBe("portrait");
  const desired = DesiredState.parse((await device.call("GET", "state")).body);
  expect(desired.player.orientation).toBe("portrait");
  expect(desired.layout).toMatchObject({ background_asset_id: ground.id, zones: [{ rotation: 270, background_color: "#123456" }] });
  expect(desired.assets.map(({ id }) => id)).toContain(ground.id);
  const kept = await api.call("DELETE", `assets/${ground.id}`);
  expect([kept.status, kept.body.detail]).toEqual([409, expect.stringContaining(layout.name)]);
  const askew = await api.call("PATCH", `layouts/${layout.id}`, { zones: [{ ...zone, rotation: 360 }] });
  expect([askew.status, errorPointers(askew)]).toEqual([422, ["/zones/0/rotation"]]);
  const nowhere = await api.call("PATCH", `layouts/${layout.id}`, { background_asset_id: "ast_01jd3v8q6m9x2k4n7r5t1w0yzh" });
  expect([nowhere.status, errorPointers(nowhere)]).toEqual([422, ["/background_asset_id"]]);
  await api.call("PATCH", `layouts/${layout.id}`, { background_asset_id: null });
  expect((await api.call("DELETE", `assets/${ground.id}`)).status).toBe(204);
});

test("[CNT9] a player's safe_asset_id is published with its file, must be an image, and cannot be deleted while a player has it", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const state = async () => DesiredState.parse((await device.call("GET", "state")).body);
  const { revision } = await state();
  const { id: safe_asset_id } = (await api.upload(await picture("png", 80))).body;
  const set = (value: string | null) => api.call("PATCH", `players/${device.playerId}`, { safe_asset_id: value });
  expect(Player.parse((await set(safe_asset_id)).body).safe_asset_id).toBe(safe_asset_id);
  const desired = await state();
  expect([desired.player.safe_asset_id, desired.assets.map(({ id }) => id)]).toEqual([safe_asset_id, [safe_asset_id]]);
  expect(desired.revision).not.toBe(revision);
  const kept = await api.call("DELETE", `assets/${safe_asset_id}`);
  expect([kept.status, kept.body.detail]).toEqual([409, expect.stringContaining("safe content")]);
  const nowhere = await set("ast_01jd3v8q6m9x2k4n7r5t1w0yzh");
  expect([nowhere.status, errorPointers(nowhere)]).toEqual([422, ["/safe_asset_id"]]);
  await set(null);
  expect((await state()).revision).toBe(revision);
  expect((await api.call("DELETE", `assets/${safe_asset_id}`)).status).toBe(204);
});

test("[CNT10] a player without a safe_asset_id gets the one of its team, with its file; that image cannot be deleted while the team has it", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const state = async () => DesiredState.parse((await device.call("GET", "state")).body);
  const { revision } = await state();
  const team = `teams/${(await api.call("GET", "teams")).body.data[0].id}`;
  const [own, ofTeam] = await Promise.all([80, 90].map(async (width) => (await api.upload(await picture("png", width))).body.id));
  expect((await api.call("PATCH", team, { safe_asset_id: ofTeam })).body.safe_asset_id).toBe(ofTeam);
  const desired = await state();
  expect([desired.player.safe_asset_id, desired.assets.map(({ id }) => id)]).toEqual([ofTeam, [ofTeam]]);
  expect(desired.revision).not.toBe(revision);
  const kept = await api.call("DELETE", `assets/${ofTeam}`);
  expect([kept.status, kept.body.detail]).toEqual([409, expect.stringContaining("safe content")]);
  // A rename leaves it, and the player's own image comes first.
  await api.call("PATCH", team, { name: "Airport" });
  await api.call("PATCH", `players/${device.playerId}`, { safe_asset_id: own });
  expect((await state()).player.safe_asset_id).toBe(own);
  await api.call("PATCH", `players/${device.playerId}`, { safe_asset_id: null });
  expect((await state()).revision).toBe(desired.revision);
  const nowhere = await api.call("PATCH", team, { safe_asset_id: "ast_01jd3v8q6m9x2k4n7r5t1w0yzh" });
  expect([nowhere.status, errorPointers(nowhere)]).toEqual([422, ["/safe_asset_id"]]);
  await api.call("PATCH", team, { safe_asset_id: null });
  expect((await state()).revision).toBe(revision);
  expect((await api.call("DELETE", `assets/${ofTeam}`)).status).toBe(204);
});
