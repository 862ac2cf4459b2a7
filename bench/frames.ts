// The frames of a page: how long each takes while something happens, and how long after a key what it changed is drawn.
import type { Page } from "playwright";
import { percentiles } from "./lib.ts";

/** Begins to note the frames of the page that is open. Another page begins anew. */
export async function noteFrames(page: Page): Promise<void> {
  await page.evaluate(`
    window.frames_ = [];
    let last = performance.now();
    requestAnimationFrame(function loop(at) { window.frames_.push(at - last); last = at; requestAnimationFrame(loop); });
  `);
}

/** The lengths of the frames during `act`, in ms. */
export async function framesDuring(page: Page, act: () => Promise<void>): Promise<ReturnType<typeof percentiles>> {
  await page.evaluate("window.frames_.length = 0");
  await act();
  return percentiles((await page.evaluate("window.frames_.splice(0)")) as number[]);
}

/** The time from the key's event to the frame after the next, which has what it changed, in ms. @param act presses one key */
export async function toNextFrame(page: Page, act: () => Promise<void>): Promise<number> {
  // The listener is there before the key is pressed: both ways to the page are not in order.
  await page.evaluate(`void (window.drawn_ = new Promise((resolve) => {
    addEventListener("keydown", ({ timeStamp }) => requestAnimationFrame(() => requestAnimationFrame((at) => resolve(at - timeStamp))), { once: true, capture: true });
  }))`);
  await act();
  return (await page.evaluate("window.drawn_")) as number;
}

/** Scrolls down in steps, as a wheel does. */
export async function scrollDown(page: Page, steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) await page.mouse.wheel(0, 400);
}
