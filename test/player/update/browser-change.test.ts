// A browser that is replaced while it runs, as apt does it.
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { BrowserEngine } from "../../../src/player/host.ts";
import { hourMs, openPlace, startUpdating } from "./updating-player.ts";

const started = (): BrowserEngine => ({ name: "chromium", version: "156", headless: false });

/** A player whose browser runs, and apt. */
async function startWithBrowser() {
  const cleanup = new AsyncDisposableStack();
  const place = cleanup.use(await openPlace());
  const executable = join(place.folder, "chromium");
  await writeFile(executable, "156");
  const browser = { engine: started() };
  const launcher = { browserExecutable: executable };
  const player = cleanup.use(await startUpdating(place, { engine: () => browser.engine, launcher }));
  player.want(null);
  await player.reaches(({ is }) => is === "current");
  const upgrade = async (version: string): Promise<void> => {
    await writeFile(`${executable}.dpkg-new`, version);
    await rename(`${executable}.dpkg-new`, executable);
  };
  return { place, player, executable, browser, upgrade, [Symbol.asyncDispose]: () => cleanup.disposeAsync() };
}

test("[UPD28] a browser that was replaced while it runs is asked for in the window, once it has been there for ten minutes", async () => {
  await using setup = await startWithBrowser();
  const { place, player } = setup;
  await setup.upgrade("157");
  const from = place.clock.now();
  // Outside the window.
  await player.until(() => place.clock.now() >= from + hourMs / 3);
  expect(await place.request()).toBeNull();
  place.clock.advance(14 * hourMs);
  const request = await player.until(() => place.request());
  expect(request).toMatchObject({ what: "browser", version: "1.3.0" });
  // It is not asked for again at once.
  await place.status({ answered: request.id });
  await player.until(async () => (await place.request()) === null);
  setup.browser.engine = started();
  const since = place.clock.now();
  await player.until(() => place.clock.now() >= since + hourMs / 4);
  expect(await place.request()).toBeNull();
});

test("[UPD29] a browser that is the same, is missing for a while or was started anew is not asked for", async () => {
  await using setup = await startWithBrowser();
  const { place, player, executable, browser } = setup;
  place.clock.advance(14 * hourMs);
  await rm(executable);
  const from = place.clock.now();
  await player.until(() => place.clock.now() >= from + hourMs / 3);
  expect(await place.request()).toBeNull();
  await setup.upgrade("157");
  await player.until(() => place.clock.now() >= from + hourMs / 2);
  browser.engine = started();
  await player.until(() => place.clock.now() >= from + hourMs);
  expect(await place.request()).toBeNull();
});

test("[UPD30] with a new browser and a new version in one window, the browser comes first, and the version after its probation", async () => {
  await using setup = await startWithBrowser();
  const { place, player } = setup;
  await setup.upgrade("157");
  player.want({ version: "1.4.0", install: "in-window" });
  await player.reaches(({ is }) => is === "waiting");
  const from = place.clock.now();
  await player.until(() => place.clock.now() >= from + hourMs / 4);
  place.clock.advance(14 * hourMs);
  const first = await player.until(() => place.request());
  expect(first.what).toBe("browser");
  const probation = { what: "browser", version: "157", passed_ms: 0, needed_ms: 600_000 } as const;
  await place.status({ answered: first.id, probation });
  setup.browser.engine = started();
  const { detail } = await player.reaches((update) => update.detail?.includes("probation") === true);
  expect(detail).toContain("the browser 157 is on probation");
  expect(await place.request()).toBeNull();
  await place.status({ answered: first.id });
  expect((await player.until(() => place.request())).what).toBe("program");
});
