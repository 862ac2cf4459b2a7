// Downloads onto disks that are slow or full: what is kept, and what waits in memory.
import fs, { readFile, stat } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Fault, isAbort } from "../../../src/base/fault.ts";
import { downloadFile, type OpenFile } from "../../../src/player/content/download-file.ts";
import { breakDisk } from "../../support/disk.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { smallDisk } from "../../support/small-disk.ts";
import { slowDown, type SlowFile } from "../../support/slow-file.ts";
import { assetOf } from "../../support/states.ts";

const partBytes = 64 * 1024;
const bytes = Buffer.concat(Array.from({ length: 64 }, (_each, index) => Buffer.alloc(partBytes, `part ${index}`)));
const asset = assetOf(bytes);

/** A service whose first body ends with `end`, after `parts` parts. Later bodies are whole. */
function serviceOf(parts: number, end: () => Promise<void>) {
  const offsets: number[] = [];
  let sent = 0;
  const open: OpenFile = async (_asset, offset) => {
    offsets.push(offset);
    const isFirst = offsets.length === 1;
    async function* body(): AsyncGenerator<Buffer> {
      for (let at = offset; at < bytes.length && (!isFirst || at < parts * partBytes); at += partBytes) {
        yield bytes.subarray(at, at + partBytes);
        sent += 1;
      }
      if (isFirst) await end();
    }
    return { body: body(), resumed: offset > 0 };
  };
  return { open, offsets, sent: () => sent };
}

/** Slows the next file that is opened down, until it is disposed of. */
function slowNextFile(): { opened: Promise<SlowFile> } & Disposable {
  const { open } = fs;
  const opened = Promise.withResolvers<SlowFile>();
  const patched: typeof fs.open = async (...how) => {
    const file = await open(...how);
    if (how[1] === "a") opened.resolve(slowDown(file));
    return file;
  };
  Object.assign(fs, { open: patched });
  syncBuiltinESMExports();
  return {
    opened: opened.promise,
    [Symbol.dispose]() {
      Object.assign(fs, { open });
      syncBuiltinESMExports();
    },
  };
}

const none = (): void => undefined;
const neverAborted = new AbortController().signal;
const breakOff = async (): Promise<never> => {
  throw new Fault("unreachable", "the connection broke");
};

test("[CCH18] a download goes on while the disk is busy, and takes at most two megabytes of memory for bytes that are not written yet", async () => {
  await using folder = await temporaryFolder();
  using files = slowNextFile();
  const path = join(folder.path, asset.sha256);
  const service = serviceOf(64, async () => undefined);
  const done = downloadFile(path, asset, service.open, none, neverAborted);
  const slow = await files.opened;
  await slow.first;
  await new Promise((resolve) => setImmediate(resolve));
  expect(service.sent()).toBeGreaterThan(8);
  expect(service.sent()).toBeLessThan(32);
  slow.release();
  await done;
  expect(await readFile(path)).toEqual(bytes);
});

test.each([
  ["the connection broke", breakOff],
  [
    "it was stopped",
    async (): Promise<void> => {
      throw new DOMException("stopped", "AbortError");
    },
  ],
])("[CCH19] all bytes that came before %s are kept, though the disk was busy, and the rest is fetched", async (_why, end) => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, asset.sha256);
  const service = serviceOf(10, end);
  {
    using files = slowNextFile();
    const done = downloadFile(path, asset, service.open, none, neverAborted);
    const slow = await files.opened;
    await slow.first;
    await new Promise((resolve) => setImmediate(resolve));
    slow.release();
    await expect(done).rejects.toSatisfy((error: Error) => isAbort(error) || error.message === "the connection broke");
  }
  expect((await stat(`${path}.part`)).size).toBe(10 * partBytes);
  await downloadFile(path, asset, service.open, none, neverAborted);
  expect(service.offsets).toEqual([0, 10 * partBytes]);
  expect(await readFile(path)).toEqual(bytes);
});

test("[CCH20] a disk that cannot be written is noticed before the service is asked for a file", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, asset.sha256);
  const service = serviceOf(64, async () => undefined);
  {
    using _broken = await breakDisk("EROFS");
    await expect(downloadFile(path, asset, service.open, none, neverAborted)).rejects.toMatchObject({ code: "EROFS" });
  }
  expect(service.offsets).toEqual([]);
  await downloadFile(path, asset, service.open, none, neverAborted);
  expect(await readFile(path)).toEqual(bytes);
});

test("[CCH19] a download that fills the disk fails with the system's error and is resumed when there is room", async (context) => {
  await using disk = await smallDisk(3);
  if (disk === null) return context.skip("only root can mount a small disk");
  const path = join(disk.path, asset.sha256);
  const tooMuch = serviceOf(64, async () => undefined);
  await expect(downloadFile(path, asset, tooMuch.open, none, neverAborted)).rejects.toMatchObject({ code: "ENOSPC" });
  const { size } = await stat(`${path}.part`);
  expect(await readFile(`${path}.part`)).toEqual(bytes.subarray(0, size));
  await disk.resize(8);
  await downloadFile(path, asset, tooMuch.open, none, neverAborted);
  expect(tooMuch.offsets).toEqual([0, size]);
  expect(await readFile(path)).toEqual(bytes);
});
