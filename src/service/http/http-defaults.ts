// How every answer behaves: a request id, safe headers, problems instead of stack traces, and one line in the log.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from "fastify";
import type { Log } from "../../base/log.ts";
import { apiPrefix } from "../operations/operation.ts";
import { operations } from "../operations/operations.ts";
import type { MakeId } from "../store/ids.ts";
import { ProblemError, problemOf, toProblemError } from "./problem.ts";
import { newRequestId, requestIdOf } from "./request-id.ts";
import { plainAnswer } from "./responses/raw-response.ts";
import { validatorCompiler } from "./validation.ts";

interface HttpDependencies {
  log: Log;
  makeId: MakeId;
}

const maxJsonBytes = 1_048_576;
// An upload of 2 GiB over a slow line takes its time; a connection on which nothing moves does not.
const requestTimeoutMs = 3_600_000;
const idleTimeoutMs = 60_000;
const keepAliveMs = 30_000;

/** The framework's settings. */
export function fastifyOptions(
  dependencies: HttpDependencies,
  tls: { cert: Buffer; key: Buffer } | null,
  trustedProxies: readonly string[],
): FastifyServerOptions {
  const options = {
    logger: false,
    genReqId: (raw: IncomingMessage) => requestIdOf(raw, dependencies.makeId),
    bodyLimit: maxJsonBytes,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: idleTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    forceCloseConnections: "idle",
    // A request while the service stops is refused as a problem too, by a hook.
    return503OnClosing: false,
    clientErrorHandler: (error: Error & { code?: string }, socket: Socket) => rejectInvalidHttp(error, socket, dependencies),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => void sendProblem(error, request, reply, dependencies),
    // Anybody can write X-Forwarded-For: it counts only where it comes from a proxy that was named.
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    // Given at the start, or the framework loads compilers of its own. Answers are built from parsed rows: they are not checked a
    // second time on their way out.
    schemaController: { compilersFactory: { buildValidator: () => validatorCompiler, buildSerializer: () => () => JSON.stringify } },
    // Without a Host a request is refused by a hook, as a problem.
    ...(tls === null ? { http: { requireHostHeader: false } } : { https: { ...tls, requireHostHeader: false } }),
  } as const;
  return options as unknown as FastifyServerOptions;
}

/** Sets up what all routes share. */
export function addHttpDefaults(app: FastifyInstance, dependencies: HttpDependencies): void {
  setRequestIds(app.server, dependencies);
  let isClosing = false;
  app.addHook("preClose", (done) => {
    isClosing = true;
    done();
  });
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, dependencies));
  app.setNotFoundHandler((request, reply) => sendProblem(noRouteError(request), request, reply, dependencies));
  // With callbacks: a promise for each hook of each request is a tenth of the service's work.
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(headersOf(request));
    if (isClosing) done(new ProblemError("closing", "The service is stopping"));
    else if (request.headers.host === undefined && request.raw.httpVersion !== "1.0") done(new ProblemError("bad-request", noHost));
    else done();
  });
  app.addHook("onSend", (request, reply, payload, done) => {
    if (request.url.startsWith(apiPrefix)) {
      if (!reply.hasHeader("cache-control")) reply.header("Cache-Control", "no-store");
      if (!reply.hasHeader("content-security-policy"))
        reply.header("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    }
    done(null, payload);
  });
  app.addHook("onResponse", (request, reply, done) => {
    // Reads and what devices send all day are of interest only to who looks for trouble.
    const level = request.method === "GET" || request.url.startsWith(`${apiPrefix}/device/`) ? "debug" : "info";
    if (dependencies.log.isLevelEnabled(level)) {
      const fields = { request_id: request.id, method: request.method, path: request.url.split("?")[0], status: reply.statusCode };
      dependencies.log[level]({ ...fields, took_ms: Math.round(reply.elapsedTime) }, "request");
    }
    done();
  });
}

function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply, dependencies: HttpDependencies): FastifyReply {
  const problem = toProblemError(error);
  if (problem.status >= 500) dependencies.log.error({ err: problem.cause ?? problem, request_id: request.id }, "a request failed");
  reply
    .code(problem.status)
    // What the framework refuses has not come by the hook.
    .headers({ ...headersOf(request), ...problem.headers })
    .removeHeader("content-length");
  return reply.type("application/problem+json").send(JSON.stringify(problemOf(problem, request.id)));
}

const noHost = "A request of HTTP/1.1 has the header Host (RFC 9112, 3.2)";

function headersOf(request: FastifyRequest): Record<string, string> {
  return { "Request-Id": request.id, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer" };
}

/** Sets the id on every answer that Node begins, also where the framework gives none. */
function setRequestIds(server: Server, dependencies: HttpDependencies): void {
  const setId = (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader("Request-Id", requestIdOf(request, dependencies.makeId));
  };
  server.prependListener("request", setId);
  // An expectation that nobody knows may be passed over (RFC 9110, 10.1.1); Node alone would answer 417 without an id.
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => server.emit("request", request, response));
}

/** Refuses what is no HTTP: there is no request yet, only its connection. */
function rejectInvalidHttp(error: Error & { code?: string }, socket: Socket, dependencies: HttpDependencies): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const problem =
    connectionErrors[error.code ?? ""]?.() ?? new ProblemError("bad-request", `This is no request of HTTP/1.1: ${error.message}`);
  const id = newRequestId(dependencies.makeId);
  dependencies.log.debug({ request_id: id, reason: error.message }, "a connection brought no request");
  socket.end(plainAnswer(problem, id));
}

const connectionErrors: Readonly<Record<string, () => ProblemError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: () => new ProblemError("timeout", "The request did not come to its end in time"),
  HPE_HEADER_OVERFLOW: () => new ProblemError("headers-too-large", "The headers of a request may have 16 kB together"),
};

const routes = operations.map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${apiPrefix}${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
}));

/** Why there is nothing here: no such address, or not by this method. */
function noRouteError(request: FastifyRequest): ProblemError {
  const path = request.url.split("?")[0]!;
  const methods = [...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
  if (methods.length === 0) return new ProblemError("not-found", `There is nothing at ${path}. The API is described at /docs`);
  const headers = { Allow: methods.join(", ") };
  return new ProblemError("method-not-allowed", `${path} takes ${methods.join(", ")}`, { headers });
}
