// Exposes the operations as REST routes: parses requests and sends responses.
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, HTTPMethods } from "fastify";
import { tooLarge, type BlobStore, type ReceivedFile } from "../content/blobs/blob-store.ts";
import { apiPrefix, isRead, type Operation } from "../operations/operation.ts";
import { operations, type OperationDependencies } from "../operations/operations.ts";
import { FileResponse, JsonResponse } from "../operations/responses.ts";
import type { TokenExpiry } from "../people/token-expiry.ts";
import type { Admission } from "./gateway/admission.ts";
import type { Call } from "./gateway/call.ts";
import type { Context } from "./gateway/context.ts";
import { queryOf, supportsDryRun } from "./dry-run.ts";
import type { Gateway } from "./gateway/gateway.ts";
import { noBytes, type Input } from "./gateway/run.ts";
import { inflate } from "./input/inflate.ts";
import { baseUrlOf, ownOrigins, withAbsoluteLinks } from "./origin.ts";
import { invalidField } from "./problem.ts";
import { compressJson, isCompressible } from "./responses/compression.ts";
import { sendFileOrLink } from "./responses/file-link.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The admitted call of an operation; null on other routes. */
    admitted: { call: Call; context: Context } | null;
  }
}

type AnyOperation = Operation<OperationDependencies>;

export interface RestDependencies {
  admission: Admission;
  gateway: Gateway;
  blobs: BlobStore;
  tokens: TokenExpiry;
  /** Used to decide how many bytes an operation accepts. */
  operationDependencies: OperationDependencies;
  /** The configured public URL; null: the origin comes from clients' Host headers. */
  publicUrl: string | null;
}

/** Adds a route for each operation. JSON and raw bodies have separate scopes, since each has its own body parsers. */
export function addOperations(app: FastifyInstance, dependencies: RestDependencies): void {
  app.decorateRequest("admitted", null);
  app.register(async (scope) => {
    for (const each of operations) if (!hasRawBody(each)) addRoute(scope, each, dependencies);
  });
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Raw bodies are accepted unparsed, regardless of their media type.
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    for (const each of operations) if (hasRawBody(each)) addRoute(scope, each, dependencies);
  });
}

function addRoute(scope: FastifyInstance, operation: AnyOperation, dependencies: RestDependencies): void {
  const { admission, blobs, operationDependencies, publicUrl } = dependencies;
  const { bytes } = operation;
  scope.route({
    method: operation.method satisfies HTTPMethods,
    url: apiPrefix + operation.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    schema: routeSchema(operation),
    config: { operation: operation.name },
    ...(hasRawBody(operation) ? { bodyLimit: Number.MAX_SAFE_INTEGER } : {}),
    ...(operation.inflates === true ? { preParsing: inflate } : {}),
    ...(isCompressible(operation) ? { onSend: compressJson } : {}),
    // Runs before the body is read, so that a large body of an unauthorized client is not received.
    onRequest: async (request, reply) => {
      const call = callOf(request, reply, publicUrl);
      checkDryRun(operation, request);
      request.admitted = { call, context: await admission.admit(operation, call) };
      if (bytes !== undefined) checkLength(request, bytes(operationDependencies));
    },
    handler:
      bytes === undefined
        ? (request, reply) => respond(operation, dependencies, request, reply, noBytes)
        : async (request, reply) => {
            await using file = await receive(blobs, request, bytes(operationDependencies));
            return await respond(operation, dependencies, request, reply, file);
          },
  });
}

/** The schemas that Fastify validates for an operation. */
function routeSchema(each: Operation): FastifySchema {
  const { params, body } = each;
  const query = queryOf(each);
  return {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { querystring: query }),
    ...(body === undefined ? {} : { body }),
  };
}

async function respond(
  operation: AnyOperation,
  { blobs, gateway, tokens }: RestDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: ReceivedFile,
): Promise<unknown> {
  const { params, raw } = request;
  const { dry_run, ...query } = request.query as Record<string, unknown>;
  const { call, context } = request.admitted!;
  const input: Input = { params, query, body: hasRawBody(operation) ? undefined : request.body, bytes, raw };
  const isDryRun = dry_run === "true" && supportsDryRun(operation);
  const response = await (isDryRun ? gateway.dryRun(operation, context, input, call) : gateway.run(operation, context, input, call));
  if (isDryRun) call.setHeaders({ "Dry-Run": "true" });
  if (response instanceof JsonResponse) {
    return sendJson(response, reply, operation.caller === "device" ? null : call.baseUrl, operation.hasLinks === true);
  }
  // A download may take hours; it ends when the token ends.
  if (operation.caller === "operator") tokens.onEnd(context.operator, () => reply.raw.destroy(), call.closedSignal());
  if (response instanceof FileResponse) return sendFileOrLink(blobs, response, request, reply, operation.caller);
  return (
    reply
      .type(response.type)
      .headers({ ...response.headers })
      // Of an endless response the newest part counts, so none is produced long before it is sent.
      .send(Readable.from(response.parts, operation.endless === undefined ? {} : { highWaterMark: 1 }))
  );
}

/** An HTTP request as admission and the gateway see it. */
export function callOf(request: FastifyRequest, reply: FastifyReply, publicUrl: string | null): Call {
  return {
    id: request.id,
    address: request.ip,
    url: request.url,
    get origins() {
      return ownOrigins(request, publicUrl);
    },
    get baseUrl() {
      return baseUrlOf(request, publicUrl);
    },
    header: (name) => headerOf(request, name),
    trust: () => request.trust(),
    setHeaders: (headers) => void reply.headers(headers as Record<string, string>),
    closedSignal: () => closedSignalOf(reply),
  };
}

function receive(blobs: BlobStore, request: FastifyRequest, maxBytes: number): Promise<ReceivedFile> {
  // Without Content-Type and Content-Length Fastify parses no body: the file is empty.
  const stream = request.body === undefined ? request.raw : (request.body as typeof request.raw);
  return blobs.receive(stream, maxBytes);
}

/** True if the body is raw bytes that are not parsed. */
function hasRawBody(operation: AnyOperation): boolean {
  return operation.bytes !== undefined || operation.stream === true;
}

/** Prepares the reply and returns its body. Returning the reply itself would make Fastify watch the stream until its end. */
function sendJson(
  { status, headers, body, cookies }: JsonResponse,
  reply: FastifyReply,
  baseUrl: string | null,
  isLinked: boolean,
): unknown {
  reply.code(status).headers(headers as Record<string, string>);
  if (cookies.length > 0) reply.header("Set-Cookie", [...cookies]);
  const { Location: location } = headers;
  if (location?.startsWith("/") && baseUrl !== null) reply.header("Location", baseUrl + location);
  if (body === undefined) return reply.send();
  reply.type("application/json; charset=utf-8");
  return isLinked && baseUrl !== null ? withAbsoluteLinks(body, baseUrl) : body;
}

/** @throws ProblemError 422 if a dry run is requested but not supported. */
function checkDryRun(operation: AnyOperation, { query }: FastifyRequest): void {
  if (isRead(operation) || supportsDryRun(operation) || operation.caller === "device") return;
  if ((query as Record<string, unknown>)["dry_run"] === undefined) return;
  throw invalidField("?dry_run", "is not supported here: this request writes while its bytes arrive, or creates a secret. Leave it out");
}

function checkLength(request: FastifyRequest, maxBytes: number): void {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/** Aborts when the client disconnects or the response has been sent. */
function closedSignalOf(reply: FastifyReply): AbortSignal {
  const closed = new AbortController();
  reply.raw.once("close", () => closed.abort());
  return closed.signal;
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}
