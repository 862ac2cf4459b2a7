// What a player reports about its downloads: the files in progress and those that failed, few reports, few heartbeats.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Observable } from "../../../src/base/async/observable.ts";
import { DownloadTracker, noProgress } from "../../../src/player/content/download-progress.ts";
import { maxFilesReported } from "../../../src/protocol/device/heartbeat.ts";
import { picture, TestService } from "../../service/harness.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestPlayer } from "../../support/player.ts";
import { eventually } from "../../support/polling.ts";
import { assetOf, desiredOf } from "../../support/states.ts";

const { signal } = new AbortController();

/** A paired player on a fake clock, and its service. */
async function createSetup() {
  const cleanup = new AsyncDisposableStack();
  const { path } = cleanup.use(await temporaryFolder());
  const clock = new FakeClock();
  const service = cleanup.use(await TestService.start(join(path, "service"), { clock }));
  const player = cleanup.use(new TestPlayer(join(path, "player"), () => service.service.url, clock));
  let heartbeats = 0;
  const readings = await player.machine.readings(path);
  player.machine.readings = async () => {
    heartbeats += 1;
    return readings;
  };
  const { id } = (await service.call("POST", "players/pair", { code: await player.pairingCode(), name: "Lobby" })).body;
  return {
    player,
    clock,
    blobs: join(path, "service/blobs"),
    heartbeats: () => heartbeats,
    /** Uploads pictures and assigns a playlist of them. `before` runs between. Returns the ids of the assets. */
    async publish(count: number, before: (hashes: string[]) => Promise<void> = async () => undefined): Promise<string[]> {
      const assets: { id: string; sha256: string }[] = [];
      for (let index = 1; index <= count; index += 1) assets.push((await service.upload(await picture("png", 8 * index))).body);
      const items = assets.map((asset) => ({ type: "image", asset_id: asset.id, duration_ms: 5_000 }));
      const playlist_id = (await service.call("POST", "playlists", { name: "P", items })).body.id as string;
      const zones = [{ name: "main", left: 0, top: 0, width: 100, height: 100, playlist_id }];
      const layout_id = (await service.call("POST", "layouts", { name: "L", width: 100, height: 100, zones })).body.id as string;
      await before(assets.map(({ sha256 }) => sha256));
      await service.call("PATCH", `players/${id}`, { layout_id });
      return assets.map((asset) => asset.id);
    },
    now: async () => (await service.call("GET", `players/${id}/now`)).body,
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}

test("[DLP1] the service tells of each file that cannot be fetched: which, how much of it is here, and why", async () => {
  await using setup = await createSetup();
  const [, broken] = await setup.publish(3, ([, sha256]) => rm(join(setup.blobs, sha256!.slice(0, 2), sha256!)));
  const { content } = await eventually(async () => {
    const now = await setup.now();
    if (now.content?.is === "failed" && now.content.ready_files === 2) return now;
    setup.clock.advance(30_000);
    return null;
  });
  expect(content).toMatchObject({ total_files: 3, detail: expect.stringMatching(new RegExp(`^[^(]+.* \\(asset ${broken}\\)$`)) });
  expect(content.files).toEqual([
    { asset_id: broken, is: "failed", ready_bytes: 0, total_bytes: content.total_bytes - content.ready_bytes, detail: expect.any(String) },
  ]);
});

test("[DLP1] files in progress are listed before failed ones, twenty at most", () => {
  const assets = Array.from({ length: 30 }, (_, index) => assetOf(Buffer.alloc(100, `file ${index}`)));
  const progress = new Observable(noProgress);
  const tracker = new DownloadTracker(progress, new FakeClock(), desiredOf([], assets), assets);
  for (const asset of assets.slice(0, 15)) tracker.setFailure(asset, "HTTP 503");
  for (const asset of assets.slice(15)) tracker.setBytes(asset, 40);
  tracker.setBytes(assets[29]!, 100);
  tracker.setFailure(assets[0]!, "HTTP 404");
  const { files, ...counts } = progress.value;
  expect(counts).toMatchObject({ is: "failed", readyBytes: 14 * 40 + 100, totalBytes: 3_000, readyFiles: 1, totalFiles: 30 });
  expect(counts.detail).toBe(`HTTP 404 (asset ${assets[0]!.id})`);
  expect(files).toHaveLength(maxFilesReported);
  expect(files.map(({ assetId }) => assetId)).toEqual([...assets.slice(15, 29), ...assets.slice(0, 6)].map(({ id }) => id));
  expect(files[0]).toEqual({ assetId: assets[15]!.id, readyBytes: 40, totalBytes: 100, failure: null });
  expect(files[14]).toEqual({ assetId: assets[0]!.id, readyBytes: 0, totalBytes: 100, failure: "HTTP 404" });
  for (const asset of assets) tracker.setBytes(asset, 100);
  expect(progress.value).toMatchObject({ is: "downloading", readyBytes: 3_000, readyFiles: 30, files: [], detail: null });
});

test("[DLP2] progress is reported at each whole percent and each second, however many files and chunks there are", () => {
  const assets = Array.from({ length: 2_000 }, (_, index) => assetOf(Buffer.alloc(1_000, `file ${index}`)));
  const progress = new Observable(noProgress);
  const clock = new FakeClock();
  const tracker = new DownloadTracker(progress, clock, desiredOf([], assets), assets);
  let reports = -1;
  progress.watch(() => (reports += 1), signal);
  for (const [index, asset] of assets.entries()) {
    for (let bytes = 0; bytes <= 1_000; bytes += 100) tracker.setBytes(asset, bytes);
    if (index % 500 === 0) clock.advance(1_000);
  }
  expect(reports).toBeGreaterThanOrEqual(100);
  expect(reports).toBeLessThanOrEqual(105);
});

test("[DLP2] many files cause no more heartbeats than few", async () => {
  const counts: number[] = [];
  for (const files of [2, 12]) {
    await using setup = await createSetup();
    await setup.publish(files);
    await setup.player.host.sceneThat(({ screen }) => screen.is === "stage");
    await eventually(async () => (await setup.now()).content?.is === "applied");
    counts.push(setup.heartbeats());
  }
  expect(counts[1]! - counts[0]!).toBeLessThanOrEqual(2);
});
