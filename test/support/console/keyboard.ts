// Reaches parts of a page as somebody does who has only a keyboard.
import type { Locator, Page } from "playwright";

const mostPresses = 150;

/** Presses Tab until `target` has the focus. @throws Error if it never gets it. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < mostPresses; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${String(target)}`);
}
