// Handles MCP requests with the MCP library. Loaded with the first request.
import { toWebRequest, type NodeIncomingMessageLike } from "@modelcontextprotocol/node";
import { createMcpHandler, type AuthInfo, type McpHttpHandler } from "@modelcontextprotocol/server";
import type { Admission } from "../http/gateway/admission.ts";
import type { Gateway } from "../http/gateway/gateway.ts";
import { bearerToken } from "../people/authentication.ts";
import type { McpCall, ToolDependencies } from "./calls.ts";
import { finderTools } from "./finder.ts";
import { screenshotTool } from "./screenshot.ts";
import { mcpCallOf, serverFor } from "./server.ts";
import { Toolbox } from "./tools.ts";

export class McpHandler {
  readonly #handler: McpHttpHandler;

  constructor(dependencies: ToolDependencies & { admission: Admission; gateway: Gateway }, version: string) {
    const runner = { ...dependencies, tools: new Toolbox([...finderTools, screenshotTool]) };
    this.#handler = createMcpHandler((context) => serverFor(runner, version, mcpCallOf(context)), {
      onerror: (error) => dependencies.log.debug({ err: error }, "MCP request failed"),
    });
  }

  /** Handles a request of an authenticated operator. @param body the parsed JSON; undefined if there is none */
  async handle(mcpCall: McpCall, body: unknown): Promise<Response> {
    const { call, operator, raw } = mcpCall;
    const authInfo: AuthInfo = {
      token: bearerToken(call.header("authorization")),
      clientId: operator.tokenId,
      scopes: [...operator.scopes],
      extra: { mcpCall },
    };
    const request = await toWebRequest(raw as NodeIncomingMessageLike, body, { signal: call.closedSignal() });
    return this.#handler.fetch(request, { authInfo, ...(body === undefined ? {} : { parsedBody: body }) });
  }

  /** Ends running requests. */
  close(): Promise<void> {
    return this.#handler.close();
  }
}
