// Makes the browser's window cover the display exactly, with or without a window manager.
import type { DevToolsSession } from "../pipe.ts";
import { offscreenLeft, type FlagOptions } from "../flags.ts";

/** In pixels. */
export interface Size {
  width: number;
  height: number;
}

/** The window's display and size. */
export interface Placement {
  targetId: string;
  display: FlagOptions["display"];
  /** Null for the whole display. */
  requestedSize: Size | null;
  /** Tells if a window manager runs that sizes fullscreen windows itself; null if unknown. Called for X11 displays only. */
  hasWindowManager: () => Promise<boolean | null>;
}

/** The fit of the window to its display. `waiting`: a window manager has to resize it, and has not done so yet. */
export type Fit = { is: "fits" } | { is: "resized"; size: Size } | { is: "waiting" };

// A page that takes longer hangs; the window is fitted once it responds again.
const refitLimitMs = 2_000;

/** A browser's window. Its calls reject with a Fault, as {@link DevToolsSession.send} does. */
export class KioskWindow {
  readonly #browser: DevToolsSession;
  readonly #page: DevToolsSession;
  readonly #placement: Placement;
  /** The page's fixed viewport; null while a window manager or compositor sizes the window. */
  #viewport: Size | null = null;
  /** The window's final bounds for `reveal`; null when it is in place already. */
  #target: { windowId: number; outer: Size } | null = null;

  private constructor(browser: DevToolsSession, page: DevToolsSession, placement: Placement) {
    this.#browser = browser;
    this.#page = page;
    this.#placement = placement;
  }

  /**
   * Gives the page its final viewport while the window is invisible. `reveal` moves the window onto the display.
   * @param limitMs how long the page may take to tell the display's size.
   */
  static async fit(browser: DevToolsSession, page: DevToolsSession, placement: Placement, limitMs: number): Promise<KioskWindow> {
    const window = new KioskWindow(browser, page, placement);
    const { targetId, display, requestedSize } = placement;
    const current = await window.#displaySize(limitMs);
    const size = requestedSize ?? current;
    const { windowId, bounds } = await browser.send("Browser.getWindowForTarget", { targetId });
    // A Wayland compositor or a window manager makes a kiosk window exactly fullscreen by itself, however late.
    if (display === "wayland") return window;
    const isPlaced = bounds.left !== undefined && bounds.left < offscreenLeft / 2;
    if (display === "x11" && isSame(size, current) && (await window.#isManaged(isPlaced && isSame(bounds, current)))) return window;
    await window.#overrideViewport(size);
    window.#viewport = size;
    if (display === "headless") return window;
    const outer = isSame(size, current) ? onePixelLarger(size) : size;
    await window.#resize(windowId, bounds.windowState, outer);
    window.#target = { windowId, outer };
    return window;
  }

  /** True if `refit` has to resize the window when its display changes. */
  get mustFollowDisplay(): boolean {
    return this.#placement.display === "x11" && this.#placement.requestedSize === null;
  }

  /**
   * Moves the window onto the display.
   * @param waitForPaint resolves when the page has painted. Until then the window shows the background of Chromium's theme: dark grey,
   * and on a busy machine white for a frame.
   */
  async reveal(waitForPaint: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    if (this.#target === null) return;
    await waitForPaint();
    const { windowId, outer } = this.#target;
    await this.#browser.send("Browser.setWindowBounds", { windowId, bounds: { left: 0, top: 0, ...outer } });
  }

  /** Makes the window fit its display's current size, or leaves that to a window manager, which may have started since. */
  async refit(): Promise<Fit> {
    const current = await this.#displaySize(refitLimitMs);
    const { windowId, bounds } = await this.#browser.send("Browser.getWindowForTarget", { targetId: this.#placement.targetId });
    if (await this.#isManaged(this.#viewport === null)) {
      // A window manager that started later, or that was asked too early, has given the window a border.
      if (this.#viewport !== null || bounds.windowState !== "fullscreen") await this.#makeFullscreen(windowId);
      return { is: isSame(bounds, current) ? "fits" : "waiting" };
    }
    if (this.#viewport !== null && isSame(this.#viewport, current)) return { is: "fits" };
    // The page first, so that a growing window shows no area outside the page.
    await this.#overrideViewport(current);
    await this.#resize(windowId, bounds.windowState, onePixelLarger(current));
    this.#target = { windowId, outer: onePixelLarger(current) };
    await this.reveal();
    // Not earlier: after a call that failed, the next check has to repeat all of them.
    this.#viewport = current;
    return { is: "resized", size: current };
  }

  // To resize a managed window as well would end its fullscreen state, and the window manager would draw a border around it.
  async #isManaged(ifUnknown: boolean): Promise<boolean> {
    return (await this.#placement.hasWindowManager()) ?? ifUnknown;
  }

  async #makeFullscreen(windowId: number): Promise<void> {
    await this.#browser.send("Browser.setWindowBounds", { windowId, bounds: { windowState: "fullscreen" } });
    await this.#page.send("Emulation.clearDeviceMetricsOverride", {});
    this.#viewport = null;
    this.#target = null;
  }

  // The page reports the right size as soon as the browser has noticed a change.
  async #displaySize(limitMs: number): Promise<Size> {
    const expression = "[screen.width, screen.height]";
    const current = await this.#page.send("Runtime.evaluate", { expression, returnByValue: true }, { deadlineMs: limitMs });
    const [width = 0, height = 0] = current.result.value as number[];
    return { width, height };
  }

  async #overrideViewport(size: Size): Promise<void> {
    await this.#page.send("Emulation.setDeviceMetricsOverride", { ...size, deviceScaleFactor: 0, mobile: false });
  }

  async #resize(windowId: number, state: string | undefined, outer: Size): Promise<void> {
    if (state !== "normal") await this.#browser.send("Browser.setWindowBounds", { windowId, bounds: { windowState: "normal" } });
    await this.#browser.send("Browser.setWindowBounds", { windowId, bounds: outer });
  }
}

// Chromium makes a window of exactly the display's size one pixel smaller, so that a window manager does not treat it as
// fullscreen. One pixel more avoids that; the viewport keeps the page's size exact.
function onePixelLarger({ width, height }: Size): Size {
  return { width: width + 1, height: height + 1 };
}

function isSame(a: Partial<Size>, b: Size): boolean {
  return a.width === b.width && a.height === b.height;
}
