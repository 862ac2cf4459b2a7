// An agent for tests: the official MCP client, with either version of the protocol.
import { Client, StreamableHTTPClientTransport, type CallToolResult } from "@modelcontextprotocol/client";

/** `2025`: sessions that begin with initialize; `2026`: requests without sessions. */
export type Era = "2025" | "2026";
export const eras: readonly Era[] = ["2025", "2026"];

// oxlint-disable-next-line typescript/no-explicit-any -- JSON from the wire; each test checks the fields it needs
type Any = any;

/** The result of a tool call. */
export interface ToolResult {
  isError: boolean;
  /** The structured content. */
  body: Any;
  text: string;
  content: CallToolResult["content"];
}

export class Agent implements AsyncDisposable {
  readonly client: Client;

  private constructor(client: Client) {
    this.client = client;
  }

  /** Connects to the service at `url`. @param toolsets requests these tools instead of the default ones. */
  static async connect(url: string, token: string, era: Era, toolsets?: string): Promise<Agent> {
    const client = Agent.client(era);
    const headers = { authorization: `Bearer ${token}` };
    const path = toolsets === undefined ? "/mcp" : `/mcp?toolsets=${toolsets}`;
    await client.connect(new StreamableHTTPClientTransport(new URL(path, url), { requestInit: { headers } }));
    return new Agent(client);
  }

  /** A client that supports only this version of the protocol. */
  static client(era: Era): Client {
    const mode = era === "2025" ? "legacy" : { pin: "2026-07-28" };
    return new Client({ name: "test-agent", version: "1" }, { versionNegotiation: { mode } });
  }

  /** Wraps a client that is already connected. */
  static over(client: Client): Agent {
    return new Agent(client);
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolResult> {
    const { content, structuredContent, isError } = await this.client.callTool({ name, arguments: args });
    const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    return { isError: isError === true, body: structuredContent, text, content };
  }

  /** Calls a tool. @throws if it fails. */
  async ok(name: string, args: Record<string, unknown> = {}): Promise<Any> {
    const answer = await this.call(name, args);
    if (answer.isError) throw new Error(`${name}: ${answer.text}`);
    return answer.body;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}
