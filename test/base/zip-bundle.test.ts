// Valid and hostile bundles.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { Bundle } from "../../src/base/files/zip-bundle.ts";
import { temporaryFolder } from "../support/folder.ts";
import { zipOf, type ZipFile } from "../support/media/zip.ts";

const index = { name: "index.html", bytes: "<!doctype html><title>bundle</title>" };

async function open(content: Buffer | readonly ZipFile[], limits?: Parameters<typeof Bundle.open>[1]): Promise<Bundle> {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "bundle.zip");
  await writeFile(path, Buffer.isBuffer(content) ? content : zipOf(content));
  return await Bundle.open(path, limits);
}

test("[BUN1] a bundle's files are read from the zip, whole or in part", async () => {
  using bundle = await open([index, { name: "js/app.js", bytes: "0123456789".repeat(50_000) }]);
  expect(await text(await bundle.read("", null))).toBe(index.bytes);
  expect(bundle.sizeOf("js/app.js")).toBe(500_000);
  expect(await text(await bundle.read("js/app.js", { start: 250_003, end: 250_006 }))).toBe("3456");
  expect(bundle.sizeOf("js/")).toBeNull();
  expect(bundle.sizeOf("../etc/passwd")).toBeNull();
});

test.for<[string, Buffer | ZipFile[], string]>([
  ["no zip", Buffer.from("this is no zip, however long one looks at it"), "not a zip"],
  ["a cut zip", zipOf([index]).subarray(0, 60), "not a zip"],
  ["no index.html", [{ name: "start.html", bytes: "x" }], "no index.html"],
  ["a packed folder", [{ name: "site/index.html", bytes: "x" }], "not the folder"],
  ["a name outside the bundle", [index, { name: "../../etc/cron.d/x", bytes: "x" }], "its directory is damaged"],
  ["a name outside the bundle in Windows notation", [index, { name: "..\\..\\x", bytes: "x" }], "its directory is damaged"],
  ["an absolute name", [index, { name: "/etc/passwd", bytes: "x" }], "its directory is damaged"],
  ["a symbolic link", [index, { name: "passwd", bytes: "/etc/passwd", mode: 0o120_777 }], "link"],
  ["the same name twice", [index, index], "twice"],
  ["a zip bomb", [index, { name: "bomb", bytes: Buffer.alloc(64 * 1024 ** 2) }], "zip bomb"],
])("[BUN2] a bundle is rejected with the reason: %s", async ([, content, reason]) => {
  await expect(open(content)).rejects.toMatchObject({ code: "unsupported", message: expect.stringContaining(reason) });
});

test("[BUN2] more files or bytes than allowed are rejected", async () => {
  const files = [index, { name: "a", bytes: "12345" }, { name: "b", bytes: "12345" }];
  await expect(open(files, { files: 2, bytes: 1_000, ratio: 100 })).rejects.toMatchObject({ message: expect.stringContaining("3 files") });
  await expect(open(files, { files: 9, bytes: 40, ratio: 100 })).rejects.toMatchObject({ message: expect.stringContaining("larger") });
});

test("[BUN2] a file that unpacks to more than its directory states is cut off", async () => {
  using bundle = await open([index, { name: "liar", bytes: Buffer.alloc(1_000_000), claimedSize: 10 }]);
  await expect(text(await bundle.read("liar", null))).rejects.toThrow();
});
