// A session that a team's link began, and what its person sees of it afterwards.
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createOtherTeam, owner } from "../../service/people/people.ts";
import { plainOwner, shareMember } from "../../service/people/teams/shared-member.ts";
import { startBrowser, startConsoleService, Window } from "../../support/console/console.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test("[CNF8] the page that a team's link opens says that it is for this team only, and who made the link; the person sees the use", async () => {
  await using service = await startConsoleService();
  const victim = await createOtherTeam(service, "Victims");
  const mallory = await plainOwner(service, await owner(service));
  await shareMember(service, mallory, victim, "owner");
  const { body: link } = await mallory.call("POST", "sign-in-links", { user_id: victim.userId });
  await using opened = await Window.open(browser);
  const { page } = opened;
  // No welcome, at which a password is set.
  await page.goto(link.url);
  await page.getByRole("status").getByText("Mallory made the link that signed you in, for the team Team only").waitFor();
  await page.getByRole("heading", { name: "Screens", exact: true }).waitFor();
  await page.getByRole("button", { name: /stranger/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
  expect(
    await page
      .getByRole("menu")
      .getByText(/Switch team|Create a team|Victims/)
      .count(),
  ).toBe(0);
  await page.getByRole("menuitem", { name: "Your account" }).click();
  await page.getByText("Your account cannot be changed here").waitFor();
  expect(await page.getByRole("textbox").count()).toBe(0);
  await page.goto(`${service.service.url}/team`);
  await page.getByRole("table", { name: "Members" }).waitFor();
  expect(await page.getByRole("button", { name: /Invite|More for/ }).count()).toBe(0);
  expect(await page.getByRole("link", { name: /Access tokens|Sessions/ }).count()).toBe(0);
  expect(opened.errors).toEqual([]);

  await using own = await Window.open(browser);
  await own.signInAs(service, victim, "/account");
  const notice = own.page.getByRole("status").getByText("By a link that Mallory made, somebody signed in as you to the team Team");
  await notice.waitFor();
  const links = own.page.getByRole("table", { name: "Links that signed in as you" });
  await links.getByRole("row", { name: /Mallory Team/ }).waitFor();
  await links.getByRole("row", { name: /The service's machine/ }).waitFor();
  const sessions = own.page.getByRole("table", { name: "Where you are signed in" });
  await sessions.getByText("by a link that Mallory made, for this team only").waitFor();
  await own.page.getByRole("button", { name: "I know of it" }).click();
  await notice.waitFor({ state: "detached" });
  await own.page.reload();
  await links.waitFor();
  expect(await notice.count()).toBe(0);
  expect(own.errors).toEqual([]);
});
