// The contract fuzzer: generates requests from the API description and checks the responses against it.
// FUZZ_SEED repeats a run; FUZZ_RUNS sets its length.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Schema } from "../../../src/service/openapi/json.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { resolve } from "../openapi/contract.ts";
import { TestService } from "../harness.ts";
import { fuzzDescription } from "./fuzz-description.ts";
import { FuzzedService, targets, unknownId } from "./fuzzed-service.ts";
import { sendLargeInputs } from "./send-large-inputs.ts";

const seed = Number(process.env["FUZZ_SEED"] ?? 20_261_121);
// The long run sends more, by another seed each time.
const runs = Number(process.env["FUZZ_RUNS"] ?? 250);

test("[FUZ1] no request causes an internal error, and every response matches the description", () => fuzzDescription(seed, runs));

test("[FUZ6] no large input of any kind causes an internal error, and every refusal is small", () => sendLargeInputs(1));

describe("operations of one service", () => {
  const opened = new AsyncDisposableStack();
  let fuzzed: FuzzedService;

  beforeAll(async () => {
    const folder = opened.use(await temporaryFolder());
    fuzzed = await FuzzedService.start(opened.use(await TestService.start(folder.path)));
  });
  afterAll(() => opened.disposeAsync());

  test("[FUZ2] an undescribed field in a closed body is rejected with 422", async () => {
    const closed = targets.filter(({ body }) => body !== null && isClosed(body));
    for (const target of closed) {
      const body = { ...(target.example as object), surprise_field: 1 };
      const answer = await fuzzed.ask(target, { body });
      expect([answer.status, target.name]).toEqual([422, target.name]);
      expect(answer.body.errors).toContainEqual(expect.objectContaining({ pointer: "/surprise_field" }));
    }
    // All operator bodies are closed; device reports may have new fields.
    const open = targets.filter(({ body, caller }) => body !== null && caller === "operator" && !isClosed(body));
    expect(open.map(({ name }) => name)).toEqual([]);
    process.stdout.write(`fuzz: ${closed.length} closed bodies\n`);
  });

  test("[FUZ3] every operation that needs a token responds with 401 without one or with a wrong one", async () => {
    for (const target of targets.filter(({ caller }) => caller !== null)) {
      const other = target.caller === "device" ? fuzzed.api.token : fuzzed.device.access.access_token;
      for (const token of [null, "sgn_pat_", "x", other]) {
        const answer = await fuzzed.ask(target, { token, body: target.example });
        expect([answer.status, target.name]).toEqual([401, target.name]);
        expect(answer.headers.get("www-authenticate"), target.name).toMatch(/^Bearer /);
      }
    }
  });

  test("[FUZ4] a token that lacks only the operation's scope gets 403", async () => {
    const scoped = targets.filter(({ scope }) => scope !== null);
    for (const target of scoped) {
      const answer = await fuzzed.ask(target, { token: fuzzed.tokenWithout(target.scope!), body: target.example });
      expect([answer.status, target.name]).toEqual([403, target.name]);
      expect(answer.headers.get("www-authenticate"), target.name).toContain(`scope="${target.scope}"`);
    }
    process.stdout.write(`fuzz: ${scoped.length} operations with a scope\n`);
  });

  test("[FUZ5] another team's id gets the same 404 as an unknown id", async () => {
    const token = fuzzed.otherTeamToken();
    let tried = 0;
    for (const target of targets) {
      const isOfTeam = target.params.some(({ kind }) => kind !== null && (fuzzed.pool.get(kind)?.length ?? 0) > 0);
      if (target.caller !== "operator" || !isOfTeam) continue;
      const known = fuzzed.idsFor(target);
      const created = Object.fromEntries(target.params.map(({ name, kind }) => [name, kind === null ? known[name]! : unknownId(kind)]));
      const foreign = await fuzzed.ask(target, { token, body: target.example, ids: known });
      const unknown = await fuzzed.ask(target, { token, body: target.example, ids: created });
      expect([foreign.status, target.name]).toEqual([404, target.name]);
      expect([unknown.status, unknown.body.detail]).toEqual([foreign.status, foreign.body.detail]);
      tried += 1;
    }
    // The lists of the other team contain no id of the first team.
    for (const target of targets.filter(({ caller, params, method }) => caller === "operator" && method === "GET" && params.length === 0)) {
      const text = JSON.stringify((await fuzzed.ask(target, { token })).body);
      for (const id of [...fuzzed.pool.values()].flat()) expect(text, target.name).not.toContain(id);
    }
    process.stdout.write(`fuzz: ${tried} operations requested with another team's ids\n`);
    expect(tried).toBeGreaterThan(10);
  });
});

/** Whether a body's schema allows no undescribed fields. */
function isClosed(given: Schema): boolean {
  const schema = resolve(given);
  const choices = (schema["oneOf"] ?? schema["anyOf"]) as Schema[] | undefined;
  if (choices !== undefined) return choices.every((each) => isClosed(each));
  return schema["additionalProperties"] === false;
}
