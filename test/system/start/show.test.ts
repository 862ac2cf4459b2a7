// `npm run show` and the README's commands with a real service, a real player and its browser.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rootFolder } from "../../../src/main/folders.ts";
import { startWebServer } from "../../support/network/web-server.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { isInstalled } from "../../support/is-installed.ts";
import { type Program, startPlayer, startService, type Api } from "../../support/programs/programs.ts";
import { expectNoSurvivors } from "../../support/programs/survivors.ts";

const run = promisify(execFile);
const cli = join(rootFolder, "src/main/cli.ts");

async function shows(api: Api): Promise<Record<string, unknown>[]> {
  return (await api.ok("GET", "show"))["data"] as Record<string, unknown>[];
}

// Both tests use one service and one player, which the second test kills.
const owned = new AsyncDisposableStack();
let folder: string;
let service: Awaited<ReturnType<typeof startService>>;
let player: Program;
let playerId: string;
beforeAll(async () => {
  folder = owned.use(await temporaryFolder()).path;
  service = owned.use(await startService(join(folder, "signage-player/service")));
  player = owned.use(startPlayer(service.api.url, join(folder, "player")));
  playerId = await service.api.pair(player);
});
afterAll(() => owned.disposeAsync());

test("[FST6] the README's commands for showing one's own picture work as written", async () => {
  await using site = await startWebServer("127.0.0.7", { "/": "<h1>A page</h1>" });
  const readme = await readFile(join(rootFolder, "README.md"), "utf8");
  const section = readme.slice(readme.indexOf("## Your own picture"), readme.indexOf("## A second screen"));
  const commands = [...section.matchAll(/```\n(.*?)```/gs)].map(([, text]) => text!);
  expect(commands).toHaveLength(2);
  // The default port may be in use here, and there is no internet. The folders are the default ones.
  const placed = commands
    .join("\n")
    .replaceAll("http://127.0.0.1:8080", service.api.url)
    .replaceAll("https://example.org", `${site.origin}/`)
    .replaceAll("npm run show --", `npm run show -- --wait 5m --server ${service.api.url}`)
    .replaceAll("~/.local/share", folder);
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_STATE_HOME: join(folder, "state") };
  // It stops at the first command that fails: each of the three was seen on the screen.
  const { stdout } = await run("bash", ["-euo", "pipefail", "-c", placed], { cwd: rootFolder, env });
  expect(stdout.match(/every screen has shown it/g)).toHaveLength(3);
  const counts = await shows(service.api);
  // Four shows, of which three were cleared.
  expect(counts.map(({ status }) => status)).toEqual(["due", "cleared", "cleared", "cleared"]);
  expect(counts[0]).toMatchObject({ asset_id: expect.stringMatching(/^ast_/) });
});

test("[FST11] with a real player, an address that does not resolve and a player that is offline are never called shown", async () => {
  const env = { ...process.env, XDG_STATE_HOME: join(folder, "state") };
  const at = ["--server", service.api.url, "--token-file", join(folder, "signage-player/service/admin-token")];
  const show = async (...words: string[]): Promise<{ code: number; output: string }> => {
    const ended: unknown = await run(process.execPath, [cli, "show", ...words, ...at], { cwd: rootFolder, env }).catch(
      (error: unknown) => error,
    );
    const { stdout, code = 0 } = ended as { stdout: string; code?: number };
    return { code, output: stdout };
  };
  const text = await show("Back at two", "--wait", "5m");
  expect([text.code, text.output]).toEqual([0, expect.stringMatching(/"name":"Lobby","at":"\d{4}-.*"msg":"shown"/)]);
  const nowhere = await show("http://nowhere.invalid/", "--wait", "5m");
  expect(nowhere.code, nowhere.output).toBe(1);
  expect(nowhere.output).toContain("cannot be resolved");
  expect(nowhere.output).toMatch(/"name":"Lobby","why":"[^"]+","msg":"failed"/);
  expect(nowhere.output).not.toContain('"msg":"shown"');
  // [KIL1] Nothing is left of it: neither its browser nor a tool of the system.
  await expectNoSurvivors(player, isInstalled("udevadm") ? ["udevadm", "chrom"] : ["chrom"]);
  await expect.poll(async () => (await service.api.ok("GET", `players/${playerId}`))["status"]).toBe("offline");
  const offline = await show("Is anybody there", "--wait", "1s");
  expect(offline.code, offline.output).toBe(1);
  expect(offline.output).toMatch(/"name":"Lobby","msg":"offline: /);
  expect(offline.output).not.toContain('"msg":"shown"');
});
