// Installing a version beside the running one, and what is refused.
import { readdir, readFile, readlink, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LauncherRig, type BundleOptions } from "../support/launcher.ts";
import { smallDisk } from "../support/small-disk.ts";

const minute = 60_000;

test("[SLT1] a version is installed beside the running one, then switched to; returning to the version before needs no download", async () => {
  await using rig = await LauncherRig.create();
  await rig.pass(1);
  await rig.offer("1.1.0");
  await rig.ask("1.1.0");
  expect(rig.version).toBe("1.1.0");
  expect(await rig.status()).toMatchObject({ slot: "a", previous_version: "1.0.0", last_attempt: { outcome: "probation" } });
  await rig.pass(12);
  await rig.offer("1.2.0");
  await rig.ask("1.2.0");
  await rig.pass(12);
  expect(await rig.status()).toMatchObject({ slot: "b", version: "1.2.0", previous_version: "1.1.0" });

  await rm(join(rig.folders.updates, "targets"), { recursive: true });
  await rig.ask("1.1.0");
  expect(await rig.status()).toMatchObject({ slot: "a", version: "1.1.0", probation: { version: "1.1.0", needed_ms: 10 * minute } });
});

test("[SLT2] an older version is refused unless it is the one before", async () => {
  await using rig = await LauncherRig.create();
  for (const version of ["1.1.0", "1.2.0", "1.3.0"]) {
    await rig.offer(version);
    if (version === "1.1.0") continue;
    await rig.ask(version);
    await rig.pass(12);
  }
  await rig.ask("1.1.0");
  expect(await rig.status()).toMatchObject({
    version: "1.3.0",
    previous_version: "1.2.0",
    last_attempt: { version: "1.1.0", outcome: "refused", detail: expect.stringContaining("older than 1.3.0") },
  });
});

test("[SLT3] a bundle that was changed, is no bundle or needs a newer launcher is refused with the reason, and leaves nothing", async () => {
  await using rig = await LauncherRig.create();
  const refused = async (version: string, detail: string): Promise<void> => {
    await rig.ask(version);
    expect(rig.version).toBe("1.0.0");
    expect(await rig.status()).toMatchObject({
      probation: null,
      last_attempt: { version, outcome: "refused", detail: expect.stringContaining(detail) },
    });
    expect(await readdir(join(rig.folders.data, "slots"))).toEqual([]);
  };
  await refused("1.1.0", "is missing");
  await rig.offer("1.1.0");
  const bundle = join(rig.folders.updates, "targets", (await readdir(join(rig.folders.updates, "targets")))[0]!);
  await truncate(bundle, 100);
  await refused("1.1.0", "has 100 bytes instead of");
  await rm(bundle);
  await symlink("/etc/shadow", bundle);
  await refused("1.1.0", "1.1.0");
  await rig.offer("1.2.0", { launcher_needed: "2.0.0" });
  await refused("1.2.0", "needs the launcher 2.0.0, here is 1.0.0. Update the package signage-player by apt first");
  await rig.offer("1.3.0", { release: { version: "9.0.0", architecture: "amd64", launcher_needed: "1.0.0" } });
  await refused("1.3.0", "release.json is not what");
  await refused("1.9.0", "has no signage-player_1.9.0_amd64");
});

test("[SLT4] expired metadata, another signer's and a missing trust anchor are refused, and what runs is untouched", async () => {
  await using rig = await LauncherRig.create({ expiryDays: { timestamp: 2 } });
  await rig.offer("1.1.0");
  rig.clock.advance(3 * 24 * 60 * minute);
  await rig.ask("1.1.0");
  expect((await rig.status()).last_attempt).toMatchObject({ outcome: "refused", detail: expect.stringContaining("expired") });
  await using other = await LauncherRig.create();
  await writeFile(rig.folders.anchors[1]!, other.releases.anchor);
  await rig.ask("1.1.0");
  expect((await rig.status()).last_attempt?.detail).toContain("not signed by enough keys");
  await rm(rig.folders.anchors[1]!);
  await rig.ask("1.1.0");
  expect((await rig.status()).last_attempt?.detail).toContain("/etc/signage-player/root.json");
  expect(rig.version).toBe("1.0.0");
});

test("[SLT4] a clock that is behind does not make expired metadata valid: the request's time and the newest known one count", async () => {
  await using rig = await LauncherRig.create({ expiryDays: { timestamp: 2 } });
  await rig.offer("1.1.0");
  await rig.ask("1.1.0", rig.clock.now() + 3 * 24 * 60 * minute);
  expect((await rig.status()).last_attempt).toMatchObject({ outcome: "refused", detail: expect.stringContaining("expired") });
  // A time in the far future was not believed, so the right one is not too early.
  await rig.ask("1.1.0");
  expect(rig.version).toBe("1.1.0");
});

test("[SLT5] a damaged slot is not started: the version before is, or else the package's", async () => {
  await using rig = await LauncherRig.create();
  for (const version of ["1.1.0", "1.2.0"]) {
    await rig.offer(version);
    await rig.ask(version);
    await rig.pass(12);
  }
  await truncate(join(rig.folders.slot("b"), "bin/node"), 1);
  expect(await rig.startPlayer()).toBe("a");
  expect((await rig.status()).reason).toContain("slot b cannot be started: it is damaged");
  await rm(rig.folders.slot("a"), { recursive: true });
  expect(await rig.startPlayer()).toBe("package");
  await rm(rig.folders.slot("package"), { recursive: true });
  await expect(rig.startPlayer()).rejects.toThrow("apt install --reinstall signage-player");
});

test("[SLT5] changed bytes of the same length are found after five starts in a row that ended at once", async () => {
  await using rig = await LauncherRig.create();
  await rig.offer("1.1.0", { files: { "dist/main/part.js": "good" } });
  await rig.ask("1.1.0");
  await rig.pass(12);
  await writeFile(join(rig.folders.slot("a"), "dist/main/part.js"), "evil");
  const slots = [];
  for (let start = 0; start < 6; start += 1) slots.push(await rig.startPlayer());
  expect(slots).toEqual(["a", "a", "a", "a", "a", "package"]);
});

test("[SLT6] on a full disk an update is refused and leaves nothing, and works when there is room", async ({ skip }) => {
  await using disk = await smallDisk(4);
  if (disk === null) return skip("only root can mount a small disk");
  await using rig = await LauncherRig.create();
  await rig.offer("1.1.0", { files: { "dist/large": "x".repeat(5 * 2 ** 20) } });
  await rig.offer("1.2.0");
  await rm(join(rig.folders.data, "slots"), { recursive: true });
  await symlink(disk.path, join(rig.folders.data, "slots"));
  await rig.ask("1.1.0");
  expect(await rig.status()).toMatchObject({
    version: "1.0.0",
    last_attempt: { outcome: "refused", detail: expect.stringContaining("The disk is full") },
  });
  expect(await readdir(disk.path)).toEqual([]);
  await rig.ask("1.2.0");
  expect(rig.version).toBe("1.2.0");
});

test.each<[string, BundleOptions]>([
  ["a path above its root", { files: { evil: "x" }, tarArguments: ["-P", "--transform=s,^./evil,../evil,"] }],
  ["an absolute path", { files: { evil: "x" }, tarArguments: ["-P", "--transform=s,^./evil,/tmp/evil,"] }],
  ["a link out of the slot", { links: { evil: "../../../etc" } }],
  ["an absolute link", { links: { evil: "/etc" } }],
  ["a link by way of another one", { links: { evil: "dist/../.." } }],
  ["a file behind a link", { links: { a: "dist" }, files: { "b/x": "x" }, tarArguments: ["--sort=name", "--transform=s,^./b,./a,"] }],
])("[SLT7] a signed archive with %s is refused, and leaves nothing", async (_, options) => {
  await using rig = await LauncherRig.create();
  await rig.offer("1.1.0", options);
  await rig.ask("1.1.0");
  expect((await rig.status()).last_attempt).toMatchObject({ outcome: "refused", detail: expect.stringContaining("archive is refused") });
  expect(await readdir(join(rig.folders.data, "slots"))).toEqual([]);
});

test("[SLT7] links within the slot, long names and empty files are unpacked as they are", async () => {
  await using rig = await LauncherRig.create();
  const long = `dist/${"long/".repeat(30)}${"name".repeat(30)}.js`;
  await rig.offer("1.1.0", { files: { [long]: "content", empty: "" }, links: { "bin/tool": "../dist/main/cli.js" } });
  await rig.ask("1.1.0");
  expect(await readFile(join(rig.folders.slot("a"), long), "utf8")).toBe("content");
  expect(await readlink(join(rig.folders.slot("a"), "bin/tool"))).toBe("../dist/main/cli.js");
  expect((await stat(join(rig.folders.slot("a"), "bin/node"))).mode & 0o777).toBe(0o755);
});
