// Pairing, operators' tokens and devices' proofs.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createKeyPair, thumbprint, verifyJws } from "../../../../src/base/jws.ts";
import { revocationJwsType, SignedRevocation } from "../../../../src/protocol/device/commands.ts";
import { Player, Problem } from "../../../../src/protocol/operator/resources.ts";
import { PairingGrant, TokenGrant, TokenRefusal } from "../../../../src/protocol/device/messages.ts";
import { generateToken, hashSecret, isWellFormedToken } from "../../../../src/service/people/token-secrets.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { TestService, call, type Device } from "../../harness.ts";
import { openTables } from "../../tables-of.ts";
import { dropAdminToken, isOnPostgres } from "../../test-database.ts";

test("[SPA1] a device gets a code, an operator claims it once, and the device gets its token", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { publicUrl: "https://signs.example" });
  const device = await api.newDevice();
  expect(PairingGrant.parse(device.grant)).toMatchObject({
    user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
    verification_uri: "https://signs.example/claim",
    verification_uri_complete: `https://signs.example/claim?code=${device.grant.user_code}`,
    expires_in: 900,
    interval: 5,
  });
  const pending = await device.askForToken();
  expect([pending.status, TokenRefusal.parse(pending.body).error]).toEqual([400, "authorization_pending"]);

  const typed = device.grant.user_code.toLowerCase().replace("-", " ");
  const claim = await api.call("POST", "players/pair", { code: typed, name: "Lobby" });
  expect(claim.status).toBe(201);
  expect(Player.parse(claim.body)).toMatchObject({ name: "Lobby", status: "offline", layout_id: null, player_version: "1.2.3" });
  expect(claim.headers.get("location")).toBe(`https://signs.example/api/v1/players/${claim.body.id}`);

  const granted = await device.askForToken();
  expect(granted.status).toBe(200);
  expect(TokenGrant.parse(granted.body)).toMatchObject({ player_id: claim.body.id, player_name: "Lobby", expires_in: 3_600 });
  const again = await api.call("POST", "players/pair", { code: device.grant.user_code, name: "Other" });
  expect([again.status, again.body.type]).toEqual([409, "/problems/already-claimed"]);
});

test("[SPA1] a pending token request is answered as soon as the code is claimed", async () => {
  await using folder = await temporaryFolder();
  // It stands still: the 25 seconds never end.
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.newDevice();
  const asked = await askAndWait(device, clock);
  await api.call("POST", "players/pair", { code: device.grant.user_code, name: "Lobby" });
  expect((await asked.answer).status).toBe(200);
});

test("[SPA1] stopping the service ends pending token requests at once", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const api = await TestService.start(folder.path, { clock });
  const device = await api.newDevice();
  const asked = await askAndWait(device, clock);
  await api[Symbol.asyncDispose]();
  expect((await asked.answer).body.error).toBe("authorization_pending");
});

/** Asks for a token, as long as the code is not claimed. Resolves when the service waits. */
async function askAndWait(device: Device, clock: FakeClock) {
  const answer = device.askForToken({ prefer: "wait=25" });
  await expect.poll(() => clock.waitsOf(25_000)).toBe(1);
  return { answer };
}

test("[SPA2] unknown, expired and replaced codes are rejected with 404, malformed ones with 422", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const pair = (code: string) => api.call("POST", "players/pair", { code, name: "x" });
  expect((await pair("BBBB-BBBB")).status).toBe(404);
  const malformed = await pair("WDJB-MJH");
  expect(malformed.status).toBe(422);
  expect(malformed.body.errors[0].pointer).toBe("/code");

  const device = await api.newDevice();
  const first = device.grant.user_code;
  await device.askForCode();
  expect((await pair(first)).status).toBe(404);
  clock.advance(900_001);
  expect((await pair(device.grant.user_code)).status).toBe(404);
  expect((await device.askForToken()).body.error).toBe("expired_token");
});

test("[SPA3] the sixth guess in a minute is rejected with 429 and a Retry-After, even a correct one", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.newDevice();
  const codes = ["BBBBBBBB", "CCCCCCCC", "DDDDDDDD", "FFFFFFFF", "GGGGGGGG"];
  for (const code of codes) expect((await api.call("POST", "players/pair", { code, name: "x" })).status).toBe(404);
  const right = { code: device.grant.user_code, name: "x" };
  const refused = await api.call("POST", "players/pair", right);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBe(60);
  clock.advance(60_001);
  expect((await api.call("POST", "players/pair", right)).status).toBe(201);
});

test("[TOK1] the first start writes a token file that only its owner can read, and stores only the hash", async () => {
  await using folder = await temporaryFolder();
  {
    await using api = await TestService.start(folder.path);
    expect(isWellFormedToken(api.token)).toBe(true);
    expect((await stat(join(folder.path, "admin-token"))).mode & 0o777).toBe(0o600);
    // On PostgreSQL the service's key is in the database.
    if (!isOnPostgres) expect((await stat(join(folder.path, "service-key.json"))).mode & 0o777).toBe(0o600);
    expect((await api.call("GET", "players")).status).toBe(200);
    using database = openTables(folder.path);
    const tokens = database.prepare("SELECT * FROM tokens").all();
    expect(tokens).toHaveLength(1);
    expect(JSON.stringify(tokens)).not.toContain(api.token);
  }
  for (const name of ["state.db", "state.db-wal"]) {
    const bytes = await readFile(join(folder.path, name)).catch(() => Buffer.alloc(0));
    expect(bytes.includes((await readFile(join(folder.path, "admin-token"), "utf8")).trim())).toBe(false);
  }
});

test("[TOK1] a deleted token file is written again with another token; the earlier token stays valid", async () => {
  await using folder = await temporaryFolder();
  let first: string;
  {
    await using api = await TestService.start(folder.path);
    first = api.token;
  }
  await dropAdminToken(folder.path);
  await using api = await TestService.start(folder.path);
  expect(api.token).not.toBe(first);
  expect((await api.call("GET", "players", undefined, { authorization: `Bearer ${first}` })).status).toBe(200);
});

test("[TOK2] a request without a valid token gets a 401 problem that says how to authenticate", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const broken = api.token.slice(0, -1) + (api.token.endsWith("a") ? "b" : "a");
  for (const authorization of ["", "Basic eDp5", `Bearer ${broken}`, `Bearer sgn_pat_${"a".repeat(36)}`]) {
    const answer = await call(api.service.url, "GET", "players", undefined, authorization === "" ? {} : { authorization });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer /);
    expect(Problem.parse(answer.body).request_id).toBe(answer.headers.get("request-id"));
  }
  const device = await api.pairDevice();
  const asOperator = { authorization: `Bearer ${device.access.access_token}` };
  expect((await api.call("GET", "players", undefined, asOperator)).status).toBe(401);
  expect((await api.call("GET", "device/state")).status).toBe(401);
});

test("[TOK2] a token allows only what its scopes allow, and nothing once it has expired or was revoked", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const database = openTables(folder.path);
  const token = generateToken();
  const row = { id: "tok_x", name: "reader", hash: hashSecret(token), scopes: '["players:read"]', created_at: 0 };
  database
    .prepare(
      "INSERT INTO tokens (id, name, hash, scopes, created_at, team_id, user_id) SELECT :id, :name, :hash, :scopes, :created_at, team_id, user_id FROM members",
    )
    .run(row);
  const headers = { authorization: `Bearer ${token}` };
  expect((await api.call("GET", "players", undefined, headers)).status).toBe(200);
  const refused = await api.call("POST", "playlists", { name: "P" }, headers);
  expect([refused.status, refused.body.detail]).toEqual([403, "The token lacks the scope playlists:write"]);
  for (const [column, value] of [
    ["expires_at", 1],
    ["revoked_at", 1],
  ] as const) {
    database.exec(`UPDATE tokens SET expires_at = NULL, revoked_at = NULL WHERE id = 'tok_x'`);
    database.exec(`UPDATE tokens SET ${column} = ${value} WHERE id = 'tok_x'`);
    // The service notices a change by another program within a second.
    await expect.poll(async () => (await api.call("GET", "players", undefined, headers)).status).toBe(401);
  }
  database.close();
});

test("[DEV1] a device gets a token only for a proof signed with its key over an unused nonce", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice();
  expect((await device.renew()).status).toBe(200);
  expect((await device.renew(createKeyPair())).body.error).toBe("invalid_grant");

  const grant_type = "urn:signage:device-key";
  const ask = (proof: string) => call(device.url, "POST", "device/token", { grant_type, player_id: device.playerId, proof });
  const proof = await device.proof(device.playerId);
  expect((await ask(proof)).status).toBe(200);
  expect((await ask(proof)).body.error).toBe("invalid_grant");
  expect((await ask(await device.proof("plr_other"))).body.error).toBe("invalid_grant");
  const stale = await device.proof(device.playerId);
  clock.advance(60_001);
  expect((await ask(stale)).body.error).toBe("invalid_grant");
});

test("[DEV1] a device's token expires after an hour", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice();
  expect((await device.call("GET", "state")).status).toBe(200);
  clock.advance(3_600_001);
  expect((await device.call("GET", "state")).status).toBe(401);
});

test("[DEV2] a deleted player's device always gets a revocation signed with the pinned key", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const device = await api.pairDevice();
  expect((await api.call("DELETE", `players/${device.playerId}`)).status).toBe(204);
  expect((await api.call("GET", `players/${device.playerId}`)).status).toBe(404);
  expect((await device.call("GET", "state")).status).toBe(401);
  const answer = await device.renew();
  expect([answer.status, answer.body.error]).toEqual([400, "access_denied"]);
  const payload = SignedRevocation.parse(await verifyJws(revocationJwsType, answer.body.revocation, device.access.service_key));
  expect(payload).toMatchObject({ sub: thumbprint(device.keys.publicKey), player_id: device.playerId });
  expect((await device.renew(createKeyPair())).body.revocation).toBeUndefined();

  await device.askForCode();
  const claim = await api.call("POST", "players/pair", { code: device.grant.user_code, name: "Again" });
  expect(claim.status).toBe(201);
  expect((await device.firstToken()).player_id).toBe(claim.body.id);
});

test("[SRV1] a device stays paired after a restart, with the same service key", async () => {
  await using folder = await temporaryFolder();
  await using first = await TestService.start(folder.path);
  const device = await first.pairDevice("Lobby");
  const { access } = device;
  await first[Symbol.asyncDispose]();
  await using second = await TestService.start(folder.path);
  const reconnected = Object.assign(Object.create(Object.getPrototypeOf(device)), device, { url: second.service.url });
  expect((await reconnected.call("GET", "state")).status).toBe(200);
  expect((await reconnected.renew()).body).toMatchObject({ player_name: "Lobby", service_key: access.service_key });
});

test("[SRV1] only one service at a time can use a data folder", async () => {
  await using folder = await temporaryFolder();
  await using _first = await TestService.start(folder.path);
  await expect(TestService.start(folder.path)).rejects.toMatchObject({ code: "data-in-use" });
});

test("[RST6] the token of a replaced device is rejected at once, and the newest device has the player", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const old = await api.pairDevice("Lobby");
  const newest = await api.newDevice();
  const token = newest.askForToken({ prefer: "wait=25" });
  expect((await api.call("POST", `players/${old.playerId}/replace`, { code: newest.grant.user_code })).status).toBe(200);
  newest.access = (await token).body;
  const stateOf = async (device: Device) => (await device.call("GET", "state")).status;
  expect([await stateOf(old), await old.socket().closed]).toEqual([401, 4401]);
  expect([await stateOf(newest), newest.playerId]).toEqual([200, old.playerId]);
});
