// signage-player mcp: MCP on standard input and output, forwarded to a service.
import { z } from "zod";
import { commandName } from "../folders.ts";
import { checkFlags, readFlags, defineUsage } from "../../base/config.ts";
import type { Log } from "../../base/log.ts";
import { isToolset, toolsets } from "../../protocol/operator/toolsets.ts";
import { readToken, WebAddress } from "../flags.ts";
import { McpBridge } from "./mcp-bridge.ts";

/** Its flags. */
export const usage = defineUsage({
  command: commandName("node_modules/.bin/node src/main/cli.ts mcp", "mcp"),
  summary: "MCP on standard input and output, forwarded to a service: for agents that start their MCP servers themselves.",
  flags: {
    server: { value: "URL", help: "The service, such as http://127.0.0.1:8080" },
    "token-file": { value: "FILE", help: "A file that holds an access token, such as SERVICE_DIR/admin-token of the service" },
    toolsets: { value: "NAME[,NAME]", help: `Toolsets to list, of ${toolsets.join(", ")} (default: those for everyday tasks)` },
  },
});

const Flags = z.object({
  server: WebAddress,
  "token-file": z.string({ error: "must name the file that holds an access token" }),
  toolsets: z
    .string()
    .refine((text) => text.split(",").every(isToolset), `must be one or more of ${toolsets.join(", ")}, separated by commas`)
    .optional(),
});

/** The service's MCP endpoint and an access token. */
export interface McpConfig {
  endpoint: string;
  token: string;
}

/** @throws Fault `bad-config` in one line. */
export function readMcpConfig(argv: readonly string[]): McpConfig {
  const flags = checkFlags(Flags.safeParse(readFlags(argv, usage)), usage);
  const endpoint = new URL("/mcp", flags.server);
  if (flags.toolsets !== undefined) endpoint.searchParams.set("toolsets", flags.toolsets);
  return { endpoint: endpoint.href, token: readToken(flags["token-file"], usage) };
}

/** Forwards messages until the input ends or `signal` aborts. */
export async function runMcp({ endpoint, token }: McpConfig, log: Log, signal: AbortSignal): Promise<void> {
  log.info({ endpoint }, "serving MCP on standard input and output");
  await new McpBridge({ endpoint, token, log, input: process.stdin, output: process.stdout }).run(signal);
}
