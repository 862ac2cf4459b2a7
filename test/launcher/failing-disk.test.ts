// A launcher whose disk fails to read or write its files, and is healed: it still knows what ran, what failed and what it installed.
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failDisk, failureCodes } from "../support/failing-disk.ts";
import type { LauncherRig } from "../support/launcher.ts";
import { deviceWithHistory, expectNothingLost, launcherFiles } from "./device-with-history.ts";

// One device for all failures, each of which it has to survive after the ones before.
let rig: LauncherRig;
beforeAll(async () => void (rig = await deviceWithHistory()));
afterAll(() => rig[Symbol.asyncDispose]());

test.each(failureCodes.map((code, index) => [code, index] as const))(
  "[SLT10] while the launcher's files fail with %s something runs, and then what ran before, with all that was known",
  async (code, index) => {
    const all = await launcherFiles(rig);
    // Each file fails with two of the codes, and all of them with each.
    const some = all.filter((_, file) => [index, index + 1].some((each) => (file - each) % failureCodes.length === 0));
    await expectNothingLost(rig, code, [...some.map((path) => [path]), all]);
  },
);

test("[SLT11] a slot that the disk fails to read for long does not restart the player again and again", async () => {
  const release = join(rig.folders.slot("a"), "release.json");
  using _failing = failDisk("read", "EIO", (path) => path === release);
  await rig.startPlayer();
  expect(rig.version).toBe("1.0.0");
  const before = rig.calls.filter((call) => call.startsWith("systemctl restart")).length;
  await rig.pass(60);
  expect(rig.calls.filter((call) => call.startsWith("systemctl restart")).length).toBe(before);
});
