// The arguments of a tool: the path's, the query's and the body's side by side, in a schema that an agent reads cheaply.
import { z } from "zod";
import type { Schema } from "../openapi/json.ts";
import { isRepeatable } from "../openapi/responses.ts";
import { wholeSchema } from "../openapi/schemas.ts";
import { isRead, type Operation } from "../operations/operation.ts";

/** Where each argument of a tool belongs in the operation's input. */
export interface Places {
  /** Arguments that go into the path, and into the query. */
  params: readonly string[];
  query: readonly string[];
  /** Fields of the body by the names of their arguments. */
  body: ReadonlyMap<string, string>;
  /** The argument that is the whole body, of a body that is no object; null: there is none. */
  whole: "body" | null;
}

/** Largest file that a tool takes, in bytes. */
export const maxToolBytes = 1_048_576;

// Answers to tools are JSON: the choice of another format is for REST.
const notAsked = ["format"];
// A part of a schema that is written twice is written once from this length of its JSON on.
const shortestShared = 140;

const own = {
  dry_run: z
    .boolean()
    .default(false)
    .describe("Do it and take it back: answers what would have come, and for which players; ids and secrets in it are made up"),
  idempotency_key: z.string().optional().describe("Any text without spaces: a repeat with it within 24 h does nothing twice"),
  if_match: z.string().optional().describe("The ETag that you read: refused if it was changed since"),
  data_base64: z
    .string()
    .describe(`The file's bytes in base64, at most ${maxToolBytes} bytes before encoding. For a larger file: create_upload_link`),
  content_type: z.string().optional().describe("The file's media type; without it, what its bytes say"),
};

/** Where the arguments of an operation's tool go, and the JSON schema that an agent sees. */
export function argumentsOf(operation: Operation): Places & { schema: Schema } {
  const params = fieldsOf(operation.params) ?? {};
  const asked = Object.entries(fieldsOf(operation.query) ?? {}).filter(([name]) => !notAsked.includes(name));
  const query = Object.fromEntries(asked);
  const ours = ownArguments(operation);
  const taken = { ...params, ...query, ...ours };
  const names = [...Object.keys(params), ...Object.keys(query), ...Object.keys(ours)];
  if (new Set(names).size !== names.length) throw new TypeError(`two arguments of ${operation.name} have one name: ${names.join(", ")}`);
  const fields = fieldsOf(operation.body);
  const body = new Map(Object.keys(fields ?? {}).map((field) => [nameOf(field, taken), field]));
  const isWhole = operation.body !== undefined && fields === null;
  const given = isWhole ? { body: operation.body! } : Object.fromEntries([...body].map(([name, field]) => [name, fields![field]!]));
  const schema = wholeSchema(z.strictObject({ ...params, ...query, ...given, ...ours }), "input");
  return { params: Object.keys(params), query: Object.keys(query), body, whole: isWhole ? "body" : null, schema: compact(schema) };
}

/** The names of the arguments that every tool of a kind has, beside the operation's own. */
function ownArguments(operation: Operation): Partial<typeof own> {
  return {
    ...(operation.bytes === undefined ? {} : { data_base64: own.data_base64, content_type: own.content_type }),
    ...(isRead(operation) ? {} : { dry_run: own.dry_run }),
    ...(isRepeatable(operation) ? { idempotency_key: own.idempotency_key } : {}),
    ...(operation.current === undefined ? {} : { if_match: own.if_match }),
  };
}

/** A field of the body keeps its name, unless the path, the query or every tool has an argument of that name. */
function nameOf(field: string, taken: object): string {
  return field in taken ? `body_${field}` : field;
}

/** The fields of an object; of a union of objects those of all its members. Null: it is neither. */
function fieldsOf(schema: z.ZodType | undefined): Record<string, z.ZodType> | null {
  if (schema === undefined) return {};
  if (schema instanceof z.ZodObject) return schema.shape as Record<string, z.ZodType>;
  if (schema instanceof z.ZodDiscriminatedUnion) return unitedFields(schema);
  return null;
}

/** The fields of the members side by side: tools' schemas are objects at the top. The operation's own schema still checks them. */
function unitedFields(union: z.ZodDiscriminatedUnion): Record<string, z.ZodType> | null {
  const { discriminator } = union.def;
  const members = union.options.map((member) => fieldsOf(member as z.ZodType));
  if (members.some((member) => member === null)) return null;
  const all = members as Record<string, z.ZodType>[];
  const names = [...new Set(all.flatMap((member) => Object.keys(member)))];
  return Object.fromEntries(
    names.map((name) => {
      const kinds = new Map<string, { schema: z.ZodType; of: unknown[] }>();
      for (const member of all) {
        const schema = member[name];
        if (schema === undefined) continue;
        const key = JSON.stringify(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
        const known = kinds.get(key) ?? { schema, of: [] };
        known.of.push(literalOf(member[discriminator]));
        kinds.set(key, known);
      }
      if (name === discriminator) return [name, z.enum(all.map((member) => String(literalOf(member[discriminator]))))];
      const [first, ...others] = [...kinds.values()];
      if (others.length === 0) return [name, all.every((member) => name in member) ? first!.schema : first!.schema.optional()];
      const each = [first!, ...others].map(({ schema, of }) => schema.describe(`With ${discriminator} ${of.join(", ")}`));
      return [name, z.union(each)];
    }),
  );
}

function literalOf(schema: z.ZodType | undefined): unknown {
  return schema instanceof z.ZodLiteral ? [...schema.values][0] : undefined;
}

/** The schema with what an agent can do without left out: patterns that the description says in words, what is written twice. */
function compact(schema: Schema): Schema {
  const { $defs, ...top } = schema;
  const plain = { ...trimmed(top), additionalProperties: false, ...($defs === undefined ? {} : { $defs: trimmedAll($defs as Named) }) };
  return shared(plain as Schema);
}

type Named = Record<string, Schema>;

/** Keywords whose values are schemas by name. */
const named = ["properties", "$defs"];

function trimmedAll(schemas: Named): Named {
  return Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, trimmed(each)]));
}

function trimmed(schema: Schema): Schema {
  const inner = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inner);
    return typeof value === "object" && value !== null ? trimmed(value as Schema) : value;
  };
  const kept = Object.entries(schema).filter(([key, value]) => {
    if (key === "pattern") return schema.description === undefined && String(value).length < 60 && !String(value).includes("\\p{");
    // What is not known is refused by name: to say so in each part would cost a tenth of the whole.
    return key !== "additionalProperties" || value !== false;
  });
  return Object.fromEntries(
    kept.map(([key, value]) => {
      if (key === "enum" || key === "const" || key === "default" || key === "required") return [key, value];
      return [key, named.includes(key) ? trimmedAll(value as Named) : inner(value)];
    }),
  );
}

/** The schema with each of its longer parts that stands in it several times written once, in `$defs`. */
function shared(schema: Schema): Schema {
  const counts = new Map<string, number>();
  visit(schema, (part) => {
    const text = JSON.stringify(part);
    if (text.length >= shortestShared) counts.set(text, (counts.get(text) ?? 0) + 1);
    return part;
  });
  const names = new Map<string, string>();
  const defs: Named = {};
  const refer = (part: Schema): Schema => {
    const text = JSON.stringify(part);
    if ((counts.get(text) ?? 0) < 2) return part;
    const known = names.get(text);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    const name = `p${names.size + 1}`;
    names.set(text, name);
    defs[name] = inside(part, (each) => visit(each, refer));
    return { $ref: `#/$defs/${name}` };
  };
  const { $defs = {}, ...top } = inside(schema, (each) => visit(each, refer)) as Schema & { $defs?: Named };
  const all = { ...$defs, ...defs };
  return Object.keys(all).length === 0 ? (top as Schema) : ({ ...top, $defs: all } as Schema);
}

/** Replaces a schema by what `replace` makes of it, and where that leaves it as it is, the schemas in it. */
function visit(schema: Schema, replace: (part: Schema) => Schema): Schema {
  const made = replace(schema);
  return made === schema ? inside(schema, (part) => visit(part, replace)) : made;
}

function inside(schema: Schema, replace: (part: Schema) => Schema): Schema {
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (named.includes(key)) {
      return [key, Object.fromEntries(Object.entries(value as Named).map(([name, each]) => [name, replace(each)]))];
    }
    if (["anyOf", "oneOf", "allOf", "prefixItems"].includes(key)) return [key, (value as Schema[]).map(replace)];
    const isSchema = ["items", "additionalProperties", "propertyNames", "not"].includes(key) && typeof value === "object";
    return [key, isSchema ? replace(value as Schema) : value];
  });
  return Object.fromEntries(entries);
}
