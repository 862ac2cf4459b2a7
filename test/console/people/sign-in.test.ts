// Signing in: the first visit, by password, wrong guesses, and a colleague who is invited.
import type { Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { phone } from "../../support/console/console.ts";
import { FakeClock } from "../../support/clock.ts";
import { SharedConsole } from "../../support/console/shared.ts";
import { cheapPasswords, goodPassword as password } from "../../service/people/browser.ts";
import { signInWhole } from "../../service/people/teams/shared-member.ts";
import { inviteMember, owner } from "../../service/people/people.ts";
import type { TestService } from "../../service/harness.ts";

let shared: SharedConsole;
beforeAll(async () => {
  // Wrong passwords are counted by the minute.
  shared = await SharedConsole.start({ ...cheapPasswords, clock: new FakeClock(Date.now()) });
});
afterAll(() => shared[Symbol.asyncDispose]());

/** Gives the first owner an email and a password, as a person does at the first visit. */
async function setUp(service: TestService, page: Page): Promise<void> {
  await page.goto((await service.call("POST", "sign-in-links", {})).body.url);
  await page.getByRole("heading", { name: "Welcome" }).waitFor();
  await page.getByLabel("Your name").fill("Ada");
  await page.getByRole("textbox", { name: "Email" }).fill("ada@example.com");
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Save and go on" }).click();
  await page.getByRole("heading", { name: "Screens", exact: true }).waitFor();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /Ada/ }).last().click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
}

// The first, because the owner has no password yet.
test("[CPP1] the first visit by link sets name, email and password, which then sign in, back to where the person wanted to go here", async () => {
  const { service } = shared;
  const window = await shared.window();
  const { page } = window;
  await setUp(service, page);
  await page.getByRole("button", { name: "Ada" }).waitFor();
  await signOut(page);

  await page.goto(`${service.service.url}/team/audit?action=setPassword`);
  await page.getByRole("textbox", { name: "Email" }).fill("ada@example.com");
  await page.getByRole("textbox", { name: "Password" }).fill("not the password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  // What was typed is still there; the rest is done by keyboard alone.
  await page.getByRole("textbox", { name: "Password" }).focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
  await page.getByRole("row", { name: /Set a password/ }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/team/audit");
  // The browser itself logs that the service refused the password.
  expect(window.errors.filter((error) => !error.includes("status of 401"))).toEqual([]);

  // Another website cannot be the place to go to.
  await signOut(page);
  await page.goto(`${service.service.url}/sign-in?to=${encodeURIComponent("//elsewhere.example/")}`);
  await page.getByRole("textbox", { name: "Email" }).fill("ada@example.com");
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Screens", exact: true }).waitFor();
});

test("[CPP2] too many wrong passwords say how long to wait, on a phone too, and count down to the next try", async () => {
  const { service } = shared;
  const member = await inviteMember(service, await owner(service), "editor");
  await signInWhole(service, member, "carl@example.com");
  const window = await shared.window(phone);
  const { page } = window;
  await page.goto(`${service.service.url}/sign-in`);
  await page.getByRole("textbox", { name: "Email" }).fill("carl@example.com");
  const submit = page.getByRole("button", { name: "Sign in" });
  const refused = page.getByText("Too many wrong passwords");
  await page.getByRole("textbox", { name: "Password" }).fill("wrong");
  for (let tried = 0; tried < 30 && !(await refused.isVisible()); tried += 1) {
    const answer = page.waitForResponse((response) => response.url().endsWith("/session") && response.request().method() === "POST");
    await submit.click();
    await answer;
    await page.getByRole("alert").waitFor();
  }
  await refused.waitFor();
  await page
    .getByRole("timer")
    .getByText(/You can try again in \d+ (second|minute)/)
    .waitFor();
  expect(await submit.isDisabled()).toBe(true);
});

test("[CPP3] an invited colleague opens the link, chooses a password and is in; a changed role can be undone, a removed person is signed out", async () => {
  const { service } = shared;
  const office = await shared.window();
  await office.signIn(service, "/team/members");
  const { page } = office;
  await page.getByRole("button", { name: "Invite a person" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Grace Hopper");
  await dialog.getByRole("textbox", { name: "Email" }).fill("grace@example.com");
  await dialog.getByRole("button", { name: "Create the link" }).click();
  const link = await dialog.getByLabel("Link").inputValue();
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("table", { name: "Invitations" }).getByText("grace@example.com").waitFor();

  const colleague = await shared.window(phone);
  await colleague.page.goto(link);
  await colleague.page.getByRole("heading", { name: "Join the team" }).waitFor();
  // The secret does not stay in the address.
  expect(colleague.page.url()).not.toContain("sgn_inv_");
  await colleague.page.getByRole("textbox", { name: "Password" }).fill("short");
  await colleague.page.getByRole("button", { name: "Join" }).tap();
  await colleague.page.getByText("characters", { exact: false }).nth(1).waitFor();
  await colleague.page.getByRole("textbox", { name: "Password" }).fill(password);
  await colleague.page.getByRole("button", { name: "Join" }).tap();
  await colleague.page.getByRole("heading", { name: "Screens", exact: true }).waitFor();
  // An editor sees the members, but invites nobody.
  await colleague.page.goto(`${service.service.url}/team/members`);
  await colleague.page.getByRole("rowheader", { name: /Grace Hopper/ }).waitFor();
  expect(await colleague.page.getByRole("button", { name: "Invite a person" }).count()).toBe(0);

  await page.reload();
  await page.getByRole("rowheader", { name: /Grace Hopper/ }).waitFor();
  await page.getByRole("button", { name: "Editor Role of Grace Hopper" }).click();
  await page.getByRole("option", { name: "Viewer" }).click();
  await page.getByText("Grace Hopper is now Viewer").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Editor Role of Grace Hopper" }).waitFor();
  await page.getByRole("button", { name: "More for Grace Hopper" }).click();
  await page.getByRole("menuitem", { name: "Remove from the team" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove from the team" }).click();
  await page.getByText("Grace Hopper was removed").waitFor();
  await colleague.page.reload();
  await colleague.page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(office.errors).toEqual([]);
});
