// An agent for tests: the official MCP client, in either version of the protocol.
import { Client, StreamableHTTPClientTransport, type CallToolResult } from "@modelcontextprotocol/client";

/** `2025`: a session begins with initialize. `2026`: each request is independent. */
export type Era = "2025" | "2026";
export const eras: readonly Era[] = ["2025", "2026"];

// oxlint-disable-next-line typescript/no-explicit-any -- what came over the wire, looked at field by field
type Any = any;

/** The result of a tool. */
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

  /** Connects to the service at `url`. @param toolsets requests these toolsets instead of the default one */
  static async connect(url: string, token: string, era: Era, toolsets?: string): Promise<Agent> {
    const client = Agent.client(era);
    const headers = { authorization: `Bearer ${token}` };
    const path = toolsets === undefined ? "/mcp" : `/mcp?toolsets=${toolsets}`;
    await client.connect(new StreamableHTTPClientTransport(new URL(path, url), { requestInit: { headers } }));
    return new Agent(client);
  }

  /** A client that supports only this version. */
  static client(era: Era): Client {
    const mode = era === "2025" ? "legacy" : { pin: "2026-07-28" };
    return new Client({ name: "test-agent", version: "1" }, { versionNegotiation: { mode } });
  }

  /** An agent with an already connected client. */
  static over(client: Client): Agent {
    return new Agent(client);
  }

  /** Calls a tool. */
  async call(name: string, given: Record<string, unknown> = {}): Promise<ToolResult> {
    const { content, structuredContent, isError } = await this.client.callTool({ name, arguments: given });
    const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    return { isError: isError === true, body: structuredContent, text, content };
  }

  /** Calls a tool that must succeed. */
  async ok(name: string, given: Record<string, unknown> = {}): Promise<Any> {
    const answer = await this.call(name, given);
    if (answer.isError) throw new Error(`${name}: ${answer.text}`);
    return answer.body;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}
