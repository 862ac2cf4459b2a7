// A player trusts only these: the pinned key, documents for this player only, and tokens that have not expired.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createKeyPair, signJws, thumbprint } from "../../../src/base/jws.ts";
import { silentLog } from "../../../src/base/log.ts";
import { AccessTokens, isValidRevocation } from "../../../src/player/link/access.ts";
import { DesiredStateStore } from "../../../src/player/content/desired-state-store.ts";
import { Identity } from "../../../src/player/pairing/identity.ts";
import { ServiceApi } from "../../../src/player/link/service-api.ts";
import { commandJwsType, revocationJwsType } from "../../../src/protocol/device/commands.ts";
import type { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { desiredOf, newId } from "../../support/states.ts";

const pinned = createKeyPair();
const foreign = createKeyPair();
const playerId = newId("plr");
const signal = new AbortController().signal;

/** A service that issues tokens of ten minutes with `key`, or the error that a test sets, and serves the state that a test sets. */
async function startFakeService() {
  const at = {
    key: pinned.publicKey,
    refusal: null as object | null,
    /** With it any request is answered, by a page that is no answer of the service. */
    foreignStatus: null as number | null,
    state: null as DesiredState | null,
    tokens: 0,
    asked: 0,
  };
  const server = createServer(({ url }, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (at.foreignStatus !== null) {
      response.writeHead(at.foreignStatus, { "content-type": "text/html" }).end("<h1>No</h1>");
      return;
    }
    if (url!.endsWith("/nonce")) return answer(201, { nonce: "n", expires_in: 60 });
    if (url!.endsWith("/state")) {
      at.asked += 1;
      return answer(200, at.state!);
    }
    if (at.refusal !== null) return answer(400, at.refusal);
    const access_token = `token ${++at.tokens}`;
    answer(200, { access_token, token_type: "Bearer", expires_in: 600, player_id: playerId, player_name: "Lobby", service_key: at.key });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const end = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return { at, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, [Symbol.asyncDispose]: end };
}

/** A newly started player with this folder, paired with the pinned key. */
async function openPlayer(folder: string, url: string, clock = new FakeClock()) {
  const identity = await Identity.open(folder, silentLog);
  if (identity.pairing === null) await identity.pair({ server: url, playerId, playerName: "Lobby", serviceKey: pinned.publicKey });
  // Use the pairing that is stored, not the one in memory.
  const { pairing } = await Identity.open(folder, silentLog);
  const api = new ServiceApi(() => url);
  return { identity, pairing, api, clock, access: new AccessTokens(api, identity, pairing!, clock) };
}

test("[TRU1] the player does not use the token of a service with another key than the pinned one, even after restarts, and keeps its pin", async () => {
  await using folder = await temporaryFolder();
  await using service = await startFakeService();
  const first = await openPlayer(folder.path, service.url);
  await using _first = first.api;
  expect(await first.access.token(signal)).toBe("token 1");
  service.at.key = foreign.publicKey;
  for (let start = 0; start < 2; start += 1) {
    const { access, api, pairing } = await openPlayer(folder.path, service.url);
    await using _api = api;
    await expect(access.withToken(signal, (token) => api.state(token, null, signal))).rejects.toMatchObject({ code: "signature" });
    expect(pairing!.serviceKey).toBe(pinned.publicKey);
  }
  expect(service.at.asked).toBe(0);
  service.at.key = pinned.publicKey;
  const back = await openPlayer(folder.path, service.url);
  await using _back = back.api;
  expect(await back.access.token(signal)).toMatch(/^token/);
});

test.each([
  ["signed by another key", { keys: foreign }],
  ["of another device", { sub: thumbprint(foreign.publicKey) }],
  ["of another player on this device", { player: newId("plr") }],
  ["that is a command", { typ: commandJwsType }],
])("[TRU2] a revocation %s has no effect, whether it arrives as a message or with a rejected token request", async (_which, about) => {
  await using folder = await temporaryFolder();
  await using service = await startFakeService();
  const { access, api, identity, pairing } = await openPlayer(folder.path, service.url);
  await using _api = api;
  const sign = ({ keys = pinned, sub = identity.thumbprint, player = playerId, typ = revocationJwsType }) =>
    signJws(typ, { sub, jti: newId("evt"), player_id: player, iat: 1_700_000_000 }, keys);
  const refusal = (revocation: string) => ({ error: "invalid_grant", error_description: "gone", revocation });
  expect(await isValidRevocation(await sign(about), identity, pairing!, silentLog)).toBe(false);
  service.at.refusal = refusal(await sign(about));
  await expect(access.token(signal)).rejects.toMatchObject({ code: "signature" });
  // The valid revocation for this player works both ways.
  expect(await isValidRevocation(await sign({}), identity, pairing!, silentLog)).toBe(true);
  service.at.refusal = refusal(await sign({}));
  await expect(access.token(signal)).rejects.toMatchObject({ code: "revoked" });
});

test.each([401, 403, 404, 410, 500])(
  "[TRB2] status %i without a signed revocation is none, for a token and for the state",
  async (status) => {
    await using folder = await temporaryFolder();
    await using service = await startFakeService();
    const { access, api, identity } = await openPlayer(folder.path, service.url);
    await using _api = api;
    const faults: unknown[] = [];
    const fails = (work: Promise<unknown>) =>
      work.then(
        () => faults.push("none"),
        (error: unknown) => faults.push((error as { code?: unknown }).code),
      );
    service.at.foreignStatus = status;
    await fails(access.token(signal));
    service.at.foreignStatus = null;
    await access.token(signal);
    service.at.foreignStatus = status;
    await fails(access.withToken(signal, (token) => api.state(token, null, signal)));
    expect(faults).toHaveLength(2);
    expect(faults).not.toContain("none");
    expect(faults).not.toContain("revoked");
    expect((await Identity.open(folder.path, silentLog)).pairing).toEqual(identity.pairing);
  },
);

test("[TRU3] the state of another player is not accepted, stored or shown at the next start", async () => {
  await using folder = await temporaryFolder();
  await using service = await startFakeService();
  const { access, api, clock } = await openPlayer(folder.path, service.url);
  await using _api = api;
  const own = { ...desiredOf([], [], "own"), player: { ...desiredOf([], []).player, id: playerId } };
  service.at.state = desiredOf([], [], "foreign");
  const state = await DesiredStateStore.open(folder.path, playerId, silentLog);
  const stop = new AbortController();
  const running = state.run(api, access, clock, stop.signal);
  await eventually(() => service.at.asked === 1 && clock.pendingWaits === 1);
  expect(state.current.value).toBeNull();
  expect((await DesiredStateStore.open(folder.path, service.at.state.player.id, silentLog)).current.value).toBeNull();
  service.at.state = own;
  clock.advance(60_000);
  await eventually(() => state.current.value !== null);
  expect(state.current.value!.revision).toBe("own");
  stop.abort();
  await expect(running).rejects.toMatchObject({ name: "AbortError" });
  expect((await DesiredStateStore.open(folder.path, playerId, silentLog)).current.value?.revision).toBe("own");
  expect((await DesiredStateStore.open(folder.path, newId("plr"), silentLog)).current.value).toBeNull();
});

test("[TRU4] a token is renewed when a sixth of its life is left, by the monotonic clock", async () => {
  await using folder = await temporaryFolder();
  await using service = await startFakeService();
  const { access, api, clock } = await openPlayer(folder.path, service.url);
  await using _api = api;
  expect(await access.token(signal)).toBe("token 1");
  clock.advance(499_000);
  // Steps of the wall clock do not change a token's age.
  clock.step(86_400_000);
  expect(await access.token(signal)).toBe("token 1");
  clock.step(-2 * 86_400_000);
  clock.advance(1_001);
  const used: string[] = [];
  await access.withToken(signal, async (token) => void used.push(token));
  expect([used, service.at.tokens]).toEqual([["token 2"], 2]);
});
