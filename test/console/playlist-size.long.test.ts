// Playlists that are longer than a page: only what is in view is drawn, and all of it can be ordered.
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser, startConsoleService, Window } from "../support/console/console.ts";
import { eventually } from "../support/polling.ts";
import type { TestService } from "../service/harness.ts";

let browser: Browser;
let service: TestService;
beforeAll(async () => {
  [browser, service] = await Promise.all([startBrowser(), startConsoleService()]);
});
afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
});

/** A page with a playlist of 1,000 texts. */
async function openLong(window: Window): Promise<{ page: Page; texts: () => Promise<string[]> }> {
  const items = Array.from({ length: 1_000 }, (_, place) => ({ type: "text", text: `Text ${place + 1}` }));
  const { body } = await service.call("POST", "playlists", { name: "Long", items });
  await window.signIn(service, `/playlists/${body.id}`);
  const { page } = window;
  await page.getByRole("row", { name: "Text 1", exact: true }).waitFor();
  const texts = async (): Promise<string[]> =>
    (await service.call("GET", `playlists/${body.id}`)).body.items.map(({ text }: { text: string }) => text);
  return { page, texts };
}

test("[CSH13] of a long playlist what is in view is drawn; the keyboard reaches and orders all of it", { timeout: 120_000 }, async () => {
  await using window = await Window.open(browser);
  const { page, texts } = await openLong(window);
  expect(await page.getByRole("row").count()).toBeLessThan(60);
  expect(await page.getByRole("grid", { name: "Items in the order in which they play" }).getAttribute("aria-rowcount")).toBe("1000");
  await page.getByRole("row", { name: "Text 1", exact: true }).focus();
  await page.keyboard.press("End");
  const last = page.getByRole("row", { name: "Text 1000", exact: true });
  await last.waitFor();
  expect(await last.evaluate((row) => row.matches(":focus"))).toBe(true);
  // Not by the pointer: the list still grows, and moves the button.
  await page.getByRole("button", { name: "Move Text 1000 up" }).press("Enter");
  await eventually(async () => (await texts())[998] === "Text 1000");
  await last.focus();
  await page.keyboard.press("Home");
  await page.getByRole("row", { name: "Text 1", exact: true }).waitFor();
  await page.getByRole("button", { name: "Move Text 1 by dragging" }).focus();
  await page.keyboard.press("Enter");
  // The list draws more rows before the focus is there.
  const isAt = (name: string): Promise<void> =>
    page.getByRole("button", { name, exact: true }).and(page.locator(":focus")).waitFor({ state: "attached" });
  await isAt("Insert between Text 1 and Text 2");
  await page.keyboard.press("End");
  await isAt("Insert after Text 999");
  await page.keyboard.press("Enter");
  await eventually(async () => (await texts()).at(-1) === "Text 1");
  expect(new Set(await texts()).size).toBe(1_000);
  expect(window.errors).toEqual([]);
});

test("[CSH14] an item is dragged to the place under the pointer, also far down a long playlist", { timeout: 120_000 }, async () => {
  await using window = await Window.open(browser);
  const { page, texts } = await openLong(window);
  await page.mouse.move(600, 500);
  const rows = page.getByRole("row");
  await eventually(async () => {
    // The list grows to its full height in several steps: a turn of the wheel before that ends early.
    const left = 8_000 - (await page.evaluate<number>("scrollY"));
    if (left !== 0) await page.mouse.wheel(0, left);
    return left === 0 && ((await rows.nth(3).getAttribute("aria-label")) ?? "") > "Text 1";
  });
  const inView = await rows.evaluateAll((all) =>
    all
      .filter((row) => row.getBoundingClientRect().top > 100 && row.getBoundingClientRect().bottom < 800)
      .map((row) => row.getAttribute("aria-label")!),
  );
  const [moved, , , target] = inView;
  const from = page.getByRole("row", { name: moved!, exact: true });
  const to = page.getByRole("row", { name: target!, exact: true });
  const box = (await to.boundingBox())!;
  await from.dragTo(to, { targetPosition: { x: box.width / 3, y: box.height - 4 } });
  await eventually(async () => {
    const all = await texts();
    return all.indexOf(moved!) === all.indexOf(target!) + 1;
  });
  expect(window.errors).toEqual([]);
});
