// The demo as a user runs it: one command, and Ctrl+C.
import { readFile, stat } from "node:fs/promises";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { processesNaming } from "../../host/processes.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { Api, Program } from "../../support/programs/programs.ts";
import { expectNoSurvivors } from "../../support/programs/survivors.ts";

function demo(folder: string): Program {
  return new Program(["src/main/cli.ts", "demo", "--headless", "--engine", "chromium", "--port", "0", "--data", folder]);
}

// The tests use one data folder: the first demo is killed, and the next one finds what it left.
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let first: Program;
beforeAll(async () => {
  folder = await temporaryFolder();
  first = demo(folder.path);
});
afterAll(async () => {
  await first[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

test("[PRG1] one command pairs a player by its code, after three seconds to read it, and plays content", async () => {
  const program = first;
  const shown = await program.line(({ msg, code }) => msg === "screen shown" && code !== undefined);
  const paired = await program.line("paired");
  expect(Date.parse(String(paired["time"])) - Date.parse(String(shown["time"]))).toBeGreaterThanOrEqual(2_900);
  const ready = await program.line("ready");
  const tokenFile = String(ready["token_file"]);
  expect((await stat(tokenFile)).mode & 0o777).toBe(0o600);
  expect((await fetch(String(ready["docs"]))).status).toBe(200);
  expect(Object.values(ready["curl"] as object).join(" ")).toContain(String(ready["player_id"]));

  // Its output is no terminal here, and has the link nevertheless, which works once.
  const { origin, pathname, hash } = new URL(String(ready["sign_in_link"]));
  expect([origin, pathname]).toEqual([ready["console"], "/sign-in"]);
  const signIn = () =>
    fetch(`${origin}/api/v1/session`, {
      method: "POST",
      headers: { "content-type": "application/json", origin },
      body: JSON.stringify({ method: "link", secret: hash.slice("#link=".length) }),
    });
  expect([(await signIn()).status, (await signIn()).status]).toEqual([201, 401]);

  // The screenshot from the printed address shows all four zones.
  const api = new Api(new URL(String(ready["docs"])).origin, (await readFile(tokenFile, "utf8")).trim());
  const address = String(ready["screenshot"]);
  expect(address).toMatch(/\/api\/v1\/screenshots\/shot_\w+\/image$/);
  const response = await api.call("GET", address.slice(address.indexOf("screenshots/")));
  const picture = sharp(Buffer.from(await response.arrayBuffer()));
  expect(await picture.metadata()).toMatchObject({ width: 1920, height: 1080 });
  const { channels } = await picture.stats();
  expect(Math.max(...channels.map(({ mean }) => mean))).toBeGreaterThan(40);
});

test("[PRG3] when the demo is killed with kill -9, its service, player and browser end too", async () => {
  await expectNoSurvivors(first, ["chrom"]);
  await eventually(async () => (await processesNaming(folder.path)).length === 0);
});

test("[PRG2] the next start needs no pairing; Ctrl+C stops everything and leaves no process", async () => {
  await using program = demo(folder.path);
  await program.line("ready");
  expect(program.lines.some(({ msg }) => msg === "pairing code")).toBe(false);
  expect(await program.stop()).toBe(0);
  await eventually(async () => (await processesNaming(folder.path)).length === 0);
});

test.each([
  [["start", "--server", "nonsense"], "--server: must be an http:// or https:// address"],
  [["start", "--server", "http://127.0.0.1:1", "--window", "wide"], "--window: must be a size such as 1920x1080"],
  [["start", "--nonsense"], "'--nonsense'"],
  [["start", "--engine", "netscape"], "--engine: must be electron or chromium"],
  [["demo", "--port", "x"], "--port: must be a port, 0 to 65535"],
  [["fly"], "there is no program “fly”"],
])("[PRG4] bad flags print one clear line and exit with 2: %j", async (argv, words) => {
  const program = new Program(["src/main/cli.ts", ...argv]);
  expect(await program.exitCode).toBe(2);
  expect(program.output.trim().split("\n")).toHaveLength(1);
  expect(program.output).toContain(words);
});
