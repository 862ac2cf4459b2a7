// Makes the browser's window cover the display exactly, with and without a window manager, and again when the display changes.
import type { DevToolsSession } from "./pipe.ts";
import { offscreenLeft, type FlagOptions } from "./flags.ts";

/** In pixels. */
export interface Size {
  width: number;
  height: number;
}

/** What the window is fitted to. */
export interface Placement {
  targetId: string;
  display: FlagOptions["display"];
  /** The size asked for; null for the whole display. */
  requestedSize: Size | null;
}

/** A browser's window. Its calls reject with a Fault, as {@link DevToolsSession.send} does. */
export class KioskWindow {
  readonly #browser: DevToolsSession;
  readonly #page: DevToolsSession;
  readonly #placement: Placement;
  /** The viewport that we gave the page; null while a window manager or compositor fits the window. */
  #viewport: Size | null = null;
  /** Where the window goes when it is revealed; null when it is there already. */
  #place: { windowId: number; outer: Size } | null = null;

  private constructor(browser: DevToolsSession, page: DevToolsSession, placement: Placement) {
    this.#browser = browser;
    this.#page = page;
    this.#placement = placement;
  }

  /** Gives the page its final viewport while nobody sees the window; `reveal` moves it onto the display. */
  static async fit(browser: DevToolsSession, page: DevToolsSession, placement: Placement): Promise<KioskWindow> {
    const window = new KioskWindow(browser, page, placement);
    const { targetId, display, requestedSize: wanted } = placement;
    const seen = await window.#displaySize();
    const size = wanted ?? seen;
    const { windowId, bounds } = await browser.send("Browser.getWindowForTarget", { targetId });
    const placed = bounds.left !== undefined && bounds.left < offscreenLeft / 2;
    // Wayland's compositor and a window manager make a kiosk window fullscreen by themselves, exactly.
    if (display === "wayland" || (display === "x11" && isSame(size, seen) && placed && isSame(bounds, seen))) return window;
    await window.#setViewport(size);
    if (display === "headless") return window;
    const outer = isSame(size, seen) ? beyond(size) : size;
    await window.#resize(windowId, bounds.windowState, outer);
    window.#place = { windowId, outer };
    return window;
  }

  /** Whether its display may change its size without the window following by itself. */
  get mustFollowDisplay(): boolean {
    return this.#placement.display === "x11" && this.#placement.requestedSize === null;
  }

  /** Moves the window onto the display. */
  async reveal(): Promise<void> {
    if (this.#place === null) return;
    const { windowId, outer } = this.#place;
    await this.#browser.send("Browser.setWindowBounds", { windowId, bounds: { left: 0, top: 0, ...outer } });
  }

  /**
   * Fits a window that has to follow to the size its display has now.
   * @param mayWait whether a window manager that fits the window still has time to do so.
   * @returns the new size, or null when nothing was to be done.
   */
  async refit(mayWait: boolean): Promise<Size | null> {
    const seen = await this.#displaySize();
    if (this.#viewport !== null && isSame(this.#viewport, seen)) return null;
    const { windowId, bounds } = await this.#browser.send("Browser.getWindowForTarget", { targetId: this.#placement.targetId });
    if (this.#viewport === null && (isSame(bounds, seen) || mayWait)) return null;
    // The page first: a window that grows then shows no ground that the page has not reached.
    await this.#setViewport(seen);
    await this.#resize(windowId, bounds.windowState, beyond(seen));
    this.#place = { windowId, outer: beyond(seen) };
    await this.reveal();
    return seen;
  }

  // The page's own figures are right as soon as the browser has heard of the change.
  async #displaySize(): Promise<Size> {
    const expression = "[screen.width, screen.height]";
    const seen = await this.#page.send("Runtime.evaluate", { expression, returnByValue: true }, { deadlineMs: 2_000 });
    const [width = 0, height = 0] = seen.result.value as number[];
    return { width, height };
  }

  async #setViewport(size: Size): Promise<void> {
    await this.#page.send("Emulation.setDeviceMetricsOverride", { ...size, deviceScaleFactor: 0, mobile: false });
    this.#viewport = size;
  }

  async #resize(windowId: number, state: string | undefined, outer: Size): Promise<void> {
    if (state !== "normal") await this.#browser.send("Browser.setWindowBounds", { windowId, bounds: { windowState: "normal" } });
    await this.#browser.send("Browser.setWindowBounds", { windowId, bounds: outer });
  }
}

// Chromium makes a window of exactly the display's size one pixel smaller, lest a window manager take it for
// fullscreen. One pixel more reaches beyond the edge; the viewport keeps the page itself exact.
function beyond({ width, height }: Size): Size {
  return { width: width + 1, height: height + 1 };
}

function isSame(a: Partial<Size>, b: Size): boolean {
  return a.width === b.width && a.height === b.height;
}
