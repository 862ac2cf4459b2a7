// Sets up a file of page tests: the worker's browser, and a folder of media that is removed after the last test.
import { afterAll, beforeAll, expect } from "vitest";
import type { DrivenTime } from "../support/browser/driven-page.ts";
import { startTestBrowser, type TestBrowser } from "./test-browser.ts";

/** The browser of the calling test file, once its tests run. @param addMedia writes more media into the given folder. */
export function useTestBrowser(
  addMedia: (folder: string) => Promise<unknown> = async () => {},
): Omit<TestBrowser, typeof Symbol.asyncDispose> {
  let started: TestBrowser | undefined;
  beforeAll(async () => {
    started = await startTestBrowser();
    await addMedia(started.mediaFolder);
  });
  afterAll(() => started?.[Symbol.asyncDispose]());
  const running = (): TestBrowser => {
    if (started === undefined) throw new Error("the browser is used before the tests begin");
    return started;
  };
  return {
    get chromium() {
      return running().chromium;
    },
    get mediaFolder() {
      return running().mediaFolder;
    },
    get rendererFolder() {
      return running().rendererFolder;
    },
    open: (width, height) => running().open(width, height),
    openDriven: (width, height) => running().openDriven(width, height),
    shared: (width, height) => running().shared(width, height),
  };
}

/** Like `expect.poll` (but without `not`), on a driven page: draws a frame after each look that does not pass. */
export function poll<T>(time: DrivenTime, look: () => T | Promise<T>): ReturnType<typeof expect.poll> {
  const matches = (matcher: string, given: unknown[]) => async () => {
    const seen = expect(await look());
    (seen[matcher as "toBe"] as (...given: unknown[]) => void).apply(seen, given);
  };
  const get =
    (_: object, matcher: string) =>
    (...given: unknown[]) =>
      time.until(matches(matcher, given));
  return new Proxy({}, { get }) as ReturnType<typeof expect.poll>;
}
