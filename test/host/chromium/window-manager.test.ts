// Tests of one window under a window manager: openbox, also one that is slow, was killed or starts late.
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasWindowManager } from "../../../src/host/chromium/display/x11.ts";
import { startXvnc, type Xvnc } from "../../support/browser/xvnc.ts";
import { waitUntil } from "../../support/polling.ts";
import { covers, followsEach, hd, noDisplay, noOpenbox, openOn, startOpenbox, type OpenedHost } from "./window-on-display.ts";

const never = new AbortController().signal;
const small = { width: 800, height: 600 };
const lateMessage = "the window manager has not resized the window to the display's new mode yet";

describe.skipIf((noDisplay ?? noOpenbox) !== null)("the window under a window manager", () => {
  const owned = new AsyncDisposableStack();
  const warnings: string[] = [];
  let display: Xvnc;
  let manager: Awaited<ReturnType<typeof startOpenbox>>;
  let fixture: OpenedHost;

  beforeAll(async () => {
    display = owned.use(await startXvnc(hd));
    manager = owned.use(await startOpenbox(display));
    const log = pino({ level: "warn" }, { write: (line) => void warnings.push(String(JSON.parse(line).msg)) });
    manager.kill("SIGSTOP");
    fixture = owned.use(await openOn(display, { log }));
    manager.kill("SIGCONT");
  });
  afterAll(() => owned.disposeAsync());

  test("[HST37] the window waits for a window manager that does not respond when the browser starts", async () => {
    await covers(display, fixture.server, hd);
  });

  test("[HST17] the page fills the display under a window manager too", async () => {
    expect(await hasWindowManager({ DISPLAY: display.display }, never)).toBe(true);
    await covers(display, fixture.server, hd);
  });

  test("[HST31] the window follows a change of the display's mode under a window manager too", async () => {
    await followsEach(display, fixture.server);
  });

  test("[HST37] the window waits for a window manager that does not respond to a change of the mode, and says so in the log", async () => {
    warnings.length = 0;
    manager.kill("SIGSTOP");
    await display.setMode(small);
    await waitUntil("the player waits for the window manager", () => warnings.includes(lateMessage));
    manager.kill("SIGCONT");
    await covers(display, fixture.server, small);
    expect(warnings).toEqual([lateMessage]);
  });

  test("[HST37] the window covers the display again when the window manager was killed, and when another starts after the browser", async () => {
    await manager[Symbol.asyncDispose]();
    await waitUntil("no manager runs", async () => !(await hasWindowManager({ DISPLAY: display.display }, never)));
    await display.setMode(hd);
    await covers(display, fixture.server, hd);
    await using _manager = await startOpenbox(display);
    await display.setMode(small);
    await covers(display, fixture.server, small);
  });
});
