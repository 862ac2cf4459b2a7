// The API description: complete, valid, and equal to the committed copy.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { allowsBreaking, breakingChanges, type Description } from "../../../scripts/breaking-changes.ts";
import { baseline, descriptionFile, descriptionText, isGeneratedFrom, typesFile, unannouncedBreaks } from "../../../scripts/openapi.ts";
import { rootFolder } from "../../../src/main/folders.ts";
import { DeviceMessage, ServiceMessage } from "../../../src/protocol/device/messages.ts";
import { SubscriberMessage, SubscriptionMessage } from "../../../src/protocol/operator/events.ts";
import { operations } from "../../../src/service/operations/operations.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { described, description, schemaErrors, pointerOf, resolve } from "./contract.ts";
import { TestService, call } from "../harness.ts";

const text = JSON.stringify(description);
const write = "run `node scripts/openapi.ts` and commit what it writes";

test("[OAS1] every operation is described with its scope, parameters and responses; error responses are problems", () => {
  for (const each of operations) {
    const found = described.find(({ operation }) => operation.operationId === each.name)!;
    expect([found.method, found.path], each.name).toEqual([each.method, `/api/v1${each.path}`]);
    const security = each.caller === "anyone" ? [] : [{ [each.caller]: each.scope === undefined ? [] : [each.scope] }];
    expect(found.operation.security, each.name).toEqual(security);
    expect(found.operation.responses, each.name).toHaveProperty(String(each.status));
    const names = (found.operation.parameters ?? []).map((parameter) => resolve(parameter)["name"]);
    const shapes = [each.params, each.query].filter((schema) => schema instanceof z.ZodObject);
    expect(names, each.name).toEqual(expect.arrayContaining(shapes.flatMap((schema) => Object.keys(schema.shape))));
  }
  for (const { operation } of described) {
    for (const [status, answer] of Object.entries(operation.responses)) {
      const types = Object.keys((resolve(answer)["content"] ?? {}) as object);
      const isRefusal = /^[45]/.test(status) && types.length > 0;
      if (isRefusal) expect(types, `${operation.operationId} ${status}`).toContain("application/problem+json");
    }
  }
});

test("[OAS2] every example validates against its schema", () => {
  let count = 0;
  const check = (place: readonly string[], content: unknown) => {
    for (const [type, media] of Object.entries(
      (content ?? {}) as Record<string, { example?: unknown; examples?: Record<string, { value: unknown }> }>,
    )) {
      const examples = [...("example" in media ? [media.example] : []), ...Object.values(media.examples ?? {}).map(({ value }) => value)];
      if (type.endsWith("json") && place[0] !== "elsewhere") expect(examples.length, place.join(" ")).toBeGreaterThan(0);
      for (const example of examples) {
        expect(schemaErrors(pointerOf(...place, "content", type, "schema"), example), place.join(" ")).toEqual([]);
        count += 1;
      }
    }
  };
  for (const { path, method, operation } of described) {
    if (operation.tags[0] === "service") continue;
    const place = ["paths", path, method.toLowerCase()];
    check([...place, "requestBody"], operation.requestBody?.content);
    for (const [status, answer] of Object.entries(operation.responses)) {
      if (!("$ref" in answer)) check([...place, "responses", status], answer["content"]);
    }
  }
  for (const [name, answer] of Object.entries(description.components.responses))
    check(["components", "responses", name], answer["content"]);
  for (const each of operations)
    if (each.example !== undefined) expect(each.body!.safeParse(each.example).error, each.name).toBeUndefined();
  process.stdout.write(`description: ${described.length} operations, ${count} examples, ${Math.round(text.length / 1_024)} kB\n`);
});

test("[OAS3] shared parts are described once: no duplicate or unused component, no pattern next to a date format", async () => {
  for (const kind of ["schemas", "responses", "parameters"] as const) {
    const bodies = Object.entries(description.components[kind]).map(([name, each]) => [name, JSON.stringify(each)] as const);
    // Different schemas may be equal by chance. A duplicate is an XInput that equals X.
    if (kind !== "schemas") expect(new Set(bodies.map(([, body]) => body)).size, kind).toBe(bodies.length);
    for (const [name, body] of bodies) expect(bodies, name).not.toContainEqual([`${name}Input`, body]);
    for (const name of Object.keys(description.components[kind])) expect(text, name).toContain(`"#/components/${kind}/${name}"`);
  }
  for (const [, target] of text.matchAll(/"\$ref":"#([^"]+)"/g)) expect(resolve({ $ref: `#${target}` }), target).toBeTypeOf("object");
  for (const [pattern] of text.matchAll(/"pattern":"(?:[^"\\]|\\.)*"/g)) expect(pattern.length, pattern).toBeLessThan(160);
  const ids = described.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]+$/);
  // Parameters are described one by one; bodies, results and messages refer to exported schemas by the names of their exports.
  const used = new Set<unknown>();
  const messages = [DeviceMessage, ServiceMessage, SubscriberMessage, SubscriptionMessage].flatMap((union): z.ZodType[] => [
    ...union.options,
  ]);
  for (const schema of [...messages, ...operations.flatMap(({ body, output }) => (body === undefined ? [output] : [body, output]))]) {
    const override = ({ zodSchema }: { zodSchema: unknown }) => void used.add(zodSchema);
    for (const io of ["input", "output"] as const) z.toJSONSchema(schema, { io, unrepresentable: "any", override });
  }
  const componentTypes = ["object", "union", "enum", "intersection"];
  for (const file of await readdir(join(rootFolder, "src/protocol"), { recursive: true })) {
    if (!file.endsWith(".ts")) continue;
    for (const [name, schema] of Object.entries((await import(join(rootFolder, "src/protocol", file))) as object)) {
      if (!(schema instanceof z.ZodType) || !componentTypes.includes(schema.def.type)) continue;
      const { id } = schema.meta() ?? {};
      if (used.has(schema) || id !== undefined) expect(id, `${name} in ${file}`).toBe(name);
    }
  }
});

test("[OAS5] the committed description equals the served one, as JSON and as YAML", async () => {
  await using folder = await temporaryFolder();
  const committed = JSON.parse(await readFile(join(rootFolder, descriptionFile), "utf8")) as Description;
  await using api = await TestService.start(folder.path, { version: committed.info.version });
  // The served description also has the service's URL.
  const here = { ...committed, servers: [expect.objectContaining({ url: api.service.url })] };
  expect((await call(api.service.url, "GET", "openapi.json")).body, write).toEqual(here);
  const yaml = (await call(api.service.url, "GET", "openapi.yaml")).body as Buffer;
  expect(parse(yaml.toString(), { maxAliasCount: 0 })).toEqual(here);
  expect(await readFile(join(rootFolder, descriptionFile), "utf8"), write).toBe(descriptionText());
});

test("[OAS6] the client's types are generated from the committed description", async () => {
  const committed = await readFile(join(rootFolder, descriptionFile), "utf8");
  const types = await readFile(join(rootFolder, typesFile), "utf8");
  expect(isGeneratedFrom(committed, types), write).toBe(true);
  expect(isGeneratedFrom(committed.replace('"string"', '"number"'), types)).toBe(false);
  expect(isGeneratedFrom(committed, types.replace(": string", ": number"))).toBe(false);
});

test("[OAS7] nothing that clients rely on changes without a new major version", () => {
  const base = baseline();
  // Without an earlier committed copy there is nothing to compare with.
  if (base === null) return;
  const now = JSON.parse(descriptionText()) as Description;
  expect(unannouncedBreaks(base.description, now), `breaking since ${base.from}: raise the major version, or the minor below 1.0`).toEqual(
    [],
  );
});

const object = (properties: Record<string, unknown>, required: string[] = []) => ({ type: "object", properties, required });
/** A description with one POST with the given request and response schemas. */
function small(request: unknown, response: unknown, more: Record<string, unknown> = {}): Description {
  const content = (schema: unknown) => ({ content: { "application/json": { schema } } });
  const post = {
    operationId: "makeThing",
    security: [{ operator: ["things:write"] }],
    parameters: [{ name: "limit", in: "query", required: false, schema: { type: "integer", maximum: 100 } }],
    requestBody: { required: false, ...content(request) },
    responses: { 200: content(response), 404: { description: "" } },
    ...more,
  };
  return { info: { version: "0.1.0" }, paths: { "/things": { post } } };
}
const text1 = { type: "string" };
const before = small(
  object({ a: text1, b: { enum: ["x", "y"] }, c: { type: ["integer", "null"] } }, ["a"]),
  object({ id: text1, n: text1 }, ["id"]),
);

test.for<[string, Description, RegExp | null]>([
  ["a path gone", { ...before, paths: {} }, /the path is gone/],
  ["a removed operation", { ...before, paths: { "/things": {} } }, /the operation is gone/],
  ["a removed field of the request", small(object({ a: text1, b: { enum: ["x", "y"] } }, ["a"]), {}), /\.c: the field is gone/],
  ["a removed field of the response", small({}, object({ id: text1 }, ["id"])), /\.n: the field is gone/],
  [
    "a request field newly required",
    small(object({ a: text1, b: { enum: ["x", "y"] } }, ["a", "b"]), {}),
    /\.b: the field is required now/,
  ],
  ["a field of the response that may be missing", small({}, object({ id: text1, n: text1 })), /\.id: the field may be missing/],
  ["a narrowed enumeration", small(object({ a: text1, b: { enum: ["x"] } }), {}), /the value y is gone/],
  ["another type", small(object({ a: { type: "integer" } }), {}), /the type was string, it is integer/],
  ["null no longer accepted", small(object({ c: { type: "integer" } }), {}), /the type was integer or null, it is integer/],
  [
    "null newly answered",
    small({}, object({ id: { anyOf: [text1, { type: "null" }] } }, ["id"])),
    /the type was string, it is string or null/,
  ],
  ["a tightened bound", small(object({ a: { type: "string", maxLength: 5 } }), {}), /maxLength is 5 now/],
  ["a removed status", small({}, {}, { responses: { 200: { description: "" } } }), /the status 404 is gone/],
  ["a removed media type", small({}, {}, { responses: { 200: {}, 404: {} } }), /media type application\/json is gone/],
  ["a removed parameter", small({}, {}, { parameters: [] }), /query parameter limit is gone/],
  ["another scope", small({}, {}, { security: [{ operator: ["things:admin"] }] }), /no longer suffices/],
  [
    "a body newly required",
    small({}, {}, { requestBody: { required: true, content: { "application/json": {} } } }),
    /a body is required now/,
  ],
  ["another operationId", small({}, {}, { operationId: "doThing" }), /its operationId was makeThing/],
  ["nothing", before, null],
  [
    "more of everything",
    small(
      object({
        a: { type: ["string", "null"] },
        b: { enum: ["x", "y", "z"] },
        c: { anyOf: [{ type: "integer" }, { type: "null" }, { type: "boolean" }] },
        d: text1,
      }),
      object({ id: text1, n: text1, m: text1 }, ["id", "n"]),
    ),
    null,
  ],
])("[OAS8] a change that breaks clients is detected; a compatible change is accepted: %s", ([, after, wanted]) => {
  const found = breakingChanges(before, after);
  if (wanted === null) expect(found).toEqual([]);
  else expect(found).toContainEqual(expect.stringMatching(wanted));
});

test("[OAS9] a new major version may break clients; below 1.0 a new minor version may", () => {
  const versions = [
    ["0.1.0", "0.1.1", false],
    ["0.1.0", "0.2.0", true],
    ["0.9.0", "1.0.0", true],
    ["1.2.0", "1.3.0", false],
    ["1.2.0", "2.0.0", true],
    ["2.0.0", "1.9.0", false],
  ] as const;
  for (const [from, to, may] of versions) expect(allowsBreaking(from, to), `${from} to ${to}`).toBe(may);
  expect(unannouncedBreaks(before, { info: { version: "0.2.0" }, paths: {} })).toEqual([]);
});
