// Sends generated requests to a service and compares its responses with the API description.
import { expect } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService } from "../harness.ts";
import { FuzzedService, skippedOperations, targets } from "./fuzzed-service.ts";
import { fuzz } from "./requests.ts";

// They need the cookie of a browser's session, or a person's password: a token never succeeds.
const ofSessions = new Set(["createSession", "getSession", "deleteSession", "endSession", "proveSession", "switchTeam", "setPassword"]);
// They need a browser at a host name, and a passkey's keeper, a provider or a mail server.
const ofKeepers = new Set(
  ["startPasskeySignIn", "startPasskeyProof", "startPasskey", "createPasskey", "listPasskeys", "updatePasskey", "deletePasskey"].concat([
    "startSso",
    "linkIdentity",
    "unlinkIdentity",
    "sendEmailCode",
    "proveEmail",
  ]),
);

/** Sends requests of `runs` rounds. FUZZ_SEED and FUZZ_RUNS, as printed, repeat them. */
export async function fuzzDescription(seed: number, runs: number): Promise<void> {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const fuzzed = await FuzzedService.start(api);
  process.stdout.write(`fuzz: FUZZ_SEED=${seed} FUZZ_RUNS=${runs}\n`);
  await fuzz(fuzzed, seed, runs);
  for (const [name, reason] of skippedOperations) process.stdout.write(`fuzz: left out ${name}: ${reason}\n`);
  const statuses = [...fuzzed.seen.values()].flatMap((counts) => [...counts]);
  const byStatus = Map.groupBy(statuses, ([status]) => status);
  const statusCounts = [...byStatus]
    .toSorted(([a], [b]) => a - b)
    .map(([status, all]) => `${status}: ${all.reduce((sum, [, count]) => sum + count, 0)}`);
  const never = targets
    .filter(
      ({ name }) =>
        !ofSessions.has(name) && !ofKeepers.has(name) && ![...(fuzzed.seen.get(name)?.keys() ?? [])].some((status) => status < 300),
    )
    .map(({ name }) => name);
  process.stdout.write(`fuzz: ${fuzzed.sent} requests to ${targets.length} operations; ${statusCounts.join(", ")}\n`);
  process.stdout.write(`fuzz: never succeeded: ${never.join(", ") || "none"}\n`);
  for (const { name } of targets) expect(fuzzed.seen.get(name)?.size ?? 0, `${name} was not called`).toBeGreaterThan(0);
  // A fuzzer whose requests are all rejected tests little.
  expect(never.length, never.join(", ")).toBeLessThan(targets.length / 3);
}
