// One Electron window with the player's page: opens it, guards its iframes and reports its faults until it is closed.
import { type BrowserWindow, powerSaveBlocker } from "electron";
import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { HostPage } from "../../player/host.ts";
import type { DevTools } from "../chromium/pipe.ts";
import { IframeGuard } from "../iframes/iframe-guard.ts";
import type { IframeLimits } from "../iframes/limits.ts";
import type { BrowserListener, Probe } from "../chromium/options.ts";
import { ElectronDevTools } from "./devtools.ts";
import { ElectronPage } from "./page.ts";
import { watchHelpers } from "./processes.ts";
import { openWindow } from "./window.ts";

export interface PageWindowOptions {
  /** In pixels; null for the whole display. */
  size: { width: number; height: number } | null;
  clock: Clock;
  log: Log;
  probe: Probe;
  iframes: Partial<IframeLimits> | undefined;
  /** Why the host of an address could not be connected to, if known. */
  connectionErrorOf: (url: string) => string | null;
  listener: BrowserListener;
}

/** An open window. */
export class PageWindow {
  readonly window: BrowserWindow;
  readonly view: ElectronPage;
  /** The page that the window is for. */
  page: HostPage;
  readonly #options: PageWindowOptions;
  /** Aborts when the window is closed. */
  readonly #lifetime = new AbortController();
  /** True while the host closes the window: its end is no fault then. */
  #isClosing = false;
  #iframes: IframeGuard | undefined;

  /** Opens the window. Electron has to be ready. */
  constructor(page: HostPage, options: PageWindowOptions) {
    this.page = page;
    this.#options = options;
    const { size, log, clock, probe, listener } = options;
    const { onFault, onExit } = listener;
    this.window = openWindow({
      size,
      mayNavigate: (url) => URL.canParse(url) && new URL(url).origin === new URL(this.page.url).origin,
      onBlocked: (what, url) => log.warn({ what, url }, "blocked in the browser"),
      lifetime: this.#lifetime,
    });
    this.view = new ElectronPage(this.window.webContents, clock, probe, (detail) => onFault({ is: "page-crashed", detail }));
    this.window.once("closed", () => {
      if (!this.#isClosing) onFault({ is: "browser-exited", detail: "its window was closed" });
      onExit();
    });
    const { signal } = this.#lifetime;
    watchHelpers(log, (detail) => onFault({ is: "browser-exited", detail }), signal);
    const sleepBlocker = powerSaveBlocker.start("prevent-display-sleep");
    signal.addEventListener("abort", () => powerSaveBlocker.stop(sleepBlocker), { once: true });
  }

  /** Connects to the window's iframes. Without that connection their requests would not be checked. */
  async guardIframes(signal: AbortSignal): Promise<IframeGuard> {
    const { clock, log, iframes: limits, connectionErrorOf, listener } = this.#options;
    const { webContents } = this.window;
    const lifetime = this.#lifetime.signal;
    // DevTools responds only once there is a document.
    await this.view.load("about:blank", signal);
    const devtools = new ElectronDevTools(webContents, clock);
    // The window then has to be reopened, because requests of iframes are no longer checked.
    devtools.onDetach((reason) => {
      if (!lifetime.aborted) listener.onFault({ is: "browser-exited", detail: `its DevTools connection ended: ${reason}` });
    });
    const page = devtools.session();
    await page.send("Page.enable", {}, { signal });
    const { frameTree } = await page.send("Page.getFrameTree", {}, { signal });
    const guard = await IframeGuard.watch({
      page: { session: page, frameId: frameTree.frame.id },
      sessionOf: (id) => devtools.session(id),
      clock,
      limits,
      onEvent: listener.onIframeEvent,
      onBlocked: (what, url) => log.warn({ what, url }, "blocked in the browser"),
      connectionErrorOf,
      signal: lifetime,
    });
    this.#iframes = guard;
    // A page that moves to another process may no longer be watched, and Electron does not report that.
    webContents.on("did-navigate", () => void this.#watchAgain(guard));
    // The pointer is drawn, regardless of the page's style, until the page has seen it move once.
    page.on("Page.loadEventFired", () => void this.#hidePointer(page), lifetime);
    return guard;
  }

  /** Undefined until `guardIframes` has resolved. */
  get iframes(): IframeGuard | undefined {
    return this.#iframes;
  }

  /** Reports a page that hangs, until the window is closed. */
  watchLiveness(): void {
    const onHung = (detail: string): void => this.#options.listener.onFault({ is: "page-hung", detail });
    this.view.watchLiveness(onHung, this.#lifetime.signal).catch((error: unknown) => onHung(`its probe ended: ${reasonOf(error)}`));
  }

  close(): void {
    this.#isClosing = true;
    this.#lifetime.abort();
    if (!this.window.isDestroyed()) this.window.destroy();
  }

  async #watchAgain(guard: IframeGuard): Promise<void> {
    await guard.watchAgain().catch((error: unknown) => this.#warn(error, "the page's iframes could not be watched again"));
  }

  async #hidePointer(page: DevTools): Promise<void> {
    await page
      .send("Input.dispatchMouseEvent", { type: "mouseMoved", x: 1, y: 1 }, { signal: this.#lifetime.signal })
      .catch((error: unknown) => this.#warn(error, "the pointer could not be hidden"));
  }

  #warn(error: unknown, message: string): void {
    if (!this.#lifetime.signal.aborted) this.#options.log.warn({ reason: reasonOf(error) }, message);
  }
}
