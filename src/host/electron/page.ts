// The player's page in Electron's window: loads it, checks that it responds, and ends it when it hangs.
import { once } from "node:events";
import type { WebContents } from "electron";
import type { Clock } from "../../base/clock.ts";
import { Fault, isAbort } from "../../base/fault.ts";
import type { Probe } from "../chromium/options.ts";

/** The page of an open window. Calls reject with a Fault `page-dead` or `timeout`. */
export class ElectronPage {
  readonly #contents: WebContents;
  readonly #clock: Clock;
  readonly #probe: Probe;
  /** True while the host ends the renderer: its end is no fault then. */
  #isEnding = false;

  /** @param onCrash called when the page's renderer ends by itself. */
  constructor(contents: WebContents, clock: Clock, probe: Probe, onCrash: (detail: string) => void) {
    this.#contents = contents;
    this.#clock = clock;
    this.#probe = probe;
    contents.on("render-process-gone", (_event, { reason, exitCode }) => {
      if (!this.#isEnding) onCrash(`its renderer ended: ${reason} ${exitCode}`);
    });
  }

  /** Loads the page. Resolves when its document has arrived, not when everything in it has loaded. */
  async load(url: string, signal: AbortSignal): Promise<void> {
    const cleanup = new AbortController();
    const navigation = once(this.#contents, "did-navigate", { signal: AbortSignal.any([signal, cleanup.signal]) });
    const pageLoad = this.#contents.loadURL(url).catch((cause: unknown) => {
      throw new Fault("page-dead", `the browser could not load ${url}`, { cause });
    });
    pageLoad.catch(() => undefined); // a later failure is reported by the liveness probe or as a crash
    await Promise.race([navigation, pageLoad]).finally(() => cleanup.abort());
  }

  /** Loads the page again. A hung page ignores a reload, so its renderer is ended first. */
  async reload(url: string, signal: AbortSignal): Promise<void> {
    if (!this.#contents.isCrashed() && !(await this.isResponsive())) {
      const rendererExit = once(this.#contents, "render-process-gone", { signal });
      this.#isEnding = true;
      this.#contents.forcefullyCrashRenderer();
      await rendererExit.finally(() => (this.#isEnding = false));
    }
    await this.load(url, signal);
  }

  /** Calls `onHung` whenever the page has missed two probes in a row, until `signal` aborts. */
  async watchLiveness(onHung: (detail: string) => void, signal: AbortSignal): Promise<void> {
    const { intervalMs, limitMs } = this.#probe;
    try {
      // Electron emits "unresponsive" only for unanswered input, and a kiosk gets none.
      for (let misses = 0; ;) {
        await this.#clock.wait(intervalMs, signal);
        // Not isLoading(), which is also true while an iframe loads, possibly forever.
        const isFine = this.#contents.isCrashed() || this.#contents.isLoadingMainFrame() || (await this.isResponsive());
        misses = isFine ? 0 : misses + 1;
        if (misses === 2) onHung(`it did not respond twice within ${limitMs} ms`);
        misses %= 2;
      }
    } catch (error) {
      // Calls throw once the window is closed.
      if (!isAbort(error) && !signal.aborted) throw error;
    }
  }

  /** The result of `work`, or a Fault `timeout` after `limitMs`. */
  async withDeadline<T>(limitMs: number, work: Promise<T>, signal?: AbortSignal): Promise<T> {
    const cleanup = new AbortController();
    const timeout = this.#clock.wait(limitMs, AbortSignal.any([cleanup.signal, ...(signal ? [signal] : [])])).then(() => {
      throw new Fault("timeout", `the page did not respond within ${limitMs} ms`);
    });
    return await Promise.race([work, timeout]).finally(() => cleanup.abort());
  }

  /** Resolves to true if the page's script responds within `limitMs`. */
  async isResponsive(limitMs = this.#probe.limitMs): Promise<boolean> {
    return await this.withDeadline(limitMs, this.#contents.executeJavaScript("true") as Promise<boolean>).catch(() => false);
  }
}
