// A profile that earlier browsers have used: one on another machine, one of an earlier version, and one that still runs.
import { mkdir, readdir, readlink, statfs, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isAccessible } from "../../../src/base/files/is-accessible.ts";
import { silentLog } from "../../../src/base/log.ts";
import { findChromium } from "../../../src/host/chromium/find-chromium.ts";
import { createChromiumHost } from "../../../src/host/chromium/host.ts";
import type { Host } from "../../../src/player/host.ts";
import { waitUntil } from "../../support/polling.ts";
import { HeldClock } from "../held-clock.ts";
import { headlessChromium, type HostFixture } from "../hosts-under-test.ts";
import { browserFacts } from "./browser-facts.ts";

const never = new AbortController().signal;
const tmpfs = 0x01021994;

describe.skipIf(headlessChromium.missing !== null)("a profile that was used before", () => {
  let fixture: HostFixture;
  let profile: string;
  let preparedPid: number;
  let successor: Host | undefined;

  beforeAll(async () => {
    fixture = await headlessChromium.start();
    profile = join(fixture.folder, "profile");
    for (const name of ["Cache", "Code Cache", "IndexedDB"]) {
      await mkdir(join(profile, "Default", name), { recursive: true });
      await writeFile(join(profile, "Default", name, "entry"), "x");
    }
    await symlink("another-machine-1", join(profile, "SingletonLock"));
    await fixture.host.prepare();
    preparedPid = (await browserFacts(fixture)).pid;
    await fixture.host.open(fixture.server.page, never);
  });
  afterAll(async () => {
    await successor?.[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  test("[HST29] a browser started in advance shows the page given to open", async () => {
    expect((await browserFacts(fixture)).pid).toBe(preparedPid);
    expect(await fixture.server.run("document.title")).toBe("stage");
    expect((await fixture.host.capture(never)).bytes.length).toBeGreaterThan(0);
  });

  test("[HST20] a profile that was locked on a machine of another name can be opened", async () => {
    expect(await readlink(join(profile, "SingletonLock"))).not.toBe("another-machine-1");
    expect(await fixture.server.run("document.title")).toBe("stage");
  });

  test("[WRT1] Chromium's HTTP and code caches and its temporary files are in a folder in memory; each cache is limited to 64 MiB", async () => {
    const { cacheFolder, cacheBytes } = await browserFacts(fixture);
    expect((await statfs(cacheFolder)).type).toBe(tmpfs);
    // Chromium places the socket in its folder for temporary files.
    expect(await readlink(join(profile, "SingletonSocket"))).toContain(`${cacheFolder}/`);
    expect(cacheBytes).toBeLessThanOrEqual(64 * 2 ** 20);
    await waitUntil("the caches exist", () => isAccessible(join(cacheFolder, "Default", "Cache")));
  });

  test("[WRT4] a start in memory removes the caches that earlier versions left on the disk, and keeps cookies and local storage", async () => {
    const inProfile = await readdir(join(profile, "Default"));
    expect(inProfile).not.toContain("Cache");
    expect(inProfile).not.toContain("Code Cache");
    expect(await isAccessible(join(profile, "Default", "IndexedDB", "entry"))).toBe(true);
  });

  test("[HST21] a browser that still uses the profile is ended before the new one starts", async () => {
    const before = await browserFacts(fixture);
    await startSuccessor();
    expect(await fixture.nextFault()).toMatchObject({ is: "browser-exited" });
    expect(await fixture.server.run("document.title")).toBe("stage");
    expect((await browserFacts(fixture)).pid).not.toBe(before.pid);
  });

  test("[HST39] a browser opened without the GPU does not use it", async () => {
    await startSuccessor();
    expect((await browserFacts(fixture)).words).toContain("--disable-gpu");
  });

  /** Opens another host's browser with the same profile and without the GPU, once. */
  async function startSuccessor(): Promise<void> {
    successor ??= createChromiumHost({
      executable: await findChromium(),
      profileFolder: fixture.folder,
      display: { headless: true, window: null },
      env: process.env,
      log: silentLog,
      clock: new HeldClock(),
    });
    await successor.open(fixture.server.page, never, { withoutGpu: true });
  }
});
