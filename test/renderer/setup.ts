// Sets up a file of page tests: one browser for all its tests, closed after the last.
import { afterAll, beforeAll, vi } from "vitest";
import { type OpenedPage, startTestBrowser, type TestBrowser } from "./test-browser.ts";

const limitMs = 90_000;

/** The browser of the calling test file, once its tests run. @param addMedia writes more media into the given folder. */
export function useTestBrowser(
  addMedia: (folder: string) => Promise<unknown> = async () => {},
): Omit<TestBrowser, typeof Symbol.asyncDispose> {
  // This limit is generous for busy machines; tests of speed measure the time themselves.
  vi.setConfig({ testTimeout: limitMs, hookTimeout: limitMs });
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
    open: (width?: number, height?: number): Promise<OpenedPage> => running().open(width, height),
    shared: (width?: number, height?: number): Promise<OpenedPage> => running().shared(width, height),
  };
}
