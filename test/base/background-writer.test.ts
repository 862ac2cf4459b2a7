import { open, readFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BackgroundWriter } from "../../src/base/files/background-writer.ts";
import { slowDown } from "../support/slow-file.ts";
import { temporaryFolder } from "../support/folder.ts";

const part = (letter: string, bytes: number): Buffer => Buffer.alloc(bytes, letter);

async function createFile() {
  const cleanup = new AsyncDisposableStack();
  const path = join(cleanup.use(await temporaryFolder()).path, "file");
  const file = cleanup.use(await open(path, "w"));
  return { path, file, [Symbol.asyncDispose]: () => cleanup.disposeAsync() };
}

test("[BAT4] what arrives during a write to a file is written together by the next one, in order", async () => {
  await using setup = await createFile();
  const slow = slowDown(setup.file);
  const writer = new BackgroundWriter(setup.file);
  for (const letter of "abcd") await writer.write(part(letter, 10));
  expect(slow.begun).toEqual([1]);
  slow.release();
  await writer.flush();
  expect(slow.begun).toEqual([1, 3]);
  expect(await readFile(setup.path, "utf8")).toBe("a".repeat(10) + "b".repeat(10) + "c".repeat(10) + "d".repeat(10));
});

test.each([
  ["bytes", 64 * 1024, 17],
  ["pieces", 1, 1_025],
])("[BAT5] who writes to a file faster than the disk waits, so that few %s are in memory", async (_what, bytes, most) => {
  await using setup = await createFile();
  const slow = slowDown(setup.file);
  const writer = new BackgroundWriter(setup.file);
  let taken = 0;
  const writeAll = (async () => {
    for (; taken < 3 * most; taken += 1) await writer.write(part("a", bytes));
    await writer.flush();
  })();
  await slow.first;
  await new Promise((resolve) => setImmediate(resolve));
  // The one that waits has not been counted.
  expect(taken).toBe(most - 1);
  slow.release();
  await writeAll;
  expect(await readFile(setup.path)).toEqual(part("a", 3 * most * bytes));
});

test("[BAT6] a failed write to a file rejects the next call that waits, and nothing is written behind the gap", async () => {
  await using setup = await createFile();
  const slow = slowDown(setup.file);
  const writer = new BackgroundWriter(setup.file);
  await writer.write(part("a", 10));
  await writer.write(part("b", 10));
  slow.fail(new Error("the disk is broken"));
  await expect(writer.flush()).rejects.toThrow("the disk is broken");
  await writer.write(part("c", 10));
  await expect(writer.write(part("d", 2_000_000))).rejects.toThrow("the disk is broken");
  expect(await readFile(setup.path, "utf8")).toBe("");
});

test("[BAT6] a write of which a full disk takes only a part rejects", async () => {
  await using setup = await createFile();
  await using full = await open("/dev/full", "w");
  // The first call takes six bytes, all others fail.
  const file = Object.assign(full, { writev: (parts: Buffer[]) => setup.file.write(parts[0]!, 0, 6) }) as FileHandle;
  const writer = new BackgroundWriter(file);
  await writer.write(part("a", 10));
  await expect(writer.flush()).rejects.toMatchObject({ code: "ENOSPC" });
});
