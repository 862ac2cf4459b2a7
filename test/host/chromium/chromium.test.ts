// Tests of the Chromium host alone: its window, its process, its profile.
import { fork, spawn } from "node:child_process";
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
import { processesNaming, waitUntil } from "../processes.ts";
import { colours, startTestPageServer } from "../test-page-server.ts";
import { browserProcesses, headlessChromium, kioskChromium, temporaryFolder } from "../hosts-under-test.ts";

const never = new AbortController().signal;

describe.skipIf(kioskChromium.missing !== null)("the window", () => {
  test("[HST15] nothing lighter than dark grey is visible from the start until the page's first frame", async () => {
    await using stage = await kioskChromium.start();
    const glass = stage.framebuffer!;
    const seen = watch(glass);
    const opened = stage.host.open(stage.server.page, never);
    await waitUntil("the page is painted", () => isPage(glass), 15_000);
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
    await using stage = await kioskChromium.start({ size: { width, height } });
    await stage.host.open(stage.server.page, never);
    expect(await stage.server.run("[innerWidth, innerHeight]")).toEqual([width, height]);
    await waitUntil("the corners are the page's", () => isPage(stage.framebuffer!));
  });

  test("[HST17] the page fills the display under a window manager too", async ({ skip }) => {
    await using display = await startXvfb();
    const manager = spawn("openbox", [], { env: { ...process.env, DISPLAY: display.display }, stdio: "ignore" });
    try {
      await once(manager, "spawn");
    } catch {
      return skip("no openbox is installed");
    }
    await using server = await startTestPageServer();
    const folder = await temporaryFolder();
    try {
      await using host = createChromiumHost({
        executable: await findChromium(),
        profileFolder: folder,
        headless: false,
        window: null,
        env: { ...process.env, DISPLAY: display.display },
        log: silentLog,
        clock: createSystemClock(),
      });
      await host.open(server.page, never);
      expect(await server.run("[innerWidth, innerHeight]")).toEqual([1920, 1080]);
      await waitUntil("the corners are the page's", () => isPage(display.framebuffer));
    } finally {
      manager.kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  test("[HST18] a window of a given size shows the page at that size", async () => {
    await using display = await startXvfb();
    await using server = await startTestPageServer();
    const folder = await temporaryFolder();
    try {
      await using host = createChromiumHost({
        executable: await findChromium(),
        profileFolder: folder,
        headless: false,
        window: { width: 1280, height: 720 },
        env: { ...process.env, DISPLAY: display.display },
        log: silentLog,
        clock: createSystemClock(),
      });
      await host.open(server.page, never);
      expect(await server.run("[innerWidth, innerHeight]")).toEqual([1280, 720]);
      await waitUntil("its last pixel is the page's", () => same(display.framebuffer.pixel(1279, 719), colours[2]));
      expect(display.framebuffer.pixel(1280, 720)).toEqual([0, 0, 0]);
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
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
      await waitUntil("all processes gone", async () => (await processesNaming(folder)).length === 0);
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  test("[HST20] a profile that was locked on a machine of another name can be opened", async () => {
    await using stage = await headlessChromium.start();
    await mkdir(join(stage.folder, "profile"));
    await symlink("another-machine-1", join(stage.folder, "profile", "SingletonLock"));
    await stage.host.open(stage.server.page, never);
    expect(await stage.server.run("document.title")).toBe("stage");
  });

  test("[HST21] a browser that still uses the profile is ended before the new one starts", async () => {
    await using stage = await headlessChromium.start();
    await stage.host.open(stage.server.page, never);
    const before = await browserProcesses(stage, "");
    await using successor = createChromiumHost({
      executable: await findChromium(),
      profileFolder: stage.folder,
      headless: true,
      window: null,
      env: process.env,
      log: silentLog,
      clock: createSystemClock(),
    });
    await successor.open(stage.server.page, never);
    expect(await stage.nextFault()).toMatchObject({ is: "browser-exited" });
    expect(await stage.server.run("document.title")).toBe("stage");
    const after = await browserProcesses(stage, "");
    expect(after.some(({ pid }) => before.some((old) => old.pid === pid))).toBe(false);
  });

  test.skipIf(process.getuid?.() !== 0)("[HST22] root can use a data folder that other users cannot enter", async () => {
    const replacements = "/var/lib/signage-player/chromium";
    const known: string[] = await readdir(replacements).catch(() => []);
    await using stage = await headlessChromium.start();
    await chmod(stage.folder, 0o700);
    await stage.host.open(stage.server.page, never);
    expect(await stage.server.run("document.title")).toBe("stage");
    await stage.host.close();
    const made = (await readdir(replacements)).filter((name) => !known.includes(name));
    expect(made).toHaveLength(1);
    await rm(join(replacements, made[0]!), { recursive: true, maxRetries: 5 });
  });

  test("[HST23] a page that cannot be reached is reported as page-dead; open succeeds once it can be reached", async () => {
    await using stage = await headlessChromium.start();
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/`;
    closed.close();
    await once(closed, "close");
    await expect(stage.host.open({ ...stage.server.page, url }, never)).rejects.toMatchObject({ code: "page-dead" });
    await stage.host.open(stage.server.page, never);
    expect(await stage.server.run("document.title")).toBe("stage");
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
    await using stage = await headlessChromium.start();
    const giveUp = new AbortController();
    const opening = stage.host.open(stage.server.page, giveUp.signal);
    await waitUntil("the browser runs", async () => (await browserProcesses(stage)).length > 0);
    giveUp.abort();
    await expect(opening).rejects.toMatchObject({ name: "AbortError" });
    await waitUntil("all processes gone", async () => (await browserProcesses(stage)).length === 0);
  });

  test("[HST28] close ends a start in progress", async () => {
    await using stage = await headlessChromium.start();
    const opening = stage.host.open(stage.server.page, never);
    const refused = expect(opening).rejects.toMatchObject({ name: "AbortError" });
    await stage.host.close();
    await refused;
    await waitUntil("all processes gone", async () => (await browserProcesses(stage)).length === 0);
  });

  test("[HST29] a browser started in advance shows the page given to open", async () => {
    await using stage = await headlessChromium.start();
    await stage.host.prepare();
    expect((await browserProcesses(stage)).length).toBeGreaterThan(0);
    const started = Math.min(...(await browserProcesses(stage)).map(({ pid }) => pid));
    expect(await stage.host.open(stage.server.page, never)).toMatchObject({ name: "chromium" });
    expect((await browserProcesses(stage)).map(({ pid }) => pid)).toContain(started);
    expect((await stage.host.capture(never)).bytes.length).toBeGreaterThan(0);
  });

  test("[HST29] a browser started in advance and closed before open leaves no process", async () => {
    await using stage = await headlessChromium.start();
    await stage.host.prepare();
    expect((await browserProcesses(stage)).length).toBeGreaterThan(0);
    await stage.host.close();
    await waitUntil("all processes gone", async () => (await browserProcesses(stage)).length === 0);
  });
});

/** Samples the screen about once per millisecond, except its middle, where X draws its own pointer. */
function watch(glass: Framebuffer): { stop(): { lightest: number; samples: number } } {
  const row = Buffer.allocUnsafe(glass.stride);
  let lightest = 0;
  let samples = 0;
  const timer = setInterval(() => {
    if (isPage(glass)) return;
    samples++;
    for (const y of [5, Math.round(glass.height * 0.3), glass.height - 5]) {
      glass.row(y, row);
      for (let x = 0; x < glass.width; x += 16) {
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

function isPage(glass: Framebuffer): boolean {
  const [right, bottom] = [glass.width - 1, glass.height - 1];
  const corners = [glass.pixel(0, 0), glass.pixel(right, 0), glass.pixel(right, bottom), glass.pixel(0, bottom)];
  return corners.every((corner, at) => same(corner, colours[at]!));
}

function same(a: readonly number[], b: readonly number[]): boolean {
  return a.every((value, at) => value === b[at]);
}
