import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { desktop, Window } from "../../support/console/console.ts";
import { faultsInTightPlaces, leastTarget, smallTargets } from "./layout-checks.ts";
import { startHostilePages, violationsOf, type HostilePages } from "./page-checks.ts";
import { addressesOf, openPage } from "./routes.ts";

// They open every page, on a machine that runs other tests beside them.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

let pages: HostilePages;
beforeAll(async () => {
  pages = await startHostilePages();
});
afterAll(() => pages[Symbol.asyncDispose]());

test("[CFR10] no page has a fault that axe finds, light or dark, or is too tight at 320 px or at 200 %, or logs an error", async () => {
  await using window = await Window.open(pages.browser);
  const { page, errors } = window;
  await window.signIn(pages.service);
  const found: string[] = [];
  for (const address of await addressesOf(page, pages.team.pool)) {
    await page.emulateMedia({ colorScheme: "light" });
    await openPage(page, pages.service.service.url + address);
    found.push(...(await violationsOf(page, address)));
    await page.emulateMedia({ colorScheme: "dark" });
    found.push(...(await violationsOf(page, `${address} (dark)`, ["color-contrast"])));
    found.push(...(await smallTargets(page, leastTarget.mouse)).map((target) => `${address}: ${target}`));
    found.push(...(await faultsInTightPlaces(page, address)));
    await page.setViewportSize(desktop.viewport!);
    found.push(...errors.splice(0).map((error) => `${address}: ${error}`));
  }
  expect(found).toEqual([]);
});

test("[CFR13] no name or text that the service accepts becomes an element or a script, on any page", async () => {
  const { fields, scriptUrls } = pages.team.person;
  // The most dangerous ones are among them.
  const names = [...fields].filter((field) => field.endsWith("/name")).join("\n");
  for (const noun of ["players/pair", "layouts", "playlists", "webhooks", "tokens", "schedules", "me", "teams/{id}", "assets/{id}"])
    expect(names).toContain(` ${noun} `);
  expect(fields.size).toBeGreaterThan(20);
  expect([...scriptUrls]).toEqual([]);

  await using window = await Window.open(pages.browser);
  const { page } = window;
  await window.signIn(pages.service);
  const traces = () =>
    page.evaluate(
      "[globalThis.xss, ...[...document.querySelectorAll('[data-xss], [onerror], [onload], iframe, script:not([src]), a[href^=\"javascript:\" i]')].map((each) => each.outerHTML)].filter((each) => each !== undefined)",
    );
  for (const address of await addressesOf(page, pages.team.pool)) {
    await openPage(page, pages.service.service.url + address);
    expect(await traces(), address).toEqual([]);
    for (const tab of await page.getByRole("tab").all()) {
      await tab.click();
      expect(await traces(), address).toEqual([]);
    }
  }
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search" }).fill("data-xss");
  await page.getByRole("option").first().waitFor();
  expect(await traces()).toEqual([]);
  expect(window.errors).toEqual([]);
});
