// A person's own account, the proof before dangerous acts, and other sessions.
import type { Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { desktop, phone, startConsoleService, Window } from "../../support/console/console.ts";
import { SharedConsole } from "../../support/console/shared.ts";
import { cheapPasswords } from "../../service/people/browser.ts";
import { FakeClock } from "../../support/clock.ts";
import { MailServer } from "../../support/network/mail-server.ts";
import { smtpAt } from "../../service/alerts/mail-fleet.ts";
import { startPathProxy } from "../frame/proxy.ts";

let shared: SharedConsole;
const clock = new FakeClock(Date.now());
beforeAll(async () => {
  shared = await SharedConsole.start({ ...cheapPasswords, clock });
});
afterAll(() => shared[Symbol.asyncDispose]());

const password = "a sentence about lighthouses";

/** Gives the person who is signed in an email and a password. */
async function setPassword(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "Email" }).fill("ada@example.com");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("textbox", { name: "New password" }).fill(password);
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByText("Your password is set").waitFor();
}

// The first, because it counts the owner's sessions.
test("[CPP8] a person sees where they are signed in and signs out there, on a phone", async () => {
  const { service } = shared;
  const lost = await shared.window(desktop, 1);
  await lost.signIn(service, "/account");
  const window = await shared.window(phone);
  await window.signIn(service, "/account");
  const { page } = window;
  const sessions = page.getByRole("table", { name: "Where you are signed in" });
  await sessions.getByText("This session").waitFor();
  await sessions.getByRole("button", { name: /Sign out there: Owner on/ }).tap();
  await page.getByText("Owner is signed out there").waitFor();
  await expect.poll(() => sessions.getByRole("row").count()).toBe(2);
  await lost.page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.getByText("Dark", { exact: true }).tap();
  expect(await page.evaluate("getComputedStyle(document.documentElement).colorScheme")).toBe("dark");
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
  expect(window.errors).toEqual([]);
});

test("[CPP7] a dangerous act asks for the password once the proof is old, and then goes on", async () => {
  const { service } = shared;
  const window = await shared.window();
  await window.signIn(service, "/account");
  const { page } = window;
  await setPassword(page);
  clock.advance(16 * 60_000);
  await page.goto(`${service.service.url}/team/tokens`);
  await page.getByRole("button", { name: "Create a token" }).click();
  await page.getByLabel("Name").fill("Script");
  await page.keyboard.press("Enter");
  const proof = page.getByRole("dialog", { name: "Is it you?" });
  await proof.getByRole("textbox", { name: "Password" }).fill("something else");
  await page.keyboard.press("Enter");
  await proof
    .getByText(/wrong|not/i)
    .first()
    .waitFor();
  await proof.getByRole("textbox", { name: "Password" }).fill(password);
  await page.keyboard.press("Enter");
  await page.getByRole("alertdialog", { name: "Script is ready" }).getByLabel("Secret").waitFor();
  expect((await service.call("GET", "tokens")).body.data.filter(({ name }: { name: string }) => name === "Script")).toHaveLength(1);
});

test("[CPP25] a person proves their email by a code that is mailed; an owner sees that an invitation was mailed and whose email is unproven", async () => {
  await using server = await MailServer.start();
  await using proxy = await startPathProxy("/signage", true);
  await using service = await startConsoleService({ ...cheapPasswords, publicUrl: proxy.url, smtp: smtpAt(server.port) });
  proxy.target = service.service.url;
  // At an address of its own.
  await using window = await Window.open(shared.browser, phone);
  const { page } = window;
  await page.goto((await service.call("POST", "sign-in-links", {})).body.url);
  await page.getByRole("button", { name: "Skip" }).tap();
  await page.goto(`${proxy.url}/account`);
  await setPassword(page);
  await page.goto(`${proxy.url}/team/members`);
  await page.getByText("(unproven)").waitFor();
  await page.goto(`${proxy.url}/account`);
  await page.getByRole("button", { name: "Send a code" }).tap();
  const field = page.getByRole("textbox", { name: "Code" });
  await field.fill("BCDF-GHJK");
  await page.getByRole("button", { name: "Prove the email" }).tap();
  await page.getByText("wrong or too old").waitFor();
  await expect.poll(() => server.mails.length).toBe(1);
  await field.fill(/[A-Z]{4}-[A-Z]{4}/.exec(server.mails[0]!.text)![0]);
  await page.getByRole("button", { name: "Prove the email" }).tap();
  await page.getByText("Your email is proven").waitFor();
  await field.waitFor({ state: "detached" });
  await page.goto(`${proxy.url}/team/members`);
  await page.getByRole("button", { name: "Invite a person" }).tap();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Grace Hopper");
  await dialog.getByRole("textbox", { name: "Email" }).fill("grace@example.com");
  await dialog.getByRole("button", { name: "Create the link" }).tap();
  await dialog.getByText("A mail with another link was sent to grace@example.com").waitFor();
  expect(await page.getByText("(unproven)").count()).toBe(0);
});
