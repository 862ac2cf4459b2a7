// Runs a tool: its arguments into the operation's input, through the door as REST does, and the answer into an agent's terms.
import type { CallToolResult } from "@modelcontextprotocol/server";
import { buffer } from "node:stream/consumers";
import type { IncomingMessage } from "node:http";
import type { Operator } from "../access.ts";
import type { Call } from "../context.ts";
import { noBytes, type Door, type Input, type Made, type OnWritten } from "../door.ts";
import { apiPrefix, FileAnswer, isRead, OtherAnswer, StreamAnswer, type Operation, type Parts } from "../operations/operation.ts";
import { invalidFields, problemOf, Refusal, refusalOf } from "../problem.ts";
import type { Db } from "../store.ts";
import { validatorCompiler } from "../validation.ts";
import { hasNoAnswer, mostNamed, type OperationTool, type Toolbox } from "./tools.ts";

/** One request of an operator over MCP. */
export interface Visit {
  call: Call;
  operator: Operator;
  /** The HTTP request that it came in. */
  raw: IncomingMessage;
}

/** What runs operations for tools and resources. */
export interface Runner {
  parts: Parts;
  door: Door;
  tools: Toolbox;
}

type Arguments = Readonly<Record<string, unknown>>;
type Concerned = { count: number; players: { id: string; name: string }[] };

// Characters; an agent reads what it is answered.
const longestAnswer = 1_000_000;

/** Calls the tool of this name. What is refused is an answer too, which says why. Undefined: there is no such tool. */
export async function callTool(runner: Runner, visit: Visit, name: string, given: Arguments): Promise<CallToolResult | undefined> {
  const tool = runner.tools.get(name);
  if (tool === undefined) return undefined;
  const { log } = runner.parts;
  const about = { request_id: visit.call.id, tool: name };
  try {
    const answer = isRead(tool.operation) ? await read(runner, visit, tool, given) : await write(runner, visit, tool, given);
    log.debug(about, "tool called");
    return answer;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal.status >= 500) log.error({ ...about, err: refusal.cause ?? refusal }, "a tool failed");
    return refused(refusal, visit.call.id);
  }
}

/** Runs a reading operation for a resource. @throws Refusal as REST does. */
export async function readOperation(runner: Runner, visit: Visit, tool: OperationTool, given: Arguments): Promise<Made> {
  const { call, operator } = visit;
  const own = ownCall(call, tool, given);
  const context = runner.door.operatorContext(tool.operation, own, operator);
  return runner.door.answer(tool.operation, context, inputOf(tool, given, visit.raw), own);
}

/** The bytes of a file, in base64. */
export async function base64Of({ parts }: Runner, { sha256, sizeBytes }: FileAnswer): Promise<string> {
  return (await buffer(parts.blobs.read(sha256, 0, sizeBytes - 1))).toString("base64");
}

async function read(runner: Runner, visit: Visit, tool: OperationTool, given: Arguments): Promise<CallToolResult> {
  const made = await readOperation(runner, visit, tool, given);
  if (made instanceof FileAnswer) {
    return { content: [{ type: "image", data: await base64Of(runner, made), mimeType: made.mimeType }] };
  }
  return shown(made instanceof StreamAnswer ? await collected(made) : bodyOf(made), etagOf(made));
}

async function write(runner: Runner, visit: Visit, tool: OperationTool, given: Arguments): Promise<CallToolResult> {
  const { operation } = tool;
  const isDryRun = given["dry_run"] === true;
  const own = ownCall(visit.call, tool, given);
  let concerned: Concerned | null = null;
  const onWritten: OnWritten = async (db, _made, playerIds) => {
    concerned = await named(db, playerIds);
  };
  const context = runner.door.operatorContext(operation, own, visit.operator);
  const input = inputOf(tool, given, visit.raw);
  const { door } = runner;
  const made = await (isDryRun
    ? door.tryOut(operation, context, input, own, onWritten)
    : door.answer(operation, context, input, own, onWritten));
  return written(operation, made, isDryRun, concerned);
}

/** The request that REST would have got. A dry run leaves no answer behind for a repeat. */
function ownCall(call: Call, { operation, params, query }: OperationTool, given: Arguments): Call {
  const text = (name: string) => (typeof given[name] === "string" ? given[name] : undefined);
  const headers: Record<string, string | undefined> = {
    authorization: call.header("authorization"),
    "if-match": text("if_match"),
    "idempotency-key": given["dry_run"] === true ? undefined : text("idempotency_key"),
  };
  const path = params.reduce((made, name) => made.replace(`{${name}}`, encodeURIComponent(String(given[name]))), operation.path);
  const asked = query.filter((name) => given[name] !== undefined).map((name): [string, string] => [name, String(given[name])]);
  return { ...call, url: `${apiPrefix}${path}?${new URLSearchParams(asked).toString()}`, header: (name) => headers[name] };
}

/** @throws Refusal 404 or 422, as REST does. */
function inputOf({ operation, params, query, tool }: OperationTool, given: Arguments, raw: IncomingMessage): Input {
  const known = Object.keys(tool.inputSchema.properties ?? {});
  const foreign = Object.keys(given).filter((name) => !known.includes(name));
  const errors = foreign.map((name) => ({ pointer: name, detail: "this argument is not known here" }));
  for (const name of params) if (typeof given[name] !== "string") errors.push({ pointer: name, detail: "is wanted, as a text" });
  if (given["dry_run"] !== undefined && typeof given["dry_run"] !== "boolean")
    errors.push({ pointer: "dry_run", detail: "must be true or false" });
  for (const name of ["idempotency_key", "if_match"])
    if (given[name] !== undefined && typeof given[name] !== "string") errors.push({ pointer: name, detail: "must be a text" });
  if (errors.length > 0) throw invalidFields(errors);
  const pick = (names: readonly string[]) => names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]] as const);
  // A query is text in REST, and its schema reads text.
  const asked = pick(query).map(
    ([name, value]) => [name, typeof value === "number" || typeof value === "boolean" ? String(value) : value] as const,
  );
  return {
    params: checked(operation.params, "params", Object.fromEntries(pick(params))),
    query: checked(operation.query, "querystring", Object.fromEntries(asked)),
    body: checked(operation.body, "body", given["body"]),
    bytes: noBytes,
    raw,
  };
}

function checked(schema: Operation["params"], httpPart: "params" | "querystring" | "body", value: unknown): unknown {
  if (schema === undefined) return undefined;
  const result = validatorCompiler({ schema, httpPart, method: "", url: "" })(value) as { value?: unknown; error?: Error };
  if (result.error !== undefined) throw result.error;
  return result.value;
}

async function named(db: Db, playerIds: readonly string[]): Promise<Concerned> {
  const some = playerIds.slice(0, mostNamed);
  const players =
    some.length === 0 ? [] : await db.selectFrom("players").select(["id", "name"]).where("id", "in", some).orderBy("id").execute();
  return { count: playerIds.length, players };
}

function written(operation: Operation, made: Made, isDryRun: boolean, concerned: Concerned | null): CallToolResult {
  const etag = etagOf(made);
  const tag = operation.version === undefined || etag === undefined ? {} : { etag };
  // Where REST answers without a body, what the transaction made is nobody's business.
  const result = hasNoAnswer(operation) ? null : bodyOf(made);
  return shown({ dry_run: isDryRun, result, ...tag, concerned });
}

function shown(body: unknown, etag?: string): CallToolResult {
  const content: CallToolResult["content"] = [{ type: "text", text: JSON.stringify(body) }];
  if (etag !== undefined) content.push({ type: "text", text: `ETag, for if_match: ${etag}` });
  return { content, structuredContent: body as Record<string, unknown> };
}

function refused(refusal: Refusal, requestId: string): CallToolResult {
  const { status, title, detail, type } = problemOf(refusal, requestId);
  const retry = refusal.headers["Retry-After"];
  const wait = retry === undefined ? "" : ` Try again after ${retry} s.`;
  const text = `${title} (${status}, ${type}): ${detail}.${wait} Request: ${requestId}`;
  return { isError: true, content: [{ type: "text", text }] };
}

/** A streamed answer as a whole. @throws Refusal when nobody would read that much. */
async function collected({ parts }: StreamAnswer): Promise<unknown> {
  let text = "";
  for await (const part of parts) {
    text += part;
    if (text.length > longestAnswer)
      throw new Refusal("too-large", "The answer is too long for a tool: ask for a shorter time, or for fewer groups");
  }
  return JSON.parse(text);
}

function bodyOf(made: Made): unknown {
  if (made instanceof OtherAnswer) return made.body;
  throw new TypeError("a tool answers with JSON");
}

function etagOf(made: Made): string | undefined {
  return made instanceof OtherAnswer ? made.headers["ETag"] : undefined;
}
