// Limits of downloads and waits after failures: a real cache, a clock that the test advances, and a service that fails at will.
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Observable } from "../../../src/base/async/observable.ts";
import { createSystemClock, type Clock } from "../../../src/base/clock.ts";
import { Fault } from "../../../src/base/fault.ts";
import { silentLog } from "../../../src/base/log.ts";
import { ContentCache, type ContentCacheOptions } from "../../../src/player/content/content-cache.ts";
import type { OpenFile } from "../../../src/player/content/download-file.ts";
import { Downloads } from "../../../src/player/content/downloads.ts";
import { prepareNewest } from "../../../src/player/content/prepare-newest.ts";
import { preloadFrom } from "../../../src/player/content/preload.ts";
import { HttpFault } from "../../../src/player/link/service-http.ts";
import { ServiceApi } from "../../../src/player/link/service-api.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import type { DesiredAsset, DesiredState } from "../../../src/protocol/device/desired-state.ts";
import type { DownloadSettings } from "../../../src/protocol/device/download-settings.ts";
import { picture, TestService } from "../../service/harness.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { startFileService, type Lie } from "../../support/network/file-service.ts";
import { TestPlayer } from "../../support/player.ts";
import { eventually } from "../../support/polling.ts";
import { assetOf, desiredOf, imageItem } from "../../support/states.ts";

const hourMs = 3_600_000;
/** Resolves when all callbacks that are due have run. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const chunkBytes = 10_000;
const contents = new Map<string, Buffer>();

function fileOf(name: string, bytes = 100_000): DesiredAsset {
  const body = Buffer.alloc(bytes, name);
  const asset = assetOf(body);
  contents.set(asset.sha256, body);
  return asset;
}

function stateOf(assets: DesiredAsset[], revision: string, downloads: DownloadSettings = {}): DesiredState {
  const items = assets.map((asset) => imageItem(asset, 10_000));
  const desired = desiredOf(items, assets, revision);
  return { ...desired, player: { ...desired.player, timezone: "Europe/Berlin", downloads } };
}

/** A player's cache that follows states. The service counts what it sends, and `hold` stops it before a chunk. */
async function startCache(clock: Clock, options: Partial<ContentCacheOptions> = {}) {
  const folder = await temporaryFolder();
  const content = join(folder.path, "content");
  const cache = await ContentCache.open(content, clock, silentLog, new DiskHealth(silentLog), options);
  const states = new Observable<DesiredState | null>(null);
  const sent = { bytes: 0, requests: [] as { sha256: string; offset: number }[] };
  const service = { sent, hold: async (_asset: DesiredAsset, _at: number): Promise<void> => undefined };
  const openFile: OpenFile = async (asset, offset, signal) => {
    sent.requests.push({ sha256: asset.sha256, offset });
    async function* body() {
      for (let at = offset; at < asset.size_bytes; at += chunkBytes) {
        await service.hold(asset, at);
        signal.throwIfAborted();
        const bytes = contents.get(asset.sha256)!.subarray(at, at + chunkBytes);
        sent.bytes += bytes.length;
        yield bytes;
      }
    }
    return { body: body(), resumed: offset > 0 };
  };
  const stop = new AbortController();
  const ended = prepareNewest(states, cache, openFile, clock, stop.signal).catch((error: unknown) => error);
  return {
    cache,
    service,
    states,
    pathOf: ({ sha256 }: DesiredAsset) => join(content, sha256),
    show: (revision: string) => eventually(() => cache.ready.value?.desired.revision === revision && cache.ready.value.files.size > 0),
    async [Symbol.asyncDispose]() {
      stop.abort();
      expect(await ended).toHaveProperty("name", "AbortError");
      await folder[Symbol.asyncDispose]();
    },
  };
}

test("[DLS5] all downloads together keep to the limit", async () => {
  const clock = new FakeClock();
  await using setup = await startCache(clock);
  const { cache, service, states } = setup;
  const perSecond = 50_000;
  const startedAt = clock.monotonic();
  states.set(
    stateOf(
      ["one", "two", "three", "four"].map((name) => fileOf(`limited ${name}`)),
      "r1",
      { max_bytes_per_second: perSecond },
    ),
  );
  // A chunk of each of three files may wait for its turn.
  const mayBeAhead = perSecond + 3 * chunkBytes;
  while (cache.ready.value === null) {
    await turn();
    expect(service.sent.bytes).toBeLessThanOrEqual(((clock.monotonic() - startedAt) / 1_000) * perSecond + mayBeAhead);
    clock.advance(20);
  }
  expect(service.sent.bytes).toBe(400_000);
});

test("[DLS5] a limit that is lifted in the middle of a download ends at once, and the download continues where it was", async () => {
  await using setup = await startCache(createSystemClock());
  const { cache, service, states } = setup;
  const file = fileOf("slow", 3_000_000);
  states.set(stateOf([file], "r1", { max_bytes_per_second: 10_000 }));
  await eventually(() => cache.progress.value.readyBytes > 0);
  states.set(stateOf([file], "r2"));
  await setup.show("r2");
  expect(service.sent.requests.map(({ offset }) => offset > 0)).toEqual([false, true]);
});

/** 13:00 in Berlin. */
const noon = Date.UTC(2026, 10, 23, 12);
const night: DownloadSettings = { windows: [{ from: "01:00", until: "03:00" }] };

test("[DLS6] new content waits for its window, says so, and is downloaded then", async () => {
  const clock = new FakeClock(noon);
  await using setup = await startCache(clock);
  const { cache, service, states } = setup;
  const [before, news] = [fileOf("before"), fileOf("news")];
  // There is nothing to show without the first content.
  states.set(stateOf([before], "r1", night));
  await setup.show("r1");
  states.set(stateOf([before, news], "r2", night));
  await eventually(() => cache.progress.value.is === "waiting");
  expect(cache.progress.value.detail).toContain("2026-11-24T00:00:00.000Z");
  clock.advance(12 * hourMs - 1);
  await turn();
  expect([cache.progress.value.is, service.sent.requests.length]).toEqual(["waiting", 1]);
  clock.advance(1);
  await setup.show("r2");
  expect(cache.progress.value).toMatchObject({ is: "idle", detail: null });
});

test("[DLS6] a download that its window interrupts is resumed in the next", async () => {
  const clock = new FakeClock(noon + 13 * hourMs);
  await using setup = await startCache(clock);
  const { cache, service, states } = setup;
  const [before, news] = [fileOf("before"), fileOf("longer news")];
  states.set(stateOf([before], "r1", night));
  await setup.show("r1");
  const [reached, resume] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  service.hold = async (_asset, at) => {
    if (at < 50_000) return;
    reached.resolve();
    await resume.promise;
  };
  states.set(stateOf([before, news], "r2", night));
  await reached.promise;
  clock.advance(hourMs);
  resume.resolve();
  await eventually(() => cache.progress.value.is === "waiting");
  expect(cache.progress.value.detail).toContain("2026-11-25T00:00:00.000Z");
  clock.advance(22 * hourMs);
  await setup.show("r2");
  expect(service.sent.requests.map(({ offset }) => offset)).toEqual([0, 0, 50_000]);
});

test("[DLS6] a window that is removed or changed while files wait for it is obeyed at once", async () => {
  const clock = new FakeClock(noon);
  await using setup = await startCache(clock);
  const { cache, states } = setup;
  const [before, news] = [fileOf("before"), fileOf("news")];
  states.set(stateOf([before], "r1", night));
  await setup.show("r1");
  states.set(stateOf([before, news], "r2", night));
  await eventually(() => cache.progress.value.is === "waiting");
  states.set(stateOf([before, news], "r3", { windows: [{ from: "14:00", until: "24:00" }] }));
  await eventually(() => cache.progress.value.detail?.includes("2026-11-23T13:00:00.000Z") === true);
  states.set(stateOf([before, news], "r4", { windows: [{ from: "12:59", until: "24:00" }] }));
  await setup.show("r4");
});

test("[DLS6] lost files of the content on the screen are downloaded outside the windows, while new content waits", async () => {
  const clock = new FakeClock(noon);
  await using setup = await startCache(clock);
  const { cache, service, states, pathOf } = setup;
  const [kept, lost, news] = [fileOf("kept"), fileOf("lost"), fileOf("news")];
  states.set(stateOf([kept, lost], "r1", night));
  await setup.show("r1");
  states.set(stateOf([kept, lost, news], "r2", night));
  await eventually(() => cache.progress.value.is === "waiting");
  await rm(pathOf(lost));
  cache.prepareAgain();
  await eventually(() => service.sent.requests.length === 3 && cache.ready.value?.files.size === 2);
  expect(service.sent.requests[2]!.sha256).toBe(lost.sha256);
  expect(cache.progress.value.is).toBe("waiting");
});

test("[DLS6] files of the preload folder are imported outside the windows and without a limit", async () => {
  const clock = new FakeClock(noon);
  await using stick = await temporaryFolder();
  await using setup = await startCache(clock, { findPreloaded: preloadFrom(stick.path, silentLog) });
  const { cache, service, states } = setup;
  const [before, news] = [fileOf("before"), fileOf("news")];
  const limits = { ...night, max_bytes_per_second: 10_000 };
  states.set(stateOf([before], "r1", night));
  await setup.show("r1");
  states.set(stateOf([before, news], "r2", limits));
  await eventually(() => cache.progress.value.is === "waiting");
  await writeFile(join(stick.path, "news"), contents.get(news.sha256)!);
  await eventually(() => clock.pendingWaits > 0);
  clock.advance(60_000);
  await setup.show("r2");
  expect(service.sent.requests.length).toBe(1);
});

/** Downloads of files that each attempt may fail, with the longest waits, and a record of the attempts. */
function startRun(
  files: DesiredAsset[],
  attempt: (asset: DesiredAsset, openFile: OpenFile, signal: AbortSignal) => Promise<void>,
  openFile: OpenFile = () => Promise.reject(new Fault("protocol", "not used")),
) {
  const clock = new FakeClock();
  const startedAt = clock.monotonic();
  const attempts: { name: string; at: number }[] = [];
  const stop = new AbortController();
  const counts = { running: 0, most: 0 };
  const downloads = new Downloads(clock, null, () => 1);
  const nameOf = (asset: DesiredAsset): string => contents.get(asset.sha256)!.subarray(0, 1).toString();
  const ended = downloads.run(
    {
      files: files.map((asset) => ({ asset, isUrgent: false })),
      isAwaited: () => true,
      openFile,
      async fetch(asset, open, signal) {
        attempts.push({ name: nameOf(asset), at: clock.monotonic() - startedAt });
        counts.running += 1;
        counts.most = Math.max(counts.most, counts.running);
        try {
          await turn();
          await attempt(asset, open, signal);
        } finally {
          counts.running -= 1;
        }
      },
      onFailure: async () => undefined,
      onWindow: () => undefined,
    },
    stop.signal,
  );
  /** Advances the clock second by second, or until the run has ended. */
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      for (let count = 0; count < 20; count += 1) await turn();
      clock.advance(1_000);
    }
    for (let count = 0; count < 20; count += 1) await turn();
  };
  return { clock, downloads, attempts, counts, ended, pass, stop };
}

const letters = (from: string): DesiredAsset[] => from.split("").map((letter) => fileOf(letter, 10));

test("[DLS7] a service that fails is asked for one file at a time, after random waits whose bound doubles up to five minutes", async () => {
  const { attempts, counts, ended, pass, stop } = startRun(letters("abcdef"), () => Promise.reject(new Fault("unreachable", "away")));
  await pass(2_000);
  expect(counts.most).toBe(3);
  const times = attempts.map(({ at }) => at / 1_000);
  expect(times).toEqual([0, 0, 0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 811, 1_111, 1_411, 1_711]);
  // Another file each time.
  expect(attempts.map(({ name }) => name).join("")).toMatch(/^abcdef/);
  stop.abort();
  await expect(ended).rejects.toThrow();
});

test("[DLS7] after a success all files are downloaded again, the first of the list first", async () => {
  let isAway = true;
  const { attempts, ended, pass } = startRun(letters("abcdefgh"), () =>
    isAway ? Promise.reject(new HttpFault(503, "busy")) : Promise.resolve(),
  );
  await pass(60);
  const before = attempts.length;
  isAway = false;
  await pass(10);
  await ended;
  expect(attempts.length).toBe(before + 8);
  const order = attempts.slice(before).map(({ name }) => name);
  expect(order.slice(1)).toEqual("abcdefgh".split("").filter((name) => name !== order[0]));
  expect(attempts.at(-1)!.at).toBe(attempts[before]!.at);
});

test.each([
  ["is continued", true, [0, 1, 2, 3, 4, 5]],
  ["begins again", false, [0, 1, 3]],
])(
  "[DLS7] a download that breaks off after each megabyte and %s is retried after short waits only if it is continued",
  async (_how, resumed, times) => {
    const megabyte = Buffer.alloc(1_000_000);
    const openFile: OpenFile = async () => {
      async function* body() {
        yield megabyte;
        throw new Fault("unreachable", "the connection broke");
      }
      return { body: body(), resumed };
    };
    let size = 0;
    const read = async (asset: DesiredAsset, open: OpenFile, signal: AbortSignal): Promise<void> => {
      const { body } = await open(asset, size, signal);
      for await (const bytes of body) size += bytes.length;
    };
    const { attempts, ended, pass, stop } = startRun(letters("a"), read, openFile);
    await pass(5);
    expect(attempts.map(({ at }) => at / 1_000)).toEqual(times);
    stop.abort();
    await expect(ended).rejects.toThrow();
  },
);

test("[DLS7] a link that returns ends the wait", async () => {
  let isAway = true;
  const { downloads, attempts, ended, pass } = startRun(letters("abcd"), () =>
    isAway ? Promise.reject(new Fault("unreachable", "away")) : Promise.resolve(),
  );
  await pass(300);
  const before = attempts.length;
  isAway = false;
  downloads.retryNow();
  await pass(0);
  await ended;
  expect(attempts.length).toBe(before + 4);
});

test.each([
  [20, 21],
  [100_000, 3_601],
])("[DLS7] a service that asks to wait %i seconds is asked again after that, and a random wait", async (retryAfter, seconds) => {
  let isFirst = true;
  const { attempts, ended, pass } = startRun(letters("a"), () => {
    if (!isFirst) return Promise.resolve();
    isFirst = false;
    return Promise.reject(new HttpFault(429, "slow down", retryAfter * 1_000));
  });
  await pass(seconds);
  await ended;
  expect(attempts.map(({ at }) => at / 1_000)).toEqual([0, seconds]);
});

test.each([
  ["7", 7_000],
  ["Mon, 23 Nov 2026 12:00:30 GMT", 30_000],
  ["soon", null],
])("[DLS7] Retry-After: %s is read from the response", async (header, expected) => {
  await using service = await startFileService();
  await using api = new ServiceApi(() => service.url);
  const asset = service.add(Buffer.from("busy"));
  const busy: Lie = (response) => {
    response.writeHead(503, { "retry-after": header, date: "Mon, 23 Nov 2026 12:00:00 GMT", "content-type": "application/json" }).end("{}");
  };
  service.lies.push(busy);
  const failed = await api.file("token", asset, 0, new AbortController().signal).catch((error: unknown) => error);
  expect(failed).toMatchObject({ status: 503, retryAfterMs: expected });
});

test.each<[string, () => Error]>([
  ["is missing", () => new HttpFault(404, "no such file")],
  ["has wrong bytes", () => new Fault("asset-corrupt", "wrong bytes")],
])("[DLS8] a file that %s is retried after growing waits of its own and delays no other", async (_what, error) => {
  const files = letters("abcdefghij");
  const isBad = ({ sha256 }: DesiredAsset): boolean => files.slice(0, 4).some((file) => file.sha256 === sha256);
  const { attempts, ended, pass, stop } = startRun(files, (asset) => (isBad(asset) ? Promise.reject(error()) : Promise.resolve()));
  await pass(20);
  const ofGood = attempts.filter(({ name }) => name >= "e");
  expect(ofGood.map(({ name, at }) => [name, at])).toEqual("efghij".split("").map((name) => [name, 0]));
  expect(attempts.filter(({ name }) => name === "a").map(({ at }) => at / 1_000)).toEqual([0, 1, 3, 7, 15]);
  stop.abort();
  await expect(ended).rejects.toThrow();
});

test("[DLS8] a service that fails for one file only delivers all others", async () => {
  const files = letters("abcdefghij");
  const { attempts, ended, pass, stop } = startRun(files, ({ sha256 }) =>
    sha256 === files[0]!.sha256 ? Promise.reject(new HttpFault(500, "broken")) : Promise.resolve(),
  );
  await pass(30);
  expect(new Set(attempts.map(({ name }) => name))).toEqual(new Set("abcdefghij"));
  expect(attempts.filter(({ name }) => name > "a").length).toBe(9);
  stop.abort();
  await expect(ended).rejects.toThrow();
});

test("[DLS7] a revocation ends the downloads", async () => {
  const { ended } = startRun(letters("abc"), () => Promise.reject(new Fault("revoked", "revoked")));
  await expect(ended).rejects.toMatchObject({ code: "revoked" });
});

test("[DLS6] a player obeys the windows that the operator sets, reports that it waits, and obeys their end without a restart", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(noon);
  await using service = await TestService.start(join(folder.path, "service"), { clock });
  await using player = new TestPlayer(join(folder.path, "player"), () => service.service.url, clock);
  const { id } = (await service.call("POST", "players/pair", { code: await player.pairingCode(), name: "Lobby" })).body;
  /** Assigns a layout that shows a new picture, with these other changes. @returns the asset. */
  const show = async (size: number, changes: Record<string, unknown>): Promise<string> => {
    const asset_id = (await service.upload(await picture("png", size))).body.id as string;
    const playlist = await service.call("POST", "playlists", { name: "P", items: [{ type: "image", asset_id }] });
    const zones = [{ name: "main", left: 0, top: 0, width: 100, height: 100, playlist_id: playlist.body.id }];
    const layout_id = (await service.call("POST", "layouts", { name: "L", width: 100, height: 100, zones })).body.id as string;
    expect((await service.call("PATCH", `players/${id}`, { layout_id, ...changes })).status).toBe(200);
    return asset_id;
  };
  const isShown = (assetId: string) =>
    player.host.sceneThat(({ screen }) => screen.is === "stage" && JSON.stringify(screen.stage).includes(assetId));
  // The first content is downloaded although the window is closed: the fake machine is in UTC.
  await isShown(await show(8, { downloads: { windows: [{ from: "01:00", until: "03:00" }] } }));
  const news = await show(9, {});
  const content = await eventually(async () => {
    const now = await service.call("GET", `players/${id}/now`);
    return now.body.content?.detail?.includes("2026-11-24T01:00:00.000Z") === true ? now.body.content : null;
  });
  expect(content).toMatchObject({ is: "downloading", detail: expect.stringContaining("waits for the download window") });
  await service.call("PATCH", `players/${id}`, { downloads: null });
  await isShown(news);
});
