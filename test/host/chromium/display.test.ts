// Tests of the window on a display whose mode changes.
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { watchDisplays } from "../../../src/host/chromium/display/x11.ts";
import { startXvnc, type Mode, type Xvnc } from "../../support/browser/xvnc.ts";
import { waitUntil } from "../../support/polling.ts";
import { killAll, processesNaming } from "../processes.ts";
import { temporaryFolder } from "../hosts-under-test.ts";
import { colours } from "../test-page-server.ts";
import { same } from "./page-picture.ts";
import { covers, followsEach, hd, noDisplay, openOn, type OpenedHost } from "./window-on-display.ts";

const never = new AbortController().signal;
const small = { width: 800, height: 600 };
// How long the page may take to tell the display's size (window.ts).
const refitLimitMs = 2_000;

describe.skipIf(noDisplay !== null)("the window and its display", () => {
  const owned = new AsyncDisposableStack();
  const warnings: string[] = [];
  let display: Xvnc;
  let fixture: OpenedHost;

  beforeAll(async () => {
    display = owned.use(await startXvnc({ width: 1024, height: 768 }));
    await display.turnOff();
    fixture = owned.use(await openOn(display, { log: pino({ level: "warn" }, { write: (line) => void warnings.push(line) }) }));
  });
  afterAll(() => owned.disposeAsync());

  test("[HST32] the window fills a display that appears after the start", async () => {
    await display.setMode(hd);
    await covers(display, fixture.server, hd);
    await display.turnOff();
    await display.setMode(small);
    await covers(display, fixture.server, small);
  });

  test("[HST31] the window follows a change of the display's mode: smaller, larger, rotated, back", async () => {
    warnings.length = 0;
    await followsEach(display, fixture.server);
    expect(warnings).toEqual([]);
  });

  test("[HST33] the window follows a change that happened while the page hung, once the page responds again", async () => {
    await display.setMode(hd);
    await covers(display, fixture.server, hd);
    const thaw = await fixture.server.freeze();
    const checks = fixture.clock.begun(refitLimitMs);
    await display.setMode(small);
    await waitUntil("the page was asked for the display's size", () => fixture.clock.begun(refitLimitMs) > checks);
    thaw();
    await covers(display, fixture.server, small);
  });

  test("[HST33] the window follows a change that happened while the page's process was dead, after the reload", async () => {
    await display.setMode(small);
    await covers(display, fixture.server, small);
    const { promise: died, resolve } = Promise.withResolvers<unknown>();
    fixture.host.onFault(resolve, never);
    killAll((await processesNaming(fixture.folder)).filter(({ type }) => type === "renderer").map(({ pid }) => pid));
    await display.setMode(hd);
    expect(await died).toMatchObject({ is: "page-crashed" });
    await fixture.host.reload(never);
    await covers(display, fixture.server, hd);
  });
});

describe.skipIf(noDisplay !== null)("a window of a given size", () => {
  const owned = new AsyncDisposableStack();
  const window = small;
  let display: Xvnc;
  let fixture: OpenedHost;

  beforeAll(async () => {
    display = owned.use(await startXvnc(hd));
    fixture = owned.use(await openOn(display, { display: { headless: false, window } }));
  });
  afterAll(() => owned.disposeAsync());

  /** Waits until the window's last pixel is the page's. @returns the pixel beyond it. */
  async function pixelBeyond(mode: Mode): Promise<readonly number[]> {
    let picture = await display.picture(mode);
    const pixel = (x: number, y: number): number[] => [...picture.subarray((y * mode.width + x) * 4).subarray(0, 3)].toReversed();
    await waitUntil("its last pixel is the page's", async () => {
      picture = await display.picture(mode);
      return same(pixel(window.width - 1, window.height - 1), colours[2]);
    });
    return pixel(window.width, window.height);
  }

  test("[HST18] a window of a given size shows the page at that size", async () => {
    expect(await fixture.server.run("[innerWidth, innerHeight]")).toEqual([window.width, window.height]);
    expect(await pixelBeyond(hd)).toEqual([0, 0, 0]);
  });

  test("[HST34] a window of a given size keeps it when the display changes", async () => {
    const mode = { width: 1600, height: 900 };
    await display.setMode(mode);
    await waitUntil("the browser has the new size", async () => (await fixture.server.run("screen.width")) === mode.width);
    expect(await fixture.server.run("[innerWidth, innerHeight]")).toEqual([window.width, window.height]);
    expect(await pixelBeyond(mode)).toEqual([0, 0, 0]);
  });
});

describe.skipIf(noDisplay !== null)("the X server", () => {
  test("[HST35] the X server notifies a client with the cookie of XAUTHORITY of each change, and rejects others", async () => {
    const folder = await temporaryFolder();
    try {
      const XAUTHORITY = join(folder, "Xauthority");
      await writeFile(XAUTHORITY, Buffer.concat([cookieEntry("99999"), cookieEntry("")]));
      await using display = await startXvnc(small, XAUTHORITY);
      const DISPLAY = display.display;
      const end = new AbortController();
      let notifications = 0;
      const watching = watchDisplays({ DISPLAY, XAUTHORITY }, () => (notifications += 1), end.signal);
      const ended = expect(watching).rejects.toMatchObject({ name: "AbortError" });
      await waitUntil("the client listens", () => notifications === 1);
      await display.setMode(hd);
      await waitUntil("the client is notified of the change", () => notifications > 1);
      end.abort();
      await ended;
      await expect(watchDisplays({ DISPLAY, HOME: folder }, () => undefined, never)).rejects.toMatchObject({
        code: "unreachable",
        cause: expect.objectContaining({ message: expect.stringContaining("it rejects the connection") }),
      });
      await expect(watchDisplays({ DISPLAY: "elsewhere:0" }, () => undefined, never)).rejects.toMatchObject({ code: "unsupported" });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("[HST35] the end of the X server is reported", async () => {
    const display = await startXvnc(small);
    const { promise: listens, resolve } = Promise.withResolvers<void>();
    const watching = watchDisplays({ DISPLAY: display.display }, resolve, never);
    const ended = expect(watching).rejects.toMatchObject({ code: "unreachable" });
    await listens;
    await display[Symbol.asyncDispose]();
    await ended;
  });
});

/** An entry of an Xauthority file for any host (Xau(3)): family, address, display, name, data. */
function cookieEntry(display: string): Buffer {
  const field = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
  const fields = [Buffer.alloc(0), Buffer.from(display), Buffer.from("MIT-MAGIC-COOKIE-1"), Buffer.alloc(16, display === "" ? 7 : 1)];
  return Buffer.concat([Buffer.from([0xff, 0xff]), ...fields.map(field)]);
}
