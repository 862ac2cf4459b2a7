// MCP over stdio with the real program, and the official conformance package and inspector.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, test } from "vitest";
import { longTool } from "../../../scripts/test/long-tools.ts";
import { rootFolder } from "../../../src/main/folders.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { Agent, eras } from "./agent.ts";
import { TestService } from "../harness.ts";

const run = promisify(execFile);
const cli = join(rootFolder, "src/main/cli.ts");

test.each(eras)("[MCP14] over stdio a program has the same tools, resources and prompts (%s)", { timeout: 60_000 }, async (era) => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const device = await api.pairDevice("Foyer – Süd");
  const args = [cli, "mcp", "--server", api.service.url, "--token-file", join(folder.path, "admin-token"), "--toolsets", "players,records"];
  const client = Agent.client(era);
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
  await using agent = Agent.over(client);
  expect(client.getNegotiatedProtocolVersion()).toMatch(new RegExp(`^${era}`));
  const listed = (await client.listTools()).tools.map(({ name }) => name);
  expect([listed.includes("pair_player"), listed.includes("show"), listed.includes("find_operation")]).toEqual([true, false, true]);
  const { data } = await agent.ok("list_players");
  expect(data.map((player: { name: string }) => player.name)).toEqual(["Foyer – Süd"]);
  expect((await agent.call("get_player", { id: "plr_x" })).text).toContain("404");
  const { contents } = await client.readResource({ uri: `signage://players/${device.playerId}/state` });
  expect((contents[0] as { text: string }).text).toContain("Foyer – Süd");
  expect((await client.listPrompts()).prompts).toHaveLength(2);
  // Concurrent calls get their own results.
  const ids = await Promise.all(Array.from({ length: 20 }, (_, limit) => agent.ok("list_players", { limit: limit + 1 })));
  expect(ids.every((page) => page.data.length === 1)).toBe(true);
});

test("[MCP15] over stdio, errors of flags, token, service and JSON are reported, and nothing else is printed", async () => {
  await using folder = await temporaryFolder();
  const tokenFile = join(folder.path, "token");
  await writeFile(tokenFile, "sgn_pat_wrong\n");
  const outputOf = async (args: string[], input: string) => {
    const child = run(process.execPath, [cli, "mcp", ...args]);
    child.child.stdin!.end(input);
    const { stdout, stderr, code } = await child.then(
      (ended) => ({ ...ended, code: 0 }),
      (error: unknown) => error as { stdout: string; stderr: string; code: number },
    );
    return { lines: stdout.split("\n").filter((line) => line !== ""), stderr, code };
  };
  const flags = await outputOf(["--server", "nowhere", "--token-file", join(folder.path, "none")], "");
  expect([flags.code, flags.lines]).toEqual([2, []]);
  expect(flags.stderr).toContain("--server: must be an http:// or https:// address");
  const toolsets = await outputOf(["--server", "http://127.0.0.1:1", "--token-file", tokenFile, "--toolsets", "players,nonsense"], "");
  expect([toolsets.code, toolsets.lines]).toEqual([2, []]);
  expect(toolsets.stderr).toContain("--toolsets: must be one or more of everyday, players");
  const file = await outputOf(["--server", "http://127.0.0.1:1", "--token-file", join(folder.path, "none")], "");
  expect([file.code, file.lines]).toEqual([2, []]);
  const ping = `${JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping" })}\n`;
  const nobody = await outputOf(["--server", "http://127.0.0.1:1", "--token-file", tokenFile], ping);
  expect(nobody.code).toBe(0);
  expect(JSON.parse(nobody.lines[0]!)).toMatchObject({
    id: 7,
    error: { code: -32603, message: expect.stringContaining("did not respond") },
  });
  await using api = await TestService.start(folder.path);
  const answers = (await outputOf(["--server", api.service.url, "--token-file", tokenFile], `no json\n\n[]\n${ping}`)).lines;
  const byId = answers.map((line) => JSON.parse(line) as { id: unknown; error: { code: number; message: string } });
  expect(byId.filter(({ id }) => id === null).map(({ error }) => error.code)).toEqual([-32700, -32600]);
  expect(byId.find(({ id }) => id === 7)!.error.message).toMatch(/^401: /);
});

/** A proxy that adds the token, for tools that cannot send one. */
async function openDoor(port: number, token: string): Promise<{ url: string } & AsyncDisposable> {
  const server: Server = createServer((incoming, answer) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const passed = request({ port, host: "127.0.0.1", method: incoming.method, path: incoming.url, headers }, (given) => {
      answer.writeHead(given.statusCode!, given.headers);
      given.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    incoming.pipe(passed);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port: own } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${own}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

// Scenarios that need tools, resources and prompts of a special test server.
const testOnly = [
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
  "tools-call-with-logging",
  "tools-call-error",
  "tools-call-with-progress",
  "json-schema-2020-12",
  "resources-read-text",
  "resources-read-binary",
  "resources-templates-read",
  "prompts-get-simple",
  "prompts-get-with-args",
  "prompts-get-embedded-resource",
  "prompts-get-with-image",
];
// Scenarios of features that the service does not offer: sampling and elicitation (in 2026 by results that require input),
// completions, log levels, resource subscriptions, and the sessions and streams of 2025.
const notOffered = [
  "tools-call-sampling",
  "tools-call-elicitation",
  "elicitation-sep1034-defaults",
  "elicitation-sep1330-enums",
  "completion-complete",
  "logging-set-level",
  "resources-subscribe",
  "resources-unsubscribe",
  "server-sse-polling",
  "server-sse-multiple-streams",
  "server-session-lifecycle",
];
const everyEra = ["dns-rebinding-protection", "prompts-list", "resources-list", "tools-list"];
const scenariosOf = {
  "2025-11-25": [...everyEra, "ping", "server-initialize"],
  "2026-07-28": [
    ...everyEra,
    "caching",
    "http-custom-header-server-validation",
    "http-header-validation",
    "sep-2164-resource-not-found",
    "server-stateless",
  ],
};

test.each(["2025-11-25", "2026-07-28"] as const)(
  "[MCP16] the official conformance package passes every scenario that needs no special fixture (%s)",
  { timeout: 240_000 },
  async (version) => {
    await using folder = await temporaryFolder();
    await using api = await TestService.start(folder.path);
    await using door = await openDoor(api.service.port, api.token);
    const tool = longTool("@modelcontextprotocol/conformance/dist/index.js");
    const { stdout: list } = await run(process.execPath, [tool, "list", "--server", "--spec-version", version]);
    const scenarios = [...list.matchAll(/^ {2}- (\S+)/gm)]
      .map(([, name]) => name!)
      .filter((name) => ![...testOnly, ...notOffered].includes(name) && !name.startsWith("input-required-result"));
    expect(scenarios.toSorted()).toEqual(scenariosOf[version].toSorted());
    for (const scenario of scenarios) {
      const out = join(folder.path, scenario);
      const args = [tool, "server", "--url", door.url, "--scenario", scenario, "--spec-version", version, "--output-dir", out];
      // The exit code is also 1 if a check needs a special test server, so the report decides which checks failed.
      await run(process.execPath, args, { cwd: folder.path }).catch((error: { code: number }) => expect(error.code).toBe(1));
      const [report] = await readdir(out);
      const checks = JSON.parse(await readFile(join(out, report!, "checks.json"), "utf8")) as Check[];
      const failed = checks.filter(({ status, errorMessage }) => status === "FAILURE" && !errorMessage?.startsWith("Not testable"));
      expect(failed, scenario).toEqual([]);
      expect(checks.filter(({ status }) => status === "SUCCESS").length, scenario).toBeGreaterThan(0);
    }
  },
);

interface Check {
  id: string;
  status: string;
  errorMessage?: string;
}

test.each([
  ["HTTP", "legacy"],
  ["HTTP", "modern"],
  ["stdio", "legacy"],
  ["stdio", "modern"],
])("[MCP17] the official inspector lists the tools and calls one (%s, %s)", { timeout: 120_000 }, async (way, era) => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  await api.pairDevice("Lobby");
  const tool = longTool("@modelcontextprotocol/inspector/clients/launcher/build/index.js");
  const program = [process.execPath, cli, "mcp", "--server", api.service.url, "--token-file", join(folder.path, "admin-token")];
  const target = way === "HTTP" ? [`${api.service.url}/mcp`, "--header", `Authorization: Bearer ${api.token}`] : ["--", ...program];
  const ask = async (...args: string[]) => {
    const all =
      way === "HTTP" ? ["--cli", "--protocol-era", era, ...target, ...args] : ["--cli", "--protocol-era", era, ...args, ...target];
    const { stdout } = await run(process.execPath, [tool, ...all], {
      cwd: folder.path,
      env: { ...process.env, HOME: folder.path },
      maxBuffer: 10_000_000,
    });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const { tools } = (await ask("--method", "tools/list")) as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toContain("list_players");
  const answer = (await ask("--method", "tools/call", "--tool-name", "list_players")) as {
    structuredContent: { data: { name: string }[] };
  };
  expect(answer.structuredContent.data.map(({ name }) => name)).toEqual(["Lobby"]);
});
