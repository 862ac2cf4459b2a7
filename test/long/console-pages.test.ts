import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { faultsInTightPlaces, leastTarget, smallTargets } from "../console/frame/layout-checks.ts";
import { startHostilePages, violationsOf, type HostilePages } from "../console/frame/page-checks.ts";
import { addressesOf, openPage } from "../console/frame/routes.ts";
import { overflowing, untranslated } from "../console/frame/texts-of-page.ts";
import { desktop, phone, startConsoleService, Window } from "../support/console/console.ts";

// They open every page, on a machine that runs other tests beside them.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

let pages: HostilePages;
beforeAll(async () => {
  pages = await startHostilePages();
});
afterAll(() => pages[Symbol.asyncDispose]());

test("[CFR11] pages of a team that has nothing yet have no fault that axe finds, on a phone and in dark", async () => {
  await using empty = await startConsoleService();
  await using window = await Window.open(pages.browser, { ...phone, colorScheme: "dark" });
  const { page, errors } = window;
  await window.signIn(empty);
  const found: string[] = [];
  for (const address of await addressesOf(page, pages.team.pool)) {
    await openPage(page, empty.service.url + address);
    found.push(...(await violationsOf(page, address)));
    found.push(...(await smallTargets(page, leastTarget.finger)).map((target) => `${address}: ${target}`));
    found.push(...(await faultsInTightPlaces(page, address)));
    await page.setViewportSize(phone.viewport!);
  }
  // What does not exist there is answered with 404, which browsers log.
  found.push(...errors.filter((error) => !error.includes("404")));
  expect(found).toEqual([]);
});

test("[CIN4] on a phone everything that can be pressed on any page is at least 40 px high and wide", async () => {
  await using window = await Window.open(pages.browser, phone);
  const { page } = window;
  await window.signIn(pages.service);
  const found: string[] = [];
  for (const address of await addressesOf(page, pages.team.pool)) {
    await openPage(page, pages.service.service.url + address);
    found.push(...(await smallTargets(page, leastTarget.finger)).map((target) => `${address}: ${target}`));
    // The parts of a page that has tabs.
    for (const tab of await page.getByRole("tab").all()) {
      await tab.tap();
      const part = await tab.textContent();
      found.push(...(await smallTargets(page, leastTarget.finger)).map((target) => `${address}, ${part}: ${target}`));
    }
  }
  expect(found).toEqual([]);
});

/** Examples, names of the API, and what the service or React Aria says, which have languages of their own. */
const words = [
  /^WDJB-MJHT$/,
  /^plr_…$/,
  /^[a-z_]+:[a-z]+(, [a-z_]+:[a-z]+)*$/,
  /^[a-z]+\.[a-z_]+$/,
  /^window from /,
  /^Select$/,
  // From the browser, in the reader's language.
  /^[0-9.]+ seconds?$/,
];

test("[CFR12] every text and name of an element is in the catalogue; longer and from right to left, nothing is cut off", async () => {
  await using window = await Window.open(pages.browser);
  const { page } = window;
  const data: string[] = [];
  page.on("response", (response) => {
    if (response.url().includes("/api/") && /json/.test(response.headers()["content-type"] ?? ""))
      response.text().then(
        (text) => data.push(text),
        () => undefined, // The page was left before the body came.
      );
  });
  await window.signIn(pages.service);
  const found: string[] = [];
  for (const address of await addressesOf(page, pages.team.pool)) {
    await openPage(page, `${pages.service.service.url}${address}?locale=pseudo`);
    expect(await page.evaluate("document.documentElement.dir")).toBe("rtl");
    const plain = await untranslated(page, data.join("\n"));
    found.push(...plain.filter((text) => !words.some((each) => each.test(text))).map((text) => `${address}: ${text}`));
    for (const size of [desktop.viewport!, phone.viewport!]) {
      await page.setViewportSize(size);
      found.push(...(await overflowing(page)).map((text) => `${address} at ${size.width} px: ${text}`));
    }
    await page.setViewportSize(desktop.viewport!);
  }
  expect(found).toEqual([]);
});

test("[CFR14] every page can be reached and left by the keyboard alone", async () => {
  await using window = await Window.open(pages.browser);
  const { page } = window;
  await window.signIn(pages.service);
  for (const address of await addressesOf(page, pages.team.pool)) {
    await openPage(page, pages.service.service.url + address);
    // These have no navigation around them.
    if (/^\/(?:sign-in|r\/)/.test(address)) continue;
    // A form may begin in its first field.
    const begins = await page.evaluate("document.activeElement === document.body");
    await page.keyboard.press("Tab");
    if (begins === true) {
      expect(await page.evaluate("document.activeElement.className"), address).toBe("skip-link");
      await page.keyboard.press("Enter");
      expect(await page.evaluate("document.activeElement.id"), address).toBe("content");
    }
    await page.keyboard.press("Control+k");
    const search = page.getByRole("combobox", { name: "Search" });
    await search.fill("Screens");
    await page.getByRole("option", { name: "Screens" }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Screens" }).waitFor();
  }
});
