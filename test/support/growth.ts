// What could grow while a page changes pictures: counts and heap of the page after its garbage is collected, memory by process.
import { readFileSync } from "node:fs";
import type { Browser, CDPSession, Page } from "playwright";

/** Counts that a page without leaks has the same after any number of changes. */
export interface PageCounts {
  nodes: number;
  /** Elements outside the document that something still holds. */
  detached: number;
  listeners: number;
  documents: number;
  /** Objects that hear of the document's end: media elements, workers, observers, animations. */
  observers: number;
  workers: number;
  /** Buffers outside the heap, such as those of files that were read. */
  buffers: number;
  animations: number;
  /** The browser's own, its renderers and that of its graphics. */
  processes: number;
}

/** The counts and what memory they stand for, in bytes. */
export interface Growth {
  counts: PageCounts;
  heapBytes: number;
  /** Memory that no other process shares, by what the process does: `browser`, `renderer`, `GPU`, … */
  privateBytes: Record<string, number>;
}

/** Looks at one page and the browser it lives in. Dispose of it with the page. */
export class GrowthWatch {
  readonly #page: Page;
  readonly #session: CDPSession;
  readonly #browser: CDPSession;

  private constructor(page: Page, session: CDPSession, browser: CDPSession) {
    this.#page = page;
    this.#session = session;
    this.#browser = browser;
  }

  static async start(browser: Browser, page: Page): Promise<GrowthWatch> {
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable");
    await session.send("DOM.enable");
    return new GrowthWatch(page, session, await browser.newBrowserCDPSession());
  }

  /** Collects garbage and counts what is left. */
  async look(): Promise<Growth> {
    const session = this.#session;
    // What the first collection frees may hold what only the second can.
    for (let round = 0; round < 2; round += 1) await session.send("HeapProfiler.collectGarbage");
    const { metrics } = await session.send("Performance.getMetrics");
    const metric = (name: string): number => {
      const found = metrics.find((each) => each.name === name);
      if (found === undefined) throw new Error(`this Chromium does not tell ${name}`);
      return found.value;
    };
    const { detachedNodes } = await session.send("DOM.getDetachedDomNodes");
    const { processInfo } = await this.#browser.send("SystemInfo.getProcessInfo");
    const privateBytes: Record<string, number> = {};
    for (const { type, id } of processInfo) privateBytes[type] = (privateBytes[type] ?? 0) + privateOf(id);
    const counts = {
      nodes: metric("Nodes"),
      detached: detachedNodes.length,
      listeners: metric("JSEventListeners"),
      documents: metric("Documents"),
      observers: metric("ContextLifecycleStateObservers"),
      workers: metric("WorkerGlobalScopes"),
      buffers: metric("ArrayBufferContents"),
      animations: await this.#page.evaluate<number>("document.getAnimations().length"),
      // Services of the browser's own come and go with its whims.
      processes: processInfo.filter(({ type }) => /^(browser|renderer|GPU)$/i.test(type)).length,
    };
    return { counts, heapBytes: metric("JSHeapUsedSize"), privateBytes };
  }
}

/** What a process alone has written to, swapped out or not; unlike PSS it does not depend on who else runs. 0 when it has ended. */
export function privateOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1] ?? 0);
    return 1_024 * (kilobytes("Private_Dirty") + kilobytes("SwapPss"));
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) return 0;
    throw error;
  }
}
