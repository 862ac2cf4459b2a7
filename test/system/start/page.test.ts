// A player whose page was not built, as after a fresh clone.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { copyCheckout } from "../../support/programs/checkout.ts";
import { Program } from "../../support/programs/programs.ts";

test("[PRG6] a player whose page was not built exits with 1 and one line that says how to build it", async () => {
  await using folder = await temporaryFolder();
  // The program finds its page relative to its own source.
  await copyCheckout(folder.path);
  const data = join(folder.path, "data");
  const flags = ["start", "--headless", "--engine", "chromium", "--server", "http://127.0.0.1:9", "--data", data];
  await using player = new Program([join(folder.path, "src/main/cli.ts"), ...flags]);
  expect(await player.exitCode).toBe(1);
  const printed = player.output.split("\n").filter((line) => line !== "");
  expect(printed).toHaveLength(1);
  expect(printed[0]).toMatch(/page is not built: .*index\.html is missing.*npm run build/);
  expect(printed[0]).not.toContain("    at ");
  // The player did not create its data folder.
  await expect(readdir(data)).rejects.toMatchObject({ code: "ENOENT" });
});
