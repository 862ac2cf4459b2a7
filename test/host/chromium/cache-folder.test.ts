// Where a real Chromium keeps what need not last: in memory, while it runs.
import { mkdir, readdir, readlink, rm, stat, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isAccessible } from "../../../src/base/files/is-accessible.ts";
import { waitUntil } from "../../support/polling.ts";
import { browserProcesses, headlessChromium, type HostFixture } from "../hosts-under-test.ts";

const never = new AbortController().signal;
const tmpfs = 0x01021994;

interface Facts {
  cacheFolder: string;
  cacheBytes: number;
  pid: number;
  uid: number;
}

/** What the browser's process tells. */
async function factsOf(fixture: HostFixture): Promise<Facts> {
  const [browser] = await browserProcesses(fixture, "");
  const { pid, commandLine, status } = browser!;
  const flag = (name: string): string => new RegExp(`--${name}=([^\\0 ]+)`).exec(commandLine)?.[1] ?? "";
  const uid = Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]);
  return { cacheFolder: flag("disk-cache-dir"), cacheBytes: Number(flag("disk-cache-size")), pid, uid };
}

describe.skipIf(headlessChromium.missing !== null)("the folder in memory", () => {
  test("[WRT1] the browser's HTTP and code caches and its temporary files are in memory, none is in the profile", async () => {
    await using fixture = await headlessChromium.start();
    await fixture.host.open(fixture.server.page, never);
    const { cacheFolder, cacheBytes } = await factsOf(fixture);
    expect((await statfs(cacheFolder)).type).toBe(tmpfs);
    // Chromium places the socket in its folder for temporary files.
    expect(await readlink(join(fixture.folder, "profile", "SingletonSocket"))).toContain(`${cacheFolder}/`);
    expect(cacheBytes).toBeLessThanOrEqual(64 * 2 ** 20);
    await waitUntil("the caches exist", () => isAccessible(join(cacheFolder, "Default", "Cache")));
    const inProfile = await readdir(join(fixture.folder, "profile", "Default"));
    expect(inProfile).not.toContain("Cache");
    expect(inProfile).not.toContain("Code Cache");
  });

  test("[WRT4] caches that an earlier version left in the profile are removed, the data of sites is not", async () => {
    await using fixture = await headlessChromium.start();
    const profile = join(fixture.folder, "profile", "Default");
    for (const name of ["Cache", "Code Cache", "IndexedDB"]) {
      await mkdir(join(profile, name), { recursive: true });
      await writeFile(join(profile, name, "entry"), "x");
    }
    await fixture.host.open(fixture.server.page, never);
    expect(await isAccessible(join(profile, "Cache"))).toBe(false);
    expect(await isAccessible(join(profile, "Code Cache"))).toBe(false);
    expect(await isAccessible(join(profile, "IndexedDB", "entry"))).toBe(true);
  });

  test("[WRT2] only the browser's user can enter the folder, and it is removed when the browser ends: closed, killed or replaced", async () => {
    await using fixture = await headlessChromium.start();
    await fixture.host.open(fixture.server.page, never);
    const first = await factsOf(fixture);
    expect(await stat(first.cacheFolder)).toMatchObject({ uid: first.uid, mode: 0o40700 });
    process.kill(first.pid, "SIGKILL");
    expect(await fixture.nextFault()).toMatchObject({ is: "browser-exited" });
    await waitUntil("the folder is removed", async () => !(await isAccessible(first.cacheFolder)));
    await fixture.host.open(fixture.server.page, never);
    const second = await factsOf(fixture);
    expect(await isAccessible(second.cacheFolder)).toBe(true);
    await fixture.host.close();
    expect(await isAccessible(second.cacheFolder)).toBe(false);
  });

  test("[WRT7] a browser whose folder in memory disappears continues, and the next one has a new folder", async () => {
    await using fixture = await headlessChromium.start();
    await fixture.host.open(fixture.server.page, never);
    const { cacheFolder } = await factsOf(fixture);
    await rm(cacheFolder, { recursive: true });
    await fixture.host.reload(never);
    expect(await fixture.server.run("document.title")).toBe("stage");
    expect((await fixture.host.capture(never)).bytes.length).toBeGreaterThan(0);
    await fixture.host.close();
    await fixture.host.open(fixture.server.page, never);
    expect(await isAccessible((await factsOf(fixture)).cacheFolder)).toBe(true);
  });
});
