// Files from a preload folder: a real cache, a real folder and a server of files.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSystemClock } from "../../../src/base/clock.ts";
import { Fault } from "../../../src/base/fault.ts";
import { silentLog } from "../../../src/base/log.ts";
import { ContentCache } from "../../../src/player/content/content-cache.ts";
import type { OpenFile } from "../../../src/player/content/download-file.ts";
import { type FindPreloaded, preloadFrom } from "../../../src/player/content/preload.ts";
import { ServiceApi } from "../../../src/player/link/service-api.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import { picture, TestService } from "../../service/harness.ts";
import { FakeClock } from "../../support/clock.ts";
import { startFileService } from "../../support/network/file-service.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestPlayer } from "../../support/player.ts";
import { desiredOf, imageItem } from "../../support/states.ts";

const { signal } = new AbortController();
const contents = [Buffer.alloc(300_000, "first"), Buffer.alloc(300_000, "second")];

/** A service that has two files, a folder to preload from, which does not exist yet, and a cache that searches it. */
async function createSetup() {
  const cleanup = new AsyncDisposableStack();
  const { path } = cleanup.use(await temporaryFolder());
  const service = cleanup.use(await startFileService());
  const api = cleanup.use(new ServiceApi(() => service.url));
  const clock = createSystemClock();
  const fast = { monotonic: () => clock.monotonic() * 1_000, wait: (ms: number, end?: AbortSignal) => clock.wait(ms / 1_000, end) };
  const assets = contents.map((bytes) => service.add(bytes));
  const stick = join(path, "stick");
  const fromService: OpenFile = (asset, offset, end) => api.file("token", asset, offset, end);
  return {
    service,
    assets,
    stick,
    /** Prepares a state with both files, within these limits, and checks their bytes. */
    async prepare({ openFile = fromService, findPreloaded = preloadFrom(stick, silentLog), downloads = {} } = {}): Promise<void> {
      const options = { findPreloaded };
      const disk = new DiskHealth(silentLog);
      const cache = await ContentCache.open(join(path, "content"), { ...clock, ...fast }, silentLog, disk, options);
      const items = assets.map((asset) => imageItem(asset, 1_000));
      const desired = desiredOf(items, assets);
      await cache.prepare({ ...desired, player: { ...desired.player, downloads } }, openFile, signal);
      const stored = await Promise.all(assets.map(({ sha256 }) => readFile(join(path, "content", sha256))));
      expect(stored).toEqual(contents);
    },
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}

test("[CCH14] files of the preload folder are verified and imported, whatever their names, and only the others are downloaded", async () => {
  await using setup = await createSetup();
  const { service, assets, stick } = setup;
  await mkdir(join(stick, "videos/summer"), { recursive: true });
  await writeFile(join(stick, "videos/summer/my picture.png"), contents[0]!);
  await writeFile(join(stick, "notes.txt"), "something else");
  await setup.prepare();
  expect(service.requests.map(({ sha256 }) => sha256)).toEqual([assets[1]!.sha256]);
});

test("[CCH14] a player with a preload folder imports its files", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using service = await TestService.start(join(folder.path, "service"), { clock });
  const bytes = await picture("png", 8);
  const stick = join(folder.path, "stick");
  await mkdir(stick);
  await writeFile(join(stick, "picture"), bytes);
  await using player = new TestPlayer(join(folder.path, "player"), () => service.service.url, clock, { preload: stick });
  const { id } = (await service.call("POST", "players/pair", { code: await player.pairingCode(), name: "Lobby" })).body;
  const asset_id = (await service.upload(bytes)).body.id as string;
  const items = [{ type: "image", asset_id, duration_ms: 5_000 }];
  const { layout } = await service.createLayout(items);
  expect((await service.call("PATCH", `players/${id}`, { layout_id: layout.id })).status).toBe(200);
  expect(await player.line("importing a file from the preload folder")).toMatchObject({ asset_id });
  await player.host.sceneThat(({ screen }) => screen.is === "stage");
});

test.each<[string, (stick: string, sha256: string) => Promise<unknown>]>([
  ["is missing", async () => undefined],
  ["is a file", (stick) => writeFile(stick, "")],
  ["is empty", (stick) => mkdir(stick)],
  [
    "has a damaged file of the right name and size",
    async (stick, sha256) => {
      await mkdir(stick);
      await writeFile(join(stick, sha256), Buffer.alloc(300_000, "damaged"));
    },
  ],
])("[CCH15] if the preload folder %s, the files are downloaded", async (_how, create) => {
  await using setup = await createSetup();
  await create(setup.stick, setup.assets[0]!.sha256);
  await setup.prepare();
  expect(setup.service.requests.length).toBe(2);
});

/** Puts both files into the folder. */
async function fill(stick: string): Promise<void> {
  await mkdir(stick);
  for (const [index, bytes] of contents.entries()) await writeFile(join(stick, String(index)), bytes);
}

test("[CCH15] if the stick is pulled out during an import, the rest of the file is downloaded", async () => {
  await using setup = await createSetup();
  const { service, stick } = setup;
  await fill(stick);
  const preloaded = preloadFrom(stick, silentLog);
  const findPreloaded: FindPreloaded = async (asset, end) => {
    const openFile = await preloaded(asset, end);
    if (openFile === null) return null;
    return async (...wanted) => {
      const { body, resumed } = await openFile(...wanted);
      async function* pulledOut() {
        for await (const bytes of body) {
          yield bytes.subarray(0, 1_000);
          await rm(stick, { recursive: true, force: true });
          throw Object.assign(new Error("EIO: i/o error, read"), { code: "EIO", syscall: "read" });
        }
      }
      return { body: pulledOut(), resumed };
    };
  };
  await setup.prepare({ findPreloaded });
  expect(service.requests.map(({ headers }) => headers.range)).toContain("bytes=1000-");
});

test("[CCH15] a stick that is plugged in while the service cannot be reached is used", async () => {
  await using setup = await createSetup();
  const { service, stick } = setup;
  let plugged: Promise<void> | null = null;
  const unreachable: OpenFile = async () => {
    await (plugged ??= fill(stick));
    throw new Fault("unreachable", "the service is away");
  };
  await setup.prepare({ openFile: unreachable });
  expect(service.requests).toEqual([]);
});
