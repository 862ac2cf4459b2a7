// Opens a host's window on an X display, checks that its page covers the display, and runs a window manager there.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { findChromium } from "../../../src/host/chromium/find-chromium.ts";
import { createChromiumHost } from "../../../src/host/chromium/host.ts";
import type { ChromiumOptions } from "../../../src/host/chromium/options.ts";
import { hasWindowManager } from "../../../src/host/chromium/display/x11.ts";
import type { Host } from "../../../src/player/host.ts";
import type { Mode, Xvnc } from "../../support/browser/xvnc.ts";
import { waitUntil } from "../../support/polling.ts";
import { HeldClock } from "../held-clock.ts";
import { kioskChromium, temporaryFolder } from "../hosts-under-test.ts";
import { countForeignPixels, startTestPageServer, type TestPageServer } from "../test-page-server.ts";

const never = new AbortController().signal;
// Waits of this duration are checks of the window, longer ones are limits of calls and starts.
const longestCheckMs = 2_500;

/** Why no window can be tested on a display whose mode changes; null if it can. */
export const noDisplay = kioskChromium.missing ?? (existsSync("/usr/bin/Xvnc") ? null : "no Xvnc is installed");
export const noOpenbox = existsSync("/usr/bin/openbox") ? null : "no openbox is installed";
export const hd: Mode = { width: 1280, height: 720 };

/** A host with its window on a display. */
export interface OpenedHost extends AsyncDisposable {
  server: TestPageServer;
  host: Host;
  /** A folder that is in the command line of each of the browser's processes. */
  folder: string;
  /** Holds the limits of the host, but not its checks of the window. */
  clock: HeldClock;
}

/** Opens the test page on a display. */
export async function openOn(display: { display: string }, options: Partial<ChromiumOptions> = {}): Promise<OpenedHost> {
  await using owned = new AsyncDisposableStack();
  const server = owned.use(await startTestPageServer());
  const folder = await temporaryFolder();
  owned.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const clock = new HeldClock(longestCheckMs);
  const host = owned.use(
    createChromiumHost({
      executable: await findChromium(),
      profileFolder: folder,
      display: { headless: false, window: null },
      env: { ...process.env, DISPLAY: display.display },
      log: silentLog,
      clock,
      ...options,
    }),
  );
  await host.open(server.page, never);
  const all = owned.move();
  return { server, host, folder, clock, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Sets several modes, and checks the whole screen in each: smaller, larger, rotated, and as before. */
export async function followsEach(display: Xvnc, server: TestPageServer): Promise<void> {
  for (const mode of [{ width: 800, height: 600 }, { width: 1440, height: 900 }, { width: 900, height: 1440 }, hd]) {
    await display.setMode(mode);
    await covers(display, server, mode);
  }
}

/** Waits until the page covers every pixel of the display, and checks that it still does afterwards. */
export async function covers(display: Xvnc, server: TestPageServer, mode: Mode): Promise<void> {
  const isCovered = async (): Promise<boolean> =>
    countForeignPixels(await display.picture(mode), mode.width * 4, mode.width, mode.height) === 0;
  await waitUntil(`${mode.width}x${mode.height} is covered`, isCovered);
  expect(await server.run("[innerWidth, innerHeight]")).toEqual([mode.width, mode.height]);
  expect(await isCovered()).toBe(true);
}

/** Runs openbox on a display. Resolves when it has started. */
export async function startOpenbox({ display }: { display: string }): Promise<{ kill(signal: NodeJS.Signals): void } & AsyncDisposable> {
  const env = { ...process.env, DISPLAY: display };
  // It announces itself early in its start, and runs this command at the end.
  const folder = await temporaryFolder();
  const started = join(folder, "started");
  const manager = spawn("openbox", ["--startup", `touch ${started}`], { env, stdio: "ignore" });
  await waitUntil("openbox has started", () => existsSync(started));
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
