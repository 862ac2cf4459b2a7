// The mirror of releases: what it publishes when the source is good, lies, breaks off, is expired, or the disk is full.
import { createHash } from "node:crypto";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { readFromFolder } from "../../../src/base/releases/folder.ts";
import { verifyReleases } from "../../../src/base/releases/verify.ts";
import { lockFolder } from "../../../src/base/files/folder-lock.ts";
import { ReleaseMirror } from "../../../src/service/releases/mirror.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { startReleaseServer } from "../../support/network/release-server.ts";
import { eventually } from "../../support/polling.ts";
import { SignedReleases } from "../../support/signed-releases.ts";
import { smallDisk } from "../../support/small-disk.ts";

const dayMs = 86_400_000;
const bundleOf = (version: string) => Buffer.from(`bundle ${version} `.repeat(20_000));
const manifest = (version: string) => ({ version, architecture: "amd64", launcher_needed: "1.0.0" }) as const;

async function setUp(folder: string, data = join(folder, "data"), options: { maxBytes?: number; rootFile?: string | null } = {}) {
  const clock = new FakeClock();
  const releases = await SignedReleases.create(join(folder, "source"), { now: clock.now() });
  await releases.add(manifest("1.4.0"), bundleOf("1.4.0"));
  const mirrorOf = (from: string, more: { maxBytes?: number; rootFile?: string | null } = options) =>
    new ReleaseMirror(
      data,
      { from, rootFile: null, maxBytes: 1e9, ...more },
      { clock, log: silentLog, closing: new AbortController().signal },
    );
  const published = join(data, "releases");
  /** The versions that a player finds in the mirror. */
  const offered = async () => {
    const read = readFromFolder(published);
    const trustFolder = join(folder, "player");
    const { targets } = await verifyReleases({ root: releases.anchor, trustFolder, read, now: clock.now() });
    return Promise.all(
      targets.map(async ({ path, sha256, custom }) => {
        const hash = createHash("sha256").update(await readFile(join(published, path)));
        expect(hash.digest("hex")).toBe(sha256);
        return (custom as { version: string }).version;
      }),
    );
  };
  return { clock, releases, published, offered, mirrorOf, mirror: mirrorOf(releases.folder) };
}

test("[MIR1] the mirror offers the source's releases, with every root since the first, from a folder and from a server", async () => {
  await using folder = await temporaryFolder();
  const { releases, mirror, mirrorOf, offered } = await setUp(folder.path);
  expect(await mirror.hasRelease("1.4.0")).toBe(false);
  expect(await mirror.refresh()).toBe(true);
  expect([await mirror.hasRelease("1.4.0"), await mirror.hasRelease("1.4.0", "arm64")]).toEqual([true, false]);
  expect(await offered()).toEqual(["1.4.0"]);
  await releases.rotate();
  await releases.rotate();
  await releases.add(manifest("1.5.0"), bundleOf("1.5.0"));
  await using server = await startReleaseServer(releases.folder);
  expect(await mirrorOf(server.url).refresh()).toBe(true);
  expect(await offered()).toEqual(["1.4.0", "1.5.0"]);
  // The other mirror of the same folder notices it.
  expect(await mirror.hasRelease("1.5.0")).toBe(true);
  expect(server.ranges).toEqual([0]);
});

test("[MIR2] a source that lies, is older or is unreachable changes nothing, and the mirror says why", async () => {
  await using folder = await temporaryFolder();
  const { releases, mirrorOf, offered } = await setUp(folder.path);
  await using server = await startReleaseServer(releases.folder);
  const mirror = mirrorOf(server.url);
  expect(await mirror.refresh()).toBe(true);
  const older = await releases.save();
  await releases.add(manifest("1.5.0"), bundleOf("1.5.0"));
  const isRefused = async (reason: RegExp) => {
    expect(await mirror.refresh()).toBe(false);
    expect((await mirror.state()).error).toMatch(reason);
    expect(await offered()).toEqual(["1.4.0"]);
    expect((await mirror.state()).releases!.bundles).toHaveLength(1);
  };
  server.lies.push({ about: "targets.json", lie: (response, bytes) => void response.end(String(bytes).replace("1.5.0", "1.6.0")) });
  await isRefused(/not signed by enough keys/);
  // A file of 64 MB: reading stops at the limit for its size.
  let sent = 0;
  const blocks = function* (): Generator<Buffer> {
    for (; sent < 1_000; sent += 1) yield Buffer.alloc(65_536, " ");
  };
  server.lies.push({ about: "timestamp", lie: (response) => void Readable.from(blocks()).pipe(response) });
  await isRefused(/is too long/);
  expect(sent).toBeLessThan(1_000);
  server.lies.push({ about: "targets/", lie: (response, bytes) => void response.end(Buffer.alloc(bytes.length)) });
  await isRefused(/has other bytes for signage-player_1\.5\.0/);
  server.lies.push({ about: "targets/", lie: (response, bytes) => void response.end(Buffer.concat([bytes, bytes])) });
  await isRefused(/sends more bytes/);
  server.lies.push({ about: "timestamp", lie: (response) => void response.writeHead(500).end() });
  await isRefused(/answers 500 for metadata\/timestamp\.json/);
  await releases.publish(1);
  await isRefused(/not signed by enough keys/);
  await releases.publish();
  expect(await mirror.refresh()).toBe(true);
  await releases.restore(older);
  expect(await mirror.refresh()).toBe(false);
  expect((await mirror.state()).error).toMatch(/older than/);
  expect(await offered()).toEqual(["1.4.0", "1.5.0"]);
});

test("[MIR3] a download that breaks off continues where it stopped, and a wrong part is fetched anew", async () => {
  await using folder = await temporaryFolder();
  const { releases, mirrorOf, offered, published } = await setUp(folder.path);
  await using server = await startReleaseServer(releases.folder);
  const mirror = mirrorOf(server.url);
  const sha256 = createHash("sha256").update(bundleOf("1.4.0")).digest("hex");
  const part = join(published, "incoming", `${sha256}.part`);
  const cutAt = (end: number) => ({
    about: "targets/",
    lie: (response: ServerResponse, bytes: Buffer, from: number) => {
      const range = from > 0 ? { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {};
      response.writeHead(from > 0 ? 206 : 200, { "content-length": bytes.length - from, ...range }).write(bytes.subarray(from, end));
      // Cut only when all that was sent is on the disk, so that the test knows where the next download begins.
      void eventually(async () => (await stat(part).catch(() => null))?.size === end).then(() => response.destroy());
    },
  });
  server.lies.push(cutAt(100_000), cutAt(150_000));
  expect(await mirror.refresh()).toBe(false);
  expect((await mirror.state()).error).toMatch(/broke off after 100000 of 260000 bytes/);
  await expect(offered()).rejects.toThrow();
  expect(await mirror.refresh()).toBe(false);
  expect(await mirror.refresh()).toBe(true);
  expect(await offered()).toEqual(["1.4.0"]);
  expect(server.ranges).toEqual([0, 100_000, 150_000]);
  // What an earlier source sent is wrong: the whole bundle is fetched once more.
  const path = await releases.add(manifest("1.5.0"), bundleOf("1.5.0"));
  await writeFile(join(published, "incoming", `${path.slice(8, 72)}.part`), Buffer.alloc(1_000));
  expect(await mirror.refresh()).toBe(true);
  expect(server.ranges.slice(3)).toEqual([1_000, 0]);
  expect(await offered()).toEqual(["1.4.0", "1.5.0"]);
});

test("[MIR4] expired metadata is offered on, and reported", async () => {
  await using folder = await temporaryFolder();
  const { clock, mirror } = await setUp(folder.path);
  await mirror.refresh();
  clock.advance(31 * dayMs);
  expect(await mirror.refresh()).toBe(false);
  const { error, releases } = await mirror.state();
  expect(error).toMatch(/has expired/);
  expect(releases!.expiresAt).toBeLessThan(clock.now());
  expect(await mirror.find("metadata/timestamp.json")).not.toBeNull();
  expect(await mirror.hasRelease("1.4.0")).toBe(true);
});

test("[MIR5] without room on the disk nothing is downloaded, the rest stays usable, and it works when there is room", async (context) => {
  await using folder = await temporaryFolder();
  await using disk = await smallDisk(4);
  if (disk === null) return context.skip("only root can mount a small disk");
  const { releases, mirror, offered } = await setUp(folder.path, disk.path);
  expect(await mirror.refresh()).toBe(true);
  await releases.add(manifest("1.5.0"), Buffer.alloc(5_000_000, "x"));
  expect(await mirror.refresh()).toBe(false);
  expect((await mirror.state()).error).toMatch(/free \d+ MB there/);
  expect(await offered()).toEqual(["1.4.0"]);
  await disk.fill();
  expect(await mirror.refresh()).toBe(false);
  expect((await mirror.state()).error).not.toBeNull();
  expect(await offered()).toEqual(["1.4.0"]);
  await disk.free();
  await disk.resize(16);
  expect(await mirror.refresh()).toBe(true);
  expect(await offered()).toEqual(["1.4.0", "1.5.0"]);
});

test("[MIR6] two refreshes at once are one, and another program's refresh is named", async () => {
  await using folder = await temporaryFolder();
  const { releases, mirrorOf, published } = await setUp(folder.path);
  await using server = await startReleaseServer(releases.folder);
  const mirror = mirrorOf(server.url);
  expect(await Promise.all([mirror.refresh(), mirror.refresh()])).toEqual([true, true]);
  expect(server.ranges).toEqual([0]);
  using _ = lockFolder(published);
  expect(await mirror.refresh()).toBe(false);
  expect((await mirror.state()).error).toMatch(/Another program is refreshing/);
  expect(await mirror.hasRelease("1.4.0")).toBe(true);
});

test("[MIR7] bundles that the metadata no longer names are deleted a day later", async () => {
  await using folder = await temporaryFolder();
  const { clock, releases, mirror, published } = await setUp(folder.path);
  await mirror.refresh();
  await releases.remove("signage-player_1.4.0_amd64.tar.zst");
  await mirror.refresh();
  expect(await mirror.hasRelease("1.4.0")).toBe(false);
  clock.advance(dayMs - 1);
  await mirror.refresh();
  expect(await readdir(join(published, "targets"))).toHaveLength(1);
  clock.advance(1);
  await mirror.refresh();
  expect(await readdir(join(published, "targets"))).toEqual([]);
  const names = await readdir(join(published, "metadata"));
  expect(names.toSorted()).toEqual(["1.root.json", "3.snapshot.json", "3.targets.json", "timestamp.json"]);
  expect(await readdir(join(published, "incoming"))).toEqual([]);
});

test("[MIR8] the newest versions are kept that fit into the mirror's limit", async () => {
  await using folder = await temporaryFolder();
  const { clock, releases, mirrorOf, published } = await setUp(folder.path);
  for (const version of ["1.5.0-rc.1", "1.5.0", "1.10.0"]) await releases.add(manifest(version), bundleOf(version));
  const mirror = mirrorOf(releases.folder, { maxBytes: 550_000 });
  expect(await mirror.refresh()).toBe(true);
  const has = await Promise.all(["1.10.0", "1.5.0", "1.5.0-rc.1", "1.4.0"].map((version) => mirror.hasRelease(version)));
  expect(has).toEqual([true, true, false, false]);
  expect((await mirror.state()).releases!.bundles.map(({ isThere }) => isThere)).toEqual([false, false, true, true]);
  const smaller = mirrorOf(releases.folder, { maxBytes: 300_000 });
  await smaller.refresh();
  clock.advance(dayMs);
  await smaller.refresh();
  expect([await smaller.hasRelease("1.10.0"), await smaller.hasRelease("1.5.0")]).toEqual([true, false]);
  expect(await readdir(join(published, "targets"))).toHaveLength(1);
  const tooSmall = mirrorOf(releases.folder, { maxBytes: 1_000 });
  expect(await tooSmall.refresh()).toBe(false);
  expect((await tooSmall.state()).error).toMatch(/1\.10\.0 is larger than the mirror's limit/);
});

test("[MIR9] the root that was trusted first stays, until the operator names another", async () => {
  await using folder = await temporaryFolder();
  const { mirror, mirrorOf, clock, published } = await setUp(folder.path);
  await mirror.refresh();
  const other = await SignedReleases.create(join(folder.path, "other"), { now: clock.now() });
  await other.rotate();
  await other.add(manifest("2.0.0"), bundleOf("2.0.0"));
  const stranger = mirrorOf(other.folder);
  expect(await stranger.refresh()).toBe(false);
  expect((await stranger.state()).error).toMatch(/name its root with --releases-root/);
  expect(await stranger.hasRelease("1.4.0")).toBe(true);
  const rootFile = join(folder.path, "root.json");
  await writeFile(rootFile, other.anchor);
  const named = mirrorOf(other.folder, { rootFile });
  expect(await named.refresh()).toBe(true);
  expect([await named.hasRelease("1.4.0"), await named.hasRelease("2.0.0")]).toEqual([false, true]);
  expect((await readdir(join(published, "metadata"))).filter((name) => name.endsWith("root.json"))).toEqual(["1.root.json", "2.root.json"]);
});

test("[MIR10] the mirror refreshes every hour, and sooner after a failure such as a pulled USB stick", async () => {
  await using folder = await temporaryFolder();
  const { clock, releases, mirror, mirrorOf } = await setUp(folder.path);
  await rm(join(releases.folder, "metadata/timestamp.json"));
  const stop = new AbortController();
  const running = mirror.run(stop.signal).catch(() => undefined);
  await eventually(async () => (await mirror.state()).error !== null && clock.pendingWaits === 1);
  await releases.publish();
  clock.advance(60_000);
  await eventually(async () => (await mirror.hasRelease("1.4.0")) && clock.pendingWaits === 1);
  await releases.add(manifest("1.5.0"), bundleOf("1.5.0"));
  clock.advance(3_600_000);
  await eventually(async () => (await mirror.hasRelease("1.5.0")) && clock.pendingWaits === 1);
  stop.abort();
  await running;
  const missing = mirrorOf(join(folder.path, "usb"));
  await missing.refresh();
  expect((await missing.state()).error).toMatch(/USB stick connected\?/);
});
