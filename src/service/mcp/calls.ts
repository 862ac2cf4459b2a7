// Runs a tool: its arguments into the operation's input, through the door as REST does, and the answer into an agent's terms.
import type { CallToolResult } from "@modelcontextprotocol/server";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { IncomingMessage } from "node:http";
import { isAbort } from "../../base/fault.ts";
import type { Toolset } from "../../protocol/operator/toolsets.ts";
import type { Operator } from "../people/operator.ts";
import type { Call } from "../http/context.ts";
import { noBytes, type Gateway, type Input, type Made, type OnWritten } from "../http/gateway.ts";
import { apiPrefix, FileResponse, isRead, JsonResponse, StreamResponse, type Operation, type Parts } from "../operations/operation.ts";
import { invalidFields, problemOf, ProblemError, toProblemError } from "../http/problem.ts";
import type { Db } from "../store/store.ts";
import type { ReceivedFile } from "../content/blobs.ts";
import { validatorCompiler } from "../http/validation.ts";
import { maxToolBytes, type Places } from "./arguments.ts";
import { hasNoAnswer, maxNamed, type OperationTool, type Toolbox } from "./tools.ts";
import { marked, notice, safeJson, untrustedMark } from "./untrusted.ts";

/** One request of an operator over MCP. */
export interface Visit {
  call: Call;
  operator: Operator;
  /** The HTTP request that it came in. */
  raw: IncomingMessage;
  /** Which tools are listed. */
  toolsets: readonly Toolset[];
}

/** What runs operations for tools and resources. */
export interface Runner {
  parts: Parts;
  door: Gateway;
  tools: Toolbox;
}

export type Arguments = Readonly<Record<string, unknown>>;
type Concerned = { count: number; players: { id: string; name: string }[] };

// Characters; an agent reads what it is answered.
const longestAnswer = 1_000_000;

/** Calls an operation's tool. What is refused is an answer too, which says why. */
export function callOperation(runner: Runner, visit: Visit, tool: OperationTool, given: Arguments): Promise<CallToolResult> {
  return answered(runner, visit, tool.tool.name, () =>
    isRead(tool.operation) ? read(runner, visit, tool, given) : write(runner, visit, tool, given),
  );
}

/** What `run` answers, or why it was refused, for an agent to read. */
export async function answered(runner: Runner, visit: Visit, name: string, run: () => Promise<CallToolResult>): Promise<CallToolResult> {
  const { log } = runner.parts;
  const about = { request_id: visit.call.id, tool: name };
  try {
    const answer = await run();
    log.debug(about, "tool called");
    return answer;
  } catch (error) {
    const refusal = isAbort(error)
      ? new ProblemError("closing", "The call was broken off: the service stops, or the token ended")
      : toProblemError(error);
    if (refusal.status >= 500 && refusal.kind !== "closing") log.error({ ...about, err: refusal.cause ?? refusal }, "a tool failed");
    return refused(refusal, visit.call.id);
  }
}

/** Runs a reading operation. @throws Refusal as REST does. */
async function readOperation(runner: Runner, visit: Visit, tool: OperationTool, given: Arguments): Promise<Made> {
  const { call, operator } = visit;
  const own = ownCall(call, tool, given);
  const context = runner.door.operatorContext(tool.operation, own, operator);
  return runner.door.answer(tool.operation, context, inputOf(tool, given, noBytes, visit.raw), own);
}

/** Runs a writing operation for a tool of several. @throws Refusal as REST does. */
export async function writeOperation(runner: Runner, visit: Visit, tool: OperationTool, given: Arguments): Promise<unknown> {
  const own = ownCall(visit.call, tool, given);
  const context = runner.door.operatorContext(tool.operation, own, visit.operator);
  return bodyOf(await runner.door.answer(tool.operation, context, inputOf(tool, given, noBytes, visit.raw), own));
}

/** What a reading operation answers with JSON. @throws Refusal as REST does. */
export async function readJson<T>(runner: Runner, visit: Visit, name: string, given: Arguments): Promise<T> {
  return bodyOf(await readOperation(runner, visit, toolNamed(runner, name), given)) as T;
}

/** The picture that a reading operation answers with, in base64. @throws Refusal as REST does. */
export async function readPicture(runner: Runner, visit: Visit, name: string, id: string): Promise<{ data: string; mimeType: string }> {
  const file = await readOperation(runner, visit, toolNamed(runner, name), { id });
  if (!(file instanceof FileResponse)) throw new TypeError(`${name} answers with a file`);
  return { data: await base64Of(runner, file), mimeType: file.mimeType };
}

/** An operation's tool that there is. */
export function toolNamed(runner: Runner, name: string): OperationTool {
  const tool = runner.tools.get(name);
  if (tool === undefined) throw new TypeError(`there is no operation ${name}`);
  return tool;
}

/** The bytes of a file, in base64. */
async function base64Of({ parts }: Runner, { sha256, sizeBytes }: FileResponse): Promise<string> {
  return (await buffer(parts.blobs.read(sha256, 0, sizeBytes - 1))).toString("base64");
}

async function read(runner: Runner, visit: Visit, tool: OperationTool, given: Arguments): Promise<CallToolResult> {
  const made = await readOperation(runner, visit, tool, given);
  if (made instanceof FileResponse) {
    const picture = { type: "image" as const, data: await base64Of(runner, made), mimeType: made.mimeType };
    // Words that stand in a picture are words of others too.
    return { content: [{ type: "text", text: notice }, picture], _meta: untrustedMark };
  }
  return shown(made instanceof StreamResponse ? await collected(made) : bodyOf(made), etagOf(made));
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
  await using bytes = operation.bytes === undefined ? noBytes : await bytesOf(runner, given);
  const input = inputOf(tool, given, bytes, visit.raw);
  const { door } = runner;
  const made = await (isDryRun
    ? door.tryOut(operation, context, input, own, onWritten)
    : door.answer(operation, context, input, own, onWritten));
  return written(operation, made, isDryRun, concerned);
}

/** The request that REST would have got. A dry run leaves no answer behind for a repeat. */
function ownCall(call: Call, { operation, places }: OperationTool, given: Arguments): Call {
  const text = (name: string) => (typeof given[name] === "string" ? given[name] : undefined);
  const headers: Record<string, string | undefined> = {
    authorization: call.header("authorization"),
    "content-type": operation.bytes === undefined ? undefined : text("content_type"),
    "if-match": text("if_match"),
    "idempotency-key": given["dry_run"] === true ? undefined : text("idempotency_key"),
  };
  const path = places.params.reduce((made, name) => made.replace(`{${name}}`, encodeURIComponent(String(given[name]))), operation.path);
  const asked = places.query.filter((name) => given[name] !== undefined).map((name): [string, string] => [name, String(given[name])]);
  return { ...call, url: `${apiPrefix}${path}?${new URLSearchParams(asked).toString()}`, header: (name) => headers[name] };
}

/** @throws Refusal 404 or 422, as REST does. */
function inputOf({ operation, places, tool }: OperationTool, given: Arguments, bytes: ReceivedFile, raw: IncomingMessage): Input {
  const known = Object.keys(tool.inputSchema.properties ?? {});
  const foreign = Object.keys(given).filter((name) => !known.includes(name));
  const errors = foreign.map((name) => ({ pointer: name, detail: unknownArgument(name) }));
  for (const name of places.params) if (typeof given[name] !== "string") errors.push({ pointer: name, detail: "is wanted, as a text" });
  if (given["dry_run"] !== undefined && typeof given["dry_run"] !== "boolean")
    errors.push({ pointer: "dry_run", detail: "must be true or false" });
  for (const name of ["idempotency_key", "if_match", "content_type"])
    if (known.includes(name) && !places.body.has(name) && given[name] !== undefined && typeof given[name] !== "string")
      errors.push({ pointer: name, detail: "must be a text" });
  if (errors.length > 0) throw invalidFields(errors);
  const pick = (names: readonly string[]) => names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]] as const);
  // A query is text in REST, and its schema reads text.
  const asked = pick(places.query).map(
    ([name, value]) => [name, typeof value === "number" || typeof value === "boolean" ? String(value) : value] as const,
  );
  return {
    params: checked(operation.params, "params", Object.fromEntries(pick(places.params))),
    query: checked(operation.query, "querystring", Object.fromEntries(asked)),
    body: checked(operation.body, "body", bodyGiven(operation, places, given)),
    bytes,
    raw,
  };
}

/** The body that the arguments make up. None of its fields given: none, where the operation can do without. */
function bodyGiven({ body }: Operation, { body: fields, whole }: Places, given: Arguments): unknown {
  if (whole !== null) return given[whole];
  const pairs = [...fields].filter(([name]) => given[name] !== undefined).map(([name, field]) => [field, given[name]] as const);
  return pairs.length === 0 && body?.safeParse(undefined).success === true ? undefined : Object.fromEntries(pairs);
}

function unknownArgument(name: string): string {
  return name === "body" ? "give the fields of the body side by side, without `body`" : "this argument is not known here";
}

/** The file that an argument holds. @throws Refusal 413 or 422. */
async function bytesOf({ parts }: Runner, { data_base64: text }: Arguments): Promise<ReceivedFile> {
  if (typeof text !== "string") throw invalidFields([{ pointer: "data_base64", detail: "is wanted: the file's bytes in base64" }]);
  const plain = text.replaceAll(/\s/g, "");
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(plain)) throw invalidFields([{ pointer: "data_base64", detail: "must be base64" }]);
  const bytes = Buffer.from(plain, "base64");
  if (bytes.length > maxToolBytes) {
    const detail = `The file has ${bytes.length} bytes, a tool takes ${maxToolBytes}: send it by create_upload_link, or by import_asset from its address`;
    throw new ProblemError("too-large", detail, { errors: [{ pointer: "data_base64", detail }] });
  }
  return parts.blobs.receive(Readable.from([bytes]), maxToolBytes);
}

function checked(schema: Operation["params"], httpPart: "params" | "querystring" | "body", value: unknown): unknown {
  if (schema === undefined) return undefined;
  const result = validatorCompiler({ schema, httpPart, method: "", url: "" })(value) as { value?: unknown; error?: Error };
  if (result.error !== undefined) throw result.error;
  return result.value;
}

async function named(db: Db, playerIds: readonly string[]): Promise<Concerned> {
  const some = playerIds.slice(0, maxNamed);
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
  return marked(body, etag === undefined ? [] : [{ type: "text", text: `ETag, for if_match: ${etag}` }]);
}

/** Why not. The detail may hold names that others gave: it is quoted as JSON has it, so that they end nowhere but at its end. */
function refused(refusal: ProblemError, requestId: string): CallToolResult {
  const { status, title, detail, type } = problemOf(refusal, requestId);
  const retry = refusal.headers["Retry-After"];
  const wait = retry === undefined ? "" : ` Try again after ${retry} s.`;
  const text = `${title} (${status}, ${type}): ${safeJson(detail)}.${wait} Request: ${requestId}`;
  return { isError: true, content: [{ type: "text", text }], _meta: untrustedMark };
}

/** A streamed answer as a whole. @throws Refusal when nobody would read that much. */
async function collected({ parts }: StreamResponse): Promise<unknown> {
  let text = "";
  for await (const part of parts) {
    text += part;
    if (text.length > longestAnswer)
      throw new ProblemError("too-large", "The answer is too long for a tool: ask for a shorter time, or for fewer groups");
  }
  return JSON.parse(text);
}

function bodyOf(made: Made): unknown {
  if (made instanceof JsonResponse) return made.body;
  throw new TypeError("a tool answers with JSON");
}

function etagOf(made: Made): string | undefined {
  return made instanceof JsonResponse ? made.headers["ETag"] : undefined;
}
