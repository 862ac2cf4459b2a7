// Opens a host's window on an X display, checks that its page covers the display, and runs a window manager there.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { createSystemClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { findChromium } from "../../../src/host/chromium/find-chromium.ts";
import { createChromiumHost } from "../../../src/host/chromium/host.ts";
import type { ChromiumOptions } from "../../../src/host/chromium/options.ts";
import { hasWindowManager } from "../../../src/host/chromium/display/x11.ts";
import type { Host } from "../../../src/player/host.ts";
import type { Mode, Xvnc } from "../../support/browser/xvnc.ts";
import { waitUntil } from "../../support/polling.ts";
import { kioskChromium, temporaryFolder } from "../hosts-under-test.ts";
import { countForeignPixels, startTestPageServer, type TestPageServer } from "../test-page-server.ts";

const never = new AbortController().signal;
// What a busy machine may take. A window that has not followed by then never will.
const limitMs = 45_000;
const promisedMs = 3_000;
const maxTries = 5;

/** Why no window can be tested on a display whose mode changes; null if it can. */
export const noDisplay = kioskChromium.missing ?? (existsSync("/usr/bin/Xvnc") ? null : "no Xvnc is installed");
export const noOpenbox = existsSync("/usr/bin/openbox") ? null : "no openbox is installed";
export const fullHd: Mode = { width: 1920, height: 1080 };

/** A host with its window on a display. */
export interface OpenedHost extends AsyncDisposable {
  server: TestPageServer;
  host: Host;
  /** A folder that is in the command line of each of the browser's processes. */
  folder: string;
}

/** Opens the test page on a display. */
export async function openOn(display: { display: string }, options: Partial<ChromiumOptions> = {}): Promise<OpenedHost> {
  await using owned = new AsyncDisposableStack();
  const server = owned.use(await startTestPageServer());
  const folder = await temporaryFolder();
  owned.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const host = owned.use(
    createChromiumHost({
      executable: await findChromium(),
      profileFolder: folder,
      headless: false,
      window: null,
      env: { ...process.env, DISPLAY: display.display },
      log: silentLog,
      clock: createSystemClock(),
      ...options,
    }),
  );
  await host.open(server.page, never);
  const all = owned.move();
  return { server, host, folder, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Sets several modes, and checks the whole screen in each. */
export async function followsEach(display: Xvnc, server: TestPageServer): Promise<void> {
  await covers(display, server, fullHd);
  const modes = [
    { width: 1280, height: 720 },
    { width: 2560, height: 1440 },
    { width: 1080, height: 1920 },
    { width: 800, height: 600 },
    fullHd,
  ];
  let before = fullHd;
  for (const mode of modes) {
    await followsInTime(display, server, { before, mode });
    before = mode;
  }
}

/** Checks that the page covers every pixel of the display in the end, and still does afterwards. Returns after how many ms it did. */
export async function covers(display: Xvnc, server: TestPageServer, mode: Mode): Promise<number> {
  const { width, height } = mode;
  const changedAt = performance.now();
  let tookMs = 0;
  const isCovered = async (): Promise<boolean> => {
    // A picture takes long on a busy machine, so the instant before it counts.
    tookMs = performance.now() - changedAt;
    return countForeignPixels(await display.picture(mode), width * 4, width, height) === 0;
  };
  await waitUntil(`${width}x${height} is covered`, isCovered, limitMs);
  const coveredAfterMs = tookMs;
  expect(await server.run("[innerWidth, innerHeight]")).toEqual([width, height]);
  expect(await isCovered()).toBe(true);
  return coveredAfterMs;
}

/** Runs openbox on a display. Resolves when it has started. */
export async function startOpenbox({ display }: { display: string }): Promise<{ kill(signal: NodeJS.Signals): void } & AsyncDisposable> {
  const env = { ...process.env, DISPLAY: display };
  // It announces itself early in its start, and runs this command at the end.
  const folder = await temporaryFolder();
  const started = join(folder, "started");
  const manager = spawn("openbox", ["--startup", `touch ${started}`], { env, stdio: "ignore" });
  await waitUntil("openbox has started", () => existsSync(started), limitMs);
  await rm(folder, { recursive: true });
  expect(await hasWindowManager(env, never)).toBe(true);
  return {
    kill: (signal) => void manager.kill(signal),
    [Symbol.asyncDispose]: async () => {
      if (manager.exitCode !== null || manager.signalCode !== null) return;
      const exited = once(manager, "exit");
      manager.kill("SIGKILL");
      await exited;
    },
  };
}

/** Changes the mode, which the window has to follow within the promised time. The window of a busy machine may be late, but not each time. */
async function followsInTime(display: Xvnc, server: TestPageServer, { before, mode }: { before: Mode; mode: Mode }): Promise<void> {
  const late: number[] = [];
  while (late.length < maxTries) {
    await display.setMode(mode);
    const tookMs = await covers(display, server, mode);
    if (tookMs <= promisedMs) return;
    late.push(tookMs);
    await display.setMode(before);
    await covers(display, server, before);
  }
  expect(late, `${mode.width}x${mode.height} is covered within ${promisedMs} ms`).toEqual([]);
}
