// The operations as HTTP routes: what came in and what goes out. Who may, and the record of it, is the door's.
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import { tooLarge, type ReceivedFile } from "../content/blobs.ts";
import type { AnyContext, Call } from "./context.ts";
import { isTryable } from "./dry-run.ts";
import { noBytes, type Gateway, type Input } from "./gateway.ts";
import { sendFile } from "./responses/file-response.ts";
import { inflate } from "./inflate.ts";
import { operations } from "../operations/operations.ts";
import { originOf, withAbsoluteLinks } from "./origin.ts";
import { apiPrefix, FileResponse, isRead, JsonResponse, type Operation, type Parts } from "../operations/operation.ts";
import { invalidField } from "./problem.ts";
import { routeSchema } from "./validation.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The request as the door sees it, and what it made of it; null where no operation is asked. */
    asked: { call: Call; context: AnyContext } | null;
  }
}

/** Adds a route for each operation. JSON and raw bodies live in scopes of their own, since each has its own parsers. */
export function addOperations(app: FastifyInstance, parts: Parts, door: Gateway, publicUrl: string | null): void {
  app.decorateRequest("asked", null);
  app.register(async (scope) => {
    for (const each of operations) if (!takesAnything(each)) addRoute(scope, each, parts, door, publicUrl);
  });
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Whatever the type says, the bytes are taken as they are.
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    for (const each of operations) if (takesAnything(each)) addRoute(scope, each, parts, door, publicUrl);
  });
}

function addRoute(scope: FastifyInstance, each: Operation, parts: Parts, door: Gateway, publicUrl: string | null): void {
  const links = each.caller === "device" ? null : (request: FastifyRequest) => originOf(request, publicUrl);
  scope.route({
    method: each.method satisfies HTTPMethods,
    url: apiPrefix + each.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    schema: routeSchema(each),
    config: { operation: each.name },
    ...(!takesAnything(each) ? {} : { bodyLimit: Number.MAX_SAFE_INTEGER }),
    ...(each.inflates === true ? { preParsing: inflate } : {}),
    // Before the body is read: a stranger's gigabytes are not taken in.
    onRequest: async (request, reply) => {
      const call = callOf(request, reply);
      refuseDryRun(each, request);
      request.asked = { call, context: await door.contextOf(each, call) };
      if (each.bytes !== undefined) checkLength(request, each.bytes(parts));
    },
    handler:
      each.bytes === undefined
        ? (request, reply) => respond(each, parts, door, request, reply, noBytes, links)
        : async (request, reply) => {
            await using bytes = await receive(parts, request, each.bytes!(parts));
            return await respond(each, parts, door, request, reply, bytes, links);
          },
  });
}

async function respond(
  each: Operation,
  parts: Parts,
  door: Gateway,
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: ReceivedFile,
  links: ((request: FastifyRequest) => string | null) | null,
): Promise<unknown> {
  const { params, raw } = request;
  const { dry_run, ...query } = request.query as Record<string, unknown>;
  const { call, context } = request.asked!;
  const input: Input = { params, query, body: takesAnything(each) ? undefined : request.body, bytes, raw };
  const isDryRun = dry_run === "true" && isTryable(each);
  const answer = await (isDryRun ? door.tryOut(each, context, input, call) : door.answer(each, context, input, call));
  if (isDryRun) call.setHeaders({ "Dry-Run": "true" });
  if (answer instanceof JsonResponse) return send(answer, reply, links === null ? null : links(request), hasLinks(each));
  // A download may take hours: it is cut when the token ends.
  if (each.caller === "operator") parts.tokens.onEnd(context.operator, () => reply.raw.destroy(), call.closedSignal());
  if (answer instanceof FileResponse) return sendFile(parts.blobs, answer, request, reply);
  return reply
    .type(answer.type)
    .headers({ ...answer.headers })
    .send(Readable.from(answer.parts));
}

/** What the door sees of an HTTP request. */
export function callOf(request: FastifyRequest, reply: FastifyReply): Call {
  return {
    id: request.id,
    address: request.ip,
    url: request.url,
    header: (name) => headerOf(request, name),
    setHeaders: (headers) => void reply.headers(headers as Record<string, string>),
    closedSignal: () => goneOf(reply),
  };
}

function receive(parts: Parts, request: FastifyRequest, maxBytes: number): Promise<ReceivedFile> {
  // Fastify parses no body where neither type nor length announce one: that is an empty file.
  const stream = request.body === undefined ? request.raw : (request.body as typeof request.raw);
  return parts.blobs.receive(stream, maxBytes);
}

/** Whether the body is bytes that no parser looks at. */
function takesAnything(each: Operation): boolean {
  return each.bytes !== undefined || each.stream === true;
}

/** The body for the framework to send: a promise of the reply itself would have it watch the stream until its end. */
function send({ status, headers, body }: JsonResponse, reply: FastifyReply, origin: string | null, isLinked: boolean): unknown {
  reply.code(status).headers(headers as Record<string, string>);
  const { Location: place } = headers;
  if (place?.startsWith("/") && origin !== null) reply.header("Location", origin + place);
  if (body === undefined) return reply.send();
  reply.type("application/json; charset=utf-8");
  return isLinked && origin !== null ? withAbsoluteLinks(body, origin) : body;
}

/** Whether an operation answers with assets or screenshots, which have links to their bytes. */
function hasLinks({ path }: Operation): boolean {
  return /^\/assets|\/screenshots/.test(path);
}

/** @throws Refusal 422 where a dry run would not be one. */
function refuseDryRun(each: Operation, { query }: FastifyRequest): void {
  if (isRead(each) || isTryable(each) || each.caller === "device") return;
  if ((query as Record<string, unknown>)["dry_run"] === undefined) return;
  throw invalidField("?dry_run", "cannot be had here: this request writes as its bytes come, or makes a secret. Leave it out");
}

function checkLength(request: FastifyRequest, maxBytes: number): void {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/** Aborts when the caller is gone or was answered. */
function goneOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  return gone.signal;
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}
