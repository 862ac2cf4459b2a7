// Following a display's mode on a fake clock: a real X server tells of changes, and the browser of the window is a script.
import { PassThrough } from "node:stream";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { followDisplay } from "../../../src/host/chromium/display/display.ts";
import { KioskWindow, type Size } from "../../../src/host/chromium/display/window.ts";
import { DevToolsPipe } from "../../../src/host/chromium/pipe.ts";
import { startXvnc, type Xvnc } from "../../support/browser/xvnc.ts";
import { FakeClock } from "../../support/clock.ts";
import { isInstalled } from "../../support/is-installed.ts";
import { eventually } from "../../support/polling.ts";

const [small, hd] = [
  { width: 800, height: 600 },
  { width: 1280, height: 720 },
];
const firstCheckMs = 50;

/** A fake clock that keeps the durations of all waits. */
class RecordingClock extends FakeClock {
  readonly waits: number[] = [];

  override wait(ms: number, signal?: AbortSignal): Promise<void> {
    this.waits.push(ms);
    return super.wait(ms, signal);
  }
}

/** A scripted browser whose window follows `display`. */
async function follow(display: string, { hasManager = false } = {}) {
  const clock = new RecordingClock();
  const stop = new AbortController();
  const warnings: string[] = [];
  const browser = { screen: small as Size, bounds: small as Size, isPageHung: false };
  const input = new PassThrough({ encoding: "utf8" });
  const output = new PassThrough();
  input.on("data", (text: string) => {
    for (const part of text.split("\0").filter((each) => each !== "")) {
      const { id, method, params } = JSON.parse(part) as { id: number; method: string; params: { bounds?: Size } };
      if (method === "Runtime.evaluate" && browser.isPageHung) continue;
      const { width, height } = browser.screen;
      if (method === "Browser.setWindowBounds" && params.bounds?.width !== undefined) browser.bounds = params.bounds;
      const bounds = { left: 0, top: 0, windowState: "fullscreen", ...browser.bounds };
      output.write(`${JSON.stringify({ id, result: { result: { value: [width, height] }, windowId: 1, bounds } })}\0`);
    }
  });
  const pipe = new DevToolsPipe(input, output, clock, () => undefined);
  const placement = { targetId: "1", display: "x11", requestedSize: null, hasWindowManager: async () => hasManager } as const;
  const window = await KioskWindow.fit(pipe.browser, pipe.session("page"), placement, 30_000);
  const log = pino({ level: "warn" }, { write: (line) => void warnings.push(String(JSON.parse(line).msg)) });
  const following = followDisplay(window, { env: { DISPLAY: display }, clock, log }, stop.signal);
  const ended = expect(following).rejects.toMatchObject({ name: "AbortError" });
  /** Advances the clock in steps, and lets the calls on the pipe complete. */
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= firstCheckMs) {
      clock.advance(firstCheckMs);
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return {
    browser,
    warnings,
    pass,
    /** Waits until the X server has told of a change that `act` causes after all checks of earlier ones are over. */
    async onEvent(act: () => Promise<void>): Promise<void> {
      await eventually(() => clock.waits.includes(firstCheckMs));
      await pass(62_000);
      clock.waits.length = 0;
      await act();
      await eventually(() => clock.waits.includes(firstCheckMs));
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

describe.skipIf(!isInstalled("Xvnc"))("a display that tells of its changes", () => {
  let display: Xvnc;
  beforeAll(async () => {
    display = await startXvnc(small);
  });
  afterAll(() => display[Symbol.asyncDispose]());

  /** Has the X server tell of another mode. */
  async function changeMode(): Promise<void> {
    await display.setMode(hd);
    await display.setMode(small);
  }

  test("[HST31] the window follows a change of the display's mode within 3 s, although the browser notices it late", async () => {
    await using at = await follow(display.display);
    await at.onEvent(changeMode);
    await at.pass(1_000);
    at.browser.screen = hd;
    await at.pass(2_000);
    // One pixel more than the display, see window.ts.
    expect(at.browser.bounds).toMatchObject({ width: hd.width + 1, height: hd.height + 1 });
  });

  test("[HST33] the window follows a change that happened while the page hung, once the page responds again", async () => {
    await using at = await follow(display.display);
    await at.onEvent(changeMode);
    at.browser.screen = hd;
    at.browser.isPageHung = true;
    await at.pass(120_000);
    expect(at.browser.bounds).toMatchObject({ width: small.width + 1 });
    at.browser.isPageHung = false;
    await at.pass(3_000);
    expect(at.browser.bounds).toMatchObject({ width: hd.width + 1 });
  });

  test("[HST37] a window manager that has not resized the window after 2 s is named in the log, once", async () => {
    await using at = await follow(display.display, { hasManager: true });
    await at.onEvent(changeMode);
    at.browser.screen = hd;
    await at.pass(1_500);
    expect(at.warnings).toEqual([]);
    await at.pass(30_000);
    expect(at.warnings).toEqual(["the window manager has not resized the window to the display's new mode yet"]);
  });
});

test("[HST35] the window follows a display that sends the player no notifications", async () => {
  // Xlib accepts this notation, the player's client does not.
  await using at = await follow("unix/:0");
  // No check is left that the start itself has caused.
  await at.pass(65_000);
  at.browser.screen = hd;
  await at.pass(3_000);
  expect(at.browser.bounds).toMatchObject({ width: hd.width + 1 });
  expect(at.warnings).toEqual(["changes of the display cannot be listened to; the display is polled instead"]);
});
