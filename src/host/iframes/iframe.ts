// One frame of the page from its first request to its end: whether its document painted, hangs, eats memory or died.
import type { Clock } from "../../base/clock.ts";
import { isAbort, isFault } from "../../base/fault.ts";
import type { IframeSite, IframeFault, IframeEvent } from "../../player/host.ts";
import type { DevTools } from "../chromium/pipe.ts";
import type { ProcessEnd, ProcessEnds } from "./process-ends.ts";
import { originOf } from "./headers.ts";

/** How long things may take and how much a frame may hold. */
export interface IframeLimits {
  /** From the first request to a painted document. */
  loadMs: number;
  /** A document that painted is shown although parts of it, such as a camera's endless picture, still load. */
  partsMs: number;
  /** A document that has loaded and paints nothing in this time is blank. */
  blankMs: number;
  /** How often a frame is asked whether it lives, and how long it may take; two misses are a hang. */
  probe: { intervalMs: number; limitMs: number };
  /** Script heap and buffers of a process; above it the process is ended. */
  memoryBytes: number;
  /** Documents within `loadMs`; a page that keeps replacing itself never comes to rest. */
  documents: number;
}

export const defaultLimits: IframeLimits = {
  loadMs: 20_000,
  partsMs: 3_000,
  blankMs: 5_000,
  probe: { intervalMs: 5_000, limitMs: 2_000 },
  memoryBytes: 768 * 1024 * 1024,
  documents: 20,
};

export interface IframeOptions {
  /** DevTools' id. */
  id: string;
  name: string;
  site: IframeSite;
  clock: Clock;
  limits: IframeLimits;
  /** Shared by all frames of the page. */
  processEnds: ProcessEnds;
  onReport: (news: IframeEvent) => void;
}

// A process that is told to end is gone within milliseconds.
const endLimitMs = 2_000;

/** A frame and what is known of it. Begins to wait when made; `end` stops everything. */
export class Iframe {
  readonly #options: IframeOptions;
  readonly #life = new AbortController();
  /** Aborts when its process is gone. */
  readonly #died = new AbortController();
  #state: "loading" | "shown" | "failed" = "loading";
  #hasLoaded = false;
  #hasPainted = false;
  /** Whether its process is known to show the site and not an error page. */
  #isWatched = false;
  /** When its process became known, monotonic ms, and the address of the document in it. */
  #inmate: { url: string; since: number };
  /** The document it shows, counted from its first. */
  #document = 0;
  /** When documents came, monotonic ms. */
  #documents: number[] = [];

  constructor(options: IframeOptions) {
    this.#options = options;
    const { limits, clock } = options;
    this.#after(limits.loadMs, () => {
      if (this.#state === "loading") this.fail("timeout", `it was not shown within ${limits.loadMs} ms`);
    });
    this.#documents = [clock.monotonic()];
    this.#inmate = { url: options.site.url, since: clock.monotonic() };
  }

  get id(): string {
    return this.#options.id;
  }

  get site(): IframeSite {
    return this.#options.site;
  }

  /** Ends with the frame. */
  get signal(): AbortSignal {
    return this.#life.signal;
  }

  /** Takes over the process of its own that the frame has got. Rejects with a Fault when that is gone already. */
  async watch(session: DevTools): Promise<void> {
    const { id, site, clock, processEnds: endings } = this.#options;
    const { signal } = this.#life;
    this.#inmate = { url: site.url, since: clock.monotonic() };
    const onNavigated = (frame: { id: string; url: string; unreachableUrl?: string }): void => {
      if (frame.id !== id) return;
      this.#inmate = { ...this.#inmate, url: frame.url };
      if (frame.unreachableUrl === undefined) this.#onDocument();
      else this.fail("load", "the browser could not load it");
    };
    session.on("Page.frameNavigated", ({ frame }) => onNavigated(frame), signal);
    session.on("Page.lifecycleEvent", ({ frameId, name }) => frameId === id && this.#onLifecycle(name), signal);
    session.on("Inspector.targetCrashed", () => this.#die(endings.recordCrash(this.#inmate)), signal);
    const told = [
      session.send("Page.enable", {}, { signal }),
      ...(site.css === null
        ? []
        : [
            session.send(
              "Page.addScriptToEvaluateOnNewDocument",
              { worldName: "signage", runImmediately: true, source: styleScript(site.url, site.css) },
              { signal },
            ),
          ]),
    ];
    const [{ frameTree }] = await Promise.all([
      session.send("Page.getFrameTree", {}, { signal }),
      ...told,
      session.send("Page.setLifecycleEventsEnabled", { enabled: true }, { signal }),
      session.send("Runtime.runIfWaitingForDebugger", {}, { signal }),
    ]);
    // A page refused by its own headers comes as an error page that is there before anybody could listen.
    if (frameTree.frame.unreachableUrl !== undefined) return this.fail("load", "the browser refuses to show it in a frame");
    this.#inmate = { ...this.#inmate, url: frameTree.frame.url };
    this.#isWatched = true;
    this.#settle();
    void this.#probe(session);
    await this.#catchUp(session);
  }

  /** A document that was there before us has told of its first paint already, to nobody. */
  async #catchUp(session: DevTools): Promise<void> {
    const expression = "[document.readyState === 'complete', performance.getEntriesByType('paint').length > 0]";
    try {
      const seen = await session.send("Runtime.evaluate", { expression, returnByValue: true }, { signal: this.signal });
      const [hasLoaded, hasPainted] = seen.result.value as [boolean, boolean];
      if (hasLoaded) this.#onLifecycle("load");
      if (hasPainted) this.#onLifecycle("firstPaint");
    } catch (error) {
      // One that hangs is the probe's to tell.
      if (!isFault(error, "timeout")) throw error;
    }
  }

  /** Says, once, that there is nothing to show. */
  fail(code: IframeFault, reason: string, death?: string): void {
    if (this.#state === "failed" || this.signal.aborted) return;
    this.#state = "failed";
    const { name, site, onReport: onNews } = this.#options;
    const told = { frame: name, is: "failed", code, detail: `${originOf(site.url)}: ${reason}` } as const;
    onNews(death === undefined ? told : { ...told, death });
  }

  #die({ id, code, reason }: ProcessEnd): void {
    this.#died.abort();
    this.fail(code, reason, id);
  }

  /**
   * Ends the frame's process, with all frames in it: a loop would go on eating a core, unseen, and keep others from
   * loading. Told once it is gone: what the page loads while it dies would never come to anything.
   */
  async endProcess(session: DevTools, code: IframeFault, how: string): Promise<void> {
    const { clock, processEnds: endings } = this.#options;
    const ending = endings.record(this.#inmate, code, `its renderer ${how}, and was ended`);
    const { signal } = this.#life;
    // Its reply comes only with the next document.
    session.send("Page.crash", {}, { signal }).catch(() => undefined);
    await clock.wait(endLimitMs, AbortSignal.any([signal, this.#died.signal])).catch((error: unknown) => {
      if (!isAbort(error)) throw error;
    });
    this.#die(ending);
  }

  end(): void {
    this.#life.abort();
  }

  #onLifecycle(name: string): void {
    if (this.#state !== "loading") return;
    const { limits } = this.#options;
    if (name === "load" && !this.#hasLoaded) {
      this.#hasLoaded = true;
      const document = this.#document;
      this.#after(limits.blankMs, () => {
        if (this.#state === "loading" && !this.#hasPainted && document === this.#document) this.fail("blank", "its page stays empty");
      });
    }
    if ((name === "firstPaint" || name === "firstContentfulPaint") && !this.#hasPainted) {
      this.#hasPainted = true;
      this.#after(limits.partsMs, () => this.#show());
    }
    this.#settle();
  }

  #settle(): void {
    if (this.#hasLoaded && this.#hasPainted) this.#show();
  }

  #show(): void {
    if (this.#state !== "loading" || !this.#hasPainted || !this.#isWatched) return;
    this.#state = "shown";
    this.#options.onReport({ frame: this.#options.name, is: "shown" });
  }

  #onDocument(): void {
    const { clock, limits } = this.#options;
    const now = clock.monotonic();
    this.#document++;
    this.#hasLoaded = false;
    this.#hasPainted = false;
    this.#documents = [...this.#documents.filter((at) => now - at < limits.loadMs), now];
    if (this.#documents.length > limits.documents) this.fail("load", "its page replaces itself again and again");
  }

  /** Asks the frame's process every few seconds; one that hangs or eats memory is ended, with all of its origin that it shows. */
  async #probe(session: DevTools): Promise<void> {
    const { clock, limits } = this.#options;
    const { signal } = this.#life;
    const { intervalMs, limitMs } = limits.probe;
    try {
      for (let missed = 0; this.#state !== "failed";) {
        await clock.wait(intervalMs, signal);
        const used = await heapBytes(session, limitMs, signal);
        missed = used === null ? missed + 1 : 0;
        if (missed >= 2) await this.endProcess(session, "stalled", `did not answer twice within ${limitMs} ms`);
        else if (used !== null && used > limits.memoryBytes) {
          const held = `held ${megabytes(used)} MB, more than the ${megabytes(limits.memoryBytes)} MB allowed`;
          await this.endProcess(session, "crashed", held);
        }
      }
    } catch (error) {
      // The target went away; whoever saw it go tells.
      if (!isAbort(error) && !isFault(error)) throw error;
    }
  }

  #after(ms: number, act: () => void): void {
    this.#options.clock.wait(ms, this.signal).then(act, (error: unknown) => {
      if (!isAbort(error)) throw error;
    });
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}

/** What the scripts of the frame's process hold; null when it does not answer in time. */
async function heapBytes(session: DevTools, limitMs: number, signal: AbortSignal): Promise<number | null> {
  try {
    const { usedSize, embedderHeapUsedSize, backingStorageSize } = await session.send(
      "Runtime.getHeapUsage",
      {},
      { deadlineMs: limitMs, signal },
    );
    return usedSize + embedderHeapUsedSize + backingStorageSize;
  } catch (error) {
    if (isFault(error, "timeout")) return null;
    throw error;
  }
}

/** Adds a style that the page's own policy cannot refuse; only to documents of the site itself. */
function styleScript(url: string, css: string): string {
  return `if (location.origin === ${JSON.stringify(originOf(url))}) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(${JSON.stringify(css)});
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }`;
}
