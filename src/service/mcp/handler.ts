// Answers MCP requests by the protocol's library. Loaded with the first of them.
import { toWebRequest, type NodeIncomingMessageLike } from "@modelcontextprotocol/node";
import { createMcpHandler, type AuthInfo, type McpHttpHandler } from "@modelcontextprotocol/server";
import { bearerToken } from "../people/authentication.ts";
import type { Gateway } from "../http/gateway.ts";
import type { Parts } from "../operations/operation.ts";
import type { Visit } from "./calls.ts";
import { finderTools } from "./finder.ts";
import { screenshotTool } from "./screenshot.ts";
import { serverFor, visitOf } from "./server.ts";
import { Toolbox } from "./tools.ts";

export class McpHandler {
  readonly #handler: McpHttpHandler;

  constructor(parts: Parts, door: Gateway, version: string) {
    const runner = { parts, door, tools: new Toolbox([...finderTools, screenshotTool]) };
    this.#handler = createMcpHandler((context) => serverFor(runner, version, visitOf(context)), {
      onerror: (error) => parts.log.debug({ err: error }, "an MCP request was not served"),
    });
  }

  /** Answers what a visitor who was let in sent. @param body the request's JSON, parsed; undefined: it has none. */
  async answer(visit: Visit, body: unknown): Promise<Response> {
    const { call, operator, raw } = visit;
    const authInfo: AuthInfo = {
      token: bearerToken(call.header("authorization")),
      clientId: operator.tokenId,
      scopes: [...operator.scopes],
      extra: { visit },
    };
    const request = await toWebRequest(raw as NodeIncomingMessageLike, body, { signal: call.closedSignal() });
    return this.#handler.fetch(request, { authInfo, ...(body === undefined ? {} : { parsedBody: body }) });
  }

  /** Ends requests under way. */
  close(): Promise<void> {
    return this.#handler.close();
  }
}
