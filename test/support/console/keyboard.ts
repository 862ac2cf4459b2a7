// Reaches parts of a page as somebody does who has only a keyboard.
import type { Locator, Page } from "playwright";

const mostPresses = 150;

/** Presses Tab until `target` has the focus. @throws Error if it never gets it. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  // Found once: while a list is open, what is outside of it has no role.
  const element = (await target.elementHandle())!;
  for (let presses = 0; presses < mostPresses; presses += 1) {
    if (await element.evaluate((each) => each.matches(":focus"))) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${String(target)}`);
}
