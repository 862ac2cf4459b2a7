// HTTP behaviour that all routes share: request ids, security headers, errors as problems and the request log.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from "fastify";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { hourMs } from "../../base/time.ts";
import { findJsonExcess } from "../../protocol/json-bounds.ts";
import { apiPrefix } from "../operations/operation.ts";
import { operations } from "../operations/operations.ts";
import type { MakeId } from "../store/ids.ts";
import { endConnection, keepWhileWorking, RequestDeadlines, type HttpDeadlines } from "./limits/deadlines.ts";
import { invalidField, ProblemError, problemOf, toProblemError } from "./problem.ts";
import { repetitionOf } from "./input/repetition.ts";
import { newRequestId, requestIdOf } from "./request-id.ts";
import { rawProblemResponse } from "./responses/raw-response.ts";
import { bodyPointer, validatorCompiler } from "./input/validation.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Gives the request time: its sender has proved a right to call. See `deadlines.ts`. */
    trust: () => void;
  }
}

interface HttpDependencies {
  clock: Clock;
  deadlines: HttpDeadlines;
  log: Log;
  makeId: MakeId;
}

const maxJsonBytes = 1_048_576;
// A 2 GiB upload over a slow connection may take an hour; an idle connection is closed much sooner, and so is that of a client without a
// right to call (deadlines.ts).
const requestTimeoutMs = hourMs;
const keepAliveMs = 30_000;

/** The settings of Fastify. */
export function fastifyOptions(
  dependencies: HttpDependencies,
  tls: { cert: Buffer; key: Buffer } | null,
  trustedProxies: readonly string[],
): FastifyServerOptions {
  const { handshakeMs, headersMs, idleMs } = dependencies.deadlines;
  // A hook rejects requests without a Host header with a problem.
  const server = { requireHostHeader: false, headersTimeout: headersMs, connectionsCheckingInterval: Math.ceil(headersMs / 4) };
  const options = {
    logger: false,
    genReqId: (raw: IncomingMessage) => requestIdOf(raw, dependencies.makeId),
    bodyLimit: maxJsonBytes,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: idleMs,
    keepAliveTimeout: keepAliveMs,
    forceCloseConnections: "idle",
    // While the service stops, a hook rejects requests with a problem.
    return503OnClosing: false,
    clientErrorHandler: (error: Error & { code?: string }, socket: Socket) => rejectInvalidHttp(error, socket, dependencies),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => void sendProblem(error, request, reply, dependencies),
    // Any client can send X-Forwarded-For, so it counts only if it comes from a configured proxy.
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    // Without these, Fastify loads its own compilers. Responses are built from parsed rows, so they are not validated again.
    schemaController: { compilersFactory: { buildValidator: () => validatorCompiler, buildSerializer: () => () => JSON.stringify } },
    ...(tls === null ? { http: server } : { https: { ...server, ...tls, handshakeTimeout: handshakeMs } }),
  } as const;
  return options as unknown as FastifyServerOptions;
}

/** Adds the hooks and error handlers that all routes share. @returns the deadlines of its requests, which must be run */
export function addHttpDefaults(app: FastifyInstance, dependencies: HttpDependencies): RequestDeadlines {
  setRequestIds(app.server, dependencies);
  const deadlines = addDeadlines(app, dependencies);
  boundJson(app);
  let isClosing = false;
  app.addHook("preClose", (done) => {
    isClosing = true;
    done();
  });
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, dependencies));
  app.setNotFoundHandler((request, reply) => sendProblem(noRouteError(request), request, reply, dependencies));
  /** Of connections on which a request arrived while the service was closing: the newest one. */
  const lastRequests = new WeakMap<object, object>();
  // These hooks use callbacks: a promise per hook and request would cost a tenth of the service's CPU time.
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(headersOf(request));
    if (isClosing) {
      lastRequests.set(request.raw.socket, request.raw);
      done(new ProblemError("closing", "The service is stopping"));
      return;
    }
    if (request.headers.host === undefined && request.raw.httpVersion !== "1.0") return done(new ProblemError("bad-request", noHost));
    done(repetitionOf(request.raw) ?? undefined);
  });
  app.addHook("onSend", (request, reply, payload, done) => {
    // Idle connections have been closed by then, so this one would stay open. A request that waits behind this one gets its answer first.
    if (isClosing && (lastRequests.get(request.raw.socket) ?? request.raw) === request.raw) reply.header("Connection", "close");
    if (request.url.startsWith(apiPrefix)) {
      if (!reply.hasHeader("cache-control")) reply.header("Cache-Control", "no-store");
      if (!reply.hasHeader("content-security-policy"))
        reply.header("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    }
    done(null, payload);
  });
  app.addHook("onResponse", (request, reply, done) => {
    // Reads and device requests are frequent, so they are logged at debug level.
    const level = request.method === "GET" || request.url.startsWith(`${apiPrefix}/device/`) ? "debug" : "info";
    if (dependencies.log.isLevelEnabled(level)) {
      const fields = { request_id: request.id, method: request.method, path: loggedPath(request.url), status: reply.statusCode };
      dependencies.log[level]({ ...fields, took_ms: Math.round(reply.elapsedTime) }, "request");
    }
    done();
  });
  return deadlines;
}

function addDeadlines(app: FastifyInstance, dependencies: HttpDependencies): RequestDeadlines {
  const tooLate = Object.assign(new Error("the request did not arrive in time"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
  const deadlines = new RequestDeadlines(dependencies.clock, dependencies.deadlines, (socket) =>
    rejectInvalidHttp(tooLate, socket, dependencies),
  );
  deadlines.watch(app.server);
  keepWhileWorking(app.server, dependencies.deadlines.idleMs);
  app.decorateRequest("trust", function () {
    deadlines.trust(this.raw);
  });
  return deadlines;
}

/** Refuses a JSON body that is too deep or has too many entries before it is parsed. */
function boundJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, text: string, done) => {
    const excess = findJsonExcess(text);
    if (excess === null) void parse(request, text, done);
    else done(invalidField(bodyPointer(excess.path), excess.detail));
  });
}

function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply, dependencies: HttpDependencies): FastifyReply {
  const problem = toProblemError(error);
  if (problem.status >= 500) dependencies.log.error({ err: problem.cause ?? problem, request_id: request.id }, "request failed");
  reply
    .code(problem.status)
    // Requests that Fastify itself rejects have not passed the onRequest hook.
    .headers({ ...headersOf(request), ...problem.headers })
    .removeHeader("content-length");
  return reply.type("application/problem+json").send(JSON.stringify(problemOf(problem, request.id)));
}

/** The path without secrets for readers of the log: without the query, tickets of previews, and secrets of shared reports. */
function loggedPath(url: string): string {
  return url
    .split("?")[0]!
    .replace(/^\/r\/.+/, "/r/…")
    .replace(/^\/preview\/(?!page\/)[^/]+/, "/preview/…");
}

const noHost = "An HTTP/1.1 request must have a Host header (RFC 9112, 3.2)";

function headersOf(request: FastifyRequest): Record<string, string> {
  return { "Request-Id": request.id, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer" };
}

/** Sets the request id on every response, also on those that Fastify does not send. */
function setRequestIds(server: Server, dependencies: HttpDependencies): void {
  const setId = (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader("Request-Id", requestIdOf(request, dependencies.makeId));
  };
  server.prependListener("request", setId);
  // An unknown expectation may be ignored (RFC 9110, 10.1.1). By default Node responds 417 without a request id.
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => server.emit("request", request, response));
}

/** Rejects bytes that are not valid HTTP. There is no request object yet, only the connection. */
function rejectInvalidHttp(error: Error & { code?: string }, socket: Duplex, dependencies: HttpDependencies): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const problem =
    connectionErrors[error.code ?? ""]?.() ?? new ProblemError("bad-request", `Not a valid HTTP/1.1 request: ${error.message}`);
  const id = newRequestId(dependencies.makeId);
  dependencies.log.debug({ request_id: id, reason: error.message }, "invalid HTTP request");
  endConnection(socket, rawProblemResponse(problem, id), dependencies.clock, dependencies.deadlines.closeMs);
}

const connectionErrors: Readonly<Record<string, () => ProblemError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: () => new ProblemError("timeout", "The request did not arrive completely in time"),
  HPE_HEADER_OVERFLOW: () => new ProblemError("headers-too-large", "The headers of a request may have at most 16 kB in total"),
};

const routes = operations.map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${apiPrefix}${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
}));

/** The problem for a request that no route matches: unknown path, or method not allowed. */
function noRouteError(request: FastifyRequest): ProblemError {
  const path = request.url.split("?")[0]!;
  const methods = [...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
  if (methods.length === 0) return new ProblemError("not-found", `There is nothing at ${path}. See the API description at /docs`);
  const headers = { Allow: methods.join(", ") };
  return new ProblemError("method-not-allowed", `${path} supports ${methods.join(", ")}`, { headers });
}
