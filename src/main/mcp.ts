// signage-player mcp: MCP on standard input and output, for programs that start their servers themselves. The service does the work.
import { readFileSync } from "node:fs";
import { z } from "zod";
import { checkFlags, readFlags } from "../base/config.ts";
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { isToolset, toolsets } from "../protocol/toolsets.ts";
import { McpBridge } from "./mcp-bridge.ts";

const usage = "signage-player mcp --server http://127.0.0.1:8080 --token-file F [--toolsets players,content]";

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
  const options = { server: { type: "string" }, "token-file": { type: "string" }, toolsets: { type: "string" } } as const;
  const flags = checkFlags(Flags.safeParse(readFlags(argv, options, usage)), usage);
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
    throw new Fault("bad-config", `--token-file: ${file} cannot be read. Usage: ${usage}`, { cause: error });
  }
}
