// Runs a tool: turns its arguments into the operation's input, runs the operation through the gateway and formats the result.
import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Clock } from "../../base/clock.ts";
import { isAbort } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { Toolset } from "../../protocol/operator/toolsets.ts";
import type { BlobStore } from "../content/blobs/blob-store.ts";
import type { Commands } from "../fleet/commands/commands.ts";
import type { Presence } from "../fleet/presence/presence.ts";
import type { Admission } from "../http/gateway/admission.ts";
import type { Call } from "../http/gateway/call.ts";
import type { Gateway } from "../http/gateway/gateway.ts";
import { noBytes, type BeforeCommit } from "../http/gateway/run.ts";
import { ProblemError, problemOf, toProblemError } from "../http/problem.ts";
import { isRead, type Operation } from "../operations/operation.ts";
import { FileResponse, JsonResponse, StreamResponse, type OperationResponse } from "../operations/responses.ts";
import type { Operator } from "../people/operator.ts";
import type { TokenExpiry } from "../people/token-expiry.ts";
import type { Db, Store } from "../store/store.ts";
import { decodeFile, toolCall, toolInput, type Arguments } from "./tool-input.ts";
import { hasNoResponseBody, maxNamedPlayers, type OperationTool, type Toolbox } from "./tools.ts";
import { safeJson, untrustedMark, untrustedNotice, untrustedResult } from "./untrusted.ts";

/** A request of an operator over MCP. */
export interface McpCall {
  call: Call;
  operator: Operator;
  /** The HTTP request that carries it. */
  raw: IncomingMessage;
  /** The toolsets that are listed. */
  toolsets: readonly Toolset[];
}

/** Runs operations for tools and resources. */
export interface ToolRunner extends ToolDependencies {
  admission: Admission;
  gateway: Gateway;
  tools: Toolbox;
}

/** The dependencies of tools besides the operations. */
export interface ToolDependencies {
  log: Log;
  blobs: BlobStore;
  clock: Clock;
  commands: Commands;
  presence: Presence;
  store: Store;
  tokens: TokenExpiry;
  /** Aborts when the service stops. */
  closing: AbortSignal;
}

type AffectedPlayers = { count: number; players: { id: string; name: string }[] };

// Characters. An agent reads the whole result, so it must not be too long.
const maxResultLength = 1_000_000;
const maxTextBytes = 100_000;

/** Calls the tool of an operation. A rejected call returns the problem as an error result. */
export function callOperation(runner: ToolRunner, mcpCall: McpCall, tool: OperationTool, args: Arguments): Promise<CallToolResult> {
  return runTool(runner, mcpCall, tool.tool.name, () =>
    isRead(tool.operation) ? read(runner, mcpCall, tool, args) : write(runner, mcpCall, tool, args),
  );
}

/** Returns the result of `run`, or the problem as an error result. */
export async function runTool(
  runner: ToolRunner,
  mcpCall: McpCall,
  name: string,
  run: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const { log } = runner;
  const fields = { request_id: mcpCall.call.id, tool: name };
  try {
    const result = await run();
    log.debug(fields, "tool called");
    return result;
  } catch (cause) {
    const error = isAbort(cause)
      ? new ProblemError("closing", "The call was cancelled: the service is stopping, or the token has ended")
      : toProblemError(cause);
    if (error.status >= 500 && error.kind !== "closing") log.error({ ...fields, err: error.cause ?? error }, "tool failed");
    return problemResult(error, mcpCall.call.id);
  }
}

/** Runs a reading operation. @throws ProblemError like REST. */
async function readOperation(runner: ToolRunner, mcpCall: McpCall, tool: OperationTool, args: Arguments): Promise<OperationResponse> {
  const { call, operator } = mcpCall;
  const own = toolCall(call, tool, args);
  const context = runner.admission.admitOperator(tool.operation, own, operator);
  return runner.gateway.run(tool.operation, context, toolInput(tool, args, noBytes, mcpCall.raw), own);
}

/** Runs a writing operation for a tool that combines several. @throws ProblemError like REST. */
export async function writeOperation(runner: ToolRunner, mcpCall: McpCall, tool: OperationTool, args: Arguments): Promise<unknown> {
  const own = toolCall(mcpCall.call, tool, args);
  const context = runner.admission.admitOperator(tool.operation, own, mcpCall.operator);
  return bodyOf(await runner.gateway.run(tool.operation, context, toolInput(tool, args, noBytes, mcpCall.raw), own));
}

/** Returns the JSON of a reading operation. @throws ProblemError like REST. */
export async function readJson<T>(runner: ToolRunner, mcpCall: McpCall, name: string, args: Arguments): Promise<T> {
  return bodyOf(await readOperation(runner, mcpCall, toolNamed(runner, name), args)) as T;
}

/** Returns the image of a reading operation in base64. @throws ProblemError like REST. */
export async function readPicture(
  runner: ToolRunner,
  mcpCall: McpCall,
  name: string,
  id: string,
): Promise<{ data: string; mimeType: string }> {
  const file = await readOperation(runner, mcpCall, toolNamed(runner, name), { id });
  if (!(file instanceof FileResponse)) throw new TypeError(`${name} responds with a file`);
  return { data: await base64Of(runner, file), mimeType: file.mimeType };
}

/** The tool of an operation that must exist. */
export function toolNamed(runner: ToolRunner, name: string): OperationTool {
  const tool = runner.tools.get(name);
  if (tool === undefined) throw new TypeError(`there is no operation ${name}`);
  return tool;
}

async function base64Of({ blobs }: ToolRunner, { sha256, sizeBytes }: FileResponse): Promise<string> {
  return (await buffer(await blobs.read({ sha256, sizeBytes }, 0, sizeBytes - 1))).toString("base64");
}

/** The end of a text that is too long for an agent: the newest lines of a log. */
async function textOf({ blobs }: ToolRunner, { sha256, sizeBytes }: FileResponse): Promise<{ text: string; left_out_bytes: number }> {
  const start = Math.max(0, sizeBytes - maxTextBytes);
  const bytes = sizeBytes === 0 ? Buffer.alloc(0) : await buffer(await blobs.read({ sha256, sizeBytes }, start, sizeBytes - 1));
  return { text: bytes.toString("utf8"), left_out_bytes: start };
}

async function read(runner: ToolRunner, mcpCall: McpCall, tool: OperationTool, args: Arguments): Promise<CallToolResult> {
  const response = await readOperation(runner, mcpCall, tool, args);
  if (response instanceof FileResponse && response.mimeType.startsWith("text/")) return result(await textOf(runner, response));
  if (response instanceof FileResponse) {
    const picture = { type: "image" as const, data: await base64Of(runner, response), mimeType: response.mimeType };
    // Text in an image is untrusted too.
    return { content: [{ type: "text", text: untrustedNotice }, picture], _meta: untrustedMark };
  }
  return result(response instanceof StreamResponse ? await collectStream(response) : bodyOf(response), etagOf(response));
}

async function write(runner: ToolRunner, mcpCall: McpCall, tool: OperationTool, args: Arguments): Promise<CallToolResult> {
  const { operation } = tool;
  const isDryRun = args["dry_run"] === true;
  const own = toolCall(mcpCall.call, tool, args);
  let affected: AffectedPlayers | null = null;
  const nameAffected: BeforeCommit = async (db, _response, playerIds) => {
    affected = await namePlayers(db, playerIds);
  };
  const context = runner.admission.admitOperator(operation, own, mcpCall.operator);
  await using bytes = operation.bytes === undefined ? noBytes : await decodeFile(runner.blobs, args);
  const input = toolInput(tool, args, bytes, mcpCall.raw);
  const { gateway } = runner;
  const response = await (isDryRun
    ? gateway.dryRun(operation, context, input, own, nameAffected)
    : gateway.run(operation, context, input, own, nameAffected));
  return writeResult(operation, response, isDryRun, affected);
}

async function namePlayers(db: Db, playerIds: readonly string[]): Promise<AffectedPlayers> {
  const some = playerIds.slice(0, maxNamedPlayers);
  const players =
    some.length === 0 ? [] : await db.selectFrom("players").select(["id", "name"]).where("id", "in", some).orderBy("id").execute();
  return { count: playerIds.length, players };
}

function writeResult(
  operation: Operation,
  response: OperationResponse,
  isDryRun: boolean,
  affected: AffectedPlayers | null,
): CallToolResult {
  const etag = etagOf(response);
  const tag = operation.version === undefined || etag === undefined ? {} : { etag };
  // If REST responds without a body, the tool does not return the result either.
  const isProposal = operation.drafts === true && response instanceof JsonResponse && response.status === 202;
  const body = hasNoResponseBody(operation) && !isProposal ? null : bodyOf(response);
  return result({ dry_run: isDryRun, result: body, ...tag, concerned: affected });
}

function result(body: unknown, etag?: string): CallToolResult {
  return untrustedResult(body, etag === undefined ? [] : [{ type: "text", text: `ETag, for if_match: ${etag}` }]);
}

/** The problem as an error result. The detail is quoted as JSON, since it may contain untrusted names. */
function problemResult(error: ProblemError, requestId: string): CallToolResult {
  const { status, title, detail, type } = problemOf(error, requestId);
  const retry = error.headers["Retry-After"];
  const wait = retry === undefined ? "" : ` Try again after ${retry} s.`;
  const text = `${title} (${status}, ${type}): ${safeJson(detail)}.${wait} Request: ${requestId}`;
  return { isError: true, content: [{ type: "text", text }], _meta: untrustedMark };
}

/** Collects a streamed response. @throws ProblemError 413 when it is too long for an agent. */
async function collectStream({ parts }: StreamResponse): Promise<unknown> {
  let text = "";
  for await (const part of parts) {
    text += part;
    if (text.length > maxResultLength)
      throw new ProblemError("too-large", "The result is too long for a tool: request a shorter period or fewer groups");
  }
  return JSON.parse(text);
}

function bodyOf(response: OperationResponse): unknown {
  if (response instanceof JsonResponse) return response.body;
  throw new TypeError("a tool returns JSON");
}

function etagOf(response: OperationResponse): string | undefined {
  return response instanceof JsonResponse ? response.headers["ETag"] : undefined;
}
