// Builds the arguments of a tool: path, query and body fields side by side, in a compact JSON schema.
import { z } from "zod";
import type { Schema } from "../openapi/json.ts";
import { isRepeatable } from "../openapi/responses.ts";
import { wholeSchema } from "../openapi/schemas.ts";
import { isRead, type Operation } from "../operations/operation.ts";

/** Which part of the operation's input each argument of a tool goes to. */
export interface ArgumentPlaces {
  /** Arguments that go into the path. */
  params: readonly string[];
  query: readonly string[];
  /** The field of the body by the name of its argument. */
  body: ReadonlyMap<string, string>;
  /** The argument that holds the whole body if the body is not an object; else null. */
  whole: "body" | null;
}

/** The largest file that a tool accepts, bytes. */
export const maxToolBytes = 1_048_576;

// Tools always respond with JSON, so they have no argument for the format.
const omittedFields = ["format"];
// Repeated parts of a schema move to $defs if their JSON has at least this many characters.
const minSharedLength = 140;

const sharedArguments = {
  dry_run: z
    .boolean()
    .default(false)
    .describe("Runs the write and rolls it back: returns the result and the players it would affect. Ids and secrets in it are not real"),
  idempotency_key: z
    .string()
    .optional()
    .describe("Any text without spaces. A repeated call with the same key within 24 h is not run again"),
  if_match: z.string().optional().describe("The ETag that you read. The call is rejected if the resource has changed since"),
  draft: z.string().optional().describe("The id of a draft (drf_…): reads and changes content as it would be if the draft were published"),
  data_base64: z
    .string()
    .describe(`The file's bytes in base64, at most ${maxToolBytes} bytes before encoding. For a larger file: create_upload_link`),
  content_type: z.string().optional().describe("The file's media type. By default it is detected from the bytes"),
};

/** Where the arguments of an operation's tool go, and their JSON schema. */
export function argumentsOf(operation: Operation): ArgumentPlaces & { schema: Schema } {
  const params = fieldsOf(operation.params) ?? {};
  const queryFields = Object.entries(fieldsOf(operation.query) ?? {}).filter(([name]) => !omittedFields.includes(name));
  const query = Object.fromEntries(queryFields);
  const kindArguments = ownArguments(operation);
  const taken = { ...params, ...query, ...kindArguments };
  const names = [...Object.keys(params), ...Object.keys(query), ...Object.keys(kindArguments)];
  if (new Set(names).size !== names.length)
    throw new TypeError(`two arguments of ${operation.name} have the same name: ${names.join(", ")}`);
  const fields = fieldsOf(operation.body);
  const body = new Map(Object.keys(fields ?? {}).map((field) => [nameOf(field, taken), field]));
  const isWhole = operation.body !== undefined && fields === null;
  const bodyArguments = isWhole ? { body: operation.body! } : Object.fromEntries([...body].map(([name, field]) => [name, fields![field]!]));
  const schema = wholeSchema(z.strictObject({ ...params, ...query, ...bodyArguments, ...kindArguments }), "input");
  return { params: Object.keys(params), query: Object.keys(query), body, whole: isWhole ? "body" : null, schema: compact(schema) };
}

/** The arguments that the kind of operation adds to the operation's own. */
function ownArguments(operation: Operation): Partial<typeof sharedArguments> {
  return {
    ...(operation.bytes === undefined ? {} : { data_base64: sharedArguments.data_base64, content_type: sharedArguments.content_type }),
    ...(isRead(operation) ? {} : { dry_run: sharedArguments.dry_run }),
    ...(isRepeatable(operation) ? { idempotency_key: sharedArguments.idempotency_key } : {}),
    ...(operation.current === undefined ? {} : { if_match: sharedArguments.if_match }),
    ...(operation.drafts === true ? { draft: sharedArguments.draft } : {}),
  };
}

/** The argument name of a body field: its own name, unless another argument has that name. */
function nameOf(field: string, taken: object): string {
  return field in taken ? `body_${field}` : field;
}

/** The fields of an object schema, or of all members of a union of objects. Null for any other schema. */
function fieldsOf(schema: z.ZodType | undefined): Record<string, z.ZodType> | null {
  if (schema === undefined) return {};
  if (schema instanceof z.ZodObject) return schema.shape as Record<string, z.ZodType>;
  if (schema instanceof z.ZodDiscriminatedUnion) return unitedFields(schema);
  return null;
}

/** Merges the fields of all members, since a tool's schema must be an object. The operation's own schema still validates them. */
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

/** Shortens the schema: drops patterns that the description explains and moves repeated parts to $defs. */
function compact(schema: Schema): Schema {
  const { $defs, ...top } = schema;
  const plain = { ...trimmed(top), additionalProperties: false, ...($defs === undefined ? {} : { $defs: trimmedAll($defs as SchemaMap) }) };
  return shared(plain as Schema);
}

type SchemaMap = Record<string, Schema>;

/** Keywords whose values are schemas by name. */
const named = ["properties", "$defs"];

function trimmedAll(schemas: SchemaMap): SchemaMap {
  return Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, trimmed(each)]));
}

function trimmed(schema: Schema): Schema {
  const inner = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inner);
    return typeof value === "object" && value !== null ? trimmed(value as Schema) : value;
  };
  const kept = Object.entries(schema).filter(([key, value]) => {
    if (key === "pattern") return schema.description === undefined && String(value).length < 60 && !String(value).includes("\\p{");
    // Unknown fields are rejected by name anyway; repeating that in each object would make the schema a tenth longer.
    return key !== "additionalProperties" || value !== false;
  });
  return Object.fromEntries(
    kept.map(([key, value]) => {
      if (key === "enum" || key === "const" || key === "default" || key === "required") return [key, value];
      return [key, named.includes(key) ? trimmedAll(value as SchemaMap) : inner(value)];
    }),
  );
}

/** Moves long repeated parts of the schema to `$defs`. */
function shared(schema: Schema): Schema {
  const counts = new Map<string, number>();
  visit(schema, (part) => {
    const text = JSON.stringify(part);
    if (text.length >= minSharedLength) counts.set(text, (counts.get(text) ?? 0) + 1);
    return part;
  });
  const names = new Map<string, string>();
  const defs: SchemaMap = {};
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
  const { $defs = {}, ...top } = inside(schema, (each) => visit(each, refer)) as Schema & { $defs?: SchemaMap };
  const all = { ...$defs, ...defs };
  return Object.keys(all).length === 0 ? (top as Schema) : ({ ...top, $defs: all } as Schema);
}

/** Applies `replace` to a schema, and if that changes nothing, to the schemas inside it. */
function visit(schema: Schema, replace: (part: Schema) => Schema): Schema {
  const replaced = replace(schema);
  return replaced === schema ? inside(schema, (part) => visit(part, replace)) : replaced;
}

function inside(schema: Schema, replace: (part: Schema) => Schema): Schema {
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (named.includes(key)) {
      return [key, Object.fromEntries(Object.entries(value as SchemaMap).map(([name, each]) => [name, replace(each)]))];
    }
    if (["anyOf", "oneOf", "allOf", "prefixItems"].includes(key)) return [key, (value as Schema[]).map(replace)];
    const isSchema = ["items", "additionalProperties", "propertyNames", "not"].includes(key) && typeof value === "object";
    return [key, isSchema ? replace(value as Schema) : value];
  });
  return Object.fromEntries(entries);
}
