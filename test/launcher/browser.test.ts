// The browser that apt replaces: its packages are kept, it is watched like a program, and the one before comes back.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keepBrowser } from "../../src/launcher/browser-packages.ts";
import { LauncherRig } from "../support/launcher.ts";

const [old, next, later] = ["150.0.1.2-1~deb13u1", "151.0.3.4-1~deb13u1", "152.0.5.6-1~deb13u1"];

/** Debian's package system as far as the launcher uses it. */
class FakeDpkg {
  installed = old;
  candidate = old;
  downloads = true;
  readonly answer = (call: string): string | Error => {
    if (call.startsWith("dpkg-query"))
      return ["chromium", "chromium-common"].map((name) => `${name}\t${this.installed}\tinstalled\n`).join("");
    if (call.startsWith("dpkg --force-confold -i")) this.installed = decodeURIComponent(/chromium_([^_]+)_/.exec(call)![1]!);
    if (call.startsWith("apt-cache policy")) return `chromium:\n  Installed: ${this.installed}\n  Candidate: ${this.candidate}\n`;
    if (call.startsWith("dpkg --compare-versions")) {
      const [, , candidate, , refused] = call.split(" ");
      return candidate! > refused! ? "" : Object.assign(new Error("no"), { code: 1 });
    }
    if (call.startsWith("apt-get download") && !this.downloads) return new Error("404 Not Found");
    return "";
  };
}

async function setUp(): Promise<{ rig: LauncherRig; dpkg: FakeDpkg }> {
  const [rig, dpkg] = [await LauncherRig.create(), new FakeDpkg()];
  rig.answers = dpkg.answer;
  await mkdir(rig.folders.aptArchives, { recursive: true });
  await archive(rig, old);
  await rig.pass(2);
  return { rig, dpkg };
}

async function archive(rig: LauncherRig, version: string): Promise<string[]> {
  const paths = ["chromium", "chromium-common"].map((name) => join(rig.folders.aptArchives, `${name}_${version}_amd64.deb`));
  for (const path of paths) await writeFile(path, version);
  return paths;
}

/** What apt does: its hook, then dpkg, then it deletes what it downloaded. */
async function upgrade({ rig, dpkg }: { rig: LauncherRig; dpkg: FakeDpkg }, version: string): Promise<void> {
  await keepBrowser(rig.launcher, await archive(rig, version), false);
  dpkg.installed = version;
  dpkg.candidate = version;
}

test("[BRU1] apt's hook keeps the packages of the installed browser and of the one that replaces it, and forgets older ones", async () => {
  const { rig, dpkg } = await setUp();
  await using _ = rig;
  await upgrade({ rig, dpkg }, next);
  expect((await readdir(rig.folders.browser)).toSorted()).toEqual([old, next].map(encodeURIComponent).toSorted());
  expect((await readdir(join(rig.folders.browser, encodeURIComponent(old)))).toSorted()).toEqual([
    `chromium-common_${old}_amd64.deb`,
    `chromium_${old}_amd64.deb`,
  ]);
  rig.browser = "Chromium 151.0.3.4";
  await rig.startPlayer();
  await rig.pass(12);
  await upgrade({ rig, dpkg }, later);
  expect((await readdir(rig.folders.browser)).toSorted()).toEqual([next, later].map(encodeURIComponent).toSorted());
});

test("[BRU1] a package that is nowhere on the disk is downloaded, but not from within apt", async () => {
  const { rig } = await setUp();
  await using _ = rig;
  rig.answers = (call) => (call.startsWith("dpkg-query") ? `chromium\t${later}\tinstalled\n` : "");
  await keepBrowser(rig.launcher, [], false);
  expect(rig.calls.filter((call) => call.startsWith("apt-get"))).toEqual([]);
  await keepBrowser(rig.launcher, [], true);
  expect(rig.calls.filter((call) => call.startsWith("apt-get"))).toEqual([`apt-get download chromium=${later}`]);
});

test("[BRU2] another browser is watched from the moment it runs, and kept after ten healthy minutes", async () => {
  const { rig, dpkg } = await setUp();
  await using _ = rig;
  await upgrade({ rig, dpkg }, next);
  await rig.pass(5);
  // The old one is still running until the player's maintenance window.
  expect((await rig.status()).probation).toBeNull();
  rig.browser = "Chromium 151.0.3.4";
  await rig.pass(3);
  expect((await rig.status()).probation).toMatchObject({ what: "browser", version: next });
  await rig.pass(12);
  expect(await rig.status()).toMatchObject({ probation: null, last_attempt: { what: "browser", version: next, outcome: "kept" } });
});

test("[BRU3] a browser that fails is replaced by the one before and held, until apt has a newer one", async () => {
  const { rig, dpkg } = await setUp();
  await using _ = rig;
  await upgrade({ rig, dpkg }, next);
  await rig.startPlayer();
  rig.behaviour = { frames: false };
  await rig.pass(5, () => dpkg.installed === old);
  expect(dpkg.installed).toBe(old);
  expect(rig.calls).toContain("apt-mark hold chromium-common chromium");
  rig.behaviour = {};
  await rig.pass(13);
  expect((await rig.status()).last_attempt).toMatchObject({ what: "browser", version: next, outcome: "rolled-back", control: "passed" });
  expect(rig.calls.filter((call) => call.startsWith("apt-mark unhold"))).toEqual([]);
  dpkg.candidate = later;
  await rig.pass(2);
  expect(rig.calls.filter((call) => call.startsWith("apt-mark unhold"))).toHaveLength(1);
});

test("[BRU3] while dpkg is locked the browser before is installed again at the next try", async () => {
  const { rig, dpkg } = await setUp();
  await using _ = rig;
  await upgrade({ rig, dpkg }, next);
  await rig.startPlayer();
  rig.behaviour = "silent";
  rig.answers = (call) =>
    call.startsWith("dpkg --force") ? new Error("dpkg frontend lock is locked by another process") : dpkg.answer(call);
  await rig.pass(6);
  expect(dpkg.installed).toBe(next);
  rig.answers = dpkg.answer;
  await rig.pass(2);
  expect(dpkg.installed).toBe(old);
});

test("[BRU4] a browser that changes together with the program is tested after it, so that each is blamed for its own failure", async () => {
  const { rig, dpkg } = await setUp();
  await using _ = rig;
  await rig.offer("1.1.0");
  await upgrade({ rig, dpkg }, next);
  await rig.ask("1.1.0");
  rig.browser = "Chromium 151.0.3.4";
  rig.behaviour = { frames: false };
  await rig.pass(6);
  // The program before shows nothing on the new browser either, so the program is not blamed.
  expect(await rig.status()).toMatchObject({ version: "1.0.0", failed: { version: "1.1.0", tries: 0 } });
  await rig.pass(6, () => dpkg.installed === old);
  expect(dpkg.installed).toBe(old);
});

test("[BRU1] the packages that apt's hook keeps are whole", async () => {
  const { rig, dpkg } = await setUp();
  await using _ = rig;
  await upgrade({ rig, dpkg }, next);
  const folder = join(rig.folders.browser, encodeURIComponent(next));
  for (const name of await readdir(folder)) expect(await readFile(join(folder, name), "utf8")).toBe(next);
});
