// The launcher's commands as processes: they decide, become the slot's program, and print what runs.
import { execFile } from "node:child_process";
import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { rootFolder } from "../../src/main/folders.ts";
import { launcherFolders } from "../../src/launcher/launcher-folders.ts";
import { temporaryFolder } from "../support/folder.ts";
import { LauncherRig } from "../support/launcher.ts";

const run = promisify(execFile);

test("[SLT9] the launcher becomes the program of the decided slot, with the flags of the device, and tells what runs and why", async () => {
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
  await mkdir(dirname(rig.folders.serialOfFirmware), { recursive: true });
  await writeFile(rig.folders.serialOfFirmware, "SN-1\n");
  const launcher = async (...args: string[]): Promise<string> => {
    const file = join(rootFolder, "src/launcher/launcher.ts");
    return (
      await run("/bin/sh", ["-c", 'umask 077; exec "$0" "$@"', process.execPath, file, "--root", root, ...args], { env })
    ).stdout.trim();
  };
  await launcher("before-start");
  expect(await readFile(rig.folders.serial, "utf8")).toBe("SN-1\n");
  // The player's user reads them, whatever the unit's umask.
  for (const file of [rig.folders.serial, rig.folders.unitStart, rig.folders.status]) expect((await stat(file)).mode & 0o777).toBe(0o644);
  const cli = join(rig.folders.slot("a"), "dist/main/cli.js");
  expect(await launcher("start")).toBe(
    `${cli} start --engine chromium --data ${rig.folders.player} --server https://example.com --display :1 --kiosk ${rig.folders.status} ${rig.folders.updates} ${rig.folders.health}`,
  );
  expect(await launcher("run", "--", "show", "--help")).toBe(`${cli} show --help`);
  expect(await launcher("status")).toContain("version     1.1.0 in slot a: 1.1.0 was installed");
  expect(JSON.parse(await launcher("status", "--json"))).toMatchObject({ slot: "a", version: "1.1.0", previous_version: "1.0.0" });
  await expect(launcher("restart")).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining("unknown command restart") });
});

test("[BRU3] before any browser is known to be good, people have to name the one that is restored", async () => {
  await using folder = await temporaryFolder();
  const { launcherInfo } = launcherFolders(folder.path);
  await mkdir(dirname(launcherInfo), { recursive: true });
  await writeFile(launcherInfo, JSON.stringify({ launcher_version: "1.0.0", built_at: "2026-11-01T00:00:00Z" }));
  const launcher = [join(rootFolder, "src/launcher/launcher.ts"), "--root", folder.path, "restore-browser"];
  const refusal = { code: 1, stderr: expect.stringContaining("Name one: restore-browser VERSION") };
  await expect(run(process.execPath, launcher, { env: { PATH: "/usr/bin:/bin" } })).rejects.toMatchObject(refusal);
});
