// Single sign-on in the console: signing in, refusals in words, an invitation, a proof in a window of its own, unlinking.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser as Caller } from "../../service/people/browser.ts";
import { callbackOf, inviteLasting, linkAs, ssoAt } from "../../service/people/sso/sso.ts";
import { FakeClock } from "../../support/clock.ts";
import { phone, startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { LoginProvider } from "../../support/network/login-provider.ts";
import type { TestService } from "../../service/harness.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const slow = { timeout: 120_000 };

/** A service with single sign-on at a real provider, and its owner Ada, who has a password. */
async function start({ isServed = true } = {}) {
  const clock = new FakeClock(Date.now());
  const folder = await mkdtemp(join(tmpdir(), "signage-sso-"));
  const provider = await LoginProvider.listen();
  const service = await startConsoleService({ clock, sso: await ssoAt(folder, provider.issuer) });
  if (isServed) provider.serve(callbackOf(service));
  provider.accounts
    .set("ada", { email: "ada@example.com", email_verified: true, name: "Ada" })
    .set("grace", { email: "grace@example.com", email_verified: true, name: "Grace Hopper" })
    .set("stranger", { email: "stranger@example.com", email_verified: true });
  const owner = await Caller.ofOwnerWithPassword(service);
  if (isServed) await linkAs(owner, "ada");
  return {
    clock,
    owner,
    provider,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What a window logged as an error, besides what the browser itself says about refusals of the service. */
function errorsOf({ errors }: Window): string[] {
  return errors.filter((error) => !/status of (401|403|503)/.test(error));
}

/** Gives the account at the provider, by keyboard alone. */
async function chooseAccount(page: Page, account: string): Promise<void> {
  await page.getByRole("heading", { name: "Test login" }).waitFor();
  await page.getByLabel("Account").focus();
  await page.keyboard.type(account);
  await page.keyboard.press("Enter");
}

async function signIn(page: Page, service: TestService, account: string): Promise<void> {
  await page.goto(`${service.service.url}/sign-in`);
  await page.getByRole("button", { name: "Sign in with Acme Login" }).click();
  await chooseAccount(page, account);
}

test(
  "[CPP21] a person signs in by single sign-on, back to where they wanted to go, sees the linked account, unlinks it and links it again",
  slow,
  async () => {
    await using run = await start();
    await using window = await Window.open(browser);
    const { page } = window;
    const { url } = run.service.service;
    await page.goto(`${url}/team/audit?action=linkIdentity`);
    const button = page.getByRole("button", { name: "Sign in with Acme Login" });
    await button.focus();
    await page.keyboard.press("Enter");
    await chooseAccount(page, "ada");
    await page.getByRole("row", { name: /Link an account of single sign-on/ }).waitFor();
    expect(page.url()).toBe(`${url}/team/audit?action=linkIdentity`);
    // The first page and the next ones are signed in, and the code is in no address that the browser keeps.
    await page.reload();
    await page.getByRole("row", { name: /Link an account/ }).waitFor();
    await page.goto(`${url}/account`);
    await page.getByText("by single sign-on").waitFor();
    const accounts = page.getByRole("region", { name: "Single sign-on" });
    await accounts.getByText("ada@example.com").waitFor();
    await accounts.getByRole("button", { name: "Unlink Acme Login, ada@example.com" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Unlink" }).click();
    await accounts.getByText("None is linked").waitFor();
    await accounts.getByRole("button", { name: "Link an account of Acme Login" }).click();
    // The provider knows the browser by now.
    await page.getByText("The account signs you in from now on").waitFor();
    await accounts.getByText("ada@example.com").waitFor();
    expect(page.url()).toBe(`${url}/account`);
    expect(errorsOf(window)).toEqual([]);
  },
);

test("[CPP22] who is not let in by single sign-on reads why and what to do, on a phone too", slow, async () => {
  await using run = await start({ isServed: false });
  await using window = await Window.open(browser, phone);
  const { page } = window;
  await page.goto(`${run.service.service.url}/sign-in`);
  await page.getByRole("button", { name: "Sign in with Acme Login" }).tap();
  await page.getByRole("alert").getByText("Acme Login cannot be reached now. Sign in with a password").waitFor();
  await page.getByRole("textbox", { name: "Password" }).waitFor();
  run.provider.serve(callbackOf(run.service));
  run.clock.advance(6_000);

  await signIn(page, run.service, "stranger");
  await page.getByRole("alert").getByText("Nobody has invited stranger@example.com yet: ask an owner").waitFor();
  expect(page.url()).not.toContain("code=");
  await page.getByRole("link", { name: "Back to the sign-in page" }).tap();
  await page.getByRole("textbox", { name: "Email" }).waitFor();

  await page.context().clearCookies();
  await page.getByRole("button", { name: "Sign in with Acme Login" }).tap();
  await page.getByRole("button", { name: "Cancel" }).tap();
  await page.getByText("Acme Login did not let you in, or you cancelled").waitFor();

  // What somebody else wrote into a link is not shown, and signs nobody in.
  const { url } = run.service.service;
  await page.goto(`${url}/sign-in/sso?error=access_denied&error_description=Call+us&state=sign-in.x`);
  await page.getByText("not begun in this browser").waitFor();
  expect(await page.getByText("Call us").count()).toBe(0);
  await page.goto(`${url}/sign-in/sso`);
  await page.getByText("There is no sign-in to finish here").waitFor();

  // Another website cannot be the place to go to, however it was kept.
  await page.addInitScript("if (sessionStorage.length > 0) sessionStorage.setItem('signage-sso-place', '//elsewhere.example/')");
  await page.goto(`${url}/sign-in?to=${encodeURIComponent("//elsewhere.example/")}`);
  await page.evaluate("sessionStorage.setItem('any', '')");
  await linkAs(run.owner, "ada");
  await page.getByRole("button", { name: "Sign in with Acme Login" }).tap();
  await chooseAccount(page, "ada");
  await page.getByRole("heading", { name: "Screens", exact: true }).waitFor();
  expect(errorsOf(window)).toEqual([]);
});

test(
  "[CPP23] an invited person joins by single sign-on, and gives a fresh proof in a window of its own without losing what they do",
  slow,
  async () => {
    await using run = await start();
    const { service, owner, clock } = run;
    const invitation = await inviteLasting(service, owner, "grace@example.com", "owner");
    await using window = await Window.open(browser);
    const { page } = window;
    await page.goto(invitation.url);
    await page.getByRole("button", { name: "Join with Acme Login" }).click();
    await chooseAccount(page, "grace");
    await page.getByRole("button", { name: "Grace Hopper" }).waitFor();

    await page.goto(`${service.service.url}/team/members`);
    clock.advance(16 * 60_000);
    await page.getByRole("button", { name: "Invite a person" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Alan Turing");
    await dialog.getByRole("textbox", { name: "Email" }).fill("alan@example.com");
    await dialog.getByRole("button", { name: "Create the link" }).click();
    const proof = page.getByRole("dialog", { name: "Is it you?" });
    const opened = page.waitForEvent("popup");
    await proof.getByRole("button", { name: "Sign in with Acme Login" }).click();
    const popup = await opened;
    await chooseAccount(popup, "grace");
    // The act goes on with what was typed.
    await page.getByRole("dialog").getByLabel("Link").waitFor();
    await proof.waitFor({ state: "detached" });
    if (!popup.isClosed()) await popup.waitForEvent("close");
    expect(errorsOf(window)).toEqual([]);
  },
);
