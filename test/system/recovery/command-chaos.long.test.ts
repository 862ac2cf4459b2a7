// A small sample of the soak part `commands`: real processes of service and players, killed at random.
import { expect, test } from "vitest";
import { runCommands } from "../../../scripts/soak/commands.ts";
import { Random } from "../../../scripts/soak/random.ts";
import { SoakRun } from "../../../scripts/soak/soak-run.ts";

test("[CTL17] under random kills of player and service no command is lost, runs twice or runs late", async () => {
  const run = new SoakRun("commands", 120, new Random(7), new AbortController().signal, "test");
  await runCommands(run, 4, { longestPauseMs: 1_200, lanes: 3 });
  expect(run.violations).toEqual([]);
}, 120_000);
