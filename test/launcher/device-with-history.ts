// A device with a past, whose disk fails and is healed again: it has to know what it knew.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { failDisk, type failureCodes } from "../support/failing-disk.ts";
import { LauncherRig } from "../support/launcher.ts";

/** A device that runs 1.1.0 in slot a, and returned to it because 1.2.0 failed. */
export async function deviceWithHistory(): Promise<LauncherRig> {
  const rig = await LauncherRig.create();
  await rig.offer("1.1.0");
  await rig.ask("1.1.0");
  await rig.pass(12);
  await rig.offer("1.2.0");
  await rig.ask("1.2.0");
  rig.behaviour = "silent";
  await rig.pass(30, () => rig.version === "1.1.0");
  rig.behaviour = {};
  await rig.pass(15);
  expect(rig.version).toBe("1.1.0");
  return rig;
}

/** All files of the launcher. */
export async function launcherFiles({ folders: { data } }: LauncherRig): Promise<string[]> {
  const entries = await readdir(data, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** Fails the disk for each group of files, over a restart of the player and of the machine, and expects that nothing is lost. */
export async function expectNothingLost(
  rig: LauncherRig,
  code: (typeof failureCodes)[number],
  groups: readonly (readonly string[])[],
): Promise<void> {
  const before = await rig.launcher.store.read();
  expect(before).toMatchObject({ slot: "a", failed: { version: "1.2.0" } });
  for (const concerned of groups) {
    for (const boots of [false, true]) {
      const failing = failDisk("both", code, (path) => concerned.includes(path));
      using _ = failing;
      if (boots) await rig.boot();
      else await rig.startPlayer();
      expect(rig.version, concerned.join()).toMatch(/^1\.[01]\.0$/);
      await rig.pass(2);
      failing.heal();
      await rig.pass(2);
      expect(rig.version, concerned.join()).toBe("1.1.0");
      const { slot, failed, previous } = await rig.launcher.store.read();
      expect({ slot, failed, previous }, concerned.join()).toEqual({ slot: before.slot, failed: before.failed, previous: before.previous });
    }
  }
  expect((await readdir(rig.folders.data, { recursive: true })).filter((name) => name.endsWith(".damaged"))).toEqual([]);
  expect(JSON.parse(await readFile(rig.folders.unitStart, "utf8")).slot).toBe("a");
}
