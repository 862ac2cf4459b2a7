// Enrolment keys in the console, and moving a screen to another device.
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestService } from "../../service/harness.ts";
import { desktop, phone, startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { enrolNew, machine } from "../../support/enrolling-device.ts";

let browser: Browser;
let service: TestService;
beforeAll(async () => {
  [browser, service] = await Promise.all([startBrowser(), startConsoleService()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
});

test("[CPR8] an enrolment key is created, shown once ready to be copied, counts its screens, is changed and revoked", async () => {
  await using window = await Window.open(browser, { ...desktop, permissions: ["clipboard-read", "clipboard-write"] });
  const { page } = window;
  await window.signIn(service, "/pair");
  await page.getByRole("link", { name: "Enrolment keys" }).click();
  await page.getByText("Make a key, put it on as many machines as you like").waitFor();
  await page.getByRole("button", { name: "New key" }).click();
  const dialog = page.getByRole("dialog", { name: "New enrolment key" });
  await dialog.getByRole("button", { name: "New key" }).click();
  await dialog.getByText("Please fill this in").waitFor();
  await dialog.getByLabel("Name of the key").fill("Spring delivery");
  await dialog.getByLabel("How many screens").fill("0");
  await page.keyboard.press("Enter");
  await dialog.getByText("Enter a number from 1 to 100,000").waitFor();
  await dialog.getByLabel("How many screens").fill("2");
  await dialog.getByLabel("Names of the screens").fill("Shop {n:3} {wrong}");
  await dialog.getByLabel("Tags of the screens").fill("shop,");
  await page.keyboard.press("Enter");
  // The service's own words, at the field.
  await dialog.getByText("and no other braces").waitFor();
  await dialog.getByLabel("Names of the screens").fill("Shop {n:3}");
  await dialog.getByRole("button", { name: "New key" }).click();
  const shown = page.getByRole("alertdialog", { name: "Spring delivery is ready" });
  await shown.getByRole("button", { name: "Copy" }).first().click();
  await shown.getByText("Copied.").waitFor();
  const file = (await page.evaluate("navigator.clipboard.readText()")) as string;
  const [, secret] = /^server = "http:[^"]+"\nenrolment_key = "(enk_[^"]+)"\n$/.exec(file)!;
  await shown.getByRole("button", { name: "I have saved it" }).click();
  expect(await page.content()).not.toContain(secret);

  const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "Spring delivery" }) });
  await card.getByText("0 of 2 screens added").waitFor();
  expect((await enrolNew(service, secret!, machine(1))).answer.status).toBe(200);
  await card.getByText("1 of 2 screens added").waitFor();
  expect((await service.call("GET", "players")).body.data).toMatchObject([{ name: "Shop 001", tags: ["shop"] }]);

  await page.getByRole("button", { name: "Change Spring delivery" }).click();
  await page.getByLabel("How many screens").fill("1");
  await page.getByRole("button", { name: "Save" }).click();
  await card.getByText("Used up").waitFor();
  expect((await enrolNew(service, secret!, machine(2))).answer.status).toBe(409);
  await page.reload();
  await card.getByText("1 try was refused").waitFor();

  await page.getByRole("button", { name: "Revoke Spring delivery" }).click();
  await page.getByRole("alertdialog").getByText("The 1 screen that it has added stay").waitFor();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke", exact: true }).click();
  await card.getByText("Revoked", { exact: true }).waitFor();
  expect((await enrolNew(service, secret!, machine(3))).answer.status).toBe(410);
  // The browser logs the one refusal of a value.
  expect(window.errors.filter((each) => !each.includes("422"))).toEqual([]);
});

test("[CPR9] a screen moves to the device that shows a code, by phone, and keeps its id", async () => {
  const old = await service.pairDevice("Old box");
  const device = await service.newDevice();
  await using window = await Window.open(browser, phone);
  const { page } = window;
  // By the QR code of the new device.
  await window.signIn(service, `/pair?code=${device.grant.user_code}`);
  await page.getByRole("button", { name: "Replace the device" }).tap();
  const dialog = page.getByRole("dialog", { name: "Replace the device of a screen" });
  await dialog.getByRole("button", { name: "Replace device" }).tap();
  await dialog.getByText("Choose the screen that moves").waitFor();
  await dialog.getByRole("combobox", { name: "Screen" }).focus();
  await page.keyboard.type("Old");
  await page.getByRole("option", { name: "Old box" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  expect(await dialog.getByRole("combobox", { name: "Screen" }).inputValue()).toBe("Old box");
  expect(await dialog.getByLabel("Code on the screen").inputValue()).toBe(device.grant.user_code);
  await dialog.getByRole("button", { name: "Replace device" }).tap();
  await page.getByText("Old box runs on the new device now").waitFor();
  expect((await device.firstToken()).player_id).toBe(old.playerId);
  // The device before has lost its access.
  expect((await old.call("GET", "state")).status).toBe(401);
  expect(window.errors).toEqual([]);
});
