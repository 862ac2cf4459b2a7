// No way through the API ends in holding more than the token that it began with. GIVING_SEED replays a run, GIVING_RUNS makes it longer.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService } from "../harness.ts";
import { scopes } from "../../../src/protocol/operator/people.ts";
import { everything, Holder, starts, steps, World } from "./holder.ts";

const seed = Number(process.env["GIVING_SEED"] ?? 20_261_122);
const runs = Number(process.env["GIVING_RUNS"] ?? 24);
const longestMs = 600_000;

test(
  "[GRA9] whatever a token does, through REST and through MCP, no secret on the way holds more than it, or for longer",
  async () => {
    await using folder = await temporaryFolder();
    const clock = new FakeClock();
    await using bench = await TestService.start(folder.path, { clock });
    await using world = await World.open(bench, clock);
    process.stdout.write(`giving: GIVING_SEED=${seed} GIVING_RUNS=${runs}\n`);
    const walk = fc.asyncProperty(starts, fc.array(steps, { minLength: 25, maxLength: 40 }), async (start, taken) => {
      const holder = await Holder.begin(world, start);
      for (const step of taken) await holder.take(step);
      await holder.end();
    });
    const result = await fc.check(walk, { seed, numRuns: runs, endOnFailure: true });
    if (result.failed) {
      const [start, taken = []] = result.counterexample ?? [];
      const told = taken.map((step) => JSON.stringify(step.is === "ask" ? { ...step, target: step.target.name } : step)).join("\n");
      throw new Error(`GIVING_SEED=${seed}, walk ${result.numRuns}, from ${JSON.stringify(start)}:\n${told}`, {
        cause: result.errorInstance,
      });
    }
    // Chance passes over some operations: a token that may everything, for an hour, asks for each.
    const holder = await Holder.begin(world, { role: "owner", scopes, lifeMs: 3_600_000 });
    for (const step of everything) await holder.take(step);
    await holder.end();
    const done = [...world.done].map(([name, count]) => `${name} ${count}`);
    process.stdout.write(`giving: ${done.join(", ")}\n`);
    // A walk on which nothing is given tests nothing.
    for (const name of ["createToken", "createInvitation", "updateMember", "createTeam"])
      for (const way of ["rest", "mcp"]) expect(world.done.get(`${way} ${name}`) ?? 0, `${way} ${name}`).toBeGreaterThan(1);
    expect(world.done.get("rest acceptInvitation") ?? 0).toBeGreaterThan(5);
  },
  longestMs,
);
