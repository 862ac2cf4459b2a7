import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { desktop, phone, startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import type { TestService } from "../../service/harness.ts";
import type { PopulatedTeam } from "../../service/populate-team.ts";
import { populateHostileTeam, type HostilePerson } from "./hostile-team.ts";
import { addressesOf, openPage } from "./routes.ts";
import { overflowing, untranslated } from "./texts-of-page.ts";

// They open every page, on a machine that runs other tests beside them.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

let browser: Browser;
let axe: string;
let service: TestService;
let team: PopulatedTeam & { person: HostilePerson };
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  browser = await startBrowser();
  service = opened.use(await startConsoleService());
  team = await populateHostileTeam(service);
});
afterAll(async () => {
  await opened.disposeAsync();
  await browser.close();
});

interface Violation {
  id: string;
  help: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** What axe finds wrong with a page. */
async function violationsOf(page: Page, address: string, rules?: readonly string[]): Promise<string[]> {
  // A change of colours is a transition; between them, the contrast is nobody's intention.
  await page.evaluate("Promise.allSettled(document.getAnimations().map(({ finished }) => finished))");
  await page.evaluate(axe);
  const options = rules === undefined ? {} : { runOnly: { type: "rule", values: rules } };
  const found = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`)) as Violation[];
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${address} ${id} ${target.join(" ")}: ${failureSummary}`),
  );
}

/** How many pixels the page can be scrolled sideways. */
const sideways = (page: Page) => page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");

test("[CFR10] no page has a fault that axe finds, light or dark, or scrolls sideways at 320 px, or logs an error", async () => {
  await using window = await Window.open(browser);
  const { page, errors } = window;
  await window.signIn(service);
  const found: string[] = [];
  for (const address of await addressesOf(page, team.pool)) {
    await page.emulateMedia({ colorScheme: "light" });
    await openPage(page, service.service.url + address);
    found.push(...(await violationsOf(page, address)));
    await page.emulateMedia({ colorScheme: "dark" });
    found.push(...(await violationsOf(page, `${address} (dark)`, ["color-contrast"])));
    await page.setViewportSize({ width: 320, height: 640 });
    const wide = await sideways(page);
    if (wide !== 0) found.push(`${address} scrolls sideways by ${String(wide)} px at 320 px`);
    await page.setViewportSize(desktop.viewport!);
    found.push(...errors.splice(0).map((error) => `${address}: ${error}`));
  }
  expect(found).toEqual([]);
});

test("[CFR11] pages of a team that has nothing yet have no fault that axe finds, on a phone and in dark", async () => {
  await using empty = await startConsoleService();
  await using window = await Window.open(browser, { ...phone, colorScheme: "dark" });
  const { page, errors } = window;
  await window.signIn(empty);
  const found: string[] = [];
  for (const address of await addressesOf(page, team.pool)) {
    await openPage(page, empty.service.url + address);
    found.push(...(await violationsOf(page, address)));
    if ((await sideways(page)) !== 0) found.push(`${address} scrolls sideways`);
  }
  // What does not exist there is answered with 404, which browsers log.
  found.push(...errors.filter((error) => !error.includes("404")));
  expect(found).toEqual([]);
});

test("[CFR12] every text and name of an element is in the catalogue; longer and from right to left, nothing is cut off", async () => {
  await using window = await Window.open(browser);
  const { page } = window;
  const data: string[] = [];
  page.on("response", (response) => {
    if (response.url().includes("/api/") && /json/.test(response.headers()["content-type"] ?? ""))
      response.text().then(
        (text) => data.push(text),
        () => undefined, // The page was left before the body came.
      );
  });
  await window.signIn(service);
  const found: string[] = [];
  for (const address of await addressesOf(page, team.pool)) {
    await openPage(page, `${service.service.url}${address}?locale=pseudo`);
    expect(await page.evaluate("document.documentElement.dir")).toBe("rtl");
    found.push(...(await untranslated(page, data.join("\n"))).map((text) => `${address}: ${text}`));
    for (const size of [desktop.viewport!, phone.viewport!]) {
      await page.setViewportSize(size);
      found.push(...(await overflowing(page)).map((text) => `${address} at ${size.width} px: ${text}`));
    }
    await page.setViewportSize(desktop.viewport!);
  }
  expect(found).toEqual([]);
});

test("[CFR13] no name or text that the service accepts becomes an element or a script, on any page", async () => {
  const { fields, scriptUrls } = team.person;
  // The most dangerous ones are among them.
  const names = [...fields].filter((field) => field.endsWith("/name")).join("\n");
  for (const noun of ["players/pair", "layouts", "playlists", "webhooks", "tokens", "schedules", "me", "teams/{id}", "assets/{id}"])
    expect(names).toContain(` ${noun} `);
  expect(fields.size).toBeGreaterThan(20);
  expect([...scriptUrls]).toEqual([]);

  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service);
  const traces = () =>
    page.evaluate(
      "[globalThis.xss, ...[...document.querySelectorAll('[data-xss], [onerror], [onload], iframe, script:not([src]), a[href^=\"javascript:\" i]')].map((each) => each.outerHTML)].filter((each) => each !== undefined)",
    );
  for (const address of await addressesOf(page, team.pool)) {
    await openPage(page, service.service.url + address);
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

test("[CFR14] every page can be reached and left by the keyboard alone", async () => {
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service);
  for (const address of await addressesOf(page, team.pool)) {
    await openPage(page, service.service.url + address);
    if (address === "/sign-in") continue;
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.className"), address).toBe("skip-link");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id"), address).toBe("content");
    await page.keyboard.press("Control+k");
    const search = page.getByRole("combobox", { name: "Search" });
    await search.fill("Screens");
    await page.getByRole("option", { name: "Screens" }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Screens" }).waitFor();
  }
});
