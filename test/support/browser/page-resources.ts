// Measures resources that may leak while a page changes its items: counts and heap after garbage collection.
import type { Browser, CDPSession, Page } from "playwright";

/** Counts that stay the same in a page without leaks, after any number of changes. */
export interface PageCounts {
  nodes: number;
  /** Elements outside the document that are still referenced. */
  detached: number;
  listeners: number;
  documents: number;
  /** Objects that observe the document's life cycle: media elements, workers, observers, animations. */
  observers: number;
  workers: number;
  /** Buffers outside the heap, such as those of loaded files. */
  buffers: number;
  animations: number;
  /** Browser, renderer and GPU processes. */
  processes: number;
}

/** The counts, and the page's heap. */
export interface PageResources {
  counts: PageCounts;
  heapBytes: number;
}

/** Measures one page and its browser. It ends with the page. */
export class PageResourceMonitor {
  readonly #page: Page;
  readonly #session: CDPSession;
  readonly #browser: CDPSession;

  private constructor(page: Page, session: CDPSession, browser: CDPSession) {
    this.#page = page;
    this.#session = session;
    this.#browser = browser;
  }

  static async start(browser: Browser, page: Page): Promise<PageResourceMonitor> {
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable");
    return new PageResourceMonitor(page, session, await browser.newBrowserCDPSession());
  }

  /** Collects garbage and measures. */
  async measure(): Promise<PageResources> {
    const session = this.#session;
    // Some objects are only freed by a second collection.
    for (let round = 0; round < 2; round += 1) await session.send("HeapProfiler.collectGarbage");
    const { metrics } = await session.send("Performance.getMetrics");
    const metric = (name: string): number => {
      const found = metrics.find((each) => each.name === name);
      if (found === undefined) throw new Error(`this Chromium does not report ${name}`);
      return found.value;
    };
    const detached = await this.#countDetached();
    const { processInfo } = await this.#browser.send("SystemInfo.getProcessInfo");
    const counts = {
      nodes: metric("Nodes"),
      detached,
      listeners: metric("JSEventListeners"),
      documents: metric("Documents"),
      observers: metric("ContextLifecycleStateObservers"),
      workers: metric("WorkerGlobalScopes"),
      buffers: metric("ArrayBufferContents"),
      animations: await this.#page.evaluate<number>("document.getAnimations().length"),
      // The browser starts and ends utility processes at any time.
      processes: processInfo.filter(({ type }) => /^(browser|renderer|GPU)$/i.test(type)).length,
    };
    return { counts, heapBytes: metric("JSHeapUsedSize") };
  }

  async #countDetached(): Promise<number> {
    const session = this.#session;
    await session.send("DOM.enable");
    const { detachedNodes } = await session.send("DOM.getDetachedDomNodes");
    // The inspector keeps references to all elements it has reported until it is disabled.
    await session.send("DOM.disable");
    return detachedNodes.length;
  }
}
