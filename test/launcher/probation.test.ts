// The probation of a new version: what keeps it, what ends it, and what is reported.
import { expect, test } from "vitest";
import { LauncherRig, type BundleOptions, type PlayerBehaviour } from "../support/launcher.ts";
import { smallDisk } from "../support/small-disk.ts";
import { mkdir, rm, symlink, writeFile, cp } from "node:fs/promises";

/** A device that runs 1.1.0 for good, and has just switched to 1.2.0. */
async function updated(before: PlayerBehaviour = {}, options: BundleOptions = {}): Promise<LauncherRig> {
  const rig = await LauncherRig.create();
  rig.behaviour = before;
  await rig.offer("1.1.0");
  await rig.ask("1.1.0");
  await rig.pass(11);
  await rig.offer("1.2.0", options);
  await rig.ask("1.2.0");
  expect(rig.version).toBe("1.2.0");
  return rig;
}

const failed = (detail: string) => ({ what: "program", version: "1.2.0", outcome: "rolled-back", detail: expect.stringContaining(detail) });

test("[PRO1] a version is kept after ten healthy minutes of one run", async () => {
  await using rig = await updated();
  await rig.pass(9);
  expect(await rig.status()).toMatchObject({ version: "1.2.0", probation: { version: "1.2.0" }, last_attempt: { outcome: "probation" } });
  await rig.pass(3);
  expect(await rig.status()).toMatchObject({ version: "1.2.0", probation: null, failed: null, last_attempt: { outcome: "kept" } });
});

test.each<[string, PlayerBehaviour, string]>([
  ["hangs, or never starts to work", "silent", "no health for two minutes"],
  ["presents no frames", { frames: false }, "presented no frame"],
  ["does not check in", { checked_in: false }, "did not answer"],
  ["takes too much memory", { memory: false }, "more memory than its budget"],
])("[PRO2] a version that %s is left, and the one before runs", async (_, behaviour, detail) => {
  await using rig = await updated();
  rig.behaviour = behaviour;
  await rig.pass(4, () => rig.version === "1.1.0");
  expect(rig.version).toBe("1.1.0");
  rig.behaviour = {};
  await rig.pass(12);
  expect(await rig.status()).toMatchObject({
    version: "1.1.0",
    last_attempt: { ...failed(detail), control: "passed" },
    failed: { version: "1.2.0", tries: 1 },
  });
});

test("[PRO2] a version that presents nothing is left after a minute, because the screen is dark", async () => {
  await using rig = await updated();
  rig.behaviour = { frames: false };
  await rig.pass(1);
  expect(rig.version).toBe("1.2.0");
  await rig.pass(1, () => rig.version === "1.1.0");
  expect(rig.version).toBe("1.1.0");
});

test("[PRO2] a version that ends at each start is left at the fourth start, without waiting for the daemon", async () => {
  await using rig = await updated();
  for (let start = 2; start <= 3; start += 1) expect(await rig.startPlayer()).toBe("b");
  expect(await rig.startPlayer()).toBe("a");
  expect((await rig.status()).last_attempt).toMatchObject(failed("it ended 3 times"));
});

test("[PRO2] a version that ends after five minutes each time is left, although it was healthy for more than ten in all", async () => {
  await using rig = await updated();
  for (let start = 1; start <= 3; start += 1) {
    await rig.pass(5);
    expect((await rig.status()).version).toBe("1.2.0");
    await rig.startPlayer();
  }
  expect(rig.version).toBe("1.1.0");
});

test("[PRO2] health that is old, of another version or damaged counts as none", async () => {
  await using rig = await updated();
  await rig.pass(1);
  const file = rig.folders.health;
  rig.behaviour = "silent";
  for (const content of ["{", JSON.stringify({ version: "1.2.0" })]) {
    await writeFile(file, content);
    await rig.pass(1);
  }
  await rm(file);
  await symlink("/dev/zero", file);
  await rig.pass(1, () => rig.version === "1.1.0");
  expect(rig.version).toBe("1.1.0");
});

test("[PRO3] a check of a probation counts only if it passed before the update", async () => {
  await using rig = await updated({ frames: null, checked_in: false, memory: true });
  rig.behaviour = { frames: false, checked_in: false };
  await rig.pass(12);
  expect(await rig.status()).toMatchObject({ version: "1.2.0", last_attempt: { outcome: "kept" } });
});

test("[PRO4] after a rollback the version before gets the same test; if it fails too, the new version is not blamed", async () => {
  await using rig = await updated();
  rig.behaviour = { checked_in: false };
  await rig.pass(8);
  expect(await rig.status()).toMatchObject({
    version: "1.1.0",
    last_attempt: { ...failed("did not answer"), control: "failed" },
    failed: { version: "1.2.0", tries: 0 },
  });
  rig.behaviour = {};
  await rig.pass(60);
  await rig.ask("1.2.0");
  expect(rig.version).toBe("1.2.0");
});

test("[PRO5] a version that failed is tried again after an hour, four hours, then once a day; another version begins anew", async () => {
  await using rig = await updated();
  const hours = [1, 4, 24, 24];
  for (const [index, pause] of hours.entries()) {
    for (let start = 0; start < 3; start += 1) await rig.startPlayer();
    expect(rig.version).toBe("1.1.0");
    await rig.pass(11);
    const { failed: failure } = await rig.status();
    expect(failure).toMatchObject({ version: "1.2.0", tries: index + 1 });
    expect(Date.parse(failure!.retry_at!) - rig.clock.now()).toBeGreaterThan((pause - 0.25) * 3_600_000);
    await rig.ask("1.2.0");
    expect(rig.version).toBe("1.1.0");
    // What the last attempt found is still told.
    expect((await rig.status()).last_attempt).toMatchObject({ outcome: "rolled-back", control: "passed" });
    rig.clock.advance(pause * 3_600_000);
    await rig.ask("1.2.0");
    expect(rig.version).toBe("1.2.0");
  }
  for (let start = 0; start < 3; start += 1) await rig.startPlayer();
  await rig.pass(11);
  await rig.offer("1.3.0");
  await rig.ask("1.3.0");
  expect(await rig.status()).toMatchObject({ version: "1.3.0", failed: null });
});

test("[PRO6] a probation continues after a reboot or a restart of the daemon; a machine that boots again and again leaves the version", async () => {
  await using rig = await updated();
  await rig.pass(6);
  await rig.boot();
  await rig.pass(1);
  await rig.restartDaemon();
  await rig.pass(6);
  expect((await rig.status()).last_attempt).toMatchObject({ version: "1.2.0", outcome: "kept" });

  await rig.offer("1.3.0");
  await rig.ask("1.3.0");
  for (let boot = 2; boot <= 5; boot += 1) await rig.boot();
  expect(rig.version).toBe("1.3.0");
  await rig.boot();
  expect(rig.version).toBe("1.2.0");
});

test("[PRO7] a player that people stopped is not a failure of its version", async () => {
  await using rig = await updated();
  rig.behaviour = "silent";
  rig.answers = (call) => (call.startsWith("systemctl show") ? "inactive\n" : "");
  await rig.pass(30);
  expect((await rig.status()).probation).not.toBeNull();
  rig.behaviour = {};
  await rig.startPlayer();
  await rig.pass(12);
  expect((await rig.status()).last_attempt?.outcome).toBe("kept");
});

test("[PRO8] on a full disk a version that crashes is left too", async ({ skip }) => {
  await using disk = await smallDisk(4);
  if (disk === null) return skip("only root can mount a small disk");
  await using rig = await LauncherRig.create();
  await cp(rig.folders.data, disk.path, { recursive: true });
  await rm(rig.folders.data, { recursive: true });
  await symlink(disk.path, rig.folders.data);
  await rig.pass(1);
  await rig.offer("1.1.0");
  await rig.ask("1.1.0");
  await disk.fill();
  for (let start = 2; start <= 4; start += 1) await rig.startPlayer();
  expect(rig.version).toBe("1.0.0");
  await rig.pass(1);
  expect(await rig.status()).toMatchObject({ version: "1.0.0", last_attempt: { outcome: "rolled-back" } });
  await disk.free();
  await rig.pass(11);
  await rig.boot();
  expect(await rig.status()).toMatchObject({ version: "1.0.0", last_attempt: { outcome: "rolled-back", control: "passed" } });
});

test("[PRO9] a program that apt replaced in the package is watched as well, and without a version before it stays", async () => {
  await using rig = await LauncherRig.create();
  await rig.pass(1);
  await rig.installPackage("1.5.0");
  await rig.startPlayer();
  expect(await rig.status()).toMatchObject({ slot: "package", version: "1.5.0", probation: { version: "1.5.0" } });
  rig.behaviour = "silent";
  await rig.pass(4);
  expect(await rig.status()).toMatchObject({
    version: "1.5.0",
    last_attempt: { outcome: "kept", detail: expect.stringContaining("no version before to return to") },
  });
});

test("[PRO9] while an update slot runs, apt's new program waits in the package, and can be asked for without a download", async () => {
  await using rig = await updated();
  await rig.pass(12);
  await mkdir(rig.folders.updates, { recursive: true });
  await rig.installPackage("1.5.0");
  expect(await rig.startPlayer()).toBe("b");
  await rig.ask("1.5.0");
  expect(await rig.status()).toMatchObject({ slot: "package", version: "1.5.0", previous_version: "1.2.0" });
  rig.behaviour = { frames: false };
  await rig.pass(4, () => rig.version === "1.2.0");
  expect(rig.version).toBe("1.2.0");
});
