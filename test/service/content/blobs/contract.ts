// The tests that every store of blobs passes.
import { readFile, stat } from "node:fs/promises";
import { expect, test } from "vitest";
import { hashesIn, keepBytes, newBytes, readAll, type OpenedBlobs } from "./stores.ts";

/** What every store of blobs does. @param name of the store, for the titles @param open a new, empty one */
export function testContract(name: string, open: () => Promise<OpenedBlobs>): void {
  test(`[BLS1] what is kept is read whole and by range, once for equal bytes, on ${name}`, async () => {
    await using opened = await open();
    const { bytes, blob } = newBytes(300_000);
    const received = await keepBytes(opened, bytes);
    expect(received).toMatchObject(blob);
    await keepBytes(opened, bytes);
    expect(await readAll(opened, blob)).toEqual(bytes);
    expect(await readAll(opened, blob, 1_000, 200_000)).toEqual(bytes.subarray(1_000, 200_001));
    expect(await readAll(opened, blob, 299_999)).toEqual(bytes.subarray(299_999));
    expect(await hashesIn(opened)).toEqual([blob.sha256]);
  });

  test(`[BLS1] a file of several parts is stored whole on ${name}`, async () => {
    await using opened = await open();
    const { bytes, blob } = newBytes(40_000_000);
    await keepBytes(opened, bytes);
    expect((await readAll(opened, blob)).equals(bytes)).toBe(true);
    expect((await readAll(opened, blob, 16_777_000, 33_554_500)).equals(bytes.subarray(16_777_000, 33_554_501))).toBe(true);
  });

  test(`[BLS2] a received file is not stored before it is kept, and its temporary file goes on ${name}`, async () => {
    await using opened = await open();
    const { bytes } = newBytes(1_000);
    let path = "";
    {
      await using received = await opened.blobs.receive(arrays(bytes), 1_000);
      path = received.path;
      expect(await readFile(path)).toEqual(bytes);
    }
    await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" });
    await expect(opened.blobs.receive(arrays(bytes), 999)).rejects.toMatchObject({ kind: "too-large" });
    expect(await hashesIn(opened)).toEqual([]);
  });

  test(`[BLS3] blobs are listed page by page and removed on ${name}`, async () => {
    await using opened = await open();
    const hashes: string[] = [];
    for (let count = 0; count < 30; count += 1) hashes.push((await keepBytes(opened, newBytes(10 + count).bytes)).sha256);
    expect(await hashesIn(opened)).toEqual(hashes.toSorted());
    const some = [...hashes.slice(0, 25), "0".repeat(64)];
    const removal = await opened.blobs.permitRemoval(some);
    await removal.delete(some);
    expect(await hashesIn(opened)).toEqual(hashes.slice(25).toSorted());
  });

  test(`[BLS4] a local file of a blob stays while it is in use on ${name}`, async () => {
    await using opened = await open();
    const { bytes, blob } = newBytes(5_000);
    await keepBytes(opened, bytes);
    await using file = await opened.blobs.localFile(blob);
    expect(await readFile(file.path)).toEqual(bytes);
  });

  test(`[BLS5] a missing blob is an error that says so on ${name}`, async () => {
    await using opened = await open();
    const { blob } = newBytes(5_000);
    await expect(opened.blobs.localFile(blob)).rejects.toMatchObject({ code: "asset-missing" });
    await expect(readAll(opened, blob)).rejects.toMatchObject({ code: "asset-missing" });
    await opened.blobs.check(AbortSignal.timeout(5_000));
  });
}

async function* arrays(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}
