// Random requests from the API description, valid and invalid, and the checks of their responses.
import * as fc from "fast-check";
import { expect } from "vitest";
import { junk, invalidBody, validValue } from "./arbitraries.ts";
import { draftHeader } from "../../../src/service/operations/operation.ts";
import { targets, unknownId, type FuzzedService, type Target } from "./fuzzed-service.ts";

interface Shot {
  target: Target;
  place: number;
  id: "known" | "unknown" | "malformed";
  query: Record<string, unknown>;
  headers: Record<string, string>;
  body: { is: "valid" | "spoiled" | "extra" | "raw"; value: unknown };
  type: string | null;
}

/** Operations whose callers choose the id of what they create. */
const createsById = new Set(["recordProblem"]);

const headerValue = fc.oneof(
  fc.constantFrom("*", '"x"', "bytes=0-1", "bytes=5-2", "bytes=-1", "k1", "k2"),
  fc.string({ minLength: 1, maxLength: 40 }).filter((text) => /^[\x21-\x7e]+$/.test(text)),
);

/** Mostly a draft that exists. */
function draftId(pool: FuzzedService["pool"]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: validValue({ type: "string", pattern: "^drf_[0-9a-hjkmnp-tv-z]{26}$" }, pool) },
    headerValue,
  ) as fc.Arbitrary<string>;
}

function shots(target: Target, pool: FuzzedService["pool"]): fc.Arbitrary<Shot> {
  const schema = target.body;
  const allowed = schema === null ? fc.constant(undefined) : fc.oneof(fc.constant(target.example), validValue(schema, pool));
  const kinds = fc.oneof(
    { weight: 5, arbitrary: allowed.map((value) => ({ is: "valid" as const, value })) },
    { weight: 4, arbitrary: (schema === null ? junk : invalidBody(allowed)).map((value) => ({ is: "spoiled" as const, value })) },
    { weight: 1, arbitrary: allowed.map((value) => ({ is: "extra" as const, value })) },
    { weight: 1, arbitrary: fc.constantFrom("{", "", "[", '{"a":', "\u0000", "nul").map((value) => ({ is: "raw" as const, value })) },
  );
  const query = fc.record(
    Object.fromEntries(
      target.query.map(({ name, schema: field }) => [name, fc.oneof({ weight: 3, arbitrary: validValue(field, pool, name) }, junk)]),
    ),
    { requiredKeys: [] },
  );
  return fc.record({
    target: fc.constant(target),
    place: fc.nat(1_000),
    id: fc.oneof({ weight: 8, arbitrary: fc.constant("known" as const) }, fc.constantFrom("unknown" as const, "malformed" as const)),
    query,
    headers: fc
      .dictionary(fc.constantFrom(...target.headers, "x-nothing"), headerValue, { maxKeys: 2, noNullPrototype: true })
      .chain((headers) => (draftHeader in headers ? draftId(pool).map((id) => ({ ...headers, [draftHeader]: id })) : fc.constant(headers))),
    body: kinds,
    type: fc.oneof(
      { weight: 20, arbitrary: fc.constant(null) },
      fc.constantFrom("text/plain", "application/xml", "application/json; charset=utf-16"),
    ),
  });
}

async function fire(fuzzed: FuzzedService, { target, place, id, query, headers, body, type }: Shot): Promise<void> {
  const known = fuzzed.idsFor(target, place);
  const ids = Object.fromEntries(
    target.params.map(({ name, kind }) => [
      name,
      id === "known" ? known[name]! : id === "unknown" && kind !== null ? unknownId(kind) : ["x", "a b", "%", "../", "'", "😀"][place % 6]!,
    ]),
  );
  // Node rejects a URL of more than 16 kB before the service sees it.
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
  if (target.params.length > 0 && id !== "known" && answer.status < 300 && !createsById.has(target.name))
    expect.fail(`${target.name} succeeded with an unknown or foreign id`);
  // If the fuzzer lost its own token, it would test nothing.
  if (target.caller !== null) expect(answer.status, target.name).not.toBe(401);
  if (target.method === "DELETE" && answer.status < 300) fuzzed.removeIds(ids);
  else fuzzed.collectIds(answer.body);
  fuzzed.random += 1;
  if (fuzzed.random % 150 === 0) await fuzzed.sendExamples();
}

/**
 * Sends `runs` random requests, and some to every operation that was not chosen. Throws with the request at the first response
 * that does not match the description.
 */
export async function fuzz(fuzzed: FuzzedService, seed: number, runs: number): Promise<void> {
  const any = fc.oneof(...targets.map((target) => ({ weight: target.method === "DELETE" ? 1 : 4, arbitrary: shots(target, fuzzed.pool) })));
  const property = fc.asyncProperty(any, (shot) => fire(fuzzed, shot));
  const result = await fc.check(property, { seed, numRuns: runs, endOnFailure: true });
  if (result.failed) {
    const [shot] = result.counterexample ?? [];
    const description = shot && JSON.stringify({ ...shot, target: shot.target.name }).slice(0, 3_000);
    throw new Error(`FUZZ_SEED=${seed} failed at request ${result.numRuns}: ${description}`, { cause: result.errorInstance });
  }
  for (const target of targets.filter(({ name }) => !fuzzed.seen.has(name))) {
    for (const shot of fc.sample(shots(target, fuzzed.pool), { seed, numRuns: 3 })) await fire(fuzzed, shot);
  }
  // Most of what the random requests have left is deleted or in use.
  await fuzzed.sendExamples();
  // A plain request, for those of which each random one had a fault.
  for (const target of targets) {
    const hasSucceeded = [...fuzzed.seen.get(target.name)!.keys()].some((status) => status < 300);
    if (!hasSucceeded && target.method !== "DELETE") fuzzed.collectIds((await fuzzed.ask(target, { body: target.example })).body);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
