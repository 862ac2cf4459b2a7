// Tests of the window under a window manager: openbox, also one that is slow or starts late.
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { hasWindowManager } from "../../../src/host/chromium/display/x11.ts";
import { startXvnc } from "../../support/browser/xvnc.ts";
import { waitUntil } from "../../support/polling.ts";
import { covers, followsEach, fullHd, noDisplay, noOpenbox, openOn, startOpenbox } from "./window-on-display.ts";

const never = new AbortController().signal;
const hd = { width: 1280, height: 720 };
const lateMessage = "the window manager has not resized the window to the display's new mode yet";

describe.skipIf((noDisplay ?? noOpenbox) !== null)("the window under a window manager", { timeout: 300_000 }, () => {
  test("[HST31] the window follows a change of the display's mode under a window manager too", async () => {
    await using display = await startXvnc(fullHd);
    await using _manager = await startOpenbox(display);
    await using fixture = await openOn(display);
    await followsEach(display, fixture.server);
  });

  test("[HST37] the window waits for a window manager that does not respond to a change of the mode, and says so in the log", async () => {
    await using display = await startXvnc(fullHd);
    await using manager = await startOpenbox(display);
    const warnings: string[] = [];
    const log = pino({ level: "warn" }, { write: (line) => void warnings.push(String(JSON.parse(line).msg)) });
    await using fixture = await openOn(display, { log });
    await covers(display, fixture.server, fullHd);
    manager.kill("SIGSTOP");
    await display.setMode(hd);
    await waitUntil("the player waits for the window manager", () => warnings.includes(lateMessage));
    manager.kill("SIGCONT");
    await covers(display, fixture.server, hd);
    expect(warnings).toEqual([lateMessage]);
  });

  test("[HST37] the window waits for a window manager that does not respond when the browser starts", async () => {
    await using display = await startXvnc(fullHd);
    await using manager = await startOpenbox(display);
    manager.kill("SIGSTOP");
    await using fixture = await openOn(display);
    manager.kill("SIGCONT");
    await covers(display, fixture.server, fullHd);
  });

  test("[HST37] the window covers the display again when a window manager starts after the browser, and when it was killed", async () => {
    await using display = await startXvnc(fullHd);
    const env = { ...process.env, DISPLAY: display.display };
    await using fixture = await openOn(display);
    await covers(display, fixture.server, fullHd);
    {
      await using _manager = await startOpenbox(display);
      await display.setMode(hd);
      await covers(display, fixture.server, hd);
    }
    expect(await hasWindowManager(env, never)).toBe(false);
    await display.setMode(fullHd);
    await covers(display, fixture.server, fullHd);
  });
});
