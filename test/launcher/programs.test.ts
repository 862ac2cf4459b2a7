// The launcher's commands as processes: they decide, become the slot's program, and print what runs.
import { execFile } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { rootFolder } from "../../src/main/folders.ts";
import { LauncherRig } from "../support/launcher.ts";

const run = promisify(execFile);

test("[SLT9] before-start decides, start becomes the slot's program with its flags, and status tells why", async () => {
  await using rig = await LauncherRig.create();
  await rig.offer("1.1.0");
  await rig.ask("1.1.0");
  // The system's programs, of which before-start needs only this one.
  const programs = join(rig.folders.run, "programs");
  await mkdir(programs);
  await writeFile(join(programs, "dpkg-query"), "#!/bin/sh\nprintf 'chromium\\t150.0.1.2-1\\tinstalled\\n'\n");
  await chmod(join(programs, "dpkg-query"), 0o755);
  const env = { PATH: `${programs}:/usr/bin:/bin`, SIGNAGE_SERVER: "https://example.com", SIGNAGE_FLAGS: "--display :1  --kiosk" };
  const root = join(rig.folders.run, "../..");
  const launcher = async (...args: string[]): Promise<string> => {
    const file = join(rootFolder, "src/launcher/launcher.ts");
    return (await run(process.execPath, [file, "--root", root, ...args], { env })).stdout.trim();
  };
  await launcher("before-start");
  const cli = join(rig.folders.slot("a"), "dist/main/cli.js");
  expect(await launcher("start")).toBe(
    `${cli} start --engine chromium --data ${rig.folders.player} --server https://example.com --display :1 --kiosk ${rig.folders.status} ${rig.folders.updates}`,
  );
  expect(await launcher("run", "--", "show", "--help")).toBe(`${cli} show --help`);
  expect(await launcher("status")).toContain("version     1.1.0 in slot a: 1.1.0 was installed");
  expect(JSON.parse(await launcher("status", "--json"))).toMatchObject({ slot: "a", version: "1.1.0", previous_version: "1.0.0" });
  await expect(launcher("restart")).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining("unknown command restart") });
});
