// Hidden characters are rejected in names and removed from device reports.
import { expect, test } from "vitest";
import { findHiddenCharacter } from "../../../src/protocol/text.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, call, heartbeat, picture } from "../harness.ts";

const bad = "Lobby\u202egpj";
const fine = "قاعة \u200f1 👩‍👧 स्वागत";
const fault = expect.stringContaining("U+202E");

test("[TXT7] a hidden character is rejected wherever a name is given, with a pointer to the field", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const device = await api.pairDevice(fine);
  const asset = (await api.upload(await picture(), "image/png", fine)).body;
  const layout = (await api.call("POST", "layouts", { name: fine })).body;
  expect([asset.name, layout.name, (await api.call("GET", `players/${device.playerId}`)).body.name]).toEqual([fine, fine, fine]);
  const zone = { left: 0, top: 0, width: 100, height: 100 };
  const timing = { starts_at: "2026-11-21T16:00" };
  const wrong: [string, string, string, unknown][] = [
    ["POST", "playlists", "/name", { name: bad }],
    ["POST", "layouts", "/name", { name: bad }],
    ["POST", "layouts", "/zones/0/name", { name: "L", zones: [{ ...zone, name: bad }] }],
    ["PATCH", `players/${device.playerId}`, "/name", { name: bad }],
    ["PATCH", `players/${device.playerId}`, "/tags/0", { tags: [bad] }],
    ["PATCH", `assets/${asset.id}`, "/tags/1", { tags: ["ok", bad] }],
    ["POST", "assets/import", "/name", { url: "https://example.com/", name: bad }],
    ["POST", "schedules", "/name", { name: bad, layout_id: layout.id, target: { type: "team" }, ...timing }],
    ["POST", "schedules", "/target/tag", { name: "S", layout_id: layout.id, target: { type: "tag", tag: bad }, ...timing }],
    ["POST", "calendars", "/dates/0/name", { name: "C", dates: [{ date: "2026-12-24", name: bad }] }],
    ["POST", "webhooks", "/name", { name: bad, url: "https://example.com/" }],
    ["POST", "invitations", "/name", { name: bad, email: "ada@example.com", role: "viewer" }],
    ["POST", "tokens", "/name", { name: bad, scopes: ["players:read"] }],
    ["POST", "teams", "/name", { name: bad }],
  ];
  for (const [method, path, pointer, body] of wrong) {
    const answer = await api.call(method, path, body);
    if (answer.status === 404 || answer.status === 405) throw new Error(`${method} ${path} is not a valid path`);
    expect([path, answer.status, answer.body.errors]).toEqual([path, 422, expect.arrayContaining([{ pointer, detail: fault }])]);
  }
  expect((await api.upload(await picture(), "image/png", bad)).body.errors).toEqual([{ pointer: "?name", detail: fault }]);
  const metadata = { "upload-metadata": `filename ${Buffer.from(bad).toString("base64")}`, "upload-length": "1", "tus-resumable": "1.0.0" };
  expect((await api.call("POST", "uploads", undefined, metadata)).body).toMatchObject({ status: 422, detail: fault });
});

test("[TXT8] a device that sends hidden characters about itself can pair and report; operators read the text clean and limited in length", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const device = await api.newDevice();
  const about = { player_version: bad, hardware: bad.repeat(1_000), timezone: bad, resolution: null };
  const pairing = await call(api.service.url, "POST", "device/pairing-requests", { public_key: device.keys.publicKey, ...about });
  expect(pairing.status).toBe(201);
  device.grant = pairing.body;
  await api.call("POST", "players/pair", { code: device.grant.user_code, name: "Lobby" });
  await device.firstToken();
  const player = async () => (await api.call("GET", `players/${device.playerId}`)).body;
  expect(await player()).toMatchObject({ player_version: "Lobby\ufffdgpj" });
  const problem = { code: "item-load", since: "2026-11-21T12:00:00.000Z", zone_id: null, item_id: null, detail: bad, remedy: bad };
  const reported = {
    ...heartbeat(),
    hardware: bad.repeat(1_000),
    engine: bad,
    variables: { note: bad, "Wi-Fi\u0000": 1 },
    problems: [problem],
  };
  expect((await device.call("POST", "heartbeat", reported)).status).toBe(200);
  const shown = await player();
  expect(shown).toMatchObject({ status: "online", engine: "Lobby\ufffdgpj", reported_variables: { note: "Lobby\ufffdgpj" } });
  expect(shown.hardware).toHaveLength(200);
  expect([findHiddenCharacter(JSON.stringify(shown)), Object.keys(shown.reported_variables)]).toEqual([null, ["note"]]);
  const link = device.socket();
  const first = heartbeat({ engine: `over the socket ${bad}` });
  link.send({ type: "hello", data: { epoch: null, last_seq: 0, revision: null, heartbeat: first } });
  await link.next("welcome");
  expect((await player()).engine).toBe("over the socket Lobby\ufffdgpj");
  const command = (await api.call("POST", `players/${device.playerId}/commands`, { type: "identify" })).body;
  const failed = { status: "failed", result: { log: [`${bad}\n`] }, error: { code: "x", detail: bad.repeat(1_000) } };
  expect((await device.call("POST", `commands/${command.id}/status`, failed)).status).toBe(204);
  const ended = (await api.call("GET", `players/${device.playerId}/commands/${command.id}`)).body;
  expect([ended.result, ended.error.detail.length, findHiddenCharacter(JSON.stringify(ended))]).toEqual([
    { log: ["Lobby\ufffdgpj "] },
    2_000,
    null,
  ]);
});
