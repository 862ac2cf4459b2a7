// The content cache with real files: downloads that are cut or bad, and states that replace each other.
import { readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSystemClock } from "../../../src/base/clock.ts";
import { Fault } from "../../../src/base/fault.ts";
import { silentLog } from "../../../src/base/log.ts";
import { ContentCache } from "../../../src/player/content/content-cache.ts";
import type { OpenFile } from "../../../src/player/content/download-file.ts";
import type { DesiredAsset } from "../../../src/protocol/device/desired-state.ts";
import { recordDiskCalls } from "../../support/disk.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { assetOf, desiredOf, imageItem } from "../../support/states.ts";

const bytes = Buffer.alloc(200_000, "picture");
const asset = assetOf(bytes);
const other = assetOf(Buffer.alloc(50_000, "other"));
const signal = new AbortController().signal;

async function* inChunks(body: Buffer, partLength = 16_384): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += partLength) yield body.subarray(at, at + partLength);
}

/** A service that responds to one attempt after the other: with a body, whole or cut, and with or without support of Range. */
function serviceOf(...tries: { body: Buffer; cutAt?: number; ranges?: boolean }[]): { fetch: OpenFile; offsets: number[] } {
  const offsets: number[] = [];
  const fetch: OpenFile = async (_asset: DesiredAsset, offset) => {
    const step = tries[Math.min(offsets.length, tries.length - 1)]!;
    offsets.push(offset);
    const resumed = offset > 0 && step.ranges !== false;
    const body = step.body.subarray(resumed ? offset : 0, step.cutAt);
    async function* stream() {
      yield* inChunks(body);
      if (step.cutAt !== undefined) throw new Fault("unreachable", "the connection broke");
    }
    return { body: stream(), resumed };
  };
  return { fetch, offsets };
}

function openCache(folder: string) {
  // The clock runs a thousand times as fast, to shorten the backoff.
  const clock = createSystemClock();
  const fast = { monotonic: () => clock.monotonic() * 1_000, wait: (ms: number, end?: AbortSignal) => clock.wait(ms / 1_000, end) };
  return ContentCache.open(join(folder, "content"), { ...clock, ...fast }, silentLog);
}

const desired = desiredOf([imageItem(asset, 1_000)], [asset]);

test("[CCH1] a state is ready only when every byte of its files is verified", async () => {
  await using folder = await temporaryFolder();
  const cache = await openCache(folder.path);
  expect(cache.findFile(asset.sha256)).toBeNull();
  await cache.prepare(desired, serviceOf({ body: bytes }).fetch, signal);
  expect(cache.ready.value?.files.get(asset.id)).toBe(asset.sha256);
  const { folder: where, name, mimeType } = cache.findFile(asset.sha256)!;
  expect(await readFile(join(where, name))).toEqual(bytes);
  expect(mimeType).toBe(asset.mime_type);
  expect(cache.progress.value).toMatchObject({ is: "idle", readyBytes: bytes.length, totalBytes: bytes.length });
});

test("[CCH2] a broken download is resumed with a Range", async () => {
  await using folder = await temporaryFolder();
  const cache = await openCache(folder.path);
  const { fetch, offsets } = serviceOf({ body: bytes, cutAt: 100_000 }, { body: bytes });
  await cache.prepare(desired, fetch, signal);
  expect(offsets[0]).toBe(0);
  expect(offsets[1]).toBeGreaterThan(0);
  expect(await readFile(join(folder.path, "content", asset.sha256))).toEqual(bytes);
});

test("[CCH2] a download reads from the start if the service ignores the Range", async () => {
  await using folder = await temporaryFolder();
  const cache = await openCache(folder.path);
  await cache.prepare(desired, serviceOf({ body: bytes, cutAt: 100_000 }, { body: bytes, ranges: false }).fetch, signal);
  expect(await readFile(join(folder.path, "content", asset.sha256))).toEqual(bytes);
});

test.each([
  ["wrong", Buffer.alloc(bytes.length, "wrong")],
  ["too long", Buffer.concat([bytes, Buffer.from("more")])],
])("[CCH3] %s bytes are never shown: the previous content stays and the download is retried with growing waits", async (_how, bad) => {
  await using folder = await temporaryFolder();
  const cache = await openCache(folder.path);
  const before = desiredOf([imageItem(other, 1_000)], [other], "r0");
  await cache.prepare(before, serviceOf({ body: Buffer.alloc(50_000, "other") }).fetch, signal);
  const seen: (string | undefined)[] = [];
  const failures: (string | null)[] = [];
  cache.ready.watch((ready) => seen.push(ready?.desired.revision), signal);
  cache.progress.watch(({ is, detail }) => is === "failed" && failures.push(detail), signal);
  await cache.prepare(desired, serviceOf({ body: bad }, { body: bad }, { body: bytes }).fetch, signal);
  expect(seen).toEqual(["r0", "r1"]);
  expect(failures[0]).toContain(asset.id);
  expect(await readFile(join(folder.path, "content", asset.sha256))).toEqual(bytes);
});

test.each([
  ["truncated", (path: string) => truncate(path, 1_000)],
  ["changed", (path: string) => writeFile(path, Buffer.alloc(bytes.length, "rotten"))],
])("[CCH4] a stored file found %s at the start is left out and fetched again", async (_how, damage) => {
  await using folder = await temporaryFolder();
  const first = await openCache(folder.path);
  await first.prepare(desired, serviceOf({ body: bytes }).fetch, signal);
  await damage(join(folder.path, "content", asset.sha256));
  const second = await openCache(folder.path);
  await second.content.restore({ newest: desired, previous: null, isUnread: false }, desired.player.id);
  expect(second.ready.value?.files.size).toBe(0);
  expect(second.findFile(asset.sha256)).toBeNull();
  await second.prepare(desired, serviceOf({ body: bytes }).fetch, signal);
  expect(second.ready.value?.files.get(asset.id)).toBe(asset.sha256);
});

test("[CCH5] at the start, verified files are shown without contacting the service", async () => {
  await using folder = await temporaryFolder();
  await (await openCache(folder.path)).prepare(desired, serviceOf({ body: bytes }).fetch, signal);
  const again = await openCache(folder.path);
  await again.content.restore({ newest: desired, previous: null, isUnread: false }, desired.player.id);
  expect(again.ready.value?.files.get(asset.id)).toBe(asset.sha256);
});

test("[CCH6] the files of the present and the previous state are kept; older ones are removed", async () => {
  await using folder = await temporaryFolder();
  const cache = await openCache(folder.path);
  const otherBytes = Buffer.alloc(50_000, "other");
  const third = assetOf(Buffer.from("third"));
  await cache.prepare(desired, serviceOf({ body: bytes }).fetch, signal);
  await cache.prepare(desiredOf([imageItem(other, 1_000)], [other], "r2"), serviceOf({ body: otherBytes }).fetch, signal);
  expect(cache.findFile(asset.sha256)).not.toBeNull();
  await cache.prepare(desiredOf([imageItem(third, 1_000)], [third], "r3"), serviceOf({ body: Buffer.from("third") }).fetch, signal);
  expect(cache.findFile(asset.sha256)).toBeNull();
  const names = await readdir(join(folder.path, "content"));
  expect(names.filter((name) => /^[0-9a-f]{64}$/.test(name)).toSorted()).toEqual([other.sha256, third.sha256].toSorted());
});

test("[CCH7] a file that two assets share is fetched once", async () => {
  await using folder = await temporaryFolder();
  const cache = await openCache(folder.path);
  const twin = { ...asset, id: assetOf(bytes).id };
  const { fetch, offsets } = serviceOf({ body: bytes });
  await cache.prepare(desiredOf([], [asset, twin]), fetch, signal);
  expect(offsets).toEqual([0]);
  expect(cache.ready.value?.files.size).toBe(2);
});

test("[CCH8] a file is synced to the disk, its bytes before its name, before its state is ready", async () => {
  await using folder = await temporaryFolder();
  using disk = recordDiskCalls();
  const cache = await openCache(folder.path);
  const content = join(folder.path, "content");
  expect(disk.calls).toEqual([{ is: "sync", path: folder.path }]);
  let before: typeof disk.calls | undefined;
  cache.ready.watch((ready) => {
    if (ready !== null) before = [...disk.calls];
  }, signal);
  await cache.prepare(desired, serviceOf({ body: bytes }).fetch, signal);
  const file = join(content, asset.sha256);
  const places = ["sync", "rename", "sync"].map((is, place) => [is, [`${file}.part`, file, content][place]]);
  expect(before!.slice(1, 4).map(({ is, path }) => [is, path])).toEqual(places);
  // The list of verified files is written later: after a power cut in between the file is verified again.
  expect(before!.slice(4).some(({ is, path }) => is === "sync" && path === join(content, "proofs.json.new"))).toBe(true);
});
