// The installation of the tools that only the long tests use.
import { mkdirSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installLongToolsIfStale } from "../scripts/test/long-tools.ts";
import { temporaryFolder } from "./support/folder.ts";

test("[SUP1] the tools of the long tests are installed when they are missing, incomplete or not those of the lock file, and only then", async () => {
  await using folder = await temporaryFolder();
  const modules = join(folder.path, "node_modules");
  const lock = (text: string) => writeFile(join(folder.path, "package-lock.json"), text);
  const install = (): boolean => installLongToolsIfStale(folder.path, () => mkdirSync(modules, { recursive: true }));
  const failing = (): boolean =>
    installLongToolsIfStale(folder.path, () => {
      throw new Error("npm failed");
    });
  await lock("one");
  expect([install(), install()]).toEqual([true, false]);
  await lock("two");
  expect([install(), install()]).toEqual([true, false]);
  await rm(modules, { recursive: true });
  expect(failing).toThrow("npm failed");
  expect([install(), install()]).toEqual([true, false]);
});
