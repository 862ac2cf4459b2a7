// Arbitrary values for a schema of the API description, mixed with values that are meaningful to the service.
import * as fc from "fast-check";
import { sampleOf } from "../../../src/service/openapi/samples.ts";
import type { Schema } from "../../../src/service/openapi/json.ts";
import { resolve } from "../openapi/contract.ts";

/** Ids that the service has returned, by their prefix; file hashes under `sha256`. */
export type Pool = Map<string, string[]>;

const ulid = /^\^([a-z]+)_\[/;
const resolveName = ($ref: string): Schema => resolve({ $ref });

/** The pool's key for the ids that a schema accepts; null if it accepts no ids. */
export function idKindOf(schema: Schema): string | null {
  const pattern = schema.pattern ?? "";
  return pattern === "^[0-9a-f]{64}$" ? "sha256" : (ulid.exec(pattern)?.[1] ?? null);
}

/** Values that a schema allows. Ids are mostly taken from `pool` when the value is generated. */
export function validValue(given: Schema, pool: Pool, name = "", depth = 0): fc.Arbitrary<unknown> {
  const schema = resolve(given);
  if ("const" in schema) return fc.constant(schema["const"]);
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...(schema["enum"] as unknown[]));
  const choices = (schema["oneOf"] ?? schema["anyOf"]) as Schema[] | undefined;
  if (choices !== undefined) return fc.oneof(...choices.map((each) => validValue(each, pool, name, depth + 1)));
  const parts = schema["allOf"] as Schema[] | undefined;
  if (parts !== undefined) {
    return fc.tuple(...parts.map((each) => validValue(each, pool, name, depth + 1))).map((all) => Object.assign({}, ...all) as unknown);
  }
  const types = [schema.type].flat();
  if (types.length > 1) return fc.oneof(...types.map((type) => validValue({ ...schema, type: type! }, pool, name, depth + 1)));
  switch (types[0]) {
    case "object":
      return objects(schema, pool, depth);
    case "array":
      return fc.array(validValue(schema.items ?? {}, pool, name, depth + 1), {
        minLength: Number(schema["minItems"] ?? 0),
        maxLength: Math.max(Number(schema["minItems"] ?? 0), Math.min(Number(schema["maxItems"] ?? 4), depth > 6 ? 0 : 4)),
      });
    case "string":
      return strings(schema, pool, name);
    case "integer":
    case "number":
      return numbers(schema, types[0]);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case undefined:
    default:
      return deepJson;
  }
}

function objects(schema: Schema, pool: Pool, depth: number): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {}).map(([key, field]) => [key, validValue(field, pool, key, depth + 1)] as const);
  const required = (schema.required ?? []).filter((key) => schema.properties?.[key] !== undefined);
  const known = fc.record(Object.fromEntries(fields), { requiredKeys: required, noNullPrototype: true });
  if (fields.length > 0 || schema["additionalProperties"] === false) return known;
  return fc.dictionary(names, flatJson, { maxKeys: 3, noNullPrototype: true });
}

function strings(schema: Schema, pool: Pool, name: string): fc.Arbitrary<string> {
  const least = Number(schema["minLength"] ?? 0);
  const most = Number(schema["maxLength"] ?? 200);
  const fits = (text: string) => text.length >= least && text.length <= most;
  switch (schema.format) {
    case "date-time":
      return dates();
    case "date":
      return dates().map((time) => time.slice(0, 10));
    case "uri":
      return webPaths.map((path) => `https://fuzz.invalid${path}`);
    case undefined:
    default:
  }
  const sample = fc.constant(String(sampleOf({ ...schema, type: "string" }, resolveName, name)));
  const { pattern } = schema;
  const free = typeof pattern === "string" ? matching(pattern) : graphemes(least, Math.min(most, least + 60));
  const longest = "x".repeat(Math.min(most, 10_000));
  const kind = idKindOf(schema);
  const others = [
    { weight: 3, arbitrary: sample },
    { weight: 2, arbitrary: free.filter(fits) },
  ];
  if (kind !== null) return fc.oneof({ weight: 6, arbitrary: pooled(kind, pool, free) }, ...others);
  return new RegExp(pattern ?? "", "u").test(longest) ? fc.oneof(...others, fc.constant(longest)) : fc.oneof(...others);
}

/** An id from the pool, chosen when the value is generated; a random id if there is none. */
function pooled(kind: string, pool: Pool, madeUp: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(fc.nat(1_000), madeUp).map(([place, other]) => {
    const ids = pool.get(kind) ?? [];
    return ids[place % Math.max(1, ids.length)] ?? other;
  });
}

// The first of these takes seconds. Built during a test it would let the service close its idle connection unnoticed.
fc.string({ unit: "grapheme" });

// Building one takes long, and the same patterns and lengths are in many schemas.
// fc.webPath() takes most of a second to build.
const webPaths = fc
  .array(fc.string({ maxLength: 8 }).map(encodeURIComponent), { maxLength: 4 })
  .map((segments) => segments.map((each) => `/${each}`).join(""));
const names = fc.string({ maxLength: 12 });
const flatJson = fc.jsonValue({ maxDepth: 1 });
const deepJson = fc.jsonValue({ maxDepth: 2 });
const byLengths = new Map<string, fc.Arbitrary<string>>();
const byPattern = new Map<string, fc.Arbitrary<string>>();

function graphemes(minLength: number, maxLength: number): fc.Arbitrary<string> {
  const key = `${minLength} ${maxLength}`;
  const known = byLengths.get(key) ?? fc.string({ minLength, maxLength, unit: "grapheme" });
  byLengths.set(key, known);
  return known;
}

function matching(pattern: string): fc.Arbitrary<string> {
  const known = byPattern.get(pattern) ?? textsOf(pattern);
  byPattern.set(pattern, known);
  return known;
}

function textsOf(pattern: string): fc.Arbitrary<string> {
  const expression = new RegExp(pattern, "u");
  // For a negated class fast-check draws characters until one matches, which takes minutes for a class that excludes most characters.
  if (pattern.includes("[^")) return fc.string({ unit: "grapheme", maxLength: 60 }).filter((text) => expression.test(text));
  return fc.stringMatching(expression);
}

function dates(): fc.Arbitrary<string> {
  const between = { min: new Date("1970-01-01T00:00:00Z"), max: new Date("2999-12-31T23:59:59Z"), noInvalidDate: true };
  return fc.date(between).map((date) => date.toISOString());
}

function numbers(schema: Schema, type: "integer" | "number"): fc.Arbitrary<number> {
  const min = Math.ceil(Number(schema["minimum"] ?? -1e12));
  const max = Math.floor(Number(schema["maximum"] ?? 1e12));
  return type === "integer" ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true });
}

/** Values that hardly any schema allows. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    "",
    "\u0000",
    "\ud800",
    -1,
    1e308,
    2 ** 53,
    0.5,
    [],
    {},
    true,
    "x".repeat(20_000),
    "'; DROP TABLE teams; --",
    "../../etc/passwd",
  ),
  fc.constant(JSON.parse('{"__proto__": {"a": 1}}')),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A body with one error: a replaced value, a removed field or a field duplicated under a misspelt name. */
export function invalidBody(body: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(body, fc.nat(), junk, fc.constantFrom("replace", "remove", "wrap")).map(([value, place, wrong, how]) => {
    const copy = structuredClone({ root: value });
    const places = placesIn(copy);
    const { holder, key } = places[place % places.length]!;
    if (how === "remove") Reflect.deleteProperty(holder, key);
    else Reflect.set(holder, key, how === "wrap" ? [Reflect.get(holder, key)] : wrong);
    return copy.root;
  });
}

function placesIn(value: unknown): { holder: object; key: string }[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [{ holder: value, key }, ...placesIn(inner)]);
}
