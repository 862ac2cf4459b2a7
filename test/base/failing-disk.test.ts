// Durable files on a disk that fails to read or to write them, and is healed: what was there is there again.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DurableFile } from "../../src/base/files/durable-file.ts";
import { MirroredFile } from "../../src/base/files/mirrored-file.ts";
import { failDisk, failureCodes } from "../support/failing-disk.ts";
import { temporaryFolder } from "../support/folder.ts";

/** The content of each file below a folder, by name. */
async function contentOf(folder: string): Promise<Record<string, string>> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((each) => each.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await readFile(path, "utf8")] as const)));
}

test.each(failureCodes)("[DUR7] a file whose reading fails with %s is neither absent nor damaged, and is not replaced", async (code) => {
  await using folder = await temporaryFolder();
  const file = new DurableFile(join(folder.path, "value.json"), Number);
  await file.write(1);
  await file.write(2);
  const before = await contentOf(folder.path);
  {
    using _failing = failDisk("read", code, (path) => path === file.path);
    await expect(file.read()).rejects.toMatchObject({ code });
    await expect(file.write(3)).rejects.toMatchObject({ code });
    expect(await file.exists()).toBe(true);
  }
  expect(await contentOf(folder.path)).toEqual(before);
  expect(await file.read()).toEqual({ is: "found", value: 2, isRecovered: false });
  await file.write(3);
  expect(await file.read()).toEqual({ is: "found", value: 3, isRecovered: false });
});

test.each(failureCodes)("[DUR7] a missing file whose previous generation fails with %s is not absent", async (code) => {
  await using folder = await temporaryFolder();
  const file = new DurableFile(join(folder.path, "value.json"), Number);
  using _failing = failDisk("read", code, (path) => path === `${file.path}.previous`);
  await expect(file.read()).rejects.toMatchObject({ code });
  await expect(file.readPrevious()).rejects.toMatchObject({ code });
});

test.each(failureCodes)(
  "[DUR8] with one copy unreadable by %s the other one is used and neither is written; the lack of the other says nothing",
  async (code) => {
    await using folder = await temporaryFolder();
    const file = new MirroredFile(join(folder.path, "value.json"), Number);
    const [main, copy] = [file.path, join(folder.path, "copies/value.json")];
    await file.write(7);
    const before = await contentOf(folder.path);
    for (const path of [main, copy]) {
      using _failing = failDisk("read", code, (each) => each === path);
      expect(await file.read()).toMatchObject({ is: "found", value: 7, isRecovered: false, unread: { code } });
      expect(await file.exists()).toBe(true);
    }
    expect(await contentOf(folder.path)).toEqual(before);
    for (const [lost, unread] of [
      [main, copy],
      [copy, main],
    ] as const) {
      await using other = await temporaryFolder();
      const half = new MirroredFile(join(other.path, "value.json"), Number);
      await half.write(7);
      const inOther = (path: string): string => path.replace(folder.path, other.path);
      await new DurableFile(inOther(lost), Number).remove();
      using failing = failDisk("read", code, (path) => path === inOther(unread));
      await expect(half.read()).rejects.toMatchObject({ code });
      failing.heal();
      expect(await half.read()).toMatchObject({ is: "found", value: 7 });
    }
  },
);

test.each(failureCodes)(
  "[DUR7] after a write that fails with %s at any of its steps the old value or the new one is there",
  async (code) => {
    await using folder = await temporaryFolder();
    const file = new DurableFile(join(folder.path, "value.json"), Number);
    await file.write(1);
    for (const part of ["value.json.new", "value.json", "value.json.previous"]) {
      using failing = failDisk("write", code, (path) => path === join(folder.path, part));
      await file.write(2).catch(() => undefined);
      expect(failing.failures).toBeGreaterThan(0);
      failing.heal();
      expect(await file.read()).toMatchObject({ is: "found", value: expect.toBeOneOf([1, 2]) });
      await file.write(1);
    }
  },
);
