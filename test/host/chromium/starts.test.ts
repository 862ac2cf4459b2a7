// Starts of Chromium, one after the other: those that fail, are cancelled or are closed, and the folder in memory of each.
import { once } from "node:events";
import { rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isAccessible } from "../../../src/base/files/is-accessible.ts";
import { silentLog } from "../../../src/base/log.ts";
import { findChromium } from "../../../src/host/chromium/find-chromium.ts";
import { createChromiumHost } from "../../../src/host/chromium/host.ts";
import { waitUntil } from "../../support/polling.ts";
import { startWebServer } from "../../support/network/web-server.ts";
import { HeldClock } from "../held-clock.ts";
import { browserProcesses, headlessChromium, temporaryFolder, type HostFixture } from "../hosts-under-test.ts";
import { browserFacts } from "./browser-facts.ts";

const never = new AbortController().signal;

describe.skipIf(headlessChromium.missing !== null)("starts of one profile", () => {
  let fixture: HostFixture;
  beforeAll(async () => {
    fixture = await headlessChromium.start();
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  /** Shows the page, in the browser that runs or in a new one. */
  const open = (): Promise<unknown> => fixture.host.open(fixture.server.page, never);
  const isRunning = async (): Promise<boolean> => (await browserProcesses(fixture)).length > 0;
  const hasEnded = async (): Promise<boolean> => !(await isRunning());

  test("[HST23] a page that cannot be reached is reported as page-dead; open succeeds once it can be reached", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/`;
    closed.close();
    await once(closed, "close");
    await expect(fixture.host.open({ ...fixture.server.page, url }, never)).rejects.toMatchObject({ code: "page-dead" });
    await open();
    expect(await fixture.server.run("document.title")).toBe("stage");
  });

  test("[WRT2] only the browser's user can enter the folder in memory, and it is removed when the browser is killed", async () => {
    await open();
    const { cacheFolder, pid, uid } = await browserFacts(fixture);
    expect(await stat(cacheFolder)).toMatchObject({ uid, mode: 0o40700 });
    process.kill(pid, "SIGKILL");
    expect(await fixture.nextFault()).toMatchObject({ is: "browser-exited" });
    await waitUntil("the folder is removed", async () => !(await isAccessible(cacheFolder)));
  });

  test("[WRT7] a browser whose folder in memory disappears continues, and the next one has a new folder", async () => {
    await open();
    // The browser may write a file into it meanwhile.
    await rm((await browserFacts(fixture)).cacheFolder, { recursive: true, maxRetries: 20, retryDelay: 10 });
    await fixture.host.reload(never);
    expect(await fixture.server.run("document.title")).toBe("stage");
    expect((await fixture.host.capture(never)).bytes.length).toBeGreaterThan(0);
    await fixture.host.close();
    await open();
    expect(await isAccessible((await browserFacts(fixture)).cacheFolder)).toBe(true);
  });

  test("[WRT2] the folder in memory is removed when the browser is closed", async () => {
    await open();
    const { cacheFolder } = await browserFacts(fixture);
    expect(await isAccessible(cacheFolder)).toBe(true);
    await fixture.host.close();
    expect(await isAccessible(cacheFolder)).toBe(false);
  });

  test("[HST25] a cancelled start rejects with the reason and leaves no process", async () => {
    await fixture.host.close();
    // The start cannot succeed before it is cancelled.
    await using site = await startWebServer("127.0.0.2", { "/": () => undefined });
    const giveUp = new AbortController();
    const opening = fixture.host.open({ ...fixture.server.page, url: `${site.origin}/` }, giveUp.signal);
    const refused = expect(opening).rejects.toMatchObject({ name: "AbortError" });
    await waitUntil("the browser runs", isRunning);
    giveUp.abort();
    await refused;
    await waitUntil("all processes have ended", hasEnded);
  });

  test("[HST28] close ends a start in progress", async () => {
    await fixture.host.close();
    const refused = expect(open()).rejects.toMatchObject({ name: "AbortError" });
    await fixture.host.close();
    await refused;
    await waitUntil("all processes have ended", hasEnded);
  });

  test("[HST29] a browser started in advance and closed before open leaves no process", async () => {
    await fixture.host.close();
    await fixture.host.prepare();
    expect(await isRunning()).toBe(true);
    await fixture.host.close();
    await waitUntil("all processes have ended", hasEnded);
  });
});

test("[HST24] a missing browser is reported as browser-missing, one that exits immediately as browser-failed with its last output", async () => {
  const profileFolder = await temporaryFolder();
  const options = { profileFolder, display: { headless: true, window: null }, env: process.env, log: silentLog, clock: new HeldClock() };
  const page = { url: "http://127.0.0.1:9/", cookie: { name: "stage", value: "x" } };
  const openWith = async (executable: string): Promise<void> => {
    await using host = createChromiumHost({ ...options, executable });
    await host.open(page, never);
  };
  try {
    await expect(findChromium("/nowhere/chromium")).rejects.toMatchObject({ code: "browser-missing" });
    await expect(openWith("/nowhere/chromium")).rejects.toMatchObject({ code: "browser-missing" });
    await expect(openWith("/bin/ls")).rejects.toMatchObject({
      code: "browser-failed",
      message: expect.stringContaining("unrecognized option"),
    });
  } finally {
    await rm(profileFolder, { recursive: true, force: true });
  }
});
