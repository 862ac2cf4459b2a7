// Tests of the Chromium host alone: its window from the start on, the end of its owner, a folder that only root can enter.
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmod, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../../../src/host/chromium/find-chromium.ts";
import type { Framebuffer } from "../../support/browser/framebuffer.ts";
import { waitUntil } from "../../support/polling.ts";
import { processesNaming } from "../processes.ts";
import { colours, startTestPageServer } from "../test-page-server.ts";
import { headlessChromium, kioskChromium, temporaryFolder, type HostFixture } from "../hosts-under-test.ts";
import { isPage, same } from "./page-picture.ts";

const never = new AbortController().signal;

describe.skipIf(kioskChromium.missing !== null)("the window", () => {
  // Upright; the contract has a wide one (HST1).
  const [width, height] = [720, 1280];
  let fixture: HostFixture;
  let seen: { lightest: number; samples: number };

  beforeAll(async () => {
    fixture = await kioskChromium.start({ size: { width, height } });
    const framebuffer = fixture.framebuffer!;
    const watched = watch(framebuffer);
    const opened = fixture.host.open(fixture.server.latePage, never);
    await waitUntil("the page is painted", () => isPage(framebuffer));
    seen = watched.stop();
    await opened;
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  test("[HST15] nothing but black is visible from the start until the page has painted", () => {
    expect(seen.samples).toBeGreaterThan(0);
    expect(seen.lightest).toBe(0);
  });

  test("[HST16] the page fills a display of any size without configuration", async () => {
    expect(await fixture.server.run("[innerWidth, innerHeight]")).toEqual([width, height]);
    await waitUntil("the corners are the page's", () => isPage(fixture.framebuffer!));
  });
});

describe.skipIf(headlessChromium.missing !== null)("the process", () => {
  test("[HST19] when its owner is killed with -9, no process of the browser remains", async () => {
    await using server = await startTestPageServer();
    const folder = await temporaryFolder();
    try {
      const owner = fork(join(import.meta.dirname, "../owner.ts"), { stdio: "inherit" });
      owner.send({ executable: await findChromium(), profileFolder: folder, page: server.page });
      await once(owner, "message");
      expect((await processesNaming(folder)).length).toBeGreaterThan(3);
      const dead = once(owner, "exit");
      owner.kill("SIGKILL");
      await dead;
      await waitUntil("all processes have ended", async () => (await processesNaming(folder)).length === 0);
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  test.skipIf(process.getuid?.() !== 0)("[HST22] root can use a data folder that other users cannot enter", async () => {
    await using fixture = await headlessChromium.start();
    await chmod(fixture.folder, 0o700);
    await fixture.host.open(fixture.server.page, never);
    expect(await fixture.server.run("document.title")).toBe("stage");
    await fixture.host.close();
    // Tests that run at the same time have folders there, too.
    const name = createHash("sha256").update(fixture.folder).digest("hex").slice(0, 16);
    const replacement = join("/var/lib/signage-player/chromium", name);
    expect(await readdir(replacement)).toContain("profile");
    await rm(replacement, { recursive: true, maxRetries: 5 });
  });
});

/** Samples the screen about once per millisecond, except its centre, where X draws its own pointer. */
function watch(framebuffer: Framebuffer): { stop(): { lightest: number; samples: number } } {
  const row = Buffer.allocUnsafe(framebuffer.stride);
  let lightest = 0;
  let samples = 0;
  const timer = setInterval(() => {
    if (isPage(framebuffer)) return;
    samples++;
    for (const y of [5, Math.round(framebuffer.height * 0.3), framebuffer.height - 5]) {
      framebuffer.row(y, row);
      for (let x = 0; x < framebuffer.width; x += 16) {
        const rgb = [row[x * 4 + 2]!, row[x * 4 + 1]!, row[x * 4]!] as const;
        if (colours.every((colour) => !same(rgb, colour))) lightest = Math.max(lightest, ...rgb);
      }
    }
  }, 1);
  return {
    stop: () => {
      clearInterval(timer);
      return { lightest, samples };
    },
  };
}
