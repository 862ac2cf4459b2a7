// The runner of `npm test` as a program.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rootFolder } from "../src/main/folders.ts";
import { temporaryFolder } from "./support/folder.ts";
import { descendantsOf, isAlive } from "./host/processes.ts";
import { eventually, waitUntil } from "./support/polling.ts";

test.each(["SIGINT", "SIGTERM"] as const)(
  "[RUN9] after %s the runner of npm test, Vitest and its workers have ended and left no file",
  async (signal) => {
    await using folder = await temporaryFolder();
    await symlink(join(rootFolder, "node_modules"), join(folder.path, "node_modules"));
    const file = join(folder.path, "begun");
    const endless = `import { writeFileSync } from "node:fs"; import { test } from "vitest";
    test("endless", () => { writeFileSync(${JSON.stringify(file)}, ""); return new Promise(() => {}); });`;
    await writeFile(join(folder.path, "endless.test.ts"), endless);
    const temporary = join(folder.path, "tmp");
    await mkdir(temporary);
    const program = join(rootFolder, "test/support/programs/run-vitest.ts");
    const runner = spawn(process.execPath, [program, folder.path], { stdio: "ignore", env: { ...process.env, TMPDIR: temporary } });
    const ended = once(runner, "exit");
    await eventually(() => existsSync(file));
    const started = await descendantsOf(runner.pid!);
    try {
      expect(started.length).toBeGreaterThan(1);
      runner.kill(signal);
      expect((await ended)[1]).toBe(signal);
      for (const each of started) await waitUntil(`${each.name} has ended`, async () => !(await isAlive(each)));
      expect(await readdir(temporary)).toEqual([]);
    } finally {
      for (const each of started) if (await isAlive(each)) process.kill(each.pid, "SIGKILL");
    }
  },
);
