// Restoring players and schedules from the bin, and replacing a player's device.
import { expect, test } from "vitest";
import { thumbprint, verifyJws } from "../../../src/base/jws.ts";
import { revocationJwsType, SignedCommand, SignedRevocation } from "../../../src/protocol/device/commands.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, blobsIn, heartbeat, picture, type ApiResponse, type Device } from "../harness.ts";
import { createOtherTeam, owner, createTokenFor } from "../people/people.ts";
import { openTables } from "../tables-of.ts";

const day = 86_400_000;
const ids = (answer: ApiResponse): string[] => answer.body.data.map(({ id }: { id: string }) => id);
const problem = (answer: ApiResponse): unknown[] => [answer.status, answer.body.type];
const unknownPlayer = "plr_01jd3v8q6m9x2k4n7r5t1w0yzh";

/** Creates a schedule of `layoutId` for one player. */
async function createSchedule(api: TestService, playerId: string, layoutId: string, name: string): Promise<string> {
  const about = { name, layout_id: layoutId, target: { type: "player", player_id: playerId }, starts_at: "2026-11-01T00:00" };
  const answer = await api.call("POST", "schedules", about);
  expect(answer.status).toBe(201);
  return answer.body.id;
}

async function replaceDevice(api: TestService, playerId: string, code: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
  return api.call("POST", `players/${playerId}/replace`, { code }, headers);
}

/** Requests a token as a revoked device. @returns the content of the signed revocation. */
async function revocationOf(device: Device): Promise<unknown> {
  const answer = await device.renew();
  expect([answer.status, answer.body.error]).toEqual([400, "access_denied"]);
  return SignedRevocation.parse(await verifyJws(revocationJwsType, answer.body.revocation, device.access.service_key));
}

test("[RST1] a deleted player can be restored from the bin with its layout, tags, settings, schedules and history", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const device = await api.pairDevice("Lobby");
  const path = `players/${device.playerId}`;
  const { layout } = await api.showPicture(device);
  const schedule = await createSchedule(api, device.playerId, layout.id, "Evening");
  const earlier = await createSchedule(api, device.playerId, layout.id, "Deleted before");
  await api.call("DELETE", `schedules/${earlier}`);
  await api.call("PATCH", path, { tags: ["hall"], variables: { door: true }, orientation: "portrait" });
  await device.call("POST", "heartbeat", heartbeat());
  await device.putScreenshot("shot_01jd3v8q6m9x2k4n7r5t1w0yzh", await picture());
  // As lists and changes show it: without what the device is able to do and has measured.
  const { capabilities: _, telemetry: __, ...before } = (await api.call("GET", path)).body;
  const state = (await device.call("GET", "state")).body;

  expect((await api.call("DELETE", path)).status).toBe(204);
  for (const [method, at, body] of [
    ["GET", path],
    ["PATCH", path, { name: "N" }],
    ["DELETE", path],
    ["GET", `${path}/now`],
    ["GET", `${path}/screenshots`],
    ["GET", "screenshots/shot_01jd3v8q6m9x2k4n7r5t1w0yzh"],
    ["GET", `schedules/${schedule}`],
  ] as const) {
    expect([method, at, (await api.call(method, at, body)).status]).toEqual([method, at, 404]);
  }
  expect(ids(await api.call("GET", "players"))).toEqual([]);
  expect(ids(await api.call("GET", "players?tag=hall"))).toEqual([]);
  expect(ids(await api.call("GET", "schedules"))).toEqual([]);
  const bin = await api.call("GET", "players?deleted=true&q=lob&tag=hall");
  expect(bin.body.data).toMatchObject([{ id: device.playerId, status: "offline", tags: ["hall"], layout_id: layout.id }]);
  expect(Date.parse(bin.body.data[0].deleted_at)).toBeGreaterThan(0);
  // The content of a player in the bin can be deleted.
  expect((await api.call("DELETE", `layouts/${layout.id}`)).status).toBe(204);

  const restored = await api.call("POST", `${path}/restore`);
  expect([restored.status, restored.body]).toEqual([
    200,
    {
      ...before,
      // There was no heartbeat since.
      status: "offline",
      in_sync: null,
      problems: [expect.objectContaining({ code: "offline" })],
      updated_at: restored.body.updated_at,
      desired_revision: restored.body.desired_revision,
    },
  ]);
  expect(restored.body.deleted_at).toBe(null);
  expect((await api.call("POST", `${path}/restore`)).body).toEqual(restored.body);
  expect(ids(await api.call("GET", "players?tag=hall"))).toEqual([device.playerId]);
  expect(ids(await api.call("GET", "schedules"))).toEqual([schedule]);
  expect(ids(await api.call("GET", "schedules?deleted=true"))).toEqual([earlier]);
  expect(ids(await api.call("GET", `${path}/screenshots`))).toEqual(["shot_01jd3v8q6m9x2k4n7r5t1w0yzh"]);
  expect((await api.call("GET", `${path}/heartbeats`)).body.data).toHaveLength(1);
  expect((await api.call("POST", `players/${unknownPlayer}/restore`)).status).toBe(404);
  // A device that was offline meanwhile continues without noticing.
  expect((await device.renew()).status).toBe(200);
  const after = (await device.call("GET", "state")).body;
  expect({ ...after, revision: "" }).toEqual({ ...state, revision: "" });
});

test("[RST2] a deleted schedule goes to the bin and can be restored with its layout, but not before its player", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const device = await api.pairDevice();
  const { layout } = await api.showPicture(device);
  await api.call("PATCH", `players/${device.playerId}`, { layout_id: null });
  const id = await createSchedule(api, device.playerId, layout.id, "Evening");
  const before = (await api.call("GET", `schedules/${id}`)).body;
  const link = await device.connect();
  expect((await api.call("DELETE", `schedules/${id}`)).status).toBe(204);
  await link.next("state.changed");
  expect((await device.call("GET", "state")).body).toMatchObject({ schedules: [], layouts: [], assets: [] });
  for (const [method, body] of [["GET"], ["PATCH", { priority: 1 }], ["DELETE"]] as const) {
    expect((await api.call(method, `schedules/${id}`, body)).status).toBe(404);
  }
  expect((await api.call("GET", "schedules?deleted=true&q=even")).body.data).toMatchObject([{ id, name: "Evening" }]);
  expect((await api.call("DELETE", `layouts/${layout.id}`)).status).toBe(204);

  const restored = await api.call("POST", `schedules/${id}/restore`);
  expect([restored.status, restored.body]).toEqual([200, { ...before, updated_at: restored.body.updated_at }]);
  expect((await api.call("GET", `layouts/${layout.id}`)).status).toBe(200);
  expect((await api.call("POST", `schedules/${id}/restore`)).body).toEqual(restored.body);
  await link.next("state.changed");
  expect((await device.call("GET", "state")).body.schedules).toMatchObject([{ id, name: "Evening" }]);
  link.socket.close();
  await link.closed;

  await api.call("DELETE", `players/${device.playerId}`);
  expect(problem(await api.call("POST", `schedules/${id}/restore`))).toEqual([409, "/problems/in-use"]);
  await api.call("POST", `players/${device.playerId}/restore`);
  expect((await api.call("GET", `schedules/${id}`)).status).toBe(200);
  // A schedule cannot be restored once it or its layout was permanently deleted.
  expect((await api.call("DELETE", `schedules/${id}?permanent=true`)).status).toBe(204);
  expect((await api.call("POST", `schedules/${id}/restore`)).status).toBe(404);
  const other = await createSchedule(api, device.playerId, layout.id, "Late");
  await api.call("DELETE", `schedules/${other}`);
  await api.call("DELETE", `layouts/${layout.id}?permanent=true`);
  expect(ids(await api.call("GET", "schedules?deleted=true"))).toEqual([]);
});

test("[RST3] after thirty days, or on permanent deletion, a player's data and schedules are removed; its device still gets a revocation", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice();
  const { layout } = await api.showPicture(device);
  const schedule = await createSchedule(api, device.playerId, layout.id, "Evening");
  await device.putScreenshot("shot_01jd3v8q6m9x2k4n7r5t1w0yzh", await picture("png", 32));
  const files = (await blobsIn(folder.path)).length;
  await api.call("DELETE", `players/${device.playerId}`);
  clock.advance(30 * day - 3_600_000);
  expect(ids(await api.call("GET", "players?deleted=true"))).toEqual([device.playerId]);
  expect(ids(await api.call("GET", "schedules?deleted=true"))).toEqual([schedule]);
  clock.advance(2 * 3_600_000);
  await expect.poll(async () => ids(await api.call("GET", "players?deleted=true"))).toEqual([]);
  expect(ids(await api.call("GET", "schedules?deleted=true"))).toEqual([]);
  expect((await api.call("POST", `players/${device.playerId}/restore`)).status).toBe(404);
  await expect.poll(async () => (await blobsIn(folder.path)).length).toBe(files - 1);
  expect(await revocationOf(device)).toMatchObject({ sub: thumbprint(device.keys.publicKey), player_id: device.playerId });

  const other = await api.pairDevice();
  expect((await api.call("DELETE", `players/${other.playerId}?permanent=true`)).status).toBe(204);
  expect((await api.call("POST", `players/${other.playerId}/restore`)).status).toBe(404);
  expect(await revocationOf(other)).toMatchObject({ player_id: other.playerId });
  const third = await api.pairDevice();
  await api.call("DELETE", `players/${third.playerId}`);
  expect((await api.call("DELETE", `players/${third.playerId}?permanent=true`)).status).toBe(204);
  expect(ids(await api.call("GET", "players?deleted=true"))).toEqual([]);
});

test("[RST4] events and the audit log record every deletion and restore", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const device = await api.pairDevice("Lobby");
  const { layout } = await api.showPicture(device);
  const schedule = await createSchedule(api, device.playerId, layout.id, "Evening");
  await api.call("DELETE", `players/${device.playerId}`);
  await api.call("POST", `players/${device.playerId}/restore`);
  const newDevice = await api.newDevice();
  expect((await replaceDevice(api, device.playerId, newDevice.grant.user_code)).status).toBe(200);
  await api.call("DELETE", `schedules/${schedule}`);
  await api.call("POST", `schedules/${schedule}/restore`);
  const audit = (await api.call("GET", "audit?limit=5")).body.data;
  expect(audit.map((entry: { action: string; resource_id: string }) => [entry.action, entry.resource_id])).toEqual([
    ["restoreSchedule", schedule],
    ["deleteSchedule", schedule],
    ["replacePlayer", device.playerId],
    ["restorePlayer", device.playerId],
    ["deletePlayer", device.playerId],
  ]);
  using store = openTables(folder.path);
  const rows = store.prepare("SELECT type, data FROM events ORDER BY seq").all();
  const recorded = rows
    .slice(rows.findIndex(({ type }) => type === "player.removed"))
    // The thumbnail of the picture is made in the background, at any time.
    .filter(({ type }) => type !== "asset.updated")
    .map(({ type, data }) => [type, JSON.parse(String(data))]);
  const player = { player_id: device.playerId, name: "Lobby" };
  expect(recorded).toMatchObject([
    ["player.removed", player],
    ["schedule.deleted", { schedule_id: schedule }],
    ["player.restored", player],
    ["schedule.restored", { schedule_id: schedule }],
    ["player.replaced", player],
    ["schedule.deleted", { schedule_id: schedule }],
    ["schedule.restored", { schedule_id: schedule }],
  ]);
});

test("[RST5] replacing a device keeps assignments, schedules and history; the old one's commands are cancelled, and it gets a signed revocation", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const old = await api.pairDevice("Lobby");
  const path = `players/${old.playerId}`;
  const { layout } = await api.showPicture(old);
  const schedule = await createSchedule(api, old.playerId, layout.id, "Evening");
  const link = await old.connect();
  await api.call("POST", `${path}/commands`, { type: "reload" });
  const command = (await link.next("command")).data.command;
  const before = (await api.call("GET", path)).body;
  const newDevice = await api.newDevice();
  const pending = newDevice.askForToken({ prefer: "wait=25" });
  const replaced = await replaceDevice(api, old.playerId, newDevice.grant.user_code);
  expect(replaced.status).toBe(200);
  expect(replaced.body).toMatchObject({ id: old.playerId, name: "Lobby", layout_id: layout.id, created_at: before.created_at });
  // The status of the old device does not apply to the new one.
  expect(replaced.body).toMatchObject({ last_seen_at: null, applied_revision: null, in_sync: null });

  const { revocation } = (await link.next("revoked")).data;
  expect(await link.closed).toBe(4403);
  const payload = SignedRevocation.parse(await verifyJws(revocationJwsType, revocation, old.access.service_key));
  expect(payload).toMatchObject({ sub: thumbprint(old.keys.publicKey), player_id: old.playerId });
  newDevice.access = (await pending).body;
  expect(newDevice.playerId).toBe(old.playerId);
  expect((await old.call("GET", "state")).status).toBe(401);
  expect(await old.socket().closed).toBe(4401);
  expect(await revocationOf(old)).toMatchObject({ sub: thumbprint(old.keys.publicKey), player_id: old.playerId });
  // Its claimed pairing code yields no token either.
  expect((await old.askForToken()).body.error).toBe("access_denied");

  expect((await newDevice.renew()).status).toBe(200);
  const state = (await newDevice.call("GET", "state")).body;
  expect([state.player.id, state.layout.id, state.schedules[0].id]).toEqual([old.playerId, layout.id, schedule]);
  const answer = (await newDevice.call("POST", "heartbeat", heartbeat())).body;
  expect(answer.commands).toEqual([]);
  const [called] = (await api.call("GET", `${path}/commands`)).body.data;
  expect(called.status).toBe("cancelled");
  expect(SignedCommand.parse(await verifyJws("signage-command+jws", command, old.access.service_key)).sub).toBe(
    thumbprint(old.keys.publicKey),
  );
  await api.call("POST", `${path}/commands`, { type: "reload" });
  const fresh = (await newDevice.call("POST", "heartbeat", heartbeat())).body.commands[0];
  expect(SignedCommand.parse(await verifyJws("signage-command+jws", fresh, newDevice.access.service_key)).sub).toBe(
    thumbprint(newDevice.keys.publicKey),
  );
});

test("[RST6] when devices are swapped several times only the newest is valid; a former device of a deleted player still gets a revocation", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const one = await api.pairDevice();
  const id = one.playerId;
  const two = await api.newDevice();
  await replaceDevice(api, id, two.grant.user_code);
  await two.firstToken();
  await revocationOf(one);
  await one.askForCode();
  expect((await replaceDevice(api, id, one.grant.user_code)).status).toBe(200);
  await one.firstToken();
  expect((await one.renew()).status).toBe(200);
  expect(await revocationOf(two)).toMatchObject({ sub: thumbprint(two.keys.publicKey), player_id: id });
  await api.call("DELETE", `players/${id}`);
  expect(await revocationOf(two)).toMatchObject({ sub: thumbprint(two.keys.publicKey) });
  expect(await revocationOf(one)).toMatchObject({ sub: thumbprint(one.keys.publicKey) });
  // A revoked device can be used again for the restored player, with the same key.
  await api.call("POST", `players/${id}/restore`);
  await one.askForCode();
  expect((await replaceDevice(api, id, one.grant.user_code)).status).toBe(200);
  expect((await one.firstToken()).player_id).toBe(id);
  expect((await one.renew()).status).toBe(200);
});

test("[RST7] a replacement rejects unknown, expired and used codes, repeated guesses, other teams' players and tokens without the scope", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const { playerId } = await api.pairDevice();
  const newDevice = await api.newDevice();
  const code = newDevice.grant.user_code;
  expect(problem(await replaceDevice(api, unknownPlayer, code))).toEqual([404, "/problems/not-found"]);
  const first = await owner(api);
  const reader = await createTokenFor(api, first, ["players:read"]);
  expect((await replaceDevice(api, playerId, code, { authorization: reader.authorization })).status).toBe(403);
  const stranger = await createOtherTeam(api);
  const foreign = await replaceDevice(api, playerId, code, { authorization: stranger.authorization });
  expect(problem(foreign)).toEqual([404, "/problems/not-found"]);
  const malformed = await replaceDevice(api, playerId, "WDJB");
  expect([malformed.status, malformed.body.errors[0].pointer]).toEqual([422, "/code"]);
  expect((await replaceDevice(api, playerId, code)).status).toBe(200);
  expect(problem(await replaceDevice(api, playerId, code))).toEqual([409, "/problems/already-claimed"]);
  expect(problem(await api.call("POST", "players/pair", { code, name: "x" }))).toEqual([409, "/problems/already-claimed"]);
  const late = await api.newDevice();
  clock.advance(900_001);
  expect(problem(await replaceDevice(api, playerId, late.grant.user_code))).toEqual([404, "/problems/unknown-code"]);
  // Guesses of replacements and of pairings are counted together.
  for (const wrong of ["BBBBBBBB", "CCCCCCCC"]) expect((await replaceDevice(api, playerId, wrong)).status).toBe(404);
  for (const wrong of ["DDDDDDDD", "FFFFFFFF"]) {
    expect((await api.call("POST", "players/pair", { code: wrong, name: "x" })).status).toBe(404);
  }
  await late.askForCode();
  expect((await replaceDevice(api, playerId, late.grant.user_code)).status).toBe(429);
  clock.advance(60_001);
  expect((await replaceDevice(api, playerId, late.grant.user_code)).status).toBe(200);
  await api.call("DELETE", `players/${playerId}`);
  await late.askForCode();
  expect((await replaceDevice(api, playerId, late.grant.user_code)).status).toBe(404);
});
