// A player whose service uses another key, over real TLS, with a real service that lost its key.
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { expect, test } from "vitest";
import { createSystemClock } from "../../../src/base/clock.ts";
import { DurableFile } from "../../../src/base/files/durable-file.ts";
import { createKeyPair } from "../../../src/base/jws.ts";
import { Observable } from "../../../src/base/async/observable.ts";
import { silentLog } from "../../../src/base/log.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import { AccessTokens } from "../../../src/player/link/access.ts";
import { GenerationStore } from "../../../src/player/content/generation-store.ts";
import { noGenerations } from "../../../src/player/content/generations.ts";
import { DesiredStateStore } from "../../../src/player/content/desired-state-store.ts";
import { Identity, type Pairing } from "../../../src/player/pairing/identity.ts";
import { pair, type PairingState } from "../../../src/player/pairing/pairing.ts";
import { ServiceKeyChange } from "../../../src/player/pairing/service-key-change.ts";
import { ServiceApi } from "../../../src/player/link/service-api.ts";
import { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { TestService, call } from "../../service/harness.ts";
import { createSelfSignedCertificate } from "../../support/network/certificate.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { assetOf, desiredOf, imageItem, newId } from "../../support/states.ts";

const [minute, hour] = [60_000, 3_600_000];
const describe = async () => ({ player_version: "1", hardware: null, timezone: "UTC", resolution: null });

/** A service with TLS that this process trusts and can restart; null without openssl. */
async function startTlsService(folder: string) {
  const tls = await createSelfSignedCertificate(folder);
  if (tls === null) return null;
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, await readFile(tls.cert, "utf8")]);
  const data = join(folder, "data");
  let testService = await TestService.start(data, { tls });
  const url = () => testService.service.url.replace("127.0.0.1", "localhost");
  return {
    url,
    call: (method: string, path: string, body?: unknown) =>
      call(url(), method, path, body, { authorization: `Bearer ${testService.token}` }),
    async restart(lostFiles: readonly string[] = []): Promise<void> {
      await testService[Symbol.asyncDispose]();
      for (const name of lostFiles) await rm(join(data, name), { recursive: true, force: true });
      testService = await TestService.start(data, { tls });
    },
    async [Symbol.asyncDispose](): Promise<void> {
      setDefaultCACertificates(before);
      await testService[Symbol.asyncDispose]();
    },
  };
}

type TlsService = NonNullable<Awaited<ReturnType<typeof startTlsService>>>;

/** Pairs a device with the service and claims it as an operator. */
async function paired(service: TlsService, api: ServiceApi, identity: Identity): Promise<Pairing> {
  const state = new Observable<PairingState>({ is: "asking", trouble: null });
  const stop = new AbortController();
  const claim = new Promise<void>((resolve, reject) =>
    state.watch((value) => {
      if (value.is !== "code") return;
      const body = { code: value.code, name: "Lobby" };
      service.call("POST", "players/pair", body).then(() => resolve(), reject);
    }, stop.signal),
  );
  const pairing = await pair({ api, identity, clock: createSystemClock(), log: silentLog, describe, state }, stop.signal);
  await claim;
  stop.abort();
  await identity.pair(pairing);
  return pairing;
}

/** Whether the player rejects the service's key. */
async function rejectsKey(access: AccessTokens): Promise<boolean> {
  const stop = new AbortController();
  return access.token(stop.signal).then(
    () => false,
    (error: { code?: string }) => {
      expect(error.code).toMatch(/^(?:signature|refused)$/);
      return true;
    },
  );
}

const files = ["state.db", "state.db-wal", "state.db-shm", "admin-token"];

for (const lostFiles of [["service-key.json"], ["service-key.json", ...files]]) {
  test(`[RST10] after a day of another key over TLS requests a code; claiming it pins that key and keeps content, identity and play log (${lostFiles.length === 1 ? "the key was lost" : "all was lost"})`, async (context) => {
    await using folder = await temporaryFolder();
    await using service = await startTlsService(folder.path);
    if (service === null) return context.skip("openssl is not installed");
    await using api = new ServiceApi(() => service.url());
    const player = join(folder.path, "player");
    const identity = await Identity.open(player, silentLog);
    const pairing = await paired(service, api, identity);
    const clock = new FakeClock();
    let changes = 0;
    const parts = {
      folder: player,
      api,
      identity,
      clock,
      log: silentLog,
      disk: new DiskHealth(silentLog),
      describe,
      onChange: () => (changes += 1),
    };
    const open = async () => {
      const keyChange = await ServiceKeyChange.open(pairing, parts);
      return { keyChange, access: new AccessTokens(api, identity, pairing, clock, (key) => keyChange.observeKey(key)) };
    };
    const first = await open();
    expect(await rejectsKey(first.access)).toBe(false);
    await service.restart([...lostFiles, "service-key.json.previous"]);
    const fresh = await open();
    expect(await rejectsKey(fresh.access)).toBe(true);
    const other = (await api.token(
      { grant_type: "urn:signage:device-key", player_id: pairing.playerId, proof: "x" },
      0,
      new AbortController().signal,
    )) as {
      refusal: { service_key: string };
    };
    const key = other.refusal.service_key;
    expect(key).not.toBe(pairing.serviceKey);
    // The link requests a token every minute. A restart loses at most ten minutes of the count.
    const listen = async (keyChange: ServiceKeyChange, ms: number): Promise<void> => {
      for (let received = 0; received < ms; received += minute) {
        clock.advance(minute);
        await keyChange.observeKey(key);
      }
    };
    await listen(fresh.keyChange, 12 * hour);
    const { keyChange, access } = await open();
    expect(await rejectsKey(access)).toBe(true);
    const stop = new AbortController();
    const running = keyChange.run(stop.signal);
    const ended = expect(running).rejects.toMatchObject({ code: "reclaimed" });
    await listen(keyChange, 12 * hour - minute);
    expect(keyChange.claimCode).toBe(null);
    await listen(keyChange, 10 * minute);
    await eventually(() => keyChange.claimCode !== null);
    expect(changes).toBeGreaterThan(0);
    const [code, keys] = [keyChange.claimCode, identity.keys];
    const claim = lostFiles.length === 1 ? `players/${pairing.playerId}/replace` : "players/pair";
    const claimed = await service.call("POST", claim, { code, ...(lostFiles.length === 1 ? {} : { name: "Lobby" }) });
    expect([200, 201]).toContain(claimed.status);
    await ended;
    stop.abort();
    const adopted = await keyChange.adoptClaimedPairing();
    expect(adopted).toMatchObject({ playerId: claimed.body.id, serviceKey: key });
    expect(adopted.playerId === pairing.playerId).toBe(lostFiles.length === 1);
    expect([identity.keys, (await Identity.open(player, silentLog)).pairing]).toEqual([keys, adopted]);
    expect(await rejectsKey(new AccessTokens(api, identity, adopted, clock))).toBe(false);
    expect((await ServiceKeyChange.open(adopted, parts)).claimCode).toBe(null);
  });
}

/** A player that was paired with the key `pinned`, whose service is at `server`. */
async function openPlayer(folder: string, server: string, clock: FakeClock, pinned: string) {
  const api = new ServiceApi(() => server);
  const identity = await Identity.open(folder, silentLog);
  const pairing = { server, playerId: "plr_01jd3v8q6m9x2k4n7r5t1w0yzh", playerName: "Lobby", serviceKey: pinned };
  const keyChange = await ServiceKeyChange.open(pairing, {
    folder,
    api,
    identity,
    clock,
    log: silentLog,
    disk: new DiskHealth(silentLog),
    describe,
    onChange: () => undefined,
  });
  return { keyChange, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

/** Whether the player requests a code, which means that it has no endless wait. */
async function requestsCode(keyChange: ServiceKeyChange, clock: FakeClock): Promise<boolean> {
  const stop = new AbortController();
  const running = keyChange.run(stop.signal).catch((error: unknown) => error);
  const waiting = clock.pendingWaits;
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await running;
  return waiting === 0;
}

test("[RST11] the day of another key counts only while the service uses that key over TLS, and not by the wall clock", async () => {
  await using folder = await temporaryFolder();
  const [pinned, other, third] = [1, 2, 3].map(() => createKeyPair().publicKey) as [string, string, string];
  const clock = new FakeClock();
  const day = async (keyChange: ServiceKeyChange, stepMs: number, totalMs: number, key = other): Promise<void> => {
    for (let received = 0; received < totalMs; received += stepMs) {
      clock.advance(stepMs);
      await keyChange.observeKey(key);
    }
  };
  {
    await using plain = await openPlayer(join(folder.path, "plain"), "http://127.0.0.1:1", clock, pinned);
    await day(plain.keyChange, minute, 48 * hour);
    expect(await requestsCode(plain.keyChange, clock)).toBe(false);
  }
  const at = join(folder.path, "tls");
  {
    await using tls = await openPlayer(at, "https://localhost:1", clock, pinned);
    await tls.keyChange.observeKey(other);
    // Observations three minutes apart do not count.
    await day(tls.keyChange, 3 * minute, 48 * hour);
    // Neither long nor short steps of the wall clock count.
    for (const stepMs of [365 * 24 * hour, 50_000, 50_000, 50_000]) {
      clock.step(stepMs);
      await day(tls.keyChange, minute, minute);
    }
    await day(tls.keyChange, minute, 24 * hour - 5 * minute);
    expect(await requestsCode(tls.keyChange, clock)).toBe(false);
    // A third key restarts the day, and so does the return of the pinned one.
    await day(tls.keyChange, minute, 24 * hour, third);
    expect(await requestsCode(tls.keyChange, clock)).toBe(false);
    await tls.keyChange.observeKey(pinned);
    await tls.keyChange.observeKey(other);
    await day(tls.keyChange, minute, 24 * hour - minute);
    expect(await requestsCode(tls.keyChange, clock)).toBe(false);
    await day(tls.keyChange, minute, minute);
    expect(await requestsCode(tls.keyChange, clock)).toBe(true);
  }
  // After a restart it still requests a code, until the pinned key is back.
  await using again = await openPlayer(at, "https://localhost:1", clock, pinned);
  expect(await requestsCode(again.keyChange, clock)).toBe(true);
  await again.keyChange.observeKey(pinned);
  expect(await requestsCode(again.keyChange, clock)).toBe(false);
  await using last = await openPlayer(at, "https://localhost:1", clock, pinned);
  expect(await requestsCode(last.keyChange, clock)).toBe(false);
});

test("[RST12] claiming the code as a different player does not interrupt the content on the screen", async () => {
  await using folder = await temporaryFolder();
  const asset = assetOf(Buffer.from("picture"));
  const desired = desiredOf([imageItem(asset, 5_000)], [asset]);
  await new DurableFile<DesiredState>(join(folder.path, "desired.json"), (json) => DesiredState.parse(json)).write(desired);
  const to = newId("plr");
  expect((await DesiredStateStore.open(folder.path, to, silentLog)).current.value).toBe(null);
  await DesiredStateStore.reassign(folder.path, desired.player.id, to, silentLog);
  const kept = (await DesiredStateStore.open(folder.path, to, silentLog)).current.value;
  const renamed = { ...desired, player: { ...desired.player, id: to } };
  expect(kept).toEqual(renamed);
  const store = await GenerationStore.open(folder.path, silentLog);
  await store.set({ ...noGenerations, newest: desired, previous: { ...desired, revision: "r0" } });
  await store.reassign(desired.player.id, to);
  const reopened = await GenerationStore.open(folder.path, silentLog);
  await reopened.keepOnlyOf(to);
  expect(reopened.value).toMatchObject({ newest: renamed, previous: { ...renamed, revision: "r0" } });
  await reopened.keepOnlyOf(desired.player.id);
  expect(reopened.value).toEqual(noGenerations);
});
