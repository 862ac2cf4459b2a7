// The contract fuzzer: requests made from the API's own description, answers held against it.
// FUZZ_SEED replays a run, FUZZ_RUNS makes it longer.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Schema } from "../../../src/service/openapi/json.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { resolve } from "../contract.ts";
import { Bench } from "../harness.ts";
import { junk, spoiled, valid } from "./arbitraries.ts";
import { Fuzzed, leftOut, targets, unknownId, type Target } from "./fuzzed.ts";

const seed = Number(process.env["FUZZ_SEED"] ?? 20_261_121);
const runs = Number(process.env["FUZZ_RUNS"] ?? 2_000);
const longestMs = 600_000;

interface Shot {
  target: Target;
  place: number;
  id: "known" | "unknown" | "malformed";
  query: Record<string, unknown>;
  headers: Record<string, string>;
  body: { is: "valid" | "spoiled" | "extra" | "raw"; value: unknown };
  type: string | null;
}

const headerValue = fc.oneof(
  fc.constantFrom("*", '"x"', "bytes=0-1", "bytes=5-2", "bytes=-1", "k1", "k2"),
  fc.string({ minLength: 1, maxLength: 40 }).filter((text) => /^[\x21-\x7e]+$/.test(text)),
);

function shots(target: Target, pool: Fuzzed["pool"]): fc.Arbitrary<Shot> {
  const schema = target.body;
  const allowed = schema === null ? fc.constant(undefined) : fc.oneof(fc.constant(target.example), valid(schema, pool));
  const kinds = fc.oneof(
    { weight: 5, arbitrary: allowed.map((value) => ({ is: "valid" as const, value })) },
    { weight: 4, arbitrary: (schema === null ? junk : spoiled(allowed)).map((value) => ({ is: "spoiled" as const, value })) },
    { weight: 1, arbitrary: allowed.map((value) => ({ is: "extra" as const, value })) },
    { weight: 1, arbitrary: fc.constantFrom("{", "", "[", '{"a":', "\u0000", "nul").map((value) => ({ is: "raw" as const, value })) },
  );
  const query = fc.record(
    Object.fromEntries(
      target.query.map(({ name, schema: field }) => [name, fc.oneof({ weight: 3, arbitrary: valid(field, pool, name) }, junk)]),
    ),
    { requiredKeys: [] },
  );
  return fc.record({
    target: fc.constant(target),
    place: fc.nat(1_000),
    id: fc.oneof({ weight: 8, arbitrary: fc.constant("known" as const) }, fc.constantFrom("unknown" as const, "malformed" as const)),
    query,
    headers: fc.dictionary(fc.constantFrom(...target.headers, "x-nothing"), headerValue, { maxKeys: 2, noNullPrototype: true }),
    body: kinds,
    type: fc.oneof(
      { weight: 20, arbitrary: fc.constant(null) },
      fc.constantFrom("text/plain", "application/xml", "application/json; charset=utf-16"),
    ),
  });
}

async function fire(fuzzed: Fuzzed, { target, place, id, query, headers, body, type }: Shot): Promise<void> {
  const known = fuzzed.idsFor(target, place);
  const ids = Object.fromEntries(
    target.params.map(({ name, kind }) => [
      name,
      id === "known" ? known[name]! : id === "unknown" && kind !== null ? unknownId(kind) : ["x", "a b", "%", "..", "'", "😀"][place % 6]!,
    ]),
  );
  // An address of more than 16 kB is refused before it is ours to answer.
  const texts = Object.entries(query).map(([name, value]) => [
    name,
    (typeof value === "string" ? value : JSON.stringify(value)).slice(0, 2_000),
  ]);
  const search = new URLSearchParams(Object.fromEntries(texts) as Record<string, string>);
  const value = body.is === "extra" && isObject(body.value) ? { ...body.value, surprise_field: 1 } : body.value;
  const isWithBody = target.method !== "GET" && value !== undefined;
  const sent = !isWithBody ? undefined : body.is === "raw" ? (value as string) : JSON.stringify(value);
  const typed: Record<string, string> = isWithBody ? { "content-type": type ?? "application/json" } : {};
  const answer = await fuzzed.ask(target, {
    ids,
    query: search.size > 0 ? `?${search.toString()}` : "",
    headers: { ...headers, ...typed },
    ...(sent === undefined ? {} : { body: sent }),
  });
  expect(answer.status, `${target.name} failed: ${JSON.stringify(answer.body)}`).toBeLessThan(500);
  if (target.params.length > 0 && id !== "known" && answer.status < 300) expect.fail(`${target.name} found what is not there`);
  // A fuzzer that had lost its own token would test nothing any more.
  expect(answer.status, target.name).not.toBe(401);
  if (target.method === "DELETE" && answer.status < 300) fuzzed.drop(ids);
  else fuzzed.harvest(answer.body);
  if (fuzzed.sent % 100 === 0) await fuzzed.sow();
}

test(
  "[FZ1] whatever is sent, nothing fails and every answer is as described",
  async () => {
    await using folder = await temporaryFolder();
    await using bench = await Bench.start(folder.path);
    const fuzzed = await Fuzzed.fill(bench);
    const any = fc.oneof(
      ...targets.map((target) => ({ weight: target.method === "DELETE" ? 1 : 4, arbitrary: shots(target, fuzzed.pool) })),
    );
    const property = fc.asyncProperty(any, (shot) => fire(fuzzed, shot));
    process.stdout.write(`fuzz: FUZZ_SEED=${seed} FUZZ_RUNS=${runs}\n`);
    const result = await fc.check(property, { seed, numRuns: runs, endOnFailure: true });
    if (result.failed) {
      const [shot] = result.counterexample ?? [];
      const told = shot && JSON.stringify({ ...shot, target: shot.target.name }).slice(0, 3_000);
      throw new Error(`FUZZ_SEED=${seed} failed at request ${result.numRuns}: ${told}`, { cause: result.errorInstance });
    }
    // Whom chance has passed over is called all the same.
    for (const target of targets.filter(({ name }) => !fuzzed.seen.has(name))) {
      for (const shot of fc.sample(shots(target, fuzzed.pool), { seed, numRuns: 3 })) await fire(fuzzed, shot);
    }
    for (const [name, reason] of leftOut) process.stdout.write(`fuzz: left out ${name}: ${reason}\n`);
    const statuses = [...fuzzed.seen.values()].flatMap((counts) => [...counts]);
    const byStatus = Map.groupBy(statuses, ([status]) => status);
    const told = [...byStatus]
      .toSorted(([a], [b]) => a - b)
      .map(([status, all]) => `${status}: ${all.reduce((sum, [, count]) => sum + count, 0)}`);
    const never = targets
      .filter(({ name }) => ![...(fuzzed.seen.get(name)?.keys() ?? [])].some((status) => status < 300))
      .map(({ name }) => name);
    process.stdout.write(`fuzz: ${fuzzed.sent} requests to ${targets.length} operations; ${told.join(", ")}\n`);
    process.stdout.write(`fuzz: never succeeded: ${never.join(", ") || "none"}\n`);
    for (const { name } of targets) expect(fuzzed.seen.get(name)?.size ?? 0, `${name} was not called`).toBeGreaterThan(0);
    // A fuzzer that only ever meets refusals tests little.
    expect(never.length, never.join(", ")).toBeLessThan(targets.length / 3);
  },
  longestMs,
);

test("[FZ2] a field that is not described is refused with 422, wherever a body is closed", async () => {
  await using folder = await temporaryFolder();
  await using bench = await Bench.start(folder.path);
  const fuzzed = await Fuzzed.fill(bench);
  const closed = targets.filter(({ body }) => body !== null && isClosed(body));
  for (const target of closed) {
    const body = { ...(target.example as object), surprise_field: 1 };
    const answer = await fuzzed.ask(target, { body });
    expect([answer.status, target.name]).toEqual([422, target.name]);
    expect(answer.body.errors).toContainEqual(expect.objectContaining({ pointer: "/surprise_field" }));
  }
  // Whatever an operator sends is closed; what devices report may gain fields.
  const open = targets.filter(({ body, caller }) => body !== null && caller === "operator" && !isClosed(body));
  expect(open.map(({ name }) => name)).toEqual([]);
  process.stdout.write(`fuzz: ${closed.length} closed bodies\n`);
});

test("[FZ3] without a token, or with a wrong one, every operation that wants one answers 401", async () => {
  await using folder = await temporaryFolder();
  await using bench = await Bench.start(folder.path);
  const fuzzed = await Fuzzed.fill(bench);
  for (const target of targets.filter(({ caller }) => caller !== null)) {
    const other = target.caller === "device" ? bench.token : fuzzed.device.access.access_token;
    for (const token of [null, "sgn_pat_", "x", other]) {
      const answer = await fuzzed.ask(target, { token, body: target.example });
      expect([answer.status, target.name]).toEqual([401, target.name]);
      expect(answer.headers.get("www-authenticate"), target.name).toMatch(/^Bearer /);
    }
  }
});

test("[FZ4] a token that lacks only the operation's scope is answered 403", async () => {
  await using folder = await temporaryFolder();
  await using bench = await Bench.start(folder.path);
  const fuzzed = await Fuzzed.fill(bench);
  const scoped = targets.filter(({ scope }) => scope !== null);
  for (const target of scoped) {
    const answer = await fuzzed.ask(target, { token: fuzzed.without(target.scope!), body: target.example });
    expect([answer.status, target.name]).toEqual([403, target.name]);
    expect(answer.headers.get("www-authenticate"), target.name).toContain(`scope="${target.scope}"`);
  }
  process.stdout.write(`fuzz: ${scoped.length} operations with a scope\n`);
});

test("[FZ5] another team's id is answered as an id that nothing has: 404", async () => {
  await using folder = await temporaryFolder();
  await using bench = await Bench.start(folder.path);
  const fuzzed = await Fuzzed.fill(bench);
  const token = fuzzed.foreign();
  let tried = 0;
  for (const target of targets) {
    const isOfTeam = target.params.some(({ kind }) => kind !== null && (fuzzed.pool.get(kind)?.length ?? 0) > 0);
    if (target.caller !== "operator" || !isOfTeam) continue;
    const made = Object.fromEntries(target.params.map(({ name, kind }) => [name, kind === null ? "x" : unknownId(kind)]));
    const foreign = await fuzzed.ask(target, { token, body: target.example });
    const unknown = await fuzzed.ask(target, { token, body: target.example, ids: made });
    expect([foreign.status, target.name]).toEqual([404, target.name]);
    expect([unknown.status, unknown.body.detail]).toEqual([foreign.status, foreign.body.detail]);
    tried += 1;
  }
  // And its lists hold nothing of the first team's.
  for (const target of targets.filter(({ caller, params, method }) => caller === "operator" && method === "GET" && params.length === 0)) {
    const text = JSON.stringify((await fuzzed.ask(target, { token })).body);
    for (const id of [...fuzzed.pool.values()].flat()) expect(text, target.name).not.toContain(id);
  }
  process.stdout.write(`fuzz: ${tried} operations asked for another team's things\n`);
  expect(tried).toBeGreaterThan(10);
});

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a body's schema takes no field that is not described. */
function isClosed(given: Schema): boolean {
  const schema = resolve(given);
  const choices = (schema["oneOf"] ?? schema["anyOf"]) as Schema[] | undefined;
  if (choices !== undefined) return choices.every((each) => isClosed(each));
  return schema["additionalProperties"] === false;
}
