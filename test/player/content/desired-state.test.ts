// The store of the desired state, with a real file and a service whose responses a test sets.
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createKeyPair } from "../../../src/base/jws.ts";
import { silentLog } from "../../../src/base/log.ts";
import { DesiredStateStore } from "../../../src/player/content/desired-state-store.ts";
import { AccessTokens } from "../../../src/player/link/access.ts";
import { ServiceApi } from "../../../src/player/link/service-api.ts";
import { Identity } from "../../../src/player/pairing/identity.ts";
import type { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { parseMessage, ServiceMessage } from "../../../src/protocol/device/messages.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { desiredOf, newId } from "../../support/states.ts";

const key = createKeyPair().publicKey;
const states = ["r1", "r2"].map((revision) => ({ ...desiredOf([], [], revision) }));
const playerId = states[0]!.player.id;
const [r1, r2] = states.map((state) => ({ ...state, player: states[0]!.player })) as [DesiredState, DesiredState];

/** A service with one state; null: it fails. */
async function startFakeService(state: DesiredState | null) {
  const seen = { state, requests: [] as (string | undefined)[] };
  const server = createServer((request, response) => {
    const respond = (status: number, body?: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(body && JSON.stringify(body));
    };
    if (request.url!.endsWith("/nonce")) return respond(201, { nonce: "n", expires_in: 60 });
    if (request.url!.endsWith("/token")) {
      const player = { player_id: playerId, player_name: "Lobby" };
      return respond(200, { access_token: "t", token_type: "Bearer", expires_in: 86_400, ...player, service_key: key });
    }
    const etag = request.headers["if-none-match"];
    seen.requests.push(etag);
    if (seen.state === null) return respond(503, { detail: "down" });
    if (etag === `"${seen.state.revision}"`) return respond(304);
    respond(200, seen.state);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const end = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, [Symbol.asyncDispose]: end };
}

/** Opens the store in `folder` and lets it fetch. */
async function follow(folder: string, url: string) {
  const cleanup = new AsyncDisposableStack();
  const clock = new FakeClock();
  const api = cleanup.use(new ServiceApi(() => url));
  const identity = await Identity.open(folder, silentLog);
  const tokens = new AccessTokens(api, identity, { server: url, playerId, playerName: "Lobby", serviceKey: key }, clock);
  const store = await DesiredStateStore.open(folder, playerId, silentLog);
  const stop = new AbortController();
  const running = store.run(api, tokens, clock, stop.signal).catch((error: unknown) => error);
  cleanup.defer(async () => {
    stop.abort();
    await running;
  });
  return { store, clock, [Symbol.asyncDispose]: () => cleanup.disposeAsync() };
}

test("[WIR12] the desired state is fetched at the start, and again as soon as the service names another revision", async () => {
  await using folder = await temporaryFolder();
  await using service = await startFakeService(r1);
  {
    await using first = await follow(folder.path, service.url);
    await eventually(() => first.store.current.value?.revision === "r1");
    await eventually(() => first.clock.pendingWaits === 1);
    first.store.hear("r1", null);
    expect(first.clock.pendingWaits).toBe(1);
    service.seen.state = r2;
    first.store.hear("r2", null);
    await eventually(() => first.store.current.value?.revision === "r2");
    expect(service.seen.requests).toEqual([undefined, '"r1"']);
  }
  // The next start has the newest state before it asks, and asks for changes only.
  await using second = await follow(folder.path, service.url);
  expect(second.store.current.value).toEqual(r2);
  await eventually(() => service.seen.requests.length === 3);
  expect(service.seen.requests[2]).toBe('"r2"');
});

test("[WIR13] the player polls every five minutes and so finds a change whose notification was lost", async () => {
  await using folder = await temporaryFolder();
  await using service = await startFakeService(r1);
  await using followed = await follow(folder.path, service.url);
  const { store, clock } = followed;
  await eventually(() => store.current.value?.revision === "r1" && clock.pendingWaits === 1);
  service.seen.state = r2;
  clock.advance(239_000);
  expect(clock.pendingWaits).toBe(1);
  clock.advance(121_000);
  await eventually(() => store.current.value?.revision === "r2");
});

test("[WIR14] while the service fails the stored state is kept, and the fetch is retried within a minute", async () => {
  await using folder = await temporaryFolder();
  await using service = await startFakeService(r1);
  {
    await using first = await follow(folder.path, service.url);
    await eventually(() => first.store.current.value?.revision === "r1");
  }
  service.seen.state = null;
  await using second = await follow(folder.path, service.url);
  const { store, clock } = second;
  await eventually(() => service.seen.requests.length === 2 && clock.pendingWaits === 1);
  expect(store.current.value).toEqual(r1);
  service.seen.state = r2;
  clock.advance(60_000);
  await eventually(() => store.current.value?.revision === "r2");
});

test("[WIR15] a damaged stored state counts as none, and after a revocation none is left", async () => {
  await using folder = await temporaryFolder();
  await using service = await startFakeService(r1);
  const path = join(folder.path, "desired.json");
  {
    await using first = await follow(folder.path, service.url);
    await eventually(() => first.store.current.value?.revision === "r1");
  }
  const text = await readFile(path, "utf8");
  await writeFile(path, text.slice(0, -20));
  const damaged = await DesiredStateStore.open(folder.path, playerId, silentLog);
  expect(damaged.current.value).toBeNull();
  await using again = await follow(folder.path, service.url);
  await eventually(() => again.store.current.value?.revision === "r1");
  await again.store.purge();
  expect(again.store.current.value).toBeNull();
  expect((await DesiredStateStore.open(folder.path, playerId, silentLog)).current.value).toBeNull();
});

test("[WIR23] a state that the service sends with the hint that it has changed is kept without a fetch", async () => {
  await using folder = await temporaryFolder();
  await using service = await startFakeService(r1);
  await using followed = await follow(folder.path, service.url);
  const { store, clock } = followed;
  await eventually(() => store.current.value?.revision === "r1" && clock.pendingWaits === 1);
  store.hear("r2", r2);
  await eventually(() => store.current.value?.revision === "r2");
  expect((await DesiredStateStore.open(folder.path, playerId, silentLog)).current.value).toEqual(r2);
  expect(service.seen.requests).toHaveLength(1);
  // It polls on as if it had fetched.
  await eventually(() => clock.pendingWaits === 1);
  clock.advance(239_000);
  expect(service.seen.requests).toHaveLength(1);
  service.seen.state = r2;
  clock.advance(121_000);
  await eventually(() => service.seen.requests.length === 2);
});

test.each([
  ["another one than that of the hint", { ...r2, revision: "r3" }],
  ["for another player", { ...r2, player: { ...r2.player, id: newId("plr") } }],
])("[WIR24] a sent state that is %s is not kept, and that of the hint is fetched", async (_, sent) => {
  await using folder = await temporaryFolder();
  await using service = await startFakeService(r1);
  await using followed = await follow(folder.path, service.url);
  const { store, clock } = followed;
  await eventually(() => store.current.value?.revision === "r1" && clock.pendingWaits === 1);
  const seen: (string | undefined)[] = [];
  store.current.watch((state) => seen.push(state?.revision), new AbortController().signal);
  service.seen.state = r2;
  store.hear("r2", sent);
  await eventually(() => store.current.value?.revision === "r2");
  expect(seen).not.toContain("r3");
  expect(store.current.value?.player.id).toBe(playerId);
  expect(service.seen.requests).toHaveLength(2);
});

test("[WIR24] a state that the service sends while a fetch runs is not kept: another fetch follows", async () => {
  await using folder = await temporaryFolder();
  await using service = await startFakeService(r1);
  await using followed = await follow(folder.path, service.url);
  const { store } = followed;
  store.hear("r2", r2);
  await eventually(() => service.seen.requests.length === 2);
  expect(store.current.value?.revision).toBe("r1");
});

test("[WIR23] of states that are sent while one is stored the last one is kept", async () => {
  await using folder = await temporaryFolder();
  await using service = await startFakeService(r1);
  await using followed = await follow(folder.path, service.url);
  const { store, clock } = followed;
  await eventually(() => store.current.value?.revision === "r1" && clock.pendingWaits === 1);
  for (let at = 0; at < 20; at += 1) {
    store.hear(`s${at}`, { ...r2, revision: `s${at}` });
    await new Promise((resolve) => setImmediate(resolve));
  }
  await eventually(() => store.current.value?.revision === "s19" && clock.pendingWaits === 1);
  expect((await DesiredStateStore.open(folder.path, playerId, silentLog)).current.value?.revision).toBe("s19");
  expect(service.seen.requests).toHaveLength(1);
});

test("[WIR23] a change that is taken back while its state is stored is taken back", async () => {
  await using folder = await temporaryFolder();
  await using service = await startFakeService(r1);
  await using followed = await follow(folder.path, service.url);
  const { store, clock } = followed;
  await eventually(() => store.current.value?.revision === "r1" && clock.pendingWaits === 1);
  store.hear("r2", r2);
  // By then the store has taken it, and writes it.
  await new Promise((resolve) => setImmediate(resolve));
  expect(store.current.value?.revision).toBe("r1");
  store.hear("r1", r1);
  await eventually(() => clock.pendingWaits === 1);
  expect(store.current.value?.revision).toBe("r1");
  expect((await DesiredStateStore.open(folder.path, playerId, silentLog)).current.value?.revision).toBe("r1");
});

test("[WIR24] a sent state that cannot be read counts as not sent", () => {
  const parse = (state: object) =>
    parseMessage(ServiceMessage, JSON.stringify({ id: "1", ts: 0, seq: 3, type: "state.changed", data: { revision: "r2", state } }));
  expect(parse({ revision: "r2", layout: 7 })).toMatchObject({
    is: "known",
    message: { seq: 3, data: { revision: "r2", state: undefined } },
  });
  expect(parse(r2)).toMatchObject({ is: "known", message: { data: { state: { revision: "r2" } } } });
});
