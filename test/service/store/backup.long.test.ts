// The contract fuzzer on a restored service.
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { Program } from "../../support/programs/programs.ts";
import { FuzzedService } from "../fuzz/fuzzed-service.ts";
import { fuzz } from "../fuzz/requests.ts";
import { TestService } from "../harness.ts";
import { isOnPostgres } from "../test-database.ts";

test.skipIf(isOnPostgres)("[BKP1] a restored backup of resources of every kind passes the contract fuzzer", async () => {
  await using folder = await temporaryFolder();
  const [data, backup, restored] = ["data", "whole.tar", "restored"].map((name) => join(folder.path, name)) as [string, string, string];
  await using first = await TestService.start(data);
  await FuzzedService.start(first);
  for (const argv of [
    ["backup", "--data", data, "--to", backup],
    ["restore", "--from", backup, "--data", restored],
  ]) {
    await using program = new Program(["src/main/cli.ts", ...argv]);
    expect(await program.exitCode, program.output).toBe(0);
  }
  await using again = await TestService.start(restored);
  await fuzz(await FuzzedService.start(again), 20_261_121, 300);
});
