// What could grow while a page changes pictures: counts and heap of the page after its garbage is collected.
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

/** The counts, and the page's heap. */
export interface PageResources {
  counts: PageCounts;
  heapBytes: number;
}

/** Looks at one page and the browser it lives in. Dispose of it with the page. */
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

  /** Collects garbage and counts what is left. */
  async measure(): Promise<PageResources> {
    const session = this.#session;
    // What the first collection frees may hold what only the second can.
    for (let round = 0; round < 2; round += 1) await session.send("HeapProfiler.collectGarbage");
    const { metrics } = await session.send("Performance.getMetrics");
    const metric = (name: string): number => {
      const found = metrics.find((each) => each.name === name);
      if (found === undefined) throw new Error(`this Chromium does not tell ${name}`);
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
      // Services of the browser's own come and go with its whims.
      processes: processInfo.filter(({ type }) => /^(browser|renderer|GPU)$/i.test(type)).length,
    };
    return { counts, heapBytes: metric("JSHeapUsedSize") };
  }

  async #countDetached(): Promise<number> {
    const session = this.#session;
    await session.send("DOM.enable");
    const { detachedNodes } = await session.send("DOM.getDetachedDomNodes");
    // The inspector holds every element it has told of: one counted on its way out would stay for good.
    await session.send("DOM.disable");
    return detachedNodes.length;
  }
}
