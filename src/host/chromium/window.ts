// Makes the browser's window cover the display exactly, with and without a window manager.
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
  wanted: Size | null;
}

/**
 * Gives the page its final viewport while nobody sees the window.
 * @returns what moves the window onto the display.
 */
export async function fitWindow(
  browser: DevToolsSession,
  page: DevToolsSession,
  { targetId, display, wanted }: Placement,
): Promise<() => Promise<void>> {
  const seen = await page.send("Runtime.evaluate", { expression: "[screen.width, screen.height]", returnByValue: true });
  const [width = 0, height = 0] = seen.result.value as number[];
  const size = wanted ?? { width, height };
  const whole = size.width === width && size.height === height;
  const { windowId, bounds } = await browser.send("Browser.getWindowForTarget", { targetId });
  const placed = bounds.left !== undefined && bounds.left < offscreenLeft / 2;
  // Wayland's compositor and a window manager make a kiosk window fullscreen by themselves, exactly.
  if (display === "wayland" || (display === "x11" && whole && placed && bounds.width === width && bounds.height === height)) {
    return () => Promise.resolve();
  }
  await page.send("Emulation.setDeviceMetricsOverride", { ...size, deviceScaleFactor: 0, mobile: false });
  if (display === "headless") return () => Promise.resolve();
  // Chromium makes a window of exactly the display's size one pixel smaller, lest a window manager take it for
  // fullscreen. One pixel more reaches beyond the edge; the override above keeps the page itself exact.
  const outer = whole ? { width: size.width + 1, height: size.height + 1 } : size;
  if (bounds.windowState !== "normal") await browser.send("Browser.setWindowBounds", { windowId, bounds: { windowState: "normal" } });
  await browser.send("Browser.setWindowBounds", { windowId, bounds: outer });
  return async () => {
    await browser.send("Browser.setWindowBounds", { windowId, bounds: { left: 0, top: 0, ...outer } });
  };
}
