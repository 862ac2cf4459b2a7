// Real programs, started by a Node process that is killed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findProgram, startGroup } from "../../../src/base/processes/process-group.ts";
import { rootFolder } from "../../../src/main/folders.ts";
import { descendantsOf, isAlive } from "../../host/processes.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";

const env = { PATH: process.env["PATH"] };

test("[PGR1] when its parent is killed, a program of the system ends with all that it has started in its group", async () => {
  const program = `import { startGroup } from ${JSON.stringify(join(rootFolder, "src/base/processes/process-group.ts"))};
    startGroup("sh", ["-c", "sleep 1000 & sleep 1000 & wait"], { env: process.env }).leader.stdout.pipe(process.stdout);`;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "inherit", "inherit"] });
  const sleeping = async () => (await descendantsOf(parent.pid!)).filter(({ name }) => name === "sleep");
  await eventually(async () => (await sleeping()).length === 2);
  const started = await descendantsOf(parent.pid!);
  parent.kill("SIGKILL");
  await once(parent, "exit");
  await eventually(async () => (await Promise.all(started.map(isAlive))).every((alive) => !alive));
});

test("[PGR2] the exit code, the signal, the input and the arguments of a program are its own", async () => {
  const run = async (program: string, ...args: string[]) => {
    const { leader } = startGroup(program, args, { env });
    let stdout = "";
    leader.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    leader.stdin.end("input");
    const [code, signal] = (await once(leader, "close")) as [number | null, string | null];
    return { code, signal, stdout };
  };
  expect(await run("sh", "-c", "exit 143")).toEqual({ code: 143, signal: null, stdout: "" });
  expect(await run("sh", "-c", "kill -TERM $$")).toEqual({ code: null, signal: "SIGTERM", stdout: "" });
  expect(await run("cat")).toEqual({ code: 0, signal: null, stdout: "input" });
  expect(await run("printf", "%s|", "a b", "$(id)", "")).toEqual({ code: 0, signal: null, stdout: "a b|$(id)||" });
});

test("[PGR3] what a program leaves behind in its group ends with it, and so does the process that waits for the parent's end", async () => {
  const { leader } = startGroup("sh", ["-c", "sleep 1000 & read -r _"], { env });
  await eventually(async () => (await descendantsOf(leader.pid!)).some(({ name }) => name === "sleep"));
  const started = await descendantsOf(leader.pid!);
  leader.stdin.end("\n");
  await once(leader, "close");
  await eventually(async () => (await Promise.all(started.map(isAlive))).every((alive) => !alive));
});

test("[PGR4] a program is found by its name on the PATH or by its path, if this user may execute it", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "tool");
  await writeFile(path, "#!/bin/sh\n");
  expect(await findProgram("tool", folder.path)).toBeNull();
  await chmod(path, 0o755);
  expect(await findProgram("tool", `/nowhere::${folder.path}`)).toBe(path);
  expect(await findProgram(path, undefined)).toBe(path);
  expect(await findProgram("tool", undefined)).toBeNull();
});
