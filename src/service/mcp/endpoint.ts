// The MCP endpoint at /mcp: authentication, protection against requests from other websites, and its metadata (RFC 9728).
import { isIP } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { scopes } from "../../protocol/operator/people.ts";
import type { Admission } from "../http/gateway/admission.ts";
import type { Gateway } from "../http/gateway/gateway.ts";
import { baseUrlOf, ownOrigins } from "../http/origin.ts";
import { ProblemError } from "../http/problem.ts";
import { callOf } from "../http/rest.ts";
import type { Operator } from "../people/operator.ts";
import type { ToolDependencies } from "./calls.ts";
import type { McpHandler } from "./handler.ts";
import { requestedToolsets } from "./toolsets.ts";

/** The service's address, as far as the endpoint needs it. */
export interface EndpointAddress {
  /** The address that the service listens on. */
  host: string;
  /** The public URL of the service; null if it is not configured. */
  publicUrl: string | null;
  version: string;
}

const path = "/mcp";
// Room for the largest file that a tool accepts, in base64, and the other arguments.
const maxBodyBytes = 2_097_152;
const metadataPath = "/.well-known/oauth-protected-resource";

/** Adds the endpoint and its metadata. Running requests end when the service stops. */
export function addMcp(
  app: FastifyInstance,
  dependencies: ToolDependencies & { admission: Admission; gateway: Gateway },
  address: EndpointAddress,
): void {
  const { admission } = dependencies;
  const { publicUrl } = address;
  let loading: Promise<McpHandler> | undefined;
  // Loaded with the first request: the MCP library takes time and memory, and few services are used by agents.
  const handler = () => (loading ??= import("./handler.ts").then(({ McpHandler }) => new McpHandler(dependencies, address.version)));
  app.addHook("preClose", async () => (await loading)?.close());
  const operators = new WeakMap<FastifyRequest, Operator>();
  app.route({
    method: ["GET", "POST", "DELETE"],
    url: path,
    exposeHeadRoute: false,
    bodyLimit: maxBodyBytes,
    // Runs before the body is read.
    onRequest: async (request, reply) => {
      checkSite(request, address);
      operators.set(request, await authenticateOperator(request, reply, admission, publicUrl));
      request.trust();
    },
    handler: async (request, reply) => {
      const operator = operators.get(request)!;
      const call = callOf(request, reply, publicUrl);
      // Older clients may send a batch of messages; each counts as a request.
      if (Array.isArray(request.body)) for (const _ of request.body.slice(1)) admission.countRequest(operator, call);
      const closed = call.closedSignal();
      const toolsets = requestedToolsets(request.query, call.header("x-mcp-toolsets"));
      const mcpCall = { call: { ...call, closedSignal: () => closed }, operator, raw: request.raw, toolsets };
      const response = await (await handler()).handle(mcpCall, request.body);
      if (!reply.hasHeader("cache-control")) reply.header("Cache-Control", "no-store");
      return reply.send(response);
    },
  });
  // RFC 9728 allows metadata without authorization_servers: people create the tokens, so there is no authorization server.
  // MCP's own authorization (2026-07-28), which is optional, would require one.
  for (const url of [metadataPath, metadataPath + path]) {
    app.get(url, async (request, reply) => {
      checkSite(request, address);
      const baseUrl = baseUrlOf(request, publicUrl) ?? "";
      return reply.type("application/json; charset=utf-8").send(
        JSON.stringify({
          resource: baseUrl + path,
          resource_name: "signage-player service",
          resource_documentation: `${baseUrl}/docs`,
          bearer_methods_supported: ["header"],
          scopes_supported: scopes,
        }),
      );
    });
  }
}

/** @throws ProblemError like REST; a 401 also names the metadata's URL. */
async function authenticateOperator(
  request: FastifyRequest,
  reply: FastifyReply,
  admission: Admission,
  publicUrl: string | null,
): Promise<Operator> {
  try {
    return await admission.authenticateAgent(callOf(request, reply, publicUrl));
  } catch (error) {
    if (!(error instanceof ProblemError) || error.kind !== "unauthorized") throw error;
    const metadata = `resource_metadata="${baseUrlOf(request, publicUrl) ?? ""}${metadataPath}${path}"`;
    const headers = { ...error.headers, "WWW-Authenticate": `${error.headers["WWW-Authenticate"] ?? "Bearer"}, ${metadata}` };
    throw new ProblemError(error.kind, error.message, { errors: error.errors, headers, cause: error });
  }
}

/**
 * Rejects requests that a page of another website makes a browser send: those with a foreign Origin and, if only this machine can
 * reach the service, those with a foreign host name in Host (DNS rebinding). An IP address in Host cannot be rebound.
 * @throws ProblemError 403.
 */
function checkSite(request: FastifyRequest, { host, publicUrl }: EndpointAddress): void {
  const { host: requestHost = "", origin } = request.headers;
  const known = publicUrl === null ? null : new URL(publicUrl);
  // With the scheme of the public URL, so that its default port may be there or not.
  const isPublic = known !== null && URL.parse(`${known.protocol}//${requestHost}`)?.host === known.host;
  if (isLoopback(host) && !isPublic && !cannotBeRebound(requestHost)) {
    throw new ProblemError(
      "forbidden",
      `The host name ${requestHost} is not allowed. If it is a name of this service, start the service with --public-url`,
    );
  }
  if (origin === undefined || origin === known?.origin) return;
  if (!ownOrigins(request, publicUrl).includes(origin) || !cannotBeRebound(new URL(origin).host)) {
    throw new ProblemError(
      "forbidden",
      "Pages of other websites may not call this endpoint: the Origin is not the service's own (--public-url)",
    );
  }
}

/** True if a Host is localhost or an IP address, which DNS rebinding cannot redirect. */
function cannotBeRebound(host: string): boolean {
  const name = host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  return isLoopback(name) || isIP(name) !== 0;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
