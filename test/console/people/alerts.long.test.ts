// Alerts in the console: somebody takes care of one, and the limits are changed.
import { join } from "node:path";
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { desktop, phone, startBrowser, Window } from "../../support/console/console.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { builtRenderer } from "../../support/page-build.ts";
import { AlertFleet } from "../../service/alerts/alert-fleet.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test(
  "[CPP9] a person takes care of an alert, and another sees it at once without reading the page again",
  { timeout: 120_000 },
  async () => {
    await using folder = await temporaryFolder();
    await using fleet = await AlertFleet.start(folder.path, { consoleFolder: join(await builtRenderer(), "console") });
    const [lobby] = await fleet.pair(["Lobby"], ["site:Berlin Hbf"]);
    lobby!.health = { ...lobby!.health, temperature_c: 86.4 };
    await fleet.opened(lobby!, "hot");
    await using desk = await Window.open(browser, desktop);
    await desk.signIn(fleet.api, "/team/alerts?kind=hot");
    const row = desk.page.getByRole("row", { name: /Lobby/ });
    await row.getByText("86 °C").waitFor();
    await row.getByText("Nobody yet").waitFor();

    await using window = await Window.open(browser, phone);
    await window.signIn(fleet.api, "/team/alerts");
    await window.page.getByRole("button", { name: "I take care of it: Lobby" }).tap();
    await row.getByText("Owner", { exact: true }).waitFor();
    expect(await window.page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    expect([...desk.errors, ...window.errors]).toEqual([]);
  },
);

test(
  "[CPP10] the limits of alerts and their recipients are changed together; a wrong address is named, and what was typed is kept",
  { timeout: 120_000 },
  async () => {
    await using folder = await temporaryFolder();
    await using fleet = await AlertFleet.start(folder.path, { consoleFolder: join(await builtRenderer(), "console") });
    await using window = await Window.open(browser);
    await window.signIn(fleet.api, "/team/alerts");
    const { page } = window;
    const hot = page.getByRole("group", { name: "Too hot" });
    await hot.getByRole("textbox", { name: "Too hot: From" }).fill("75");
    await hot.getByRole("switch", { name: "Too hot: Mail it" }).focus();
    await page.keyboard.press("Space");
    const recipients = page.getByLabel("Recipients");
    await recipients.fill("nobody");
    await page.getByRole("button", { name: "Save the settings" }).click();
    await page.getByText("must be an email address").waitFor();
    // What was typed is kept.
    await recipients.fill("desk@example.com\nnight@example.com\n");
    await page.getByRole("button", { name: "Save the settings" }).click();
    await page.getByText("The alert settings were changed").waitFor();
    const { body } = await fleet.api.call("GET", "alert-settings");
    expect(body.recipients).toEqual(["desk@example.com", "night@example.com"]);
    expect(body.kinds.hot).toMatchObject({ open_celsius: 75, close_celsius: 70, mail: false });
    expect(body.kinds.dark).toMatchObject({ enabled: true, mail: true, open_minutes: 5 });
    expect(await page.getByRole("button", { name: "Save the settings" }).count()).toBe(0);
  },
);
