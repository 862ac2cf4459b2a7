// Tests of the window on a display whose mode changes.
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { watchDisplays } from "../../../src/host/chromium/display/x11.ts";
import { startXvnc } from "../../support/browser/xvnc.ts";
import { waitUntil } from "../../support/polling.ts";
import { killAll, processesNaming } from "../processes.ts";
import { temporaryFolder } from "../hosts-under-test.ts";
import { covers, followsEach, fullHd, noDisplay, openOn } from "./window-on-display.ts";

const never = new AbortController().signal;

describe.skipIf(noDisplay !== null)("the window and its display", { timeout: 300_000 }, () => {
  test("[HST31] the window follows a change of the display's mode within 3 s: smaller, larger, rotated, back", async () => {
    await using display = await startXvnc(fullHd);
    const warnings: string[] = [];
    {
      await using fixture = await openOn(display, { log: pino({ level: "warn" }, { write: (line) => void warnings.push(line) }) });
      await followsEach(display, fixture.server);
    }
    expect(warnings).toEqual([]);
  });

  test("[HST32] the window fills a display that appears after the start", async () => {
    await using display = await startXvnc({ width: 1024, height: 768 });
    await display.turnOff();
    await using fixture = await openOn(display);
    await display.setMode(fullHd);
    await covers(display, fixture.server, fullHd);
    await display.turnOff();
    await display.setMode({ width: 1280, height: 720 });
    await covers(display, fixture.server, { width: 1280, height: 720 });
  });

  test("[HST33] the window follows a change that happened while the page hung, once the page responds again", async () => {
    await using display = await startXvnc(fullHd);
    await using fixture = await openOn(display);
    await fixture.server.start("for (const end = Date.now() + 4000; Date.now() < end;);");
    await display.setMode({ width: 1280, height: 720 });
    // This resolves when the page responds again.
    await fixture.server.run("1");
    await covers(display, fixture.server, { width: 1280, height: 720 });
  });

  test("[HST33] the window follows a change that happened while the page's process was dead, after the reload", async () => {
    await using display = await startXvnc(fullHd);
    await using fixture = await openOn(display);
    const mode = { width: 1280, height: 720 };
    const { promise: died, resolve } = Promise.withResolvers<unknown>();
    fixture.host.onFault(resolve, never);
    killAll((await processesNaming(fixture.folder)).filter(({ type }) => type === "renderer").map(({ pid }) => pid));
    await display.setMode(mode);
    expect(await died).toMatchObject({ is: "page-crashed" });
    await fixture.host.reload(never);
    await covers(display, fixture.server, mode);
  });

  test("[HST34] a window of a given size keeps it when the display changes", async () => {
    const window = { width: 1280, height: 720 };
    await using display = await startXvnc(fullHd);
    await using fixture = await openOn(display, { window });
    await display.setMode({ width: 1600, height: 1200 });
    await waitUntil("the browser has the new size", async () => (await fixture.server.run("screen.width")) === 1600);
    expect(await fixture.server.run("[innerWidth, innerHeight]")).toEqual([1280, 720]);
  });
});

describe.skipIf(noDisplay !== null)("the X server", () => {
  test("[HST35] the X server notifies a client with the cookie of XAUTHORITY of each change, and rejects others", async () => {
    const folder = await temporaryFolder();
    try {
      const XAUTHORITY = join(folder, "Xauthority");
      await writeFile(XAUTHORITY, Buffer.concat([cookieEntry("99999"), cookieEntry("")]));
      await using display = await startXvnc(fullHd, XAUTHORITY);
      const DISPLAY = display.display;
      const end = new AbortController();
      let notifications = 0;
      const watching = watchDisplays({ DISPLAY, XAUTHORITY }, () => (notifications += 1), end.signal);
      const ended = expect(watching).rejects.toMatchObject({ name: "AbortError" });
      await waitUntil("the client listens", () => notifications === 1);
      await display.setMode({ width: 1280, height: 720 });
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
    const display = await startXvnc(fullHd);
    const { promise: listens, resolve } = Promise.withResolvers<void>();
    const watching = watchDisplays({ DISPLAY: display.display }, resolve, never);
    const ended = expect(watching).rejects.toMatchObject({ code: "unreachable" });
    await listens;
    await display[Symbol.asyncDispose]();
    await ended;
  });

  test("[HST35] the window follows a display that sends the player no notifications", async () => {
    await using display = await startXvnc(fullHd);
    // Xlib accepts this notation, our client does not.
    await using fixture = await openOn({ ...display, display: `unix/${display.display}` });
    const mode = { width: 1280, height: 720 };
    await display.setMode(mode);
    await covers(display, fixture.server, mode);
  });
});

/** An entry of an Xauthority file for any host (Xau(3)): family, address, display, name, data. */
function cookieEntry(display: string): Buffer {
  const field = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
  const fields = [Buffer.alloc(0), Buffer.from(display), Buffer.from("MIT-MAGIC-COOKIE-1"), Buffer.alloc(16, display === "" ? 7 : 1)];
  return Buffer.concat([Buffer.from([0xff, 0xff]), ...fields.map(field)]);
}
