// Every page of the console, opened once for all rules, with a team whose texts are hostile.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Page } from "playwright";
import { desktop, Window } from "../../support/console/console.ts";
import { faultsInTightPlaces, leastTarget, smallTargets } from "./layout-checks.ts";
import { startHostilePages, violationsOf, type HostilePages } from "./page-checks.ts";
import { addressesOf, openPage } from "./routes.ts";

// They open every page, on a machine that runs other tests beside them.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 360_000 });

let pages: HostilePages;
let window: Window;
/** What is wrong with the pages, by rule; how many were opened. */
const found = { faults: [] as string[], traces: [] as unknown[], errors: [] as string[], opened: 0 };

beforeAll(async () => {
  pages = await startHostilePages();
  window = await Window.open(pages.browser);
  const { page, errors } = window;
  await window.signIn(pages.service);
  for (const address of await addressesOf(page, pages.team.pool)) {
    await page.emulateMedia({ colorScheme: "light" });
    await openPage(page, pages.service.service.url + address);
    found.traces.push(...(await traces(page, address)));
    found.faults.push(...(await violationsOf(page, address)));
    await page.emulateMedia({ colorScheme: "dark" });
    found.faults.push(...(await violationsOf(page, `${address} (dark)`, ["color-contrast"])));
    found.faults.push(...(await smallTargets(page, leastTarget.mouse)).map((target) => `${address}: ${target}`));
    found.faults.push(...(await faultsInTightPlaces(page, address)));
    await page.setViewportSize(desktop.viewport!);
    for (const tab of await page.getByRole("tab").all()) {
      await tab.click();
      found.traces.push(...(await traces(page, address)));
    }
    found.errors.push(...errors.splice(0).map((error) => `${address}: ${error}`));
    found.opened += 1;
  }
});
afterAll(async () => {
  await window[Symbol.asyncDispose]();
  await pages[Symbol.asyncDispose]();
});

/** The elements and scripts that a text has become. The console's own previews are frames without rights. */
async function traces(page: Page, address: string): Promise<unknown[]> {
  const left = (await page.evaluate(
    '[globalThis.xss, ...[...document.querySelectorAll(\'[data-xss], [onerror], [onload], iframe:not([sandbox="allow-scripts"][src*="/preview/"]:not([srcdoc])), script:not([src]), a[href^="javascript:" i]\')].map((each) => each.outerHTML)].filter((each) => each !== undefined)',
  )) as unknown[];
  return left.map((each) => [address, each]);
}

test("[CFR10] no page has a fault that axe finds, light or dark, has small targets, is too tight at 320 px or at 200 %, or logs an error", () => {
  expect(found.opened).toBeGreaterThan(10);
  expect([...found.faults, ...found.errors]).toEqual([]);
});

test("[CFR13] no name or text that the service accepts becomes an element or a script, on any page", async () => {
  const { fields, scriptUrls } = pages.team.person;
  // The most dangerous ones are among them.
  const names = [...fields].filter((field) => field.endsWith("/name")).join("\n");
  for (const noun of ["players/pair", "layouts", "playlists", "webhooks", "tokens", "schedules", "me", "teams/{id}", "assets/{id}"])
    expect(names).toContain(` ${noun} `);
  expect(fields.size).toBeGreaterThan(20);
  expect([...scriptUrls]).toEqual([]);
  expect(found.opened).toBeGreaterThan(10);
  expect(found.traces).toEqual([]);

  const { page } = window;
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search" }).fill("data-xss");
  await page.getByRole("option").first().waitFor();
  expect(await traces(page, "the search")).toEqual([]);
  expect([...found.errors, ...window.errors]).toEqual([]);
});
