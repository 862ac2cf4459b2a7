// The contract of Host: tests that every host passes. Limits of the host end when a test ends them (held-clock.ts).
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import sharp from "sharp";
import type { BrowserEngine, Host } from "../../src/player/host.ts";
import { waitUntil } from "../support/polling.ts";
import { killAll, processesNaming } from "./processes.ts";
import { capture, probe } from "./limits.ts";
import { colours, countForeignPixels } from "./test-page-server.ts";
import { browserProcesses, electrons, type HostFixture, type HostUnderTest } from "./hosts-under-test.ts";

const never = new AbortController().signal;
// No usual size, which a browser could have by chance.
const [width, height] = [1366, 768];

/**
 * Registers the tests of the contract for each host, or a skipped one for a host that is not available.
 * @param isThorough whether to start browsers for second proofs, too.
 */
export function testContract(hosts: readonly HostUnderTest[], isThorough: boolean): void {
  for (const hostUnderTest of hosts) {
    if (hostUnderTest.missing === null) describe(hostUnderTest.name, () => contract(hostUnderTest, isThorough));
    else test.skip(`${hostUnderTest.name}: ${hostUnderTest.missing}`);
  }
}

function contract(hostUnderTest: HostUnderTest, isThorough: boolean): void {
  let fixture: HostFixture;
  let host: Host;
  let engine: BrowserEngine;
  let isPageUsable = false;

  beforeAll(async () => {
    fixture = await hostUnderTest.start({ size: { width, height } });
    host = fixture.host;
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  // The tests share a browser; one that follows a failed test, or runs alone, gets a new one.
  beforeEach(async () => {
    if (!isPageUsable) {
      await host.close();
      engine = await host.open(fixture.server.page, never);
    }
    isPageUsable = false;
    fixture.forgetFaults();
  });
  afterEach(({ task }) => {
    isPageUsable = task.result?.state !== "fail";
  });

  /** Reloads the page, which hangs and has to be ended first. */
  async function reloadHung(): Promise<void> {
    const reloaded = host.reload(never);
    await fixture.time.end(fixture.time.aliveMs);
    await reloaded;
    await expectContent(fixture);
  }

  test("[HST1] the page covers the whole display exactly", async () => {
    expect(engine.version).toMatch(/^\d+\./);
    expect(await fixture.server.run("[innerWidth, innerHeight, devicePixelRatio]")).toEqual([width, height, 1]);
    await expectContent(fixture);
  });

  test("[HST2] the page's cookie gives access, and is invisible to scripts, arguments and addresses", async () => {
    const { page, addresses } = fixture.server;
    const withoutCookie = await fetch(page.url);
    expect(withoutCookie.status).toBe(403);
    expect(await fixture.server.run("document.cookie")).toBe("");
    expect(await processesNaming(page.cookie.value)).toEqual([]);
    expect(addresses.join()).not.toContain(page.cookie.value);
    expect(await fixture.server.run("location.href")).toBe(page.url);
  });

  test("[HST3] a capture shows the content of the screen at full size", async () => {
    const { bytes, mimeType } = await host.capture(never);
    expect(mimeType).toBe("image/jpeg");
    const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([width, height]);
    for (const [at, [x, y]] of middles(width, height).entries()) {
      const from = (y * info.width + x) * info.channels;
      for (const [channel, wanted] of colours[at]!.entries()) expect(Math.abs(data[from + channel]! - wanted)).toBeLessThan(8);
    }
  });

  test("[PIC11] a capture is a PNG, or a JPEG of the asked quality", async () => {
    const png = await host.capture(never, { format: "png", quality: 100 });
    expect(png.mimeType).toBe("image/png");
    expect(await sharp(png.bytes).metadata()).toMatchObject({ format: "png", width, height });
    const [fine, coarse] = [await host.capture(never), await host.capture(never, { format: "jpeg", quality: 60 })];
    expect(await sharp(coarse.bytes).metadata()).toMatchObject({ format: "jpeg", width, height });
    expect(coarse.bytes.length).toBeLessThan(fine.bytes.length);
  });

  test("[HST4] capturing does not change the picture on the screen", async ({ skip }) => {
    const { framebuffer } = fixture;
    if (framebuffer === null) return skip("no framebuffer");
    await expectContent(fixture);
    await fixture.server.run("globalThis.resized = 0; addEventListener('resize', () => resized++)");
    const before = framebuffer.picture();
    let changed = 0;
    let captured = 0;
    const captures = (async () => {
      for (; captured < 5; captured++) await host.capture(never);
    })();
    await waitUntil("five captures", () => {
      if (!framebuffer.picture().equals(before)) changed++;
      return captured === 5;
    });
    await captures;
    expect(changed).toBe(0);
    expect(await fixture.server.run("resized")).toBe(0);
  });

  test("[HST5] renderers are sandboxed (Seccomp 2) and no process of the browser runs as root", async () => {
    const renderers = await browserProcesses(fixture, "renderer");
    expect(renderers.length).toBeGreaterThan(0);
    for (const { status } of renderers) expect(status).toMatch(/^Seccomp:\s+2$/m);
    for (const { status, commandLine } of await browserProcesses(fixture)) {
      expect(status).not.toMatch(/^Uid:\s+0\s/m);
      expect(commandLine).not.toContain("no-sandbox");
    }
  });

  test("[HST6] popups, dialogs, downloads and permission prompts do not appear", async () => {
    expect(await fixture.server.run("open('/foreign') === null")).toBe(true);
    expect(await fixture.server.run("[alert('a'), confirm('b'), prompt('c')]")).toEqual([null, false, null]);
    expect(
      await fixture.server.run(
        "new Promise((done) => navigator.geolocation.getCurrentPosition(() => done('granted'), (e) => done(e.code)))",
      ),
    ).toBe(1);
    expect(await fixture.server.run("Notification.requestPermission()")).toBe("denied");
    await fixture.server.run("Object.assign(document.createElement('a'), { href: 'data:application/zip,x', download: 'x.zip' }).click()");
    await expectContent(fixture);
  });

  test("[HST7] a page that navigates to another origin is stopped or brought back", async () => {
    const { page, addresses } = fixture.server;
    const before = fixture.blocked.length;
    await fixture.server.start(`location.href = "${page.url.replace("127.0.0.1", "localhost")}foreign"`);
    await waitUntil("the host stops the navigation", () =>
      fixture.blocked.slice(before).some((what) => /leaving the page|left its origin/.test(what)),
    );
    expect(await fixture.server.run("location.href")).toBe(fixture.server.page.url);
    expect(addresses.filter((address) => address === "/foreign").length).toBeLessThanOrEqual(1);
    await expectContent(fixture);
  });

  test("[HST8] a dead renderer is reported as page-crashed, and a reload repairs it", async () => {
    killAll((await browserProcesses(fixture, "renderer")).map(({ pid }) => pid));
    expect(await fixture.nextFault()).toMatchObject({ is: "page-crashed" });
    await host.reload(never);
    await expectContent(fixture);
  });

  test("[HST9] a page in an endless loop is reported as page-hung, and a reload repairs it", async () => {
    await fixture.server.hang();
    await fixture.time.missProbe();
    await fixture.time.missProbe();
    expect(await fixture.nextFault()).toMatchObject({ is: "page-hung" });
    await reloadHung();
  });

  test("[PIC11] a capture of a page in an endless loop ends by itself, with page-hung", async () => {
    await fixture.server.hang();
    const refused = expect(host.capture(never)).rejects.toMatchObject({ code: "page-hung" });
    await fixture.time.end(capture.pictureMs);
    await fixture.time.end(capture.aliveMs);
    await refused;
    await reloadHung();
  });

  test("[HST10] a healthy page reloads without a fault", async () => {
    await fixture.server.run("globalThis.old = true");
    await host.reload(never);
    expect(await fixture.server.run("typeof old")).toBe("undefined");
    await expectContent(fixture);
  });

  test("[HST30] no pointer is visible, even if the page's style arrives late", async () => {
    const releaseStyle = fixture.server.holdStyle();
    await host.reload(never);
    releaseStyle();
    await expectContent(fixture);
  });

  test("[HST11] the reported memory is that of the whole browser", async () => {
    const bytes = await host.memoryBytes();
    expect(bytes).toBeGreaterThan(100e6);
    expect(bytes).toBeLessThan(1_500e6);
    const { browser, page, gpu, other } = await host.memoryByKind();
    for (const kind of [browser, page]) expect(kind).toBeGreaterThan(10e6);
    for (const kind of [gpu, other]) expect(kind).toBeGreaterThanOrEqual(0);
    expect((browser + page + gpu + other) / bytes).toBeCloseTo(1, 0);
  });

  test("[HST12] a killed browser is reported as browser-exited; the next open shows only the page", async () => {
    await signalBrowser(fixture, "SIGKILL");
    expect(await fixture.nextFault()).toMatchObject({ is: "browser-exited", detail: expect.stringContaining("SIGKILL") });
    await expect(host.capture(never)).rejects.toMatchObject({ code: "page-dead" });
    await host.open(fixture.server.page, never);
    await expectContent(fixture);
  });

  if (isThorough)
    test("[HST13] a browser that hangs as a whole is ended and reported as browser-exited, and opens again", async ({ skip }) => {
      if (electrons.includes(hostUnderTest)) return skip("the host runs inside this browser; its parent process restarts it");
      await signalBrowser(fixture, "SIGSTOP");
      for (const ms of [probe.intervalMs, probe.limitMs, probe.intervalMs, probe.limitMs, probe.limitMs]) await fixture.time.end(ms);
      expect(await fixture.nextFault()).toMatchObject({ is: "browser-exited" });
      await host.open(fixture.server.page, never);
      await expectContent(fixture);
    });

  test("[HST14] close ends all processes without a fault", async () => {
    await host.close();
    await waitUntil("all processes have ended", async () => (await browserProcesses(fixture)).length === 0);
    await host.close();
    expect(await host.memoryBytes()).toBe(0);
  });

  if (isThorough)
    test("[HST14] open starts again after close", async () => {
      await host.open(fixture.server.page, never);
      await expectContent(fixture);
    });
}

/** Checks that the page runs and, if there is a screen, covers every pixel of it. */
async function expectContent({ server, framebuffer }: HostFixture): Promise<void> {
  expect(await server.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.title))))")).toBe(
    "stage",
  );
  if (framebuffer === null) return;
  await waitUntil(
    "only the page is on the screen",
    () => countForeignPixels(framebuffer.picture(), framebuffer.stride, framebuffer.width, framebuffer.height) === 0,
  );
}

/** The middles of the page's quadrants, clockwise from the top left. */
function middles(width: number, height: number): [number, number][] {
  const [left, top] = [Math.round(width / 4), Math.round(height / 4)];
  const [right, bottom] = [width - left, height - top];
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}

/** Sends a signal to the browser's main process. Faults until then, as of a busy machine, are forgotten. */
async function signalBrowser(fixture: HostFixture, signal: NodeJS.Signals): Promise<void> {
  const browser = (await browserProcesses(fixture, "")).find(({ commandLine }) => !commandLine.includes("crashpad_handler"));
  fixture.forgetFaults();
  process.kill(browser!.pid, signal);
}
