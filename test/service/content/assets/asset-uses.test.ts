// Where an asset is used, and its replacement by another everywhere.
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../support/folder.ts";
import { pdfOf } from "../../../support/media/media.ts";
import { TestService, picture } from "../../harness.ts";
import { createOtherTeam, createTokenFor, inviteMember, owner } from "../../people/people.ts";

/** A service whose asset `old` is used in every way, beside an asset `next` that one playlist shows. */
async function populated(folder: string) {
  const api = await TestService.start(folder);
  const create = async (path: string, body: unknown) => (await api.call("POST", path, body)).body;
  const old = (await api.upload(await picture("png"), "image/png", "old")).body;
  const next = (await api.upload(await picture("jpeg"), "image/jpeg", "next")).body;
  const screen = await api.pairDevice("Lobby");
  const item = (asset: { id: string }) => ({ type: "image", asset_id: asset.id, duration_ms: 5_000 });
  const sound = (await api.upload(Buffer.from(await silence()), "audio/wav", "sound")).body;
  const menu = await create("playlists", {
    name: "Menu",
    items: [item(old), item(next), { type: "audio", asset_id: sound.id, artwork_asset_id: old.id, duration_ms: 5_000 }],
  });
  const zone = { name: "main", left: 0, top: 0, width: 100, height: 100, playlist_id: menu.id };
  const shown = await create("layouts", { name: "Shown", width: 100, height: 100, zones: [zone] });
  const behind = await create("layouts", { name: "Behind", width: 100, height: 100, background_asset_id: old.id });
  const schedule = await create("schedules", {
    name: "Evening",
    layout_id: behind.id,
    target: { type: "player", player_id: screen.playerId },
    starts_at: "2020-01-01T00:00:00Z",
  });
  await api.call("PATCH", `players/${screen.playerId}`, { layout_id: shown.id, safe_asset_id: old.id });
  const { team } = (await api.call("GET", "me")).body;
  await api.call("PATCH", `teams/${team.id}`, { safe_asset_id: old.id });
  const show = await create("show", { asset_id: old.id, players: [screen.playerId], name: "Shown once", lasts_ms: 3_600_000 });
  return { api, old, next, sound, menu, shown, behind, schedule, screen, team, show };
}

/** A short WAV file. */
async function silence(): Promise<Buffer> {
  const samples = Buffer.alloc(16_000);
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + samples.length, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8_000, 24);
  header.writeUInt32LE(16_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

test("[LBR1] the uses of an asset name every playlist, layout, schedule, show and player that shows it", async () => {
  await using folder = await temporaryFolder();
  const { api, old, menu, shown, behind, schedule, screen, show, next } = await populated(folder.path);
  await using _api = api;
  const { body } = await api.call("GET", `assets/${old.id}/uses`);
  const names = (list: { name: string }[]) => list.map(({ name }) => name).toSorted();
  expect(names(body.playlists)).toEqual(["Menu", "Shown once"]);
  const [first, , third] = menu.items;
  expect(body.playlists.find(({ id }: { id: string }) => id === menu.id).item_ids).toEqual([first.id, third.id]);
  expect(body.backgrounds).toEqual([{ id: behind.id, name: "Behind" }]);
  expect(body.safe_content_of).toEqual([{ id: screen.playerId, name: "Lobby" }]);
  expect(body.is_safe_content_of_team).toBe(true);
  expect(names(body.layouts)).toEqual(["Behind", "Shown", "Shown once"]);
  expect(body.layouts).toContainEqual({ id: shown.id, name: "Shown" });
  expect(names(body.schedules)).toEqual(["Evening", "Shown once"]);
  expect(body.schedules).toContainEqual({ id: schedule.id, name: "Evening" });
  expect([body.player_count, body.players]).toEqual([1, [{ id: screen.playerId, name: "Lobby" }]]);
  expect(show.id).toBeDefined();
  const unused = (await api.call("GET", `assets/${(await api.upload(await picture("webp"))).body.id}/uses`)).body;
  expect([unused.playlists, unused.layouts, unused.player_count]).toEqual([[], [], 0]);
  // In the bin, a playlist uses nothing.
  expect((await api.call("GET", `assets/${next.id}/uses`)).body.playlists).toHaveLength(1);
});

test("[LBR2] a replacement exchanges the asset everywhere at once, and the reverse puts back exactly what it changed", async () => {
  await using folder = await temporaryFolder();
  const { api, old, next, menu, behind, screen, team, show } = await populated(folder.path);
  await using _api = api;
  const state = async () => (await screen.call("GET", "state")).body;
  const before = await state();
  const dry = await api.call("POST", `assets/${old.id}/replace?dry_run=true`, { asset_id: next.id });
  expect([dry.status, dry.headers.get("dry-run"), (await state()).revision]).toEqual([200, "true", before.revision]);
  const { body } = await api.call("POST", `assets/${old.id}/replace`, { asset_id: next.id });
  expect(body).toEqual(dry.body);
  expect([body.playlists.length, body.backgrounds.length, body.safe_content_of.length, body.is_safe_content_of_team]).toEqual([
    2,
    1,
    1,
    true,
  ]);
  expect(body.player_count).toBe(1);
  const read = async (path: string) => (await api.call("GET", path)).body;
  const changed = await read(`playlists/${menu.id}`);
  expect(changed.items.map(({ id }: { id: string }) => id)).toEqual(menu.items.map(({ id }: { id: string }) => id));
  expect(
    changed.items.map((item: object) => ("artwork_asset_id" in item ? item.artwork_asset_id : (item as { asset_id: string }).asset_id)),
  ).toEqual([next.id, next.id, next.id]);
  expect((await read(`layouts/${behind.id}`)).background_asset_id).toBe(next.id);
  expect((await read(`players/${screen.playerId}`)).safe_asset_id).toBe(next.id);
  expect((await read(`teams/${team.id}`)).safe_asset_id).toBe(next.id);
  expect((await read("show")).data.find(({ id }: { id: string }) => id === show.id).asset_id).toBe(next.id);
  const after = await state();
  expect(after.revision).not.toBe(before.revision);
  expect(JSON.stringify(after)).not.toContain(old.id);
  const [entry] = (await read(`audit?resource_id=${old.id}`)).data;
  expect(entry.action).toBe("replaceAsset");

  const only = {
    item_ids: body.playlists.flatMap(({ item_ids }: { item_ids: string[] }) => item_ids),
    layout_ids: [behind.id],
    player_ids: [screen.playerId],
    team: true,
  };
  await api.call("POST", `assets/${next.id}/replace`, { asset_id: old.id, only });
  expect((await read(`playlists/${menu.id}`)).items).toEqual(menu.items);
  expect((await state()).revision).toBe(before.revision);
});

test("[LBR3] only an asset of the same kind outside the bin takes the place of another, and only with the scopes of what changes", async () => {
  await using folder = await temporaryFolder();
  const { api, old, next, sound } = await populated(folder.path);
  await using _api = api;
  const replace = async (asset_id: string, person = "") =>
    api.call("POST", `assets/${old.id}/replace`, { asset_id }, person === "" ? {} : { authorization: person });
  const pdf = (await api.upload(pdfOf(1))).body;
  const binned = (await api.upload(await picture("webp"))).body;
  await api.call("DELETE", `assets/${binned.id}`);
  for (const [id, reason] of [
    [sound.id, /audio/],
    [pdf.id, /application\/pdf/],
    [binned.id, /in the bin/],
    [old.id, /itself/],
    ["ast_01jd3v8q6m9x2k4n7r5t1w0yzh", /no such asset/],
  ] as const) {
    const { status, body } = await replace(id);
    expect([status, body.errors[0].pointer]).toEqual([422, "/asset_id"]);
    expect(body.errors[0].detail).toMatch(reason);
  }
  const needed = ["playlists:write", "layouts:write", "players:write", "teams:write"] as const;
  for (const missing of needed) {
    const limited = await createTokenFor(api, await owner(api), ["assets:write", ...needed.filter((scope) => scope !== missing)]);
    const refused = await replace(next.id, limited.authorization);
    expect([refused.status, refused.body.detail]).toEqual([403, `The token lacks the scope ${missing}`]);
  }
  const editor = await inviteMember(api, await owner(api), "editor");
  expect((await replace(next.id, editor.authorization)).body.detail).toBe("The token lacks the scope teams:write");
  const stranger = await createOtherTeam(api);
  expect((await stranger.call("POST", `assets/${old.id}/replace`, { asset_id: next.id })).status).toBe(404);
  expect((await stranger.call("GET", `assets/${old.id}/uses`)).status).toBe(404);
});

test("[LBR4] an upload with `duplicate: reuse` becomes the team's asset with the same bytes", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const bytes = await picture("png");
  const known = (await api.upload(bytes, "image/png", "known")).body;
  const encode = (text: string) => Buffer.from(text).toString("base64");
  const send = async (metadata: string, token = api.token) => {
    const headers = { "tus-resumable": "1.0.0", "content-type": "application/offset+octet-stream", authorization: `Bearer ${token}` };
    const upload = { ...headers, "upload-length": String(bytes.length), "upload-metadata": metadata };
    const { status, headers: answer } = await api.call("POST", "uploads", bytes, upload);
    return [status, answer.get("asset-id"), answer.get("asset-duplicate")];
  };
  const filename = `filename ${encode("copy.png")}`;
  expect(await send(`${filename},duplicate ${encode("reuse")}`)).toEqual([201, known.id, "true"]);
  const [status, copy, isDuplicate] = await send(filename);
  expect([status, copy === known.id, isDuplicate]).toEqual([201, false, null]);
  const stranger = await createOtherTeam(api);
  const [, foreign, isForeign] = await send(`${filename},duplicate ${encode("reuse")}`, stranger.secret);
  expect([foreign === known.id || foreign === copy, isForeign]).toEqual([false, null]);
});

test("[LBR5] the tags of assets are listed with their counts, without those in the bin", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const [first, second, third] = [
    await api.upload(await picture("png")),
    await api.upload(await picture("jpeg")),
    await api.upload(await picture("webp")),
  ];
  await api.call("PATCH", `assets/${first.body.id}`, { tags: ["menu", "summer"] });
  await api.call("PATCH", `assets/${second.body.id}`, { tags: ["menu"] });
  await api.call("PATCH", `assets/${third.body.id}`, { tags: ["gone"] });
  await api.call("DELETE", `assets/${third.body.id}`);
  const expected = [
    { tag: "menu", count: 2 },
    { tag: "summer", count: 1 },
  ];
  expect((await api.call("GET", "assets/tags")).body.data).toEqual(expected);
  const stranger = await createOtherTeam(api);
  expect((await stranger.call("GET", "assets/tags")).body.data).toEqual([]);
});
