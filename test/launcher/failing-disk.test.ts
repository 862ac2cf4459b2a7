// A launcher whose disk fails to read or write its files, and is healed: it still knows what ran, what failed and what it installed.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failDisk, failureCodes } from "../support/failing-disk.ts";
import { LauncherRig } from "../support/launcher.ts";

/** A device that runs 1.1.0 in slot a, and returned to it because 1.2.0 failed. */
async function deviceWithHistory(): Promise<LauncherRig> {
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

test.each(failureCodes)(
  "[SLT10] while the launcher's files fail with %s something runs, and then what ran before, with all that was known",
  async (code) => {
    await using rig = await deviceWithHistory();
    const { data } = rig.folders;
    const before = await rig.launcher.store.read();
    expect(before).toMatchObject({ slot: "a", failed: { version: "1.2.0" } });
    const entries = await readdir(data, { recursive: true, withFileTypes: true });
    const all = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    // One file at a time, then all of them.
    for (const concerned of [...all.map((path) => [path]), all]) {
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
        expect({ slot, failed, previous }, concerned.join()).toEqual({
          slot: before.slot,
          failed: before.failed,
          previous: before.previous,
        });
      }
    }
    expect((await readdir(data, { recursive: true })).filter((name) => name.endsWith(".damaged"))).toEqual([]);
    expect(JSON.parse(await readFile(rig.folders.started, "utf8")).slot).toBe("a");
  },
);

test("[SLT11] a slot that the disk fails to read for days is not started again and again", async () => {
  await using rig = await deviceWithHistory();
  const release = join(rig.folders.slot("a"), "release.json");
  using _failing = failDisk("read", "EIO", (path) => path === release);
  await rig.startPlayer();
  expect(rig.version).toBe("1.0.0");
  const before = rig.calls.filter((call) => call.startsWith("systemctl restart")).length;
  await rig.pass(60);
  expect(rig.calls.filter((call) => call.startsWith("systemctl restart")).length).toBe(before);
});
