// Tests of the Chromium host alone: its window, its process, its profile.
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdir, readdir, rm, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSystemClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { createChromiumHost } from "../../../src/host/chromium/host.ts";
import { findChromium } from "../../../src/host/chromium/find-chromium.ts";
import type { Framebuffer } from "../../support/browser/framebuffer.ts";
import { startXvfb } from "../../support/browser/xvfb.ts";
import { waitUntil } from "../../support/polling.ts";
import { processesNaming } from "../processes.ts";
import { colours, startTestPageServer } from "../test-page-server.ts";
import { browserProcesses, headlessChromium, kioskChromium, temporaryFolder } from "../hosts-under-test.ts";
import { noOpenbox, openOn, startOpenbox } from "./window-on-display.ts";

const never = new AbortController().signal;

describe.skipIf(kioskChromium.missing !== null)("the window", () => {
  test("[HST15] nothing lighter than dark grey is visible from the start until the page's first frame", async () => {
    await using fixture = await kioskChromium.start();
    const framebuffer = fixture.framebuffer!;
    const seen = watch(framebuffer);
    const opened = fixture.host.open(fixture.server.page, never);
    await waitUntil("the page is painted", () => isPage(framebuffer), 15_000);
    const { lightest, samples } = seen.stop();
    await opened;
    expect(samples).toBeGreaterThan(50);
    expect(lightest).toBeLessThanOrEqual(64);
  });

  test.for([
    [1366, 768],
    [1080, 1920],
    [3840, 2160],
  ] as const)("[HST16] the page fills a display of %i×%i without configuration", async ([width, height]) => {
    await using fixture = await kioskChromium.start({ size: { width, height } });
    await fixture.host.open(fixture.server.page, never);
    expect(await fixture.server.run("[innerWidth, innerHeight]")).toEqual([width, height]);
    await waitUntil("the corners are the page's", () => isPage(fixture.framebuffer!));
  });

  test.skipIf(noOpenbox !== null)("[HST17] the page fills the display under a window manager too", async () => {
    await using display = await startXvfb();
    await using _manager = await startOpenbox(display);
    await using opened = await openOn(display);
    await waitUntil("the corners are the page's", () => isPage(display.framebuffer));
    expect(await opened.server.run("[innerWidth, innerHeight]")).toEqual([1920, 1080]);
  });

  test("[HST18] a window of a given size shows the page at that size", async () => {
    await using display = await startXvfb();
    await using opened = await openOn(display, { window: { width: 1280, height: 720 } });
    expect(await opened.server.run("[innerWidth, innerHeight]")).toEqual([1280, 720]);
    await waitUntil("its last pixel is the page's", () => same(display.framebuffer.pixel(1279, 719), colours[2]));
    expect(display.framebuffer.pixel(1280, 720)).toEqual([0, 0, 0]);
  });
});

describe.skipIf(headlessChromium.missing !== null)("the process", () => {
  test("[HST19] when its owner is killed with -9, no process of the browser remains", async () => {
    await using server = await startTestPageServer();
    const folder = await temporaryFolder();
    try {
      const owner = fork(join(import.meta.dirname, "../owner.ts"), { stdio: "inherit" });
      owner.send({ executable: await findChromium(), profileFolder: folder, page: server.page });
      await once(owner, "message");
      expect((await processesNaming(folder)).length).toBeGreaterThan(3);
      const dead = once(owner, "exit");
      owner.kill("SIGKILL");
      await dead;
      await waitUntil("all processes have ended", async () => (await processesNaming(folder)).length === 0);
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  test("[HST20] a profile that was locked on a machine of another name can be opened", async () => {
    await using fixture = await headlessChromium.start();
    await mkdir(join(fixture.folder, "profile"));
    await symlink("another-machine-1", join(fixture.folder, "profile", "SingletonLock"));
    await fixture.host.open(fixture.server.page, never);
    expect(await fixture.server.run("document.title")).toBe("stage");
  });

  test("[HST21] a browser that still uses the profile is ended before the new one starts", async () => {
    await using fixture = await headlessChromium.start();
    await fixture.host.open(fixture.server.page, never);
    const before = await browserProcesses(fixture, "");
    await using successor = createChromiumHost({
      executable: await findChromium(),
      profileFolder: fixture.folder,
      headless: true,
      window: null,
      env: process.env,
      log: silentLog,
      clock: createSystemClock(),
    });
    await successor.open(fixture.server.page, never);
    expect(await fixture.nextFault()).toMatchObject({ is: "browser-exited" });
    expect(await fixture.server.run("document.title")).toBe("stage");
    const after = await browserProcesses(fixture, "");
    expect(after.some(({ pid }) => before.some((old) => old.pid === pid))).toBe(false);
  });

  test("[HST39] a browser opened without the GPU does not use it", async () => {
    await using fixture = await headlessChromium.start();
    await fixture.host.open(fixture.server.page, never, { withoutGpu: true });
    const [browser] = await browserProcesses(fixture, "");
    expect(browser!.commandLine.split(/[\0 ]/)).toContain("--disable-gpu");
    expect(await fixture.server.run("document.title")).toBe("stage");
  });

  test.skipIf(process.getuid?.() !== 0)("[HST22] root can use a data folder that other users cannot enter", async () => {
    await using fixture = await headlessChromium.start();
    await chmod(fixture.folder, 0o700);
    await fixture.host.open(fixture.server.page, never);
    expect(await fixture.server.run("document.title")).toBe("stage");
    await fixture.host.close();
    // Tests that run at the same time have folders there, too.
    const name = createHash("sha256").update(fixture.folder).digest("hex").slice(0, 16);
    const replacement = join("/var/lib/signage-player/chromium", name);
    expect(await readdir(replacement)).toContain("profile");
    await rm(replacement, { recursive: true, maxRetries: 5 });
  });

  test("[HST23] a page that cannot be reached is reported as page-dead; open succeeds once it can be reached", async () => {
    await using fixture = await headlessChromium.start();
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/`;
    closed.close();
    await once(closed, "close");
    await expect(fixture.host.open({ ...fixture.server.page, url }, never)).rejects.toMatchObject({ code: "page-dead" });
    await fixture.host.open(fixture.server.page, never);
    expect(await fixture.server.run("document.title")).toBe("stage");
  });

  test("[HST24] a missing browser is reported as browser-missing, one that exits immediately as browser-failed with its last output", async () => {
    const options = {
      profileFolder: await temporaryFolder(),
      headless: true,
      window: null,
      env: process.env,
      log: silentLog,
      clock: createSystemClock(),
    };
    const page = { url: "http://127.0.0.1:9/", cookie: { name: "stage", value: "x" } };
    try {
      await expect(findChromium("/nowhere/chromium")).rejects.toMatchObject({ code: "browser-missing" });
      await expect(createChromiumHost({ ...options, executable: "/nowhere/chromium" }).open(page, never)).rejects.toMatchObject({
        code: "browser-missing",
      });
      await expect(createChromiumHost({ ...options, executable: "/bin/ls" }).open(page, never)).rejects.toMatchObject({
        code: "browser-failed",
        message: expect.stringContaining("unrecognized option"),
      });
    } finally {
      await rm(options.profileFolder, { recursive: true, force: true });
    }
  });

  test("[HST25] a cancelled start rejects with the reason and leaves no process", async () => {
    await using fixture = await headlessChromium.start();
    const giveUp = new AbortController();
    const opening = fixture.host.open(fixture.server.page, giveUp.signal);
    // Without a pause between the checks, because a start takes only a moment.
    while ((await browserProcesses(fixture)).length === 0);
    giveUp.abort();
    await expect(opening).rejects.toMatchObject({ name: "AbortError" });
    await waitUntil("all processes have ended", async () => (await browserProcesses(fixture)).length === 0);
  });

  test("[HST28] close ends a start in progress", async () => {
    await using fixture = await headlessChromium.start();
    const opening = fixture.host.open(fixture.server.page, never);
    const refused = expect(opening).rejects.toMatchObject({ name: "AbortError" });
    await fixture.host.close();
    await refused;
    await waitUntil("all processes have ended", async () => (await browserProcesses(fixture)).length === 0);
  });

  test("[HST29] a browser started in advance shows the page given to open", async () => {
    await using fixture = await headlessChromium.start();
    await fixture.host.prepare();
    expect((await browserProcesses(fixture)).length).toBeGreaterThan(0);
    const started = Math.min(...(await browserProcesses(fixture)).map(({ pid }) => pid));
    expect(await fixture.host.open(fixture.server.page, never)).toMatchObject({ name: "chromium" });
    expect((await browserProcesses(fixture)).map(({ pid }) => pid)).toContain(started);
    expect((await fixture.host.capture(never)).bytes.length).toBeGreaterThan(0);
  });

  test("[HST29] a browser started in advance and closed before open leaves no process", async () => {
    await using fixture = await headlessChromium.start();
    await fixture.host.prepare();
    expect((await browserProcesses(fixture)).length).toBeGreaterThan(0);
    await fixture.host.close();
    await waitUntil("all processes have ended", async () => (await browserProcesses(fixture)).length === 0);
  });
});

/** Samples the screen about once per millisecond, except its centre, where X draws its own pointer. */
function watch(framebuffer: Framebuffer): { stop(): { lightest: number; samples: number } } {
  const row = Buffer.allocUnsafe(framebuffer.stride);
  let lightest = 0;
  let samples = 0;
  const timer = setInterval(() => {
    if (isPage(framebuffer)) return;
    samples++;
    for (const y of [5, Math.round(framebuffer.height * 0.3), framebuffer.height - 5]) {
      framebuffer.row(y, row);
      for (let x = 0; x < framebuffer.width; x += 16) {
        const rgb = [row[x * 4 + 2]!, row[x * 4 + 1]!, row[x * 4]!] as const;
        if (colours.every((colour) => !same(rgb, colour))) lightest = Math.max(lightest, ...rgb);
      }
    }
  }, 1);
  return {
    stop: () => {
      clearInterval(timer);
      return { lightest, samples };
    },
  };
}

function isPage(framebuffer: Framebuffer): boolean {
  const [right, bottom] = [framebuffer.width - 1, framebuffer.height - 1];
  const corners = [framebuffer.pixel(0, 0), framebuffer.pixel(right, 0), framebuffer.pixel(right, bottom), framebuffer.pixel(0, bottom)];
  return corners.every((corner, at) => same(corner, colours[at]!));
}

function same(a: readonly number[], b: readonly number[]): boolean {
  return a.every((value, at) => value === b[at]);
}
