// The command show with a real service, a real player and its browser, until the player is killed.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rootFolder } from "../../../src/main/folders.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { isInstalled } from "../../support/is-installed.ts";
import { type Program, startPlayer, startService } from "../../support/programs/programs.ts";
import { expectNoSurvivors } from "../../support/programs/survivors.ts";

const run = promisify(execFile);
const cli = join(rootFolder, "src/main/cli.ts");

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
