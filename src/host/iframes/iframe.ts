// One iframe from its first request to its removal: whether its document is shown, is blank, hangs or has lost its process.
import type { Clock } from "../../base/clock.ts";
import { isAbort, isFault } from "../../base/fault.ts";
import type { IframeSite, IframeFault, IframeEvent } from "../../player/host.ts";
import type { DevTools } from "../chromium/pipe.ts";
import { originOf } from "./headers.ts";
import type { IframeLimits } from "./limits.ts";
import type { IframeProcess, ProcessEnd, ProcessEnds } from "./process-ends.ts";
import { probeProcess } from "./process-probe.ts";

export interface IframeOptions {
  /** DevTools' id of the frame. */
  id: string;
  /** The name of the iframe element. */
  name: string;
  site: IframeSite;
  clock: Clock;
  limits: IframeLimits;
  /** Shared by all iframes of the page. */
  processEnds: ProcessEnds;
  onEvent: (event: IframeEvent) => void;
}

/** An iframe of the page. Its load timeout starts when it is constructed; `end` stops all timers. */
export class Iframe {
  readonly #options: IframeOptions;
  readonly #lifetime = new AbortController();
  /** Aborts when its process has ended. */
  readonly #processLifetime = new AbortController();
  #state: "loading" | "shown" | "failed" = "loading";
  #hasLoaded = false;
  #hasPainted = false;
  /** True once its process shows the site and not an error page. */
  #isWatched = false;
  #process: IframeProcess;
  /** The number of the current document, counted from the first. */
  #document = 0;
  /** When recent documents began, in monotonic ms. */
  #documentTimes: number[] = [];

  constructor(options: IframeOptions) {
    this.#options = options;
    const { limits, clock } = options;
    this.#after(limits.loadMs, () => {
      if (this.#state === "loading") this.fail("timeout", `it was not shown within ${limits.loadMs} ms`);
    });
    this.#documentTimes = [clock.monotonic()];
    this.#process = { url: options.site.url, since: clock.monotonic() };
  }

  get id(): string {
    return this.#options.id;
  }

  get site(): IframeSite {
    return this.#options.site;
  }

  /** Aborts when the iframe is removed. */
  get signal(): AbortSignal {
    return this.#lifetime.signal;
  }

  /** Watches the iframe's own process. Rejects with a Fault when the process has ended already. */
  async watch(session: DevTools): Promise<void> {
    const { id, site, clock, processEnds } = this.#options;
    const { signal } = this.#lifetime;
    this.#process = { url: site.url, since: clock.monotonic() };
    const onNavigated = (frame: { id: string; url: string; unreachableUrl?: string }): void => {
      if (frame.id !== id) return;
      this.#process = { ...this.#process, url: frame.url };
      if (frame.unreachableUrl === undefined) this.#onDocument();
      else this.fail("load", "the browser could not load it");
    };
    session.on("Page.frameNavigated", ({ frame }) => onNavigated(frame), signal);
    session.on("Page.lifecycleEvent", ({ frameId, name }) => frameId === id && this.#onLifecycle(name), signal);
    session.on("Inspector.targetCrashed", () => this.#onProcessEnd(processEnds.recordCrash(this.#process)), signal);
    const pageEvents = session.send("Page.enable", {}, { signal });
    const style = site.css === null ? null : addStyle(session, site.url, site.css, signal);
    const [{ frameTree }] = await Promise.all([
      session.send("Page.getFrameTree", {}, { signal }),
      pageEvents,
      style,
      session.send("Page.setLifecycleEventsEnabled", { enabled: true }, { signal }),
      session.send("Runtime.runIfWaitingForDebugger", {}, { signal }),
    ]);
    // When a document's own headers forbid framing, its error page is there before any listener.
    if (frameTree.frame.unreachableUrl !== undefined) return this.fail("load", "the browser refuses to show it in a frame");
    this.#process = { ...this.#process, url: frameTree.frame.url };
    this.#isWatched = true;
    this.#showIfReady();
    const end = (code: IframeFault, how: string): Promise<void> => this.endProcess(session, code, how);
    void probeProcess({ session, clock, limits: this.#options.limits, hasFailed: () => this.#state === "failed", end, signal });
    await this.#catchUp(session);
  }

  /** Reports, at most once, that the iframe has nothing to show. */
  fail(code: IframeFault, reason: string, crashId?: string): void {
    if (this.#state === "failed" || this.signal.aborted) return;
    this.#state = "failed";
    const { name, site, onEvent } = this.#options;
    const event = { frame: name, is: "failed", code, detail: `${originOf(site.url)}: ${reason}` } as const;
    onEvent(crashId === undefined ? event : { ...event, crashId });
  }

  /**
   * Ends the iframe's process, with all iframes in it: a hidden endless loop would keep a core busy and other iframes from loading.
   * Reports once the process has ended, because a document that is loaded into an ending process is lost.
   */
  async endProcess(session: DevTools, code: IframeFault, how: string): Promise<void> {
    const { clock, limits, processEnds } = this.#options;
    const end = processEnds.record(this.#process, code, `its renderer ${how}, and was ended`);
    const { signal } = this.#lifetime;
    // The reply comes only with the next document, or never: wait for the end of the process instead.
    session.send("Page.crash", {}, { signal }).catch(() => undefined);
    await clock.wait(limits.endMs, AbortSignal.any([signal, this.#processLifetime.signal])).catch((error: unknown) => {
      if (!isAbort(error)) throw error;
    });
    this.#onProcessEnd(end);
  }

  /** Stops watching the iframe, which was removed. */
  end(): void {
    this.#lifetime.abort();
  }

  /** Reads the events of a document that began before they were listened to. */
  async #catchUp(session: DevTools): Promise<void> {
    const expression = "[document.readyState === 'complete', performance.getEntriesByType('paint').length > 0]";
    try {
      const reply = await session.send("Runtime.evaluate", { expression, returnByValue: true }, { signal: this.signal });
      const [hasLoaded, hasPainted] = reply.result.value as [boolean, boolean];
      if (hasLoaded) this.#onLifecycle("load");
      if (hasPainted) this.#onLifecycle("firstPaint");
    } catch (error) {
      // The probe reports a process that does not respond.
      if (!isFault(error, "timeout")) throw error;
    }
  }

  #onProcessEnd({ id, code, reason }: ProcessEnd): void {
    this.#processLifetime.abort();
    this.fail(code, reason, id);
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
    this.#showIfReady();
  }

  #showIfReady(): void {
    if (this.#hasLoaded && this.#hasPainted) this.#show();
  }

  #show(): void {
    if (this.#state !== "loading" || !this.#hasPainted || !this.#isWatched) return;
    this.#state = "shown";
    this.#options.onEvent({ frame: this.#options.name, is: "shown" });
  }

  #onDocument(): void {
    const { clock, limits } = this.#options;
    const now = clock.monotonic();
    this.#document++;
    this.#hasLoaded = false;
    this.#hasPainted = false;
    this.#documentTimes = [...this.#documentTimes.filter((at) => now - at < limits.loadMs), now];
    if (this.#documentTimes.length > limits.documents) this.fail("load", "its page replaces itself again and again");
  }

  #after(ms: number, act: () => void): void {
    this.#options.clock.wait(ms, this.signal).then(act, (error: unknown) => {
      if (!isAbort(error)) throw error;
    });
  }
}

/** Adds a style to every document of the site itself. A constructed style sheet is not subject to the page's own policy. */
async function addStyle(session: DevTools, url: string, css: string, signal: AbortSignal): Promise<void> {
  const source = `if (location.origin === ${JSON.stringify(originOf(url))}) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(${JSON.stringify(css)});
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }`;
  await session.send("Page.addScriptToEvaluateOnNewDocument", { worldName: "signage", runImmediately: true, source }, { signal });
}
