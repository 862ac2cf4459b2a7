// Room for content: real files, a quota, and a real small disk that other programs fill. Only the network is fake.
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Observable } from "../../../src/base/async/observable.ts";
import { createSystemClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { ContentCache } from "../../../src/player/content/content-cache.ts";
import { failed, playingState, zoneShown } from "../../../src/player/content/generations.ts";
import { prepareNewest } from "../../../src/player/content/prepare-newest.ts";
import type { DesiredAsset, DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { picture, TestService } from "../../service/harness.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestPlayer } from "../../support/player.ts";
import { eventually } from "../../support/polling.ts";
import { smallDisk } from "../../support/small-disk.ts";
import { assetOf, desiredOf, imageItem, withItems } from "../../support/states.ts";

const megabyte = 1_000_000;
// How often the room on the disk is checked.
const checkMs = 10_000;
const skipped = "only root can mount a small disk";

/** A service of files of given sizes. A file that is held is sent by half, and the rest once it is released. */
function createFiles() {
  const bodies = new Map<string, Buffer>();
  const held = new Map<string, PromiseWithResolvers<void>>();
  const requests: { id: string; offset: number }[] = [];
  return {
    requests,
    add(name: string, size: number): DesiredAsset {
      const body = Buffer.alloc(size, name);
      const asset = assetOf(body);
      bodies.set(asset.sha256, body);
      return asset;
    },
    hold: (asset: DesiredAsset) => void held.set(asset.sha256, Promise.withResolvers()),
    release(asset: DesiredAsset): void {
      held.get(asset.sha256)!.resolve();
      held.delete(asset.sha256);
    },
    async openFile({ id, sha256 }: DesiredAsset, offset: number, signal: AbortSignal) {
      requests.push({ id, offset });
      const body = bodies.get(sha256)!.subarray(offset);
      async function* stream(): AsyncGenerator<Buffer> {
        const half = Math.ceil(body.length / 2);
        for (let at = 0; at < half; at += 65_536) yield body.subarray(at, Math.min(half, at + 65_536));
        const end = Promise.withResolvers<void>();
        signal.addEventListener("abort", () => end.reject(signal.reason));
        end.promise.catch(() => undefined);
        await Promise.race([held.get(sha256)?.promise, end.promise]);
        for (let at = half; at < body.length; at += 65_536) yield body.subarray(at, at + 65_536);
      }
      return { body: stream(), resumed: offset > 0 };
    },
  };
}

/**
 * A cache in `folder` that follows desired states. Its clock waits a thousandth of each time.
 * @param checks once it resolves, room is checked regularly.
 */
async function startCache(
  folder: string,
  files: ReturnType<typeof createFiles>,
  quota: number | null = null,
  first: DesiredState | null = null,
  checks: Promise<void> | null = null,
) {
  const content = join(folder, "content");
  const system = createSystemClock();
  const wait = async (ms: number, signal?: AbortSignal): Promise<void> => {
    if (ms === checkMs && checks !== null) await Promise.race([checks, system.wait(Number.POSITIVE_INFINITY, signal)]);
    return system.wait(ms / 1_000, signal);
  };
  const clock = { ...system, wait };
  const cache = await ContentCache.open(content, clock, silentLog, undefined, { quotaBytes: quota });
  if (first !== null) await cache.content.restore({ newest: first, previous: null, isUnread: false }, first.player.id);
  const states = new Observable<DesiredState | null>(first);
  const stop = new AbortController();
  const shown: string[] = [];
  cache.ready.watch((ready) => {
    if (ready !== null && ready.desired.revision !== shown.at(-1)) shown.push(ready.desired.revision);
  }, stop.signal);
  const ended = prepareNewest(states, cache, (...file) => files.openFile(...file), clock, stop.signal).catch((error: unknown) => error);
  return {
    cache,
    states,
    shown,
    names: async () => (await readdir(content)).filter((name) => /^[0-9a-f]{64}/.test(name)).toSorted(),
    async show(state: DesiredState): Promise<void> {
      states.set(state);
      await eventually(() => cache.progress.value.is === "idle" && shown.at(-1) === state.revision);
    },
    /** Waits until there is no room, and returns what the player says about it. */
    shortage: () => eventually(() => cache.progress.value.shortage),
    async [Symbol.asyncDispose]() {
      stop.abort();
      expect(await ended).toHaveProperty("name", "AbortError");
    },
  };
}

function stateOf(assets: DesiredAsset[], revision: string): DesiredState {
  return desiredOf(
    assets.map((asset) => imageItem(asset, 1_000)),
    assets,
    revision,
  );
}

const hashes = (...assets: DesiredAsset[]): string[] => assets.map(({ sha256 }) => sha256).toSorted();

/** A quota of 3.5 MB, of which the content on the screen and the content before have a megabyte each. */
async function startWithQuota(folder: string) {
  const files = createFiles();
  const assets = ["a", "b", "c", "d", "e"].map((name) => files.add(name, megabyte)) as [
    DesiredAsset,
    DesiredAsset,
    DesiredAsset,
    DesiredAsset,
    DesiredAsset,
  ];
  const setup = await startCache(folder, files, 3.5 * megabyte);
  const [a, b] = assets;
  await setup.show(stateOf([a], "r1"));
  await setup.show(stateOf([b], "r2"));
  expect(await setup.names()).toEqual(hashes(a, b));
  return { ...setup, files, assets };
}

test("[ROM1] the content to return to is given up for new content that fits without it, and kept otherwise", async () => {
  await using folder = await temporaryFolder();
  await using setup = await startWithQuota(folder.path);
  const [a, b, c, d] = setup.assets;
  setup.files.hold(d);
  setup.states.set(stateOf([c, d], "r3"));
  await eventually(async () => (await setup.names()).includes(c.sha256) && setup.cache.progress.value.files.length === 1);
  expect(await setup.names()).toEqual([...hashes(b, c), `${d.sha256}.part`].toSorted());
  expect(setup.cache.findFile(a.sha256)).toBeNull();
  setup.files.release(d);
  await eventually(() => setup.shown.at(-1) === "r3");
  expect(setup.shown).toEqual(["r1", "r2", "r3"]);
});

test("[ROM2] content that does not fit is not downloaded, and costs neither what plays nor what can be returned to", async () => {
  await using folder = await temporaryFolder();
  await using setup = await startWithQuota(folder.path);
  const [a, b, c, d, e] = setup.assets;
  const before = setup.files.requests.length;
  setup.states.set(stateOf([c, d, e], "r3"));
  expect(await setup.shortage()).toBe(
    `0.5 MB are missing for 3 files with 3.0 MB, the largest of them asset ${c.id} with 1.0 MB; the quota is 3.5 MB`,
  );
  expect(setup.cache.progress.value).toMatchObject({ is: "failed", detail: setup.cache.progress.value.shortage, readyFiles: 0 });
  expect(setup.files.requests).toHaveLength(before);
  expect(await setup.names()).toEqual(hashes(a, b));
  expect(setup.shown).toEqual(["r1", "r2"]);
  // A state that fits begins by itself.
  await setup.show(stateOf([c, d], "r4"));
});

test("[ROM3] what plays is never removed for a quota, and its lost files are fetched again whatever the quota is", async () => {
  await using folder = await temporaryFolder();
  const files = createFiles();
  const [a, b] = [files.add("a", 2 * megabyte), files.add("b", 2 * megabyte)];
  const playing = stateOf([a, b], "r1");
  {
    await using setup = await startCache(folder.path, files);
    await setup.show(playing);
  }
  await using setup = await startCache(folder.path, files, megabyte, playing);
  expect(await setup.names()).toEqual(hashes(a, b));
  await rm(join(folder.path, "content", a.sha256));
  setup.cache.prepareAgain();
  await eventually(async () => (await setup.names()).length === 2 && setup.cache.ready.value?.files.size === 2);
  setup.states.set(stateOf([a, files.add("c", 10_000)], "r2"));
  expect(await setup.shortage()).toMatch(/^3\.1 MB are missing for asset ast_\w+ with 0\.1 MB; the quota is 1\.0 MB$/);
  // Also those that the new content has too.
  await rm(join(folder.path, "content", a.sha256));
  setup.cache.prepareAgain();
  await eventually(async () => (await setup.names()).length === 2 && setup.cache.ready.value?.files.size === 2);
  expect(setup.cache.progress.value.shortage).not.toBeNull();
  expect(setup.shown).toEqual(["r1"]);
});

test("[ROM4] partial downloads of content that is no longer wanted are removed when newer content is received", async () => {
  await using folder = await temporaryFolder();
  await using setup = await startWithQuota(folder.path);
  const [a, b, c, d] = setup.assets;
  for (const asset of [c, d]) setup.files.hold(asset);
  setup.states.set(stateOf([c], "r3"));
  await eventually(async () => (await setup.names()).includes(`${c.sha256}.part`));
  setup.states.set(stateOf([d], "r4"));
  await eventually(async () => (await setup.names()).includes(`${d.sha256}.part`));
  expect(await setup.names()).toEqual([...hashes(a, b), `${d.sha256}.part`].toSorted());
});

test("[ROM5] content that failed on the screen is given up for newer content, and what plays in its place is kept", async () => {
  await using folder = await temporaryFolder();
  const files = createFiles();
  const [a, b, c] = ["a", "b", "c"].map((name) => files.add(name, megabyte)) as [DesiredAsset, DesiredAsset, DesiredAsset];
  await using setup = await startCache(folder.path, files, 2.5 * megabyte);
  const { cache } = setup;
  const r1 = stateOf([a], "r1");
  const next = (asset: DesiredAsset, revision: string): DesiredState => withItems(r1, [imageItem(asset, 1_000)], [asset], revision);
  const zoneId = r1.layout!.zones[0]!.id;
  await setup.show(r1);
  await cache.content.change((generations) => zoneShown(generations, zoneId));
  await setup.show(next(b, "r2"));
  await cache.content.change((generations) => failed(generations, { is: "zone", zoneId, detail: "decode: broken" }, Date.now()));
  await eventually(() => setup.shown.at(-1) === "r1");
  files.hold(c);
  setup.states.set(next(c, "r3"));
  await eventually(async () => (await setup.names()).includes(`${c.sha256}.part`));
  expect(await setup.names()).toEqual([...hashes(a), `${c.sha256}.part`].toSorted());
  expect(playingState(cache.content.generations)?.revision).toBe("r1");
  files.release(c);
  await eventually(() => setup.shown.at(-1) === "r3");
  expect(cache.content.generations).toMatchObject({ newest: { revision: "r3" }, previous: { revision: "r1" } });
});

test("[ROM6] a part of the disk stays free: a download that would need it waits, and begins by itself when there is room", async (context) => {
  await using disk = await smallDisk(64);
  if (disk === null) return context.skip(skipped);
  const files = createFiles();
  const [a, b] = [files.add("a", megabyte), files.add("b", 30 * megabyte)];
  await using setup = await startCache(disk.path, files);
  await setup.show(stateOf([a], "r1"));
  await writeFile(join(disk.path, "other"), Buffer.alloc(32 * megabyte));
  setup.states.set(stateOf([b], "r2"));
  expect(await setup.shortage()).toMatch(/^[45]\.\d MB are missing for asset ast_\w+ with 30\.0 MB; 8\.4 MB of the disk stay free$/);
  expect(files.requests).toHaveLength(1);
  await rm(join(disk.path, "other"));
  await eventually(() => setup.shown.at(-1) === "r2");
  expect(setup.cache.progress.value).toMatchObject({ is: "idle", shortage: null });
});

test.each([
  ["a check", true],
  ["a write", false],
])("[ROM7] when %s finds that others have filled the disk, the download stops, and resumes when there is room", async (_what, byCheck) => {
  await using disk = await smallDisk(64);
  if (disk === null) return;
  const files = createFiles();
  const [a, b] = [files.add("a", megabyte), files.add("b", 20 * megabyte)];
  const checks = Promise.withResolvers<void>();
  if (byCheck) checks.resolve();
  await using setup = await startCache(disk.path, files, null, null, checks.promise);
  await setup.show(stateOf([a], "r1"));
  files.hold(b);
  setup.states.set(stateOf([b], "r2"));
  await eventually(() => setup.cache.progress.value.readyBytes >= 9 * megabyte);
  await disk.fill();
  if (!byCheck) files.release(b);
  expect(await setup.shortage()).toContain(b.id);
  expect(setup.shown).toEqual(["r1"]);
  if (byCheck) files.release(b);
  checks.resolve();
  await disk.free();
  await eventually(() => setup.shown.at(-1) === "r2");
  const [, begun, ...resumed] = files.requests;
  expect(begun).toEqual({ id: b.id, offset: 0 });
  expect(resumed).toEqual([{ id: b.id, offset: expect.any(Number) }]);
  expect(resumed[0]!.offset).toBeGreaterThanOrEqual(9 * megabyte);
});

test("[ROM3] a lost file of what plays for which the disk is too full costs the content to return to", async (context) => {
  await using disk = await smallDisk(64);
  if (disk === null) return context.skip(skipped);
  const files = createFiles();
  const [a, b] = [files.add("a", 12 * megabyte), files.add("b", 10 * megabyte)];
  await using setup = await startCache(disk.path, files);
  await setup.show(stateOf([a], "r1"));
  await setup.show(stateOf([b], "r2"));
  await rm(join(disk.path, "content", b.sha256));
  await disk.fill();
  setup.cache.prepareAgain();
  await eventually(async () => (await setup.names()).join() === b.sha256 && setup.cache.ready.value?.files.size === 1);
  expect(setup.shown).toEqual(["r1", "r2"]);
});

test("[ROM8] the service reports as no-room what does not fit, how much is missing and what to do; the screen keeps its content", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using service = await TestService.start(join(folder.path, "service"), { clock });
  const [small, medium, large] = await Promise.all([picture("png", 8), picture("png", 16), picture("png", 64)]);
  const quota = small.length + large.length - 1;
  await using player = new TestPlayer(join(folder.path, "player"), () => service.service.url, clock, { quota });
  const { id } = (await service.call("POST", "players/pair", { code: await player.pairingCode(), name: "Lobby" })).body;
  const assets: string[] = [];
  for (const bytes of [small, large, medium]) assets.push((await service.upload(bytes)).body.id);
  const items = assets.map((asset_id) => ({ type: "image", asset_id, duration_ms: 5_000 }));
  const { id: playlist_id } = (await service.call("POST", "playlists", { name: "P", items: items.slice(0, 1) })).body;
  const zones = [{ name: "main", left: 0, top: 0, width: 100, height: 100, playlist_id }];
  const layout_id = (await service.call("POST", "layouts", { name: "L", width: 100, height: 100, zones })).body.id as string;
  await service.call("PATCH", `players/${id}`, { layout_id });
  await player.host.sceneThat(({ screen }) => screen.is === "stage");
  await service.call("PATCH", `playlists/${playlist_id}`, { items: items.slice(0, 2) });
  const isListed = async (code: string): Promise<{ detail: string; remedy: string } | false> =>
    (await service.call("GET", `players/${id}/now`)).body.problems.find((each: { code: string }) => each.code === code) ?? false;
  const problem = await eventually(() => isListed("no-room"));
  expect(problem.detail).toMatch(new RegExp(`: 0\\.1 MB are missing for asset ${assets[1]} with 0\\.1 MB; the quota is 0\\.1 MB\\.?$`));
  expect(problem.remedy).toContain("--quota");
  expect((await service.call("GET", `players/${id}/now`)).body.content).toMatchObject({ is: "failed", ready_files: 1, total_files: 2 });
  expect(player.host.scenes.at(-1)!.screen.is).toBe("stage");
  // The operator uses a smaller picture.
  await service.call("PATCH", `playlists/${playlist_id}`, { items: [items[0], items[2]] });
  await eventually(async () => (await service.call("GET", `players/${id}/now`)).body.content?.is === "applied");
  expect(await isListed("no-room")).toBe(false);
});
