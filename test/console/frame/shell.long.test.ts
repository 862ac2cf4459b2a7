import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fitOf } from "../../../renderer/console/app/palette/fuzzy.ts";
import { builtRenderer } from "../../support/page-build.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { desktop, phone, startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { TestService } from "../../service/harness.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const search = (page: Page) => page.getByRole("combobox", { name: "Search" });
const themeOf = (page: Page) => page.evaluate("document.documentElement.dataset.theme ?? 'system'");

test("[CFR6] Ctrl+K finds actions, places and tags by some letters, and shows first what was chosen last; on a phone a button opens it", async () => {
  await using service = await startConsoleService();
  const device = await service.pairDevice("Lobby");
  await service.call("PATCH", `players/${device.playerId}`, { tags: ["ground floor"] });
  await using window = await Window.open(browser);
  const { page, errors } = window;
  await window.signIn(service);
  await page.keyboard.press("Control+k");
  await search(page).fill("drk");
  await page.getByRole("option", { name: "Dark appearance" }).waitFor();
  await page.keyboard.press("Enter");
  await search(page).waitFor({ state: "detached" });
  expect(await themeOf(page)).toBe("dark");
  // Recent first, without a letter.
  await page.getByRole("button", { name: "Search" }).click();
  await expect.poll(() => page.getByRole("option").first().textContent()).toContain("Dark appearance");
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => page.getByRole("option", { selected: true }).textContent()).not.toContain("Dark appearance");
  await page.keyboard.press("Escape");
  await search(page).waitFor({ state: "detached" });
  // The focus is where it was.
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("Search");
  await page.keyboard.press("Control+k");
  await search(page).fill("grfl");
  await page.getByRole("option", { name: "ground floor" }).click();
  await page.waitForURL(/tag=ground/);
  await page.keyboard.press("Control+k");
  await search(page).fill("zzzz");
  await page.getByText("Nothing is called “zzzz”").waitFor();
  expect(errors).toEqual([]);

  await using hand = await Window.open(browser, phone);
  await hand.signIn(service);
  await hand.page.getByRole("button", { name: "Search" }).tap();
  await search(hand.page).fill("sign out");
  await hand.page.getByRole("option", { name: "Sign out" }).tap();
  await hand.page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(hand.errors).toEqual([]);
});

test("[CFR7] search ranks words that begin with the letters first, and ignores capitals, accents and scattered letters", () => {
  const best = (query: string, texts: readonly string[]) =>
    texts
      .flatMap((text) => {
        const fit = fitOf(query, text);
        return fit === null ? [] : [{ text, fit }];
      })
      .toSorted((a, b) => b.fit - a.fit)
      .map(({ text }) => text);
  expect(best("lob", ["Global", "West lobby", "Lobby"])).toEqual(["Lobby", "West lobby", "Global"]);
  expect(best("cafe", ["Café Ärger", "CAFETERIA", "Vacation of everybody"])).toEqual(["CAFETERIA", "Café Ärger"]);
  expect(best("lo le", ["Lobby left", "Lobby right"])).toEqual(["Lobby left"]);
  expect(best("شا", ["شاشة المدخل"])).toEqual(["شاشة المدخل"]);
});

test("[CFR8] keys lead to places and list themselves; they can be switched off, and do nothing while a person types", async () => {
  await using service = await startConsoleService();
  await using window = await Window.open(browser);
  const { page, errors } = window;
  await window.signIn(service, "/no/such/page");
  await page.getByRole("heading", { name: "There is nothing here" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  const heading = page.getByRole("heading", { level: 1, name: "Screens" });
  await heading.waitFor();
  expect(await page.title()).toBe("Screens · Signage");
  // What was pressed is not lost on people who do not see the page.
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Screens");
  await page.keyboard.press("?");
  const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await list.getByText("Search and actions").waitFor();
  const shown = await list.locator("dd").allTextContents();
  expect(shown.length).toBeGreaterThan(10);
  expect(new Set(shown).size, `each leads to one place: ${shown.join(", ")}`).toBe(shown.length);
  await list.getByRole("checkbox").press("Space");
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "detached" });
  await page.keyboard.press("?");
  await page.keyboard.press("Control+k");
  await search(page).fill("?");
  await page.getByText("Nothing is called “?”").waitFor();
  expect(await list.count()).toBe(0);
  expect(errors).toEqual([]);
});

test("[CFR9] a banner says that the service is away; nothing typed is lost, and afterwards everything is as on the service", async () => {
  await using folder = await temporaryFolder();
  const consoleFolder = join(await builtRenderer(), "console");
  const first = await TestService.start(folder.path, { consoleFolder });
  const { port } = first.service;
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(first);
  await page.keyboard.press("Control+k");
  await search(page).fill("half a wo");
  await first[Symbol.asyncDispose]();
  const banner = page.getByText("The service does not respond");
  await banner.waitFor();
  // It changes while this page does not hear of it.
  const deaf = await TestService.start(folder.path, { port: 0, consoleFolder });
  await deaf.pairDevice("New while away");
  await deaf[Symbol.asyncDispose]();
  await using _again = await TestService.start(folder.path, { port, consoleFolder });
  await banner.waitFor({ state: "detached" });
  expect(await search(page).inputValue()).toBe("half a wo");
  await page.keyboard.press("Escape");
  await page.getByText("New while away").first().waitFor();
  await rm(folder.path, { recursive: true, force: true });
});

test("[CFR32] in idle moments the code of all pages is loaded, so that a page opens while the service is away", async () => {
  await using folder = await temporaryFolder();
  const service = await TestService.start(folder.path, { consoleFolder: join(await builtRenderer(), "console") });
  await using window = await Window.open(browser, desktop, { isEverIdle: true });
  const { page } = window;
  const [asked, loaded] = [new Set<string>(), new Set<string>()];
  page.on("request", (request) => asked.add(request.url()));
  page.on("requestfinished", (request) => loaded.add(request.url()));
  await window.signIn(service);
  const files = (urls: ReadonlySet<string>): string[] => [...urls].filter((url) => url.includes("/assets/"));
  // What a page consists of is asked for at once.
  await expect.poll(() => files(loaded).some((url) => url.includes("/library-page-"))).toBe(true);
  await expect.poll(() => files(asked).filter((url) => !loaded.has(url))).toEqual([]);
  await service[Symbol.asyncDispose]();
  await page.getByRole("link", { name: "Library" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Library" }).waitFor();
});

test("[CFR15] a person goes on in another team from the account menu, and sees nothing of the first one", async () => {
  await using service = await startConsoleService();
  await service.pairDevice("Of the first team");
  expect((await service.call("POST", "teams", { name: "Second team" })).status).toBe(201);
  await using window = await Window.open(browser);
  const { page, errors } = window;
  await window.signIn(service);
  await page.getByText("Of the first team").first().waitFor();
  await page.getByRole("button", { name: /Owner/ }).press("Enter");
  await page.getByRole("menuitemradio", { name: "Second team" }).press("Enter");
  await page.getByRole("button", { name: /Second team/ }).waitFor();
  await page.getByRole("heading", { level: 1, name: "Screens" }).waitFor();
  expect(await page.getByText("Of the first team").count()).toBe(0);
  expect(errors).toEqual([]);
});

test("[CFR16] the sign-in page leads only to pages of the console, whatever its address says", async () => {
  await using service = await startConsoleService();
  const { url } = service.service;
  await using window = await Window.open(browser);
  const { page } = window;
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(url)) elsewhere.push(request.url());
  });
  for (const to of ["//evil.example", "/\\evil.example", "javascript:alert(1)", "/\t/evil.example", "/.//evil.example"]) {
    const { body } = await service.call("POST", "sign-in-links", {});
    await page.goto(`${url}/sign-in?to=${encodeURIComponent(to)}${new URL(body.url).hash}`);
    await page.getByRole("button", { name: "Skip" }).click();
    await page.getByRole("navigation").waitFor();
    expect(page.url(), to).toBe(`${url}/`);
    // The next link is a new page, not another place in this one.
    await page.goto("about:blank");
  }
  expect(elsewhere).toEqual([]);
  expect(window.errors).toEqual([]);
});
