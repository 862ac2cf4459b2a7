// The page in Electron's window: loads it, asks whether it lives, ends one that hangs.
import { once } from "node:events";
import type { WebContents } from "electron";
import type { Clock } from "../../base/clock.ts";
import { Fault, isAbort } from "../../base/fault.ts";

/** How often the page is asked whether it lives and how long it may take, in ms. */
export interface Probe {
  intervalMs: number;
  limitMs: number;
}

/** A page for as long as its window is there. Calls reject with a Fault `page-dead` or `timeout`. */
export class ElectronPage {
  readonly #contents: WebContents;
  readonly #clock: Clock;
  readonly #probe: Probe;
  /** Whether its renderer is being ended by us, so that its end is no fault. */
  #isEnding = false;

  /** @param onCrash called when the page's renderer ended by itself. */
  constructor(contents: WebContents, clock: Clock, probe: Probe, onCrash: (detail: string) => void) {
    this.#contents = contents;
    this.#clock = clock;
    this.#probe = probe;
    contents.on("render-process-gone", (_event, { reason, exitCode }) => {
      if (!this.#isEnding) onCrash(`its renderer ended: ${reason} ${exitCode}`);
    });
  }

  /** Resolves once the page has been answered, not when its last picture is there. */
  async load(url: string, signal: AbortSignal): Promise<void> {
    const settled = new AbortController();
    const committed = once(this.#contents, "did-navigate", { signal: AbortSignal.any([signal, settled.signal]) });
    const loaded = this.#contents.loadURL(url).catch((cause: unknown) => {
      throw new Fault("page-dead", `the browser could not load ${url}`, { cause });
    });
    loaded.catch(() => undefined); // when it fails after the answer, the liveness probe or a crash tells
    await Promise.race([committed, loaded]).finally(() => settled.abort());
  }

  /** Loads the page anew. A hung page ignores a reload, so its renderer is ended first. */
  async reload(url: string, signal: AbortSignal): Promise<void> {
    if (!this.#contents.isCrashed() && !(await this.#answers())) {
      const gone = once(this.#contents, "render-process-gone", { signal });
      this.#isEnding = true;
      this.#contents.forcefullyCrashRenderer();
      await gone.finally(() => (this.#isEnding = false));
    }
    await this.load(url, signal);
  }

  /** Calls `onHung` whenever the page has failed to answer twice running, until `signal` aborts. */
  async watchLiveness(onHung: (detail: string) => void, signal: AbortSignal): Promise<void> {
    const { intervalMs, limitMs } = this.#probe;
    try {
      // Electron's "unresponsive" fires only when input goes unanswered, and a kiosk gets none: so ask.
      for (let missed = 0; ;) {
        await this.#clock.wait(intervalMs, signal);
        // Frames may load without end: only the page itself is excused while it loads.
        const isFine = this.#contents.isCrashed() || this.#contents.isLoadingMainFrame() || (await this.#answers());
        missed = isFine ? 0 : missed + 1;
        if (missed === 2) onHung(`it did not answer twice within ${limitMs} ms`);
        missed %= 2;
      }
    } catch (error) {
      // With the window its contents are gone, and whatever is asked of them throws.
      if (!isAbort(error) && !signal.aborted) throw error;
    }
  }

  /** The result of `work`, or a Fault `timeout` after `limitMs`. */
  async withDeadline<T>(limitMs: number, work: Promise<T>, signal?: AbortSignal): Promise<T> {
    const done = new AbortController();
    const late = this.#clock.wait(limitMs, AbortSignal.any([done.signal, ...(signal ? [signal] : [])])).then(() => {
      throw new Fault("timeout", `the page did not answer within ${limitMs} ms`);
    });
    return await Promise.race([work, late]).finally(() => done.abort());
  }

  async #answers(): Promise<boolean> {
    return await this.withDeadline(this.#probe.limitMs, this.#contents.executeJavaScript("true") as Promise<boolean>).catch(() => false);
  }
}
