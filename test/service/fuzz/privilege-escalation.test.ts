// No sequence of requests yields more rights than those of its first token.
// GIVING_SEED repeats a run; GIVING_RUNS sets its length.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService } from "../harness.ts";
import { scopes } from "../../../src/protocol/operator/people.ts";
import { allOperations, TokenHolder, firstTokens, randomSteps, TestWorld } from "./token-holder.ts";

const seed = Number(process.env["GIVING_SEED"] ?? 20_261_122);
const runs = Number(process.env["GIVING_RUNS"] ?? 24);

test("[GRA9] no sequence of calls, through REST and MCP, yields a token with more scopes or a later expiry than the token that made the calls", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  await using world = await TestWorld.open(api, clock);
  process.stdout.write(`giving: GIVING_SEED=${seed} GIVING_RUNS=${runs}\n`);
  const walk = fc.asyncProperty(firstTokens, fc.array(randomSteps, { minLength: 25, maxLength: 40 }), async (start, taken) => {
    const holder = await TokenHolder.begin(world, start);
    for (const step of taken) await holder.run(step);
    await holder.end();
  });
  const result = await fc.check(walk, { seed, numRuns: runs, endOnFailure: true });
  if (result.failed) {
    const [start, taken = []] = result.counterexample ?? [];
    const steps = taken.map((step) => JSON.stringify(step.is === "ask" ? { ...step, target: step.target.name } : step)).join("\n");
    throw new Error(`GIVING_SEED=${seed}, walk ${result.numRuns}, from ${JSON.stringify(start)}:\n${steps}`, {
      cause: result.errorInstance,
    });
  }
  // Random steps miss some operations, so a token with all scopes, valid for an hour, calls each of them.
  const holder = await TokenHolder.begin(world, { role: "owner", scopes, lifeMs: 3_600_000 });
  for (const step of allOperations) await holder.run(step);
  await holder.end();
  const done = [...world.done].map(([name, count]) => `${name} ${count}`);
  process.stdout.write(`giving: ${done.join(", ")}\n`);
  // Sequences that never create tokens, invitations, members or teams would test nothing.
  for (const name of ["createToken", "createInvitation", "updateMember", "createTeam"])
    for (const way of ["rest", "mcp"]) expect(world.done.get(`${way} ${name}`) ?? 0, `${way} ${name}`).toBeGreaterThan(1);
  expect(world.done.get("rest acceptInvitation") ?? 0).toBeGreaterThan(5);
});
