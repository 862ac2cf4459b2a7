// The console in Debian's Firefox ESR, by WebDriver BiDi. It needs the package `firefox-esr`, or FIREFOX with its path.
import { existsSync } from "node:fs";
import { launch, type Page } from "puppeteer-core";
import { expect, test, vi } from "vitest";
import { createProblem } from "../../src/protocol/device/player-problems.ts";
import type { TestService } from "../service/harness.ts";
import { startConsoleService } from "../support/console/console.ts";
import { playing, startWall } from "../support/console/wall.ts";
import { plainImage } from "../support/media/media.ts";
import { eventually } from "../support/polling.ts";

// Firefox starts slowly beside other tests.
vi.setConfig({ testTimeout: 240_000 });

const executablePath = process.env["FIREFOX"] ?? "/usr/bin/firefox-esr";
const isInstalled = existsSync(executablePath);
if (!isInstalled) process.stderr.write(`Skipped: there is no Firefox at ${executablePath}. Install firefox-esr, or set FIREFOX.\n`);

/** A window of Firefox in which the owner has just signed in by the link that a new service prints. */
async function signIn(service: TestService) {
  const browser = await launch({ browser: "firefox", executablePath, headless: true });
  const page = await browser.newPage();
  await page.setViewport({ width: 1_280, height: 800 });
  page.setDefaultTimeout(60_000);
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  const { body } = await service.call("POST", "sign-in-links", {});
  await page.goto(body.url);
  await page.locator("::-p-aria(Skip)").click();
  await page.locator("::-p-aria(Screens[role='heading'])").wait();
  return { page, errors, [Symbol.asyncDispose]: () => browser.close() };
}

/** Drops a file onto the first element that matches. */
async function drop(page: Page, selector: string, name: string, bytes: Buffer): Promise<void> {
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([Uint8Array.from(atob(${JSON.stringify(bytes.toString("base64"))}), (letter) => letter.charCodeAt(0))], ${JSON.stringify(name)}));
    const target = document.querySelector(${JSON.stringify(selector)});
    for (const type of ["dragenter", "dragover", "drop"]) target.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  })()`);
}

test.skipIf(!isInstalled)("[CFR18] in Firefox a person signs in, sees new screens appear, and searches by keyboard", async () => {
  await using service = await startConsoleService();
  await using window = await signIn(service);
  const { page, errors } = window;
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

test.skipIf(!isInstalled)("[CIN6] in Firefox the one dark screen among many is in view without any action", async () => {
  const screens = Array.from({ length: 1_000 }, (_, place) => ({ name: `Screen ${place}`, says: playing(null) }));
  const problems = [createProblem("not-rendering", Date.now() - 60_000)];
  const dark = { name: "Platform 9", says: { ...playing(null), rendering: false, problems } };
  await using wall = await startWall([...screens.slice(0, 700), dark, ...screens.slice(700)]);
  await using window = await signIn(wall.service);
  const { page, errors } = window;
  await page.locator("::-p-text(1,001 screens)").wait();
  await page.locator("::-p-text(No frame is presented on the screen.)").wait();
  const card = await page.waitForSelector("::-p-aria(Platform 9[role='article'])");
  const { y, height } = (await card!.boundingBox())!;
  expect(y + height).toBeLessThan(800);
  expect(errors).toEqual([]);
});

test.skipIf(!isInstalled)(
  "[CIN6] in Firefox a person adds a screen by its code, drops a picture onto it, takes over its tag and ends that",
  async () => {
    await using service = await startConsoleService();
    await using window = await signIn(service);
    const { page, errors } = window;
    const device = await service.newDevice();
    await page.locator("::-p-aria(Add a screen[role='link'])").click();
    await page.locator("input[name=code]").wait();
    // The last letter of the code leads on to the name.
    await page.waitForFunction("document.activeElement?.getAttribute('name') === 'code'");
    await page.keyboard.type(device.grant.user_code);
    await page.keyboard.type("Counter");
    await page.keyboard.press("Enter");
    await page.locator("::-p-text(Counter is yours)").wait();
    await device.firstToken();
    const path = `players/${device.playerId}`;
    await service.call("PATCH", path, { tags: ["bar"] });
    const shows = async (words: string) => JSON.stringify((await device.call("GET", "state")).body).includes(words);

    await page.locator("::-p-aria(Screens[role='link'])").click();
    await page.locator("::-p-aria(Counter[role='article'])").wait();
    await drop(page, "article", "Menu.png", await plainImage([9, 120, 60]));
    await page.locator("::-p-aria(Show on 1 screen[role='button'])").click();
    await page.locator("::-p-text(is on its way)").wait();
    const [asset] = (await service.call("GET", "assets")).body.data;
    expect([asset.name, await shows(asset.id)]).toEqual(["Menu.png", true]);
    await page.locator("::-p-aria(Done[role='button'])").click();

    await page.locator("::-p-aria(Take over[role='link'])").click();
    await page.locator("textarea").fill("We close at four");
    await page.locator(".suggestion::-p-text(bar)").click();
    await page.locator("::-p-aria(Take over 1 screen[role='button'])").click();
    await page.locator("::-p-text(Taken over: “We close at four”)").wait();
    expect(await shows("We close at four")).toBe(true);
    await page.locator("::-p-aria(End it[role='button'])").click();
    await eventually(async () => !(await shows("We close at four")));
    // What was dropped is on again.
    expect(await shows(asset.id)).toBe(true);
    expect(errors).toEqual([]);
  },
);
