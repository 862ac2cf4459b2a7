// The window on labwc with the configuration in packaging/. Needs Debian 13's labwc, see docs/testing.md.
import { rm } from "node:fs/promises";
import { expect, test } from "vitest";
import { createSystemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { linuxControls } from "../support/linux-controls.ts";
import { createChromiumHost } from "../../src/host/chromium/host.ts";
import { findChromium } from "../../src/host/chromium/find-chromium.ts";
import { countForeignPixels, startTestPageServer } from "../host/test-page-server.ts";
import { temporaryFolder } from "../host/hosts-under-test.ts";
import { hasLabwc, startLabwc } from "../support/browser/labwc.ts";
import { waitUntil } from "../support/polling.ts";

const limitMs = 3_000;
const never = new AbortController().signal;

test.skipIf(!hasLabwc)("[HST36] on labwc the page covers the display without a pointer, in every mode and rotation", async () => {
  await using labwc = await startLabwc();
  await using server = await startTestPageServer();
  const folder = await temporaryFolder();
  try {
    const { DISPLAY: _, ...env } = process.env;
    await using host = createChromiumHost({
      executable: await findChromium(),
      profileFolder: folder,
      display: { headless: false, window: null },
      env: { ...env, WAYLAND_DISPLAY: labwc.socket },
      log: silentLog,
      clock: createSystemClock(),
    });
    await host.open(server.page, never);
    const covers = async (width: number, height: number): Promise<void> => {
      const isCovered = async (): Promise<boolean> => {
        const picture = await labwc.picture();
        return picture.width === width && picture.height === height && countForeignPixels(picture.bytes, width * 4, width, height) === 0;
      };
      await waitUntil(`${width}x${height} is covered`, isCovered);
      expect(await server.run("[innerWidth, innerHeight]")).toEqual([width, height]);
    };
    await covers(1280, 720);
    await labwc.movePointer();
    await covers(1280, 720);
    for (const [width, height] of [
      [1920, 1080],
      [800, 600],
      [1080, 1920],
    ] as const) {
      await labwc.setOutput("--custom-mode", `${width}x${height}`);
      await covers(width, height);
    }
    await labwc.setOutput("--transform", "90");
    await covers(1920, 1080);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

test.skipIf(!hasLabwc)("[DSP15] on labwc the window fills another display within 3 s, and the one before when it comes back", async () => {
  await using labwc = await startLabwc();
  await using server = await startTestPageServer();
  await using folder = await removedFolder();
  const { DISPLAY: _, ...env } = process.env;
  await using host = createChromiumHost({
    executable: await findChromium(),
    profileFolder: folder.path,
    display: { headless: false, window: null },
    env: { ...env, WAYLAND_DISPLAY: labwc.socket },
    log: silentLog,
    clock: createSystemClock(),
  });
  await host.open(server.page, never);
  const controls = linuxControls(labwc.env, "/nowhere");
  await controls.probe(never);
  const { mode, rotation } = controls.display;
  const fills = async (output: string, width: number, height: number): Promise<void> => {
    const from = performance.now();
    let tookMs = 0;
    await waitUntil(`${output} is filled`, async () => {
      tookMs = performance.now() - from;
      const picture = await labwc.picture(output).catch(() => null);
      return picture?.width === width && picture.height === height && countForeignPixels(picture.bytes, width * 4, width, height) === 0;
    });
    expect(tookMs).toBeLessThan(limitMs);
  };
  await waitUntil("the page is shown", async () => (await server.run("innerWidth")) === 1280);
  await fills("HEADLESS-1", 1280, 720);
  await mode!.set({ width: 1920, height: 1200 }, never);
  await fills("HEADLESS-1", 1920, 1200);
  await rotation!.set(90, never);
  await fills("HEADLESS-1", 1200, 1920);
  // The TV is connected, and the first display switched off at its plug.
  await labwc.plug(true);
  await labwc.setOutput("--off");
  await fills("TV", 1920, 1080);
  await labwc.setOutput("--on");
  await labwc.plug(false);
  await fills("HEADLESS-1", 1200, 1920);
});

async function removedFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await temporaryFolder();
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}
