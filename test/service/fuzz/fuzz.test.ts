// The contract fuzzer: generates requests from the API description and checks the responses against it.
// FUZZ_SEED repeats a run; FUZZ_RUNS sets its length.
import { expect, test } from "vitest";
import { mostErrors } from "../../../src/protocol/refusal.ts";
import type { Schema } from "../../../src/service/openapi/json.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { resolve } from "../openapi/contract.ts";
import { TestService } from "../harness.ts";
import { fuzzDescription } from "./fuzz-description.ts";
import { FuzzedService, targets, unknownId } from "./fuzzed-service.ts";
import { largeBodies, largeQueries } from "./large.ts";

const seed = Number(process.env["FUZZ_SEED"] ?? 20_261_121);
// The long run sends more, by another seed each time.
const runs = Number(process.env["FUZZ_RUNS"] ?? 250);
// A hundred errors, each with a pointer of at most 200 characters and a detail of at most 2,000.
const mostRefusalBytes = 250_000;
const asJson = { "content-type": "application/json" };

test("[FUZ1] no request causes an internal error, and every response matches the description", () => fuzzDescription(seed, runs));

test("[FUZ6] no large input of any kind causes an internal error, and every refusal is small", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const fuzzed = await FuzzedService.start(api);
  let largest = { bytes: 0, of: "" };
  for (const target of targets) {
    const inputs = [
      ...[...(target.query.length === 0 ? [] : largeQueries(target))].map(([what, query]) => ({
        what,
        how: { query, body: target.example },
      })),
      ...[...(target.body === null ? [] : largeBodies(target))].map(([what, body]) => ({ what, how: { body, headers: asJson } })),
    ];
    for (const { what, how } of inputs) {
      const { status, body } = await fuzzed.ask(target, how);
      const of = `${target.name}: ${what}: ${status}`;
      expect(status, of).toBeLessThan(500);
      if (status < 400) continue;
      const bytes = Buffer.byteLength(JSON.stringify(body));
      if (bytes > largest.bytes) largest = { bytes, of };
      expect(bytes, of).toBeLessThan(mostRefusalBytes);
      expect(body.errors?.length ?? 0, of).toBeLessThanOrEqual(mostErrors);
    }
  }
  process.stdout.write(`fuzz: ${fuzzed.sent} requests; the largest refusal has ${largest.bytes} bytes (${largest.of})\n`);
});

test("[FUZ2] an undescribed field in a closed body is rejected with 422", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const fuzzed = await FuzzedService.start(api);
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
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const fuzzed = await FuzzedService.start(api);
  for (const target of targets.filter(({ caller }) => caller !== null)) {
    const other = target.caller === "device" ? api.token : fuzzed.device.access.access_token;
    for (const token of [null, "sgn_pat_", "x", other]) {
      const answer = await fuzzed.ask(target, { token, body: target.example });
      expect([answer.status, target.name]).toEqual([401, target.name]);
      expect(answer.headers.get("www-authenticate"), target.name).toMatch(/^Bearer /);
    }
  }
});

test("[FUZ4] a token that lacks only the operation's scope gets 403", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const fuzzed = await FuzzedService.start(api);
  const scoped = targets.filter(({ scope }) => scope !== null);
  for (const target of scoped) {
    const answer = await fuzzed.ask(target, { token: fuzzed.tokenWithout(target.scope!), body: target.example });
    expect([answer.status, target.name]).toEqual([403, target.name]);
    expect(answer.headers.get("www-authenticate"), target.name).toContain(`scope="${target.scope}"`);
  }
  process.stdout.write(`fuzz: ${scoped.length} operations with a scope\n`);
});

test("[FUZ5] another team's id gets the same 404 as an unknown id", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const fuzzed = await FuzzedService.start(api);
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

/** Whether a body's schema allows no undescribed fields. */
function isClosed(given: Schema): boolean {
  const schema = resolve(given);
  const choices = (schema["oneOf"] ?? schema["anyOf"]) as Schema[] | undefined;
  if (choices !== undefined) return choices.every((each) => isClosed(each));
  return schema["additionalProperties"] === false;
}
