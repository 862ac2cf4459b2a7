// Secrets of web items: players get them, operators see only masks.
import { expect, test } from "vitest";
import { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, errorPointers } from "../harness.ts";
import { openTables } from "../tables-of.ts";

const secrets = ["sEcReT-token", "sEcReT-password"] as const;
const mask = "********";
const page = {
  type: "web",
  url: "https://board.example.com/today",
  headers: { "X-Api-Key": secrets[0] },
  basic_auth: { username: "screen", password: secrets[1] },
  duration_ms: 10_000,
};
const shown = { headers: { "X-Api-Key": mask }, basic_auth: { username: "screen", password: mask } };

/** A player that shows one web page. */
async function showing(api: TestService) {
  const device = await api.pairDevice();
  const created = await api.call("POST", "playlists", { name: "P", items: [page] });
  const zones = [{ name: "main", left: 0, top: 0, width: 100, height: 100, playlist_id: created.body.id }];
  const layout = (await api.call("POST", "layouts", { name: "L", width: 100, height: 100, zones })).body;
  await api.call("PATCH", `players/${device.playerId}`, { layout_id: layout.id });
  const items = async () => DesiredState.parse((await device.call("GET", "state")).body).playlists[0]!.items;
  return { created, items, path: `playlists/${created.body.id}` };
}

test("[SEC1] secrets of a web item are sent only to the player; playlists, events and the audit log show masks", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const { created, items, path } = await showing(api);
  expect((await items())[0]).toMatchObject(page);
  const changed = await api.call("PATCH", path, { name: "Q" });
  const deleted = await api.call("POST", "playlists", { name: "bin", items: [page] });
  await api.call("DELETE", `playlists/${deleted.body.id}`);
  const bin = await api.call("GET", "playlists?deleted=true");
  const restored = await api.call("POST", `playlists/${deleted.body.id}/restore`);
  const answers = [created, changed, await api.call("GET", path), bin, restored, await api.call("GET", "playlists")];
  for (const { body } of answers) {
    const item = (body.data?.[0] ?? body).items[0];
    expect(item).toMatchObject(shown);
  }
  const draft = await api.call("POST", "drafts", { name: "Spring" });
  const inDraft = { "signage-draft": draft.body.id as string };
  const drafted = await api.call("PATCH", path, { name: "R" }, inDraft);
  const kept = ["audit", "versions", "versions/1", "versions/2", `drafts/${draft.body.id}`];
  const texts = [...answers, drafted, ...(await Promise.all(kept.map((each) => api.call("GET", each))))];
  expect(texts.map(({ status }) => status)).toEqual([201, ...Array.from({ length: texts.length - 1 }, () => 200)]);
  for (const secret of secrets) expect(JSON.stringify(texts.map(({ body }) => body))).not.toContain(secret);
  // The stored response of a repeated request is masked too.
  const key = { "idempotency-key": "once" };
  for (let each = 0; each < 2; each += 1) {
    const repeated = await api.call("POST", "playlists", { name: "again", items: [page] }, key);
    expect(repeated.body.items[0]).toMatchObject(shown);
  }
  // No table contains the secrets but the playlists and what versions and drafts restore them from: no event, delivery or response.
  expect(tablesWith(folder.path, secrets).toSorted()).toEqual(["content_images", "draft_changes", "playlists"]);
});

/** The tables with a row that contains one of the words. */
function tablesWith(folder: string, words: readonly string[]): string[] {
  using db = openTables(folder);
  const names = db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all()
    .map(({ name }) => String(name));
  return names.filter((name) => {
    const rows = db.prepare(`SELECT * FROM "${name}"`).all().map((row) => Object.values(row).map((value) => (ArrayBuffer.isView(value) ? Buffer.from(value.buffer).toString() : String(value))).join()); // prettier-ignore
    return rows.some((row) => words.some((word) => row.includes(word)));
  });
}

test("[SEC2] sending a mask back keeps the secret and the item's id, with or without an id; a new value replaces the secret", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const { created, items, path } = await showing(api);
  const [item] = created.body.items;
  const same = await api.call("PATCH", path, { items: created.body.items });
  expect(same.body).toEqual(created.body);
  const { id, ...unnamed } = item;
  const equal = await api.call("PATCH", path, { items: [unnamed] });
  expect(equal.body.items[0].id).toBe(id);
  const later = { ...item, url: "https://board.example.com/tomorrow", zoom: 2 };
  await api.call("PATCH", path, { items: [later, { ...unnamed, zoom: 3 }] });
  for (const each of await items()) expect(each).toMatchObject({ headers: page.headers, basic_auth: page.basic_auth });
  await api.call("PATCH", path, { items: [{ ...later, headers: { "x-api-key": mask, "X-New": "other" } }] });
  expect((await items())[0]).toMatchObject({ headers: { "x-api-key": secrets[0], "X-New": "other" } });
  await api.call("PATCH", path, { items: [{ ...later, basic_auth: { username: "screen", password: "changed" }, headers: {} }] });
  expect((await items())[0]).toMatchObject({ basic_auth: { password: "changed" }, headers: {} });
});

test("[SEC3] a mask is rejected if no secret is stored for it, or if the URL has another origin", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const { created, items, path } = await showing(api);
  const [item] = created.body.items;
  const refused = async (method: string, to: string, sent: unknown[]) => {
    const response = await api.call(method, to, { name: "P", items: sent });
    return [response.status, errorPointers(response).toSorted()];
  };
  const both = ["/items/0/basic_auth/password", "/items/0/headers/X-Api-Key"];
  expect(await refused("PATCH", path, [{ ...item, url: "https://thief.example.net/" }])).toEqual([422, both]);
  expect(await refused("PATCH", path, [{ ...item, url: "http://board.example.com/today" }])).toEqual([422, both]);
  expect(await refused("POST", "playlists", [{ ...page, ...shown }])).toEqual([422, both]);
  const other = { ...item, headers: { "X-Other": mask } };
  expect(await refused("PATCH", path, [other])).toEqual([422, ["/items/0/headers/X-Other"]]);
  expect((await items())[0]).toMatchObject(page);
  // Two pages of one origin have different secrets: the service must not guess.
  const second = { ...page, headers: { "X-Api-Key": "another" } };
  await api.call("PATCH", path, { items: [item, second] });
  const { id: _id, ...unnamed } = item;
  expect(await refused("PATCH", path, [item, { ...unnamed, zoom: 2 }])).toEqual([422, ["/items/1/headers/X-Api-Key"]]);
});
