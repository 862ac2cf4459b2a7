// Files that are damaged or removed while the player runs, and services that send wrong bytes: nothing bad is shown, all is fetched again.
import { createHash } from "node:crypto";
import { mkdir, open, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Observable } from "../../../src/base/async/observable.ts";
import { runAll } from "../../../src/base/async/run-all.ts";
import { createSystemClock, type Clock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { ContentCache } from "../../../src/player/content/content-cache.ts";
import { FileChecks } from "../../../src/player/content/file-checks.ts";
import { prepareNewest } from "../../../src/player/content/prepare-newest.ts";
import { ProvenFiles } from "../../../src/player/content/proven-files.ts";
import { ServiceApi } from "../../../src/player/link/service-api.ts";
import type { DesiredAsset, DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { breakOff, flipBit, headOf, showPortal, startFileService, type Lie } from "../../support/network/file-service.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { assetOf, desiredOf, imageItem } from "../../support/states.ts";

const { signal } = new AbortController();
const contents = Array.from({ length: 4 }, (_, index) => Buffer.alloc(150_000 + index, `picture ${index}`));

const scrubWaitsMs = [60_000, 3_600_000];

/**
 * A clock that is a hundred thousand times as fast, and the sum of the waits that it was asked for. Without `scrubs` the background
 * verification waits for ever, and without `retries` all other waits do.
 */
function quickClock({ scrubs = true, retries = true } = {}): Clock & { waitedMs: number } {
  const system = createSystemClock();
  return {
    ...system,
    monotonic: () => (retries ? 100_000 : 1) * system.monotonic(),
    waitedMs: 0,
    wait(ms, end) {
      this.waitedMs += Number.isFinite(ms) ? ms : 0;
      const isShortened = scrubWaitsMs.includes(ms) ? scrubs : retries;
      return system.wait(isShortened ? ms / 100_000 : 1_000 * ms, end);
    },
  };
}

/** A cache that follows desired states, with a service. By default, only suspected files are verified. */
async function startCache({ scrubs = false, retries = true } = {}) {
  const folder = await temporaryFolder();
  const service = await startFileService();
  const api = new ServiceApi(() => service.url);
  const clock = quickClock({ scrubs, retries });
  const content = join(folder.path, "content");
  const cache = await ContentCache.open(content, clock, silentLog);
  const assets = contents.map((bytes) => service.add(bytes));
  const states = new Observable<DesiredState | null>(stateOf(assets, "r1"));
  const openFile = (asset: DesiredAsset, offset: number, signal: AbortSignal) => api.file("token", asset, offset, signal);
  const stop = new AbortController();
  const tasks = [(end: AbortSignal) => prepareNewest(states, cache, openFile, clock, end), (end: AbortSignal) => cache.verify(end)];
  const ended = runAll(tasks, stop.signal).catch((error: unknown) => error);
  const pathOf = ({ sha256 }: DesiredAsset): string => join(content, sha256);
  const isWhole = async (): Promise<boolean> => {
    if (cache.ready.value?.files.size !== assets.length) return false;
    const stored = await Promise.all(assets.map((asset) => readFile(pathOf(asset)).catch(() => null)));
    return stored.every((bytes, index) => bytes?.equals(contents[index]!) === true);
  };
  return {
    assets,
    cache,
    content,
    service,
    states,
    pathOf,
    isWhole,
    async [Symbol.asyncDispose]() {
      stop.abort();
      expect(await ended).toHaveProperty("name", "AbortError");
      await api[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function stateOf(assets: DesiredAsset[], revision: string): DesiredState {
  const items = assets.map((asset) => imageItem(asset, 1_000));
  return desiredOf(items, assets, revision);
}

/** Flips a bit without changing size and time of the file, as a failing disk does. */
async function flip(path: string, at: number): Promise<void> {
  const { atime, mtime } = await stat(path);
  const file = await open(path, "r+");
  try {
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, at);
    byte[0]! ^= 1 << (at % 8);
    await file.write(byte, 0, 1, at);
    await file.utimes(atime, mtime);
  } finally {
    await file.close();
  }
}

test.each<[string, (path: string) => Promise<unknown>]>([
  ["changed in its first byte", (path) => flip(path, 0)],
  ["changed in the middle", (path) => flip(path, 75_000)],
  ["changed in its last byte", (path) => flip(path, 149_999)],
  ["truncated", (path) => truncate(path, 1_000)],
  ["emptied", (path) => truncate(path, 0)],
  ["removed", (path) => rm(path)],
  ["replaced by a folder", (path) => rm(path).then(() => mkdir(path))],
])("[CCH9] a file that the page cannot show and that was %s is left out, fetched again and back by itself", async (_how, damage) => {
  await using setup = await startCache();
  const { cache, assets, pathOf, isWhole } = setup;
  await eventually(isWhole);
  const seen: { files: number; isFound: boolean }[] = [];
  cache.ready.watch((ready) => seen.push({ files: ready!.files.size, isFound: cache.findFile(assets[0]!.sha256) !== null }), signal);
  await damage(pathOf(assets[0]!));
  cache.suspect([assets[0]!.id]);
  await eventually(async () => seen.length > 1 && (await isWhole()));
  expect(seen).toEqual([
    { files: 4, isFound: true },
    { files: 3, isFound: false },
    { files: 4, isFound: true },
  ]);
  await eventually(() => cache.progress.value.is === "idle");
});

test("[CCH9] a file that the page cannot show although its bytes are right is kept", async () => {
  await using setup = await startCache();
  const { cache, assets, service, pathOf, isWhole } = setup;
  await eventually(isWhole);
  const { ino } = await stat(pathOf(assets[0]!));
  cache.suspect([assets[0]!.id]);
  // Files are verified one after the other: when this one is back, the first has been verified.
  await flip(pathOf(assets[1]!), 7);
  cache.suspect([assets[1]!.id]);
  await eventually(async () => service.requests.length === 5 && (await isWhole()));
  expect((await stat(pathOf(assets[0]!))).ino).toBe(ino);
});

test("[CCH9] files come back although the whole folder was removed", async () => {
  await using setup = await startCache();
  const { cache, assets, content, isWhole } = setup;
  await eventually(isWhole);
  await rm(content, { recursive: true });
  cache.suspect([assets[0]!.id]);
  await eventually(isWhole);
});

test("[CCH10] the background verification finds 50 random changes of files, from a service that lies, and fetches them again", async () => {
  await using setup = await startCache({ scrubs: true });
  const { assets, service, pathOf, isWhole } = setup;
  await eventually(isWhole);
  let seed = 16;
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const lies = [flipBit, breakOff, showPortal];
  for (let round = 0; round < 50; round += 1) {
    const asset = assets[random(assets.length)]!;
    const before = service.requests.length;
    if (round % 3 === 0) service.lies.push(lies[random(lies.length)]!);
    await flip(pathOf(asset), random(asset.size_bytes));
    await eventually(async () => service.requests.length > before && (await isWhole()));
  }
  expect(service.lies).toEqual([]);
});

test("[CCH10] the background verification reads at most one megabyte a second", async () => {
  await using folder = await temporaryFolder();
  const files = await ProvenFiles.open(folder.path, silentLog);
  const clock = quickClock();
  const all = contents.map((bytes) => assetOf(bytes).sha256).toSorted();
  for (const bytes of contents) await writeFile(files.pathOf(assetOf(bytes).sha256), bytes);
  await writeFile(files.pathOf(all.at(-1)!), "damaged");
  const stop = new AbortController();
  let waitedMs = 0;
  const checks = new FileChecks({
    files,
    current: () => all,
    onDamaged: () => {
      waitedMs = clock.waitedMs;
      stop.abort();
    },
    clock,
    log: silentLog,
  });
  await expect(checks.run(stop.signal)).rejects.toThrow();
  const startMs = 60_000;
  expect(waitedMs).toBeGreaterThanOrEqual(startMs + 450);
});

test("[CCH10] after a restart the background verification continues behind the last recorded file", async () => {
  await using folder = await temporaryFolder();
  const size = 256_000_000;
  const zeros = Buffer.alloc(1_000_000);
  const hash = createHash("sha256");
  for (let at = 0; at < size; at += zeros.length) hash.update(zeros);
  const large = hash.digest("hex");
  const files = await ProvenFiles.open(folder.path, silentLog);
  await writeFile(files.pathOf(large), "");
  await truncate(files.pathOf(large), size);
  const [first, last] = ["0".repeat(64), "f".repeat(64)];
  const system = createSystemClock();
  const betweenScrubsMs = 3_600_000;
  const wait: Clock["wait"] = async (ms, end) => {
    if (ms >= betweenScrubsMs) return system.wait(ms, end);
    await new Promise((resolve) => setImmediate(resolve));
    end!.throwIfAborted();
  };
  /** Verifies the files, of which the first and the last are missing, until `end` is found missing. @returns what was found missing. */
  const verifyUntil = async (end: string): Promise<string[]> => {
    const stop = new AbortController();
    const found: string[] = [];
    const onDamaged = (sha256: string): void => {
      found.push(sha256);
      if (sha256 === end) stop.abort();
    };
    const checks = new FileChecks({ files, current: () => [last, large, first], onDamaged, clock: { ...system, wait }, log: silentLog });
    await expect(checks.run(stop.signal)).rejects.toThrow();
    return found;
  };
  expect(await verifyUntil(last)).toEqual([first, last]);
  expect(await verifyUntil(last)).toEqual([last]);
});

test("[CCH17] each file is verified when it is shown for the first time since the start or since it was fetched", async () => {
  await using setup = await startCache();
  const { cache, assets, pathOf, isWhole } = setup;
  await eventually(isWhole);
  const counts: number[] = [];
  cache.ready.watch((ready) => counts.push(ready!.files.size), signal);
  for (let time = 0; time < 2; time += 1) {
    counts.length = 0;
    await flip(pathOf(assets[0]!), 75_000);
    expect(cache.findFile(assets[0]!.sha256)).not.toBeNull();
    // The file may be back before anybody looks.
    await eventually(async () => counts.includes(3) && (await isWhole()));
  }
});

const otherVersion: Lie = (response, { bytes, asset }, from) => {
  response.writeHead(from > 0 ? 206 : 200, { ...headOf(asset, from), etag: '"other"' }).end(bytes.subarray(from));
};
const otherRange: Lie = (response, { bytes, asset }, from) => {
  response.writeHead(206, { ...headOf(asset, from), "content-range": `bytes 0-${from}/${asset.size_bytes}` }).end(bytes.subarray(from));
};
const otherLength: Lie = (response, { bytes, asset }, from) => {
  response.writeHead(from > 0 ? 206 : 200, { ...headOf(asset, from), "content-length": 5 }).end(bytes.subarray(0, 5));
};
const untitledPortal: Lie = (response) => void response.writeHead(200, { "content-length": 150_000 }).end(Buffer.alloc(150_000, "log in "));

test.each([
  ["a captive portal's page", showPortal],
  ["a page without a type, of the file's length", untitledPortal],
  ["another version", otherVersion],
  ["another range", otherRange],
  ["another length", otherLength],
  ["an error", ((response) => void response.writeHead(503).end("busy")) satisfies Lie],
])("[CCH11] %s is never appended to a partial download, which is resumed with If-Range", async (_what, lie) => {
  await using setup = await startCache();
  const { assets, service, states, pathOf, isWhole } = setup;
  await eventually(isWhole);
  const bytes = Buffer.alloc(150_000, "news");
  const asset = service.add(bytes);
  const halfway = Promise.withResolvers<ServerResponse>();
  const stopHalfway: Lie = (response) => {
    response.writeHead(200, headOf(asset, 0)).write(bytes.subarray(0, 75_000));
    halfway.resolve(response);
  };
  service.lies.push(stopHalfway, lie);
  const before = service.requests.length;
  const storedBytes = assets.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  states.set(stateOf([...assets, asset], "r2"));
  await eventually(() => setup.cache.progress.value.readyBytes > storedBytes);
  (await halfway.promise).destroy();
  await eventually(() => setup.cache.ready.value?.desired.revision === "r2");
  expect(await readFile(pathOf(asset))).toEqual(bytes);
  const [first, second, third, ...more] = service.requests.slice(before).map(({ headers }) => headers);
  expect(first!.range).toBeUndefined();
  expect(second!.range).toMatch(/^bytes=[1-9]\d*-$/);
  expect(second!["if-range"]).toBe(`"${asset.sha256}"`);
  expect(third!.range).toBe(second!.range);
  expect(more).toEqual([]);
});

test("[CCH12] a lost file of the state that plays is fetched while a newer state waits for a file", async () => {
  await using setup = await startCache();
  const { assets, cache, service, states, pathOf, isWhole } = setup;
  await eventually(isWhole);
  const bytes = Buffer.from("news");
  const missing = assetOf(bytes);
  // The newer state shares one file with the one that plays.
  states.set(stateOf([assets[1]!, missing], "r2"));
  await eventually(() => cache.progress.value.is === "failed");
  for (const asset of assets.slice(0, 2)) {
    const before = service.requests.filter(({ sha256 }) => sha256 === asset.sha256).length;
    await flip(pathOf(asset), 1_000);
    cache.suspect([asset.id]);
    await eventually(() => service.requests.filter(({ sha256 }) => sha256 === asset.sha256).length > before);
    await eventually(isWhole);
    expect(cache.ready.value!.desired.revision).toBe("r1");
  }
  service.add(bytes);
  await eventually(() => cache.ready.value!.desired.revision === "r2");
  expect(cache.ready.value!.files.size).toBe(2);
});

test("[CCH13] failed downloads are retried at once when the service can be reached again", async () => {
  await using setup = await startCache({ retries: false });
  const { assets, cache, service, states, isWhole } = setup;
  await eventually(isWhole);
  const bytes = Buffer.from("news");
  const missing = assetOf(bytes);
  states.set(stateOf([...assets, missing], "r2"));
  await eventually(() => cache.progress.value.is === "failed");
  service.add(bytes);
  cache.retryNow();
  await eventually(() => cache.ready.value!.desired.revision === "r2");
});
