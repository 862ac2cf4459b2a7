// signage-player mcp: MCP on standard input and output, for programs that start their servers themselves. The service does the work.
import { readFileSync } from "node:fs";
import { z } from "zod";
import { badFlags, checkFlags, readFlags, defineUsage } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import { isToolset, toolsets } from "../protocol/operator/toolsets.ts";
import { McpBridge } from "./mcp-bridge.ts";

const usage = defineUsage({
  command: "node_modules/.bin/node src/main/cli.ts mcp",
  summary: "MCP on standard input and output, for agents that start their servers themselves. The service does the work.",
  flags: {
    server: { value: "URL", help: "The service, such as http://127.0.0.1:8080" },
    "token-file": { value: "FILE", help: "A file that holds an access token, such as the service's DIR/admin-token" },
    toolsets: { value: "NAME[,NAME]", help: `Which tools are listed, of ${toolsets.join(", ")} (default: those of everyday tasks)` },
  },
});

const Flags = z.object({
  server: z.url({ protocol: /^https?$/, message: "must be an http:// or https:// address" }),
  "token-file": z.string({ error: "must name the file that holds an access token" }),
  toolsets: z
    .string()
    .refine((text) => text.split(",").every(isToolset), `must be some of ${toolsets.join(", ")}, with commas between`)
    .optional(),
});

/** Where the service is, and the token for it. */
export interface McpConfig {
  endpoint: string;
  token: string;
}

/** @throws Fault `bad-config` in one line. */
export function readMcpConfig(argv: readonly string[]): McpConfig {
  const flags = checkFlags(Flags.safeParse(readFlags(argv, usage)), usage);
  const endpoint = new URL("/mcp", flags.server);
  if (flags.toolsets !== undefined) endpoint.searchParams.set("toolsets", flags.toolsets);
  return { endpoint: endpoint.href, token: readToken(flags["token-file"]) };
}

/** Serves until the input ends or `signal` aborts. */
export async function runMcp({ endpoint, token }: McpConfig, log: Log, signal: AbortSignal): Promise<void> {
  log.info({ endpoint }, "speaking MCP on standard input and output");
  await new McpBridge({ endpoint, token, log, input: process.stdin, output: process.stdout }).run(signal);
}

function readToken(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw badFlags(`--token-file: ${file} cannot be read`, usage, { cause: error });
  }
}
