// The folder in memory on real file systems: small ones, ones on the disk, and none at all.
import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMemoryFolder, removeMemoryFolder } from "../../../src/host/linux/memory-folder.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { type SmallDisk, smallDisk } from "../../support/small-disk.ts";

const skipped = "only root can mount a file system in memory";

/** File systems in memory of these sizes; null when this user may not mount them. */
async function inMemory<T extends number[]>(...megabytes: T) {
  await using mounted = new AsyncDisposableStack();
  const disks: SmallDisk[] = [];
  for (const each of megabytes) {
    const disk = mounted.use(await smallDisk(each));
    if (disk === null) return null;
    disks.push(disk);
  }
  const owned = mounted.move();
  return { disks: disks as { [K in keyof T]: SmallDisk }, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

test("[WRT3] the folder is where memory has the most room, and each cache may take an eighth of that, at most 64 MiB", async (context) => {
  await using mounted = await inMemory(64, 256, 1_024);
  if (mounted === null) return context.skip(skipped);
  const [small, middle, large] = mounted.disks;
  const ofMiddle = await createMemoryFolder([small.path, middle.path], "test", null);
  expect(ofMiddle).toEqual({ path: expect.stringContaining(middle.path), cacheBytes: 32 * 2 ** 20 });
  const ofLarge = await createMemoryFolder([small.path, middle.path, large.path], "test", null);
  expect(ofLarge).toEqual({ path: expect.stringContaining(large.path), cacheBytes: 64 * 2 ** 20 });
});

test("[WRT3] there is no folder where nothing is in memory, has room or can be written", async (context) => {
  await using mounted = await inMemory(16, 256);
  if (mounted === null) return context.skip(skipped);
  const [tiny, readOnly] = mounted.disks;
  await readOnly.setReadOnly(true);
  // /var/tmp is on the disk on every system, see hier(7).
  expect(await createMemoryFolder(["/var/tmp", "/nowhere", tiny.path, readOnly.path], "test", null)).toBeNull();
});

test("[WRT2] a folder that a killed process left is removed by the next start, and no other one", async (context) => {
  await using mounted = await inMemory(64);
  if (mounted === null) return context.skip(skipped);
  const [disk] = mounted.disks;
  const left = await createMemoryFolder([disk.path], "mine", { uid: 65_534, gid: 65_534 });
  await mkdir(join(left!.path, "Cache"));
  await writeFile(join(left!.path, "Cache", "entry"), "x");
  const ofAnotherPlayer = await createMemoryFolder([disk.path], "other", { uid: 65_534, gid: 65_534 });
  // Another user could create a folder of this name in a folder that all users share.
  await mkdir(join(disk.path, "mine-planted"));
  const next = await createMemoryFolder([disk.path], "mine", { uid: 65_534, gid: 65_534 });
  expect(await stat(next!.path)).toMatchObject({ uid: 65_534, gid: 65_534, mode: 0o40700 });
  const paths = (await readdir(disk.path)).map((name) => join(disk.path, name));
  expect(paths.toSorted()).toEqual([join(disk.path, "mine-planted"), next!.path, ofAnotherPlayer!.path].toSorted());
  await removeMemoryFolder(next!.path);
  await removeMemoryFolder(next!.path);
  await using parent = await temporaryFolder();
  await removeMemoryFolder(join(parent.path, "nothing"));
});
