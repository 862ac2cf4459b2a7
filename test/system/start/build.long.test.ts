// A start by npm in a checkout whose builds are missing or outdated.
import { execFile } from "node:child_process";
import { mkdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { copyCheckout } from "../../support/programs/checkout.ts";

test("[ENG22] npm builds what is outdated of the page and the programs before a start of the demo and of the player", async () => {
  // In a copy: other tests use this project's build meanwhile.
  await using folder = await temporaryFolder();
  await copyCheckout(folder.path);
  const stale = ["dist/main/electron.js", "dist/renderer/player/index.html", "dist/renderer/console/index.html"].map((name) =>
    join(folder.path, name),
  );
  for (const path of stale) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "stale");
    await utimes(path, 0, 0);
  }
  await promisify(execFile)("npm", ["run", "--silent", "prestart"], { cwd: folder.path });
  for (const path of stale) expect(await readFile(path, "utf8"), path).not.toBe("stale");
  // What is up to date stays as it is.
  const before = await Promise.all(stale.map(async (path) => (await stat(path)).mtimeMs));
  await promisify(execFile)("npm", ["run", "--silent", "prestart"], { cwd: folder.path });
  expect(await Promise.all(stale.map(async (path) => (await stat(path)).mtimeMs))).toEqual(before);
});
