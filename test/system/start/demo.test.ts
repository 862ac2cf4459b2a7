// The demo as a user runs it: one command, and Ctrl+C.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { descendantsOf, processesNaming } from "../../host/processes.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { isInstalled } from "../../support/is-installed.ts";
import { eventually } from "../../support/polling.ts";
import { Api, Program } from "../../support/programs/programs.ts";
import { expectNoSurvivors } from "../../support/programs/survivors.ts";

const demoArguments = (data: string): string[] => {
  return ["src/main/cli.ts", "demo", "--headless", "--engine", "chromium", "--port", "0", "--data", data];
};

// The demo runs twice on one data folder: at a terminal, which the program `script` provides, until it is killed; then without one.
const owned = new AsyncDisposableStack();
let folder: { path: string };
let atTerminal: Program;
let withoutTerminal: Program;
beforeAll(async () => {
  folder = owned.use(await temporaryFolder());
  const command = [process.execPath, ...demoArguments(folder.path)].join(" ");
  atTerminal = owned.use(new Program(["-qefc", command, "/dev/null"], { TERM: "xterm" }, "script"));
});
afterAll(() => owned.disposeAsync());

const lines = (): string[] =>
  stripVTControlCharacters(atTerminal.output)
    .split(/\r?\n/)
    // A busy machine is too slow for transitions, and may be so at any time.
    .filter((line) => line !== "" && !line.includes("transitions are shown as cuts"));
const token = async (): Promise<string> => (await readFile(join(folder.path, "service/admin-token"), "utf8")).trim();
const ids = /(?:plr|ast|itm|zon|lay|pls|cmd|req)_[0-9a-z]{26}/;

test("[FST4] at a terminal the demo reports its steps and the next ones in a few lines, by names, and nothing during normal operation", async () => {
  let hasEnded = false;
  void atTerminal.exitCode.then(() => (hasEnded = true));
  await eventually(() => {
    if (hasEnded) throw new Error(`the demo has ended:\n${atTerminal.output}`);
    return lines().some((line) => line.startsWith("Ctrl+C"));
  });
  const printed = lines().filter((line) => line.startsWith("["));
  expect(printed.join("\n")).not.toMatch(ids);
  expect(printed.join("\n")).toMatch(/the page shows the pairing code/);
  expect(printed.length).toBeLessThan(15);
  // Publishing content and taking screenshots print nothing.
  const [, url] = /(http:\/\/\S+)\/docs/.exec(lines().join("\n"))!;
  const api = new Api(url!, await token());
  const before = lines();
  const [player] = (await api.ok("GET", "players"))["data"] as { id: string }[];
  await api.publish([{ type: "text", text: "written meanwhile" }]);
  expect(await api.command(player!.id, "screenshot")).toMatchObject({ status: "succeeded" });
  expect(lines()).toEqual(before);
});

test("[PRG1] one command pairs a player by its code, after three seconds to read it", () => {
  const steps = lines().filter((line) => line.startsWith("["));
  const at = steps.findIndex((line) => line.includes("the page shows the pairing code"));
  expect(steps[at]).toMatch(/"code":"[B-DF-HJ-NP-TV-Z]{4}-[B-DF-HJ-NP-TV-Z]{4}"/);
  const secondsOf = (line: string): number => {
    const [, hours, minutes, seconds] = /^\[(\d+):(\d+):(\d+)\]/.exec(line)!.map(Number);
    return hours! * 3_600 + minutes! * 60 + seconds!;
  };
  // The content is uploaded once the player is paired. Lines have whole seconds, and it may be midnight.
  const waited = secondsOf(steps[at + 1]!) - secondsOf(steps[at]!);
  expect((waited + 86_400) % 86_400).toBeGreaterThanOrEqual(2);
});

test("[PRG3] when the demo is killed with kill -9, its service, player and browser end too", async () => {
  const [demo] = await descendantsOf(atTerminal.pid);
  const { pid } = demo!;
  await expectNoSurvivors(
    { pid, kill: async () => void process.kill(pid, "SIGKILL") },
    isInstalled("udevadm") ? ["udevadm", "chrom"] : ["chrom"],
  );
  await eventually(async () => (await processesNaming(folder.path)).length === 0);
});

test("[PRG1] the demo plays content, and prints what to do next and a link that signs its owner in once, also without a terminal", async () => {
  withoutTerminal = owned.use(new Program(demoArguments(folder.path)));
  const ready = await withoutTerminal.line("ready");
  const tokenFile = String(ready["token_file"]);
  expect((await stat(tokenFile)).mode & 0o777).toBe(0o600);
  expect((await fetch(String(ready["docs"]))).status).toBe(200);
  expect(Object.values(ready["curl"] as object).join(" ")).toContain(String(ready["player_id"]));

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
  const api = new Api(new URL(String(ready["docs"])).origin, await token());
  const address = String(ready["screenshot"]);
  expect(address).toMatch(/\/api\/v1\/screenshots\/shot_\w+\/image$/);
  const response = await api.call("GET", address.slice(address.indexOf("screenshots/")));
  const picture = sharp(Buffer.from(await response.arrayBuffer()));
  expect(await picture.metadata()).toMatchObject({ width: 1920, height: 1080 });
  const { channels } = await picture.stats();
  expect(Math.max(...channels.map(({ mean }) => mean))).toBeGreaterThan(40);
});

test("[PRG2] the next start needs no pairing; Ctrl+C stops everything and leaves no process", async () => {
  expect(withoutTerminal.lines.some(({ msg }) => msg === "pairing code")).toBe(false);
  expect(await withoutTerminal.stop()).toBe(0);
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
