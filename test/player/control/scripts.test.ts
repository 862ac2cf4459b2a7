// The command run with real scripts in a folder of the test's own user.
import { chmod, chown, mkdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { scriptModule } from "../../../src/player/commands/modules/script.ts";
import { DeclaredDevices } from "../../../src/player/control/declared-devices.ts";
import { runProgram } from "../../../src/player/control/run-program.ts";
import { CommandRequest } from "../../../src/protocol/device/command-request.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { newId } from "../../support/states.ts";

const uid = process.getuid!();
const anotherUid = 4_711;

/** A folder of scripts that belongs to this user, who stands in for root. */
async function createScripts(folder: string, scripts: Record<string, string>, clock = new FakeClock()) {
  const path = join(folder, "scripts");
  await mkdir(path, { mode: 0o755 });
  for (const [name, text] of Object.entries(scripts)) await install(path, name, text);
  const declared = await DeclaredDevices.open({ scripts: path, wiredDisplays: join(folder, "none.json"), ownerUid: uid }, silentLog);
  const module = scriptModule({ declared, clock, log: silentLog });
  async function run(args: object, signal = new AbortController().signal) {
    const command = { ...CommandRequest.parse({ type: "run", args }), id: newId("cmd") };
    const outcome = await module.run(command as Parameters<typeof module.run>[0], signal);
    return outcome.is === "done" ? outcome.result! : {};
  }
  return { path, declared, module, run };
}

async function install(folder: string, name: string, text: string, mode = 0o755): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${text}\n`);
  await chmod(path, mode);
  return path;
}

test("[SCR1] the command run is off without a folder of scripts, and announced with the names of those that may run", async () => {
  await using folder = await temporaryFolder();
  const places = { wiredDisplays: join(folder.path, "none.json"), ownerUid: uid };
  const off = await DeclaredDevices.open({ ...places, scripts: null }, silentLog);
  expect(scriptModule({ declared: off, clock: new FakeClock(), log: silentLog }).missing!()).toMatch("--allow-scripts");
  const without = await DeclaredDevices.open({ ...places, scripts: join(folder.path, "absent") }, silentLog);
  expect(scriptModule({ declared: without, clock: new FakeClock(), log: silentLog }).missing!()).toMatch("no folder");
  const { declared, module } = await createScripts(folder.path, { b: "true", a: "true", "Not A Name": "true" });
  expect(module.missing!()).toBeNull();
  expect(declared.scripts).toEqual({ is: "declared", value: ["a", "b"] });
});

test("[SCR2] a script gets its arguments as they are, the folder /, no input and no variable of the player", async () => {
  await using folder = await temporaryFolder();
  const { run } = await createScripts(folder.path, { show: 'for each; do echo "<$each>"; done; pwd; cat; env | sort | cut -d= -f1' });
  const result = await run({ script: "show", argv: ["a b", "$(id); `id`", "--x=1", ""] });
  expect(result).toMatchObject({ exit_code: 0, timed_out: false, stderr: [] });
  const lines = result["stdout"] as string[];
  expect(lines.slice(0, 5)).toEqual(["<a b>", "<$(id); `id`>", "<--x=1>", "<>", "/"]);
  // Without what the shell sets itself.
  expect(lines.slice(5).filter((name) => !["PWD", "OLDPWD", "SHLVL", "_"].includes(name))).toEqual(["HOME", "LC_ALL", "PATH"]);
});

test("[SCR3] the result of run has the exit code and both outputs, each cut with a note after 64 kB", async () => {
  await using folder = await temporaryFolder();
  const { run } = await createScripts(folder.path, { loud: "head -c 100000 /dev/zero | tr '\\0' x; echo wrong >&2; exit 3" });
  const result = await run({ script: "loud" });
  expect(result).toMatchObject({ exit_code: 3, signal: null, stderr: ["wrong"] });
  expect(result["stdout"]).toEqual(["x".repeat(65_536), "[cut: the program wrote 100000 bytes]"]);
});

test("[SCR4] at its time limit a script is killed with every process that it started, and so is what it leaves behind", async () => {
  await using folder = await temporaryFolder();
  const pids = join(folder.path, "pids");
  const clock = new FakeClock();
  const scripts = {
    slow: `echo begun; sleep 600 & echo $! >> ${pids}; echo $$ >> ${pids}; sleep 600`,
    leaves: `sleep 600 & echo $! >> ${pids}; echo left`,
  };
  const { run } = await createScripts(folder.path, scripts, clock);
  const slow = run({ script: "slow", timeout_ms: 1_000 });
  await expect.poll(() => readFile(pids, "utf8").catch(() => "")).toMatch(/^\d+\n\d+\n$/);
  clock.advance(999);
  expect(clock.pendingWaits).toBe(1);
  clock.advance(1);
  expect(await slow).toMatchObject({
    exit_code: null,
    signal: "SIGKILL",
    timed_out: true,
    stdout: ["begun"],
  });
  expect(await run({ script: "leaves" })).toMatchObject({ exit_code: 0, timed_out: false, stdout: ["left"] });
  await expectEnded(await readFile(pids, "utf8"), 3);
});

test("[SCR5] a cancelled script is killed", async () => {
  await using folder = await temporaryFolder();
  const pids = join(folder.path, "pids");
  const { run } = await createScripts(folder.path, { slow: `echo $$ >> ${pids}; mkfifo ${pids}.pipe; cat ${pids}.pipe` });
  const cancel = new AbortController();
  const running = run({ script: "slow" }, cancel.signal);
  await expect.poll(() => readFile(pids, "utf8").catch(() => "")).not.toBe("");
  cancel.abort(new Error("cancelled"));
  await expect(running).rejects.toThrow("cancelled");
  await expectEnded(await readFile(pids, "utf8"), 1);
});

test("[SCR5] a script that is cancelled while it is being started is killed too", async () => {
  await using folder = await temporaryFolder();
  const { path } = folder;
  await install(path, "slow", `mkfifo ${path}/pipe; cat ${path}/pipe`);
  const cancel = new AbortController();
  const limits = { timeoutMs: 600_000, maxOutputBytes: 100 };
  const running = runProgram(join(path, "slow"), [], limits, new FakeClock(), cancel.signal);
  cancel.abort(new Error("cancelled"));
  await expect(running).rejects.toThrow("cancelled");
});

test("[SCR6] only one script runs at a time", async () => {
  await using folder = await temporaryFolder();
  const { run } = await createScripts(folder.path, { wait: "sleep 600", quick: "true" });
  const cancel = new AbortController();
  const first = run({ script: "wait" }, cancel.signal);
  await expect(run({ script: "quick" })).rejects.toMatchObject({ code: "busy" });
  cancel.abort();
  await expect(first).rejects.toThrow();
  expect(await run({ script: "quick" })).toMatchObject({ exit_code: 0 });
});

test("[SCR7] a script runs only if it and every folder above it belong to root, are no links, and others cannot write them", async () => {
  await using folder = await temporaryFolder();
  const { path, run } = await createScripts(folder.path, { good: "true" });
  const refused = { code: "unsupported" };
  await install(path, "writable", "true", 0o777);
  await install(path, "plain", "true", 0o644);
  await install(folder.path, "outside", "true");
  await symlink(join(folder.path, "outside"), join(path, "link"));
  await mkdir(join(path, "folder"));
  if (uid === 0) await chown(await install(path, "foreign", "true"), anotherUid, anotherUid);
  for (const script of ["writable", "plain", "link", "folder", "foreign", "absent"]) {
    await expect(run({ script }), script).rejects.toMatchObject(refused);
  }
  expect(CommandRequest.safeParse({ type: "run", args: { script: "../outside" } }).success).toBe(false);
  expect(await run({ script: "good" })).toMatchObject({ exit_code: 0 });
  await chmod(path, 0o777);
  await expect(run({ script: "good" })).rejects.toMatchObject(refused);
  await chmod(path, 0o755);
  await rename(path, `${path}-real`);
  await symlink(`${path}-real`, path);
  await expect(run({ script: "good" })).rejects.toMatchObject(refused);
});

/** Waits until none of the processes runs. A killed one may be a zombie until its new parent reads its status. */
async function expectEnded(list: string, count: number): Promise<void> {
  const pids = list.trim().split("\n");
  expect(pids).toHaveLength(count);
  const state = async (pid: string): Promise<string> =>
    (await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") Z")).split(") ")[1]!.slice(0, 1);
  for (const pid of pids) await expect.poll(() => state(pid)).toBe("Z");
}
