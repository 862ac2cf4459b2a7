// MCP over HTTP at /mcp: lets callers in, guards against pages of other sites, and says which tokens it wants (RFC 9728).
import { isIP } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { scopes } from "../../protocol/operator/people.ts";
import type { Operator } from "../people/operator.ts";
import type { Gateway } from "../http/gateway.ts";
import type { Parts } from "../operations/operation.ts";
import { ProblemError } from "../http/problem.ts";
import { callOf } from "../http/rest.ts";
import type { McpHandler } from "./handler.ts";
import { toolsetsAsked } from "./toolsets.ts";

/** What the endpoint has to know of the service's place. */
export interface McpPlace {
  /** The address it listens on. */
  host: string;
  /** Where people reach it; null when that is not known. */
  publicUrl: string | null;
  version: string;
}

const path = "/mcp";
// A file of the size that a tool takes, in base64, and room for what is said beside it.
const maxBodyBytes = 2_097_152;
const metadataPath = "/.well-known/oauth-protected-resource";

/** Adds the endpoint and its metadata; requests under way end with the service. */
export function addMcp(app: FastifyInstance, parts: Parts, door: Gateway, place: McpPlace): void {
  let made: Promise<McpHandler> | undefined;
  // The protocol's library takes its time and memory, and few services are asked by agents.
  const handler = () => (made ??= import("./handler.ts").then(({ McpHandler }) => new McpHandler(parts, door, place.version)));
  app.addHook("preClose", async () => (await made)?.close());
  const visitors = new WeakMap<FastifyRequest, Operator>();
  app.route({
    method: ["GET", "POST", "DELETE"],
    url: path,
    exposeHeadRoute: false,
    bodyLimit: maxBodyBytes,
    // Before the body is read.
    onRequest: async (request, reply) => {
      checkSite(request, place);
      visitors.set(request, await letIn(request, reply, door, place));
    },
    handler: async (request, reply) => {
      const operator = visitors.get(request)!;
      const call = callOf(request, reply);
      // Older clients may send several messages at once: each counts.
      if (Array.isArray(request.body)) for (const _ of request.body.slice(1)) door.count(operator, call);
      const gone = call.closedSignal();
      const toolsets = toolsetsAsked(request.query, call.header("x-mcp-toolsets"));
      const visit = { call: { ...call, gone: () => gone }, operator, raw: request.raw, toolsets };
      const answer = await (await handler()).answer(visit, request.body);
      if (!reply.hasHeader("cache-control")) reply.header("Cache-Control", "no-store");
      return reply.send(answer);
    },
  });
  // Valid by RFC 9728, without authorization_servers: people make the tokens, and a server that is not there must not be advertised.
  // The protocol's own authorization (2026-07-28), which is optional, would want one.
  for (const url of [metadataPath, metadataPath + path]) {
    app.get(url, async (request, reply) => {
      checkSite(request, place);
      return reply.type("application/json; charset=utf-8").send(
        JSON.stringify({
          resource: baseOf(request, place) + path,
          resource_name: "signage-player service",
          resource_documentation: `${baseOf(request, place)}/docs`,
          bearer_methods_supported: ["header"],
          scopes_supported: scopes,
        }),
      );
    });
  }
}

/** @throws Refusal as REST does; a 401 says where the metadata is. */
async function letIn(request: FastifyRequest, reply: FastifyReply, door: Gateway, place: McpPlace): Promise<Operator> {
  try {
    return await door.operatorOf(callOf(request, reply));
  } catch (error) {
    if (!(error instanceof ProblemError) || error.kind !== "unauthorized") throw error;
    const metadata = `resource_metadata="${baseOf(request, place)}${metadataPath}${path}"`;
    const headers = { ...error.headers, "WWW-Authenticate": `${error.headers["WWW-Authenticate"] ?? "Bearer"}, ${metadata}` };
    throw new ProblemError(error.kind, error.message, { errors: error.errors, headers, cause: error });
  }
}

/**
 * Refuses what a page of another site has a browser send: a foreign Origin; and, where only this machine can reach the service, a
 * Host that is a foreign name, which is what rebound DNS brings. An address for a Host cannot be rebound.
 * @throws Refusal 403.
 */
function checkSite({ headers }: FastifyRequest, { host, publicUrl }: McpPlace): void {
  const asked = headers.host ?? "";
  const own = publicUrl === null ? null : new URL(publicUrl);
  const isPublic = own !== null && asked.toLowerCase() === own.host;
  if (isLoopback(host) && !isPublic && !isUnbindable(asked)) {
    throw new ProblemError("forbidden", `Not for the name ${asked}: if people reach the service by it, start it with --public-url`);
  }
  const { origin } = headers;
  if (origin === undefined || origin === own?.origin) return;
  const from = URL.canParse(origin) ? new URL(origin).host : null;
  if (from === null || from !== asked.toLowerCase() || !isUnbindable(from)) {
    throw new ProblemError("forbidden", "Pages of other sites may not call this: their Origin is not the service's own (--public-url)");
  }
}

/** Whether a Host is this machine's own name or an address, neither of which a stranger's DNS can turn elsewhere. */
function isUnbindable(host: string): boolean {
  const name = host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  return isLoopback(name) || isIP(name) !== 0;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

function baseOf(request: FastifyRequest, { publicUrl }: McpPlace): string {
  return publicUrl === null ? `${request.protocol}://${request.host}` : new URL(publicUrl).origin;
}
