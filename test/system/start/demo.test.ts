// The demo as a user runs it: one command, and Ctrl+C.
import { readFile, stat } from "node:fs/promises";
import sharp from "sharp";
import { expect, test } from "vitest";
import { processesNaming } from "../../host/processes.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { Api, Program } from "../../support/programs/programs.ts";

function demo(folder: string): Program {
  return new Program(["src/main/cli.ts", "demo", "--headless", "--engine", "chromium", "--port", "0", "--data", folder]);
}

test("[PRG1] one command pairs a player by its code, after three seconds to read it, and plays content", async () => {
  await using folder = await temporaryFolder();
  await using program = demo(folder.path);
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

test("[PRG2] Ctrl+C stops everything and leaves no process; the next start needs no pairing", async () => {
  await using folder = await temporaryFolder();
  for (const start of ["first", "second"]) {
    await using program = demo(folder.path);
    await program.line("ready");
    expect(program.lines.some(({ msg }) => msg === "pairing code")).toBe(start === "first");
    expect(await program.stop()).toBe(0);
    await eventually(async () => (await processesNaming(folder.path)).length === 0);
  }
});

test("[PRG3] when the demo is killed with kill -9, its service, player and browser end too", async () => {
  await using folder = await temporaryFolder();
  await using program = demo(folder.path);
  await program.line("ready");
  await program.kill();
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

test("[PRG5] a second player on the same data folder is rejected, and the first one continues", async () => {
  await using folder = await temporaryFolder();
  const flags = ["src/main/cli.ts", "start", "--server", "http://127.0.0.1:9", "--headless", "--engine", "chromium", "--data", folder.path];
  await using first = new Program(flags);
  await first.line("browser started");
  const second = new Program(flags);
  expect(await second.exitCode).toBe(1);
  expect(second.output).toContain(`another program uses ${folder.path}`);
  await first.line("screen shown");
});
