// Where something has arrived, with more screens than one answer of the service lists.
import { expect, test } from "vitest";
import { desktop, phone, startBrowser, Window } from "../support/console/console.ts";
import { playing, startWall } from "../support/console/wall.ts";

test(
  "[CSH12] where something has arrived is listed for all its screens, however many, and reached by keyboard",
  { timeout: 120_000 },
  async () => {
    const screens = Array.from({ length: 250 }, (_, place) => ({ name: `Screen ${place + 1}`, says: playing(null) }));
    await using wall = await startWall(screens);
    const { service } = wall;
    await service.call("POST", "show", { text: "Hello", lasts_ms: 3_600_000, everywhere: true });
    await using browser = await startBrowser();
    for (const options of [desktop, phone]) {
      await using window = await Window.open(browser, options);
      const { page } = window;
      await window.signIn(service, "/show");
      await page.getByRole("button", { name: "Where it has arrived" }).first().click();
      const list = page.getByRole("region", { name: "Where it has arrived" });
      await list.getByRole("listitem").first().waitFor();
      expect(await list.getByRole("listitem").count()).toBeLessThan(60);
      await list.focus();
      await page.keyboard.press("End");
      const last = list.locator('li[aria-posinset="250"]');
      await last.getByText(/On its way|Offline/).waitFor();
      expect(await last.locator(".target-name").textContent()).toMatch(/^Screen [0-9]+$/);
      expect(await page.locator("html").evaluate((html) => html.scrollWidth <= html.clientWidth)).toBe(true);
      expect(window.errors).toEqual([]);
    }
  },
);
