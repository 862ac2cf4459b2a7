// Generates a sample value of a schema: always the same one, and valid.
import type { Schema } from "./json.ts";

const ulid = "01jd3v8q6m9x2k4n7r5t1w0yzh";
// Sample values by field name, used if the schema allows them.
const byName: Readonly<Record<string, unknown>> = {
  name: "Lobby",
  title: "Lobby",
  text: "Welcome",
  timezone: "Europe/London",
  mime_type: "image/jpeg",
  url: `https://signage.example.com/api/v1/assets/ast_${ulid}/content`,
  image_url: `https://signage.example.com/api/v1/screenshots/shot_${ulid}/image`,
  width: 1920,
  height: 1080,
  left: 0,
  top: 0,
  size_bytes: 48_213,
  duration_ms: 8_000,
  expires_in: 900,
  interval: 5,
  code: "WDJB-MJHT",
  user_code: "WDJB-MJHT",
  player_version: "0.1.0",
  engine: "chromium 156",
  hardware: "Raspberry Pi 5",
  locale: "en-GB",
  codec: "avc1",
  email: "ada@example.com",
  next_cursor: null,
  error: null,
};
const byFormat: Readonly<Record<string, string>> = {
  "date-time": "2026-11-21T12:00:00.000Z",
  date: "2026-11-21",
  time: "12:00:00",
  email: "ada@example.com",
  uri: "https://example.com/",
  uuid: "6f1c3f0e-0c54-4c8b-9a57-3d0a8a1d6a11",
  ipv4: "203.0.113.7",
};
// Candidates for a schema with a pattern, in this order.
const strings = [
  "sample",
  "Lobby",
  "#102030",
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  `/api/v1/assets/ast_${ulid}/content`,
  "https://example.com/",
  "2026-11-21",
  "12:00",
  "12:00:00",
  "2026-11-21T12:00:00",
  "2026-11-21T12:00:00.000Z",
  "FREQ=DAILY",
  "en",
  "1",
  "*",
];

/**
 * A value that `schema` allows.
 * @param resolve returns the component that a `$ref` names
 * @throws TypeError when no candidate matches a pattern: the schema or its operation needs an example of its own.
 */
export function sampleOf(schema: Schema, resolve: (reference: string) => Schema, name = "", depth = 0): unknown {
  if (depth > 16) throw new TypeError(`no sample for ${name}: the schema refers to itself`);
  if (schema.$ref !== undefined) return sampleOf(resolve(schema.$ref), resolve, name, depth + 1);
  const [given] = [schema["examples"]].flat();
  if (given !== undefined) return given;
  if ("const" in schema) return schema["const"];
  if ("default" in schema) return schema["default"];
  if (Array.isArray(schema["enum"])) return schema["enum"][0];
  const choices = (schema["oneOf"] ?? schema["anyOf"]) as Schema[] | undefined;
  if (choices !== undefined) {
    if (byName[name] === null && choices.some((each) => each.type === "null")) return null;
    return sampleOf(choices.find((each) => each.type !== "null") ?? choices[0]!, resolve, name, depth);
  }
  const parts = schema["allOf"] as Schema[] | undefined;
  if (parts !== undefined) return Object.assign({}, ...parts.map((each) => sampleOf(each, resolve, name, depth))) as unknown;
  const within = (field: Schema, key: string) => sampleOf(field, resolve, key, depth + 1);
  const types = [schema.type].flat();
  if (byName[name] === null && types.includes("null")) return null;
  const type = types[0];
  if (type === "object")
    return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, field]) => [key, within(field, key)]));
  if (type === "array") return schema.items === undefined || schema["maxItems"] === 0 ? [] : [within(schema.items, name)];
  if (type === "string") return stringOf(schema, name);
  if (type === "integer" || type === "number") return numberOf(schema, name);
  return type === "boolean" ? true : type === "null" ? null : {};
}

function stringOf(schema: Schema, name: string): string {
  const format = schema.format === undefined ? undefined : byFormat[schema.format];
  if (format !== undefined) return format;
  const pattern = schema.pattern === undefined ? null : new RegExp(schema.pattern, "u");
  const id = pattern === null ? null : /^\^([a-z]+)_\[/.exec(pattern.source);
  const least = Number(schema["minLength"] ?? 0);
  const most = Number(schema["maxLength"] ?? Infinity);
  const known = byName[name];
  const candidates = [
    ...(typeof known === "string" ? [known] : []),
    ...(id === null ? [] : [`${id[1]!}_${ulid}`]),
    ...strings,
    "x".repeat(least),
  ];
  const fitting = candidates.find((text) => text.length >= least && text.length <= most && pattern?.test(text) !== false);
  if (fitting === undefined)
    throw new TypeError(`no sample for ${name} fits ${pattern?.source}: give its schema an example by .meta({ examples: […] })`);
  return fitting;
}

function numberOf(schema: Schema, name: string): number {
  const least = Number(
    schema["minimum"] ?? (schema["exclusiveMinimum"] === undefined ? -Infinity : Number(schema["exclusiveMinimum"]) + 1),
  );
  const most = Number(schema["maximum"] ?? Infinity);
  const known = byName[name];
  return Math.max(least, Math.min(most, typeof known === "number" ? known : 1));
}
