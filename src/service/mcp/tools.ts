// The tools: one for each operation of an operator that takes and gives JSON or gives a picture. Made once, at the start.
import type { Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Scope } from "../../protocol/people.ts";
import { id } from "../../protocol/words.ts";
import { isRepeatable } from "../openapi/answers.ts";
import type { Schema } from "../openapi/json.ts";
import { wholeSchema } from "../openapi/schemas.ts";
import { operations } from "../operations.ts";
import { isRead, type Operation } from "../operations/operation.ts";

/** A tool and the operation behind it. */
export interface OperationTool {
  operation: Operation;
  /** As clients see it. */
  tool: Tool;
  /** Names of the arguments that go into the path, and into the query. */
  params: readonly string[];
  query: readonly string[];
}

/** How many of the players that a write concerns are named. */
export const mostNamed = 100;

// One request that reaches many screens: asking first costs little.
const bulk = ["updatePlayers", "sendCommands"];
// What calls addresses elsewhere.
const outward = ["importAsset", "testWebhook", "replayWebhookDelivery", "replayFailedWebhookDeliveries"];
// Answers to tools are JSON: the choice of another format is for REST.
const notAsked = ["format"];
// Tokens have few sets of scopes between them.
const mostLists = 100;

// Keywords that bound values.
const bounds = ["pattern", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "propertyNames"];

const dryRun = z
  .boolean()
  .default(false)
  .describe("Do it and take it back: answers what would have come, and for which players; ids and secrets in it are made up");
const idempotencyKey = z.string().optional().describe("Any text without spaces: a repeat with it within 24 h does nothing twice");
const ifMatch = z.string().optional().describe("The ETag that you read: refused if it was changed since");
const Concerned = z
  .object({ count: z.int(), players: z.array(z.object({ id: id("plr"), name: z.string() })).describe(`The first ${mostNamed}`) })
  .describe("Players that got something new to show or to do, or would have");

/** Every tool. They are made at the first need: it takes a tenth of a second, which no start has to wait for. */
export class Toolbox {
  readonly #lists = new Map<string, readonly Tool[]>();
  #tools: ReadonlyMap<string, OperationTool> | null = null;

  /** The tool of this name. */
  get(name: string): OperationTool | undefined {
    return this.#all().get(name);
  }

  /** What a token with these scopes may use. */
  for(scopes: readonly Scope[]): readonly Tool[] {
    const key = scopes.join(" ");
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const list = [...this.#all().values()].filter(({ operation }) => mayUse(operation, scopes)).map(({ tool }) => tool);
    if (this.#lists.size >= mostLists) this.#lists.delete(this.#lists.keys().next().value!);
    this.#lists.set(key, list);
    return list;
  }

  #all(): ReadonlyMap<string, OperationTool> {
    this.#tools ??= new Map(operations.filter(isForAgents).map((operation) => [snake(operation.name), toolOf(operation)]));
    return this.#tools;
  }
}

/** Whether REST answers without a body. */
export function hasNoAnswer({ output }: Operation): boolean {
  return output instanceof z.ZodUndefined;
}

/** Whether it answers with a picture. */
function isPicture({ file }: Operation): boolean {
  return file !== undefined && file.every((type) => type.startsWith("image/"));
}

function mayUse({ scope }: Operation, scopes: readonly Scope[]): boolean {
  return scope === undefined || scopes.includes(scope);
}

function isForAgents(each: Operation): boolean {
  if (each.caller !== "operator" || each.agent === false || each.bytes !== undefined || each.stream === true) return false;
  return each.file === undefined || isPicture(each);
}

/** @throws TypeError when two arguments of the operation have one name. */
function toolOf(operation: Operation): OperationTool {
  const { name, summary, description, agent, method } = operation;
  const params = Object.keys(shapeOf(operation.params));
  const query = Object.keys(shapeOf(operation.query)).filter((field) => !notAsked.includes(field));
  const inputSchema = wholeSchema(inputOf(operation, params, query), "input") as Tool["inputSchema"];
  const hints = {
    readOnlyHint: isRead(operation),
    destructiveHint: method === "DELETE" || bulk.includes(name),
    idempotentHint: method !== "POST" || name.startsWith("restore"),
    openWorldHint: outward.includes(name),
  };
  const tool: Tool = {
    name: snake(name),
    title: summary,
    description: [`${summary}.`, description, agent].filter((part) => part !== undefined && part !== false).join(" "),
    inputSchema,
    ...(isPicture(operation) ? {} : { outputSchema: outputOf(operation) as NonNullable<Tool["outputSchema"]> }),
    annotations: { title: summary, ...hints },
  };
  return { operation, tool, params, query };
}

function inputOf(operation: Operation, params: readonly string[], query: readonly string[]): z.ZodType {
  const { body } = operation;
  const own: Record<string, z.ZodType> = {
    ...(body === undefined ? {} : { body: body.safeParse(undefined).success ? body.optional() : body }),
    ...(isRead(operation) ? {} : { dry_run: dryRun }),
    ...(isRepeatable(operation) ? { idempotency_key: idempotencyKey } : {}),
    ...(operation.current === undefined ? {} : { if_match: ifMatch }),
  };
  const names = [...params, ...query, ...Object.keys(own)];
  if (new Set(names).size !== names.length) throw new TypeError(`two arguments of ${operation.name} have one name: ${names.join(", ")}`);
  const asked = Object.entries(shapeOf(operation.query)).filter(([field]) => query.includes(field));
  return z.strictObject({ ...shapeOf(operation.params), ...Object.fromEntries(asked), ...own });
}

/** A reading tool answers with the resource itself, a writing one with what came of it. */
function outputOf(operation: Operation): Schema {
  if (isRead(operation)) return shape(wholeSchema(operation.output, "output"));
  const result = hasNoAnswer(operation) ? z.null() : operation.output;
  const etag = operation.version === undefined ? {} : { etag: z.string().optional().describe("For if_match") };
  return shape(wholeSchema(z.object({ dry_run: z.boolean(), result, ...etag, concerned: Concerned.nullable() }), "output"));
}

/** A schema without the bounds of its values: agents pay for every word, and what we answer keeps to them. */
function shape(schema: Schema): Schema {
  const inner = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inner);
    return typeof value === "object" && value !== null ? shape(value as Schema) : value;
  };
  const kept = Object.entries(schema).filter(([key]) => !bounds.includes(key));
  return Object.fromEntries(
    kept.map(([key, value]) => {
      if (key === "enum" || key === "const") return [key, value];
      // What stands below these are names, not keywords.
      if (key !== "properties" && key !== "$defs") return [key, inner(value)];
      return [key, Object.fromEntries(Object.entries(value as Record<string, Schema>).map(([name, each]) => [name, shape(each)]))];
    }),
  );
}

function shapeOf(schema: z.ZodType | undefined): Record<string, z.ZodType> {
  if (schema === undefined) return {};
  if (schema instanceof z.ZodObject) return schema.shape as Record<string, z.ZodType>;
  throw new TypeError("parameters and queries are objects");
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
