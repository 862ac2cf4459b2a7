// The console in Debian's Firefox ESR, by WebDriver BiDi. It needs the package `firefox-esr`, or FIREFOX with its path.
import { existsSync } from "node:fs";
import { launch } from "puppeteer-core";
import { expect, test } from "vitest";
import { startConsoleService } from "../support/console/console.ts";

const executablePath = process.env["FIREFOX"] ?? "/usr/bin/firefox-esr";
const isInstalled = existsSync(executablePath);
if (!isInstalled) process.stderr.write(`Skipped: there is no Firefox at ${executablePath}. Install firefox-esr, or set FIREFOX.\n`);

test.skipIf(!isInstalled)("[CFR18] in Firefox a person signs in, sees new screens appear, and searches by keyboard", async () => {
  await using service = await startConsoleService();
  const browser = await launch({ browser: "firefox", executablePath, headless: true });
  await using _closed = { [Symbol.asyncDispose]: () => browser.close() };
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  const { body } = await service.call("POST", "sign-in-links", {});
  await page.goto(body.url);
  await page.locator("::-p-aria(Screens[role='heading'])").wait();
  await service.pairDevice("Shop window");
  await page.locator("::-p-text(Shop window)").wait();
  await page.keyboard.down("Control");
  await page.keyboard.press("k");
  await page.keyboard.up("Control");
  await page.locator("input[role=combobox]").fill("dark");
  await page.locator("::-p-text(Dark appearance)").wait();
  await page.keyboard.press("Enter");
  await page.waitForFunction("document.documentElement.dataset.theme === 'dark'");
  await page.locator("button.account-button").click();
  await page.locator("::-p-aria(Sign out[role='menuitem'])").click();
  await page.locator("::-p-aria(Sign in[role='heading'])").wait();
  expect(errors).toEqual([]);
});
