// A person's teams: created from the account's menu, deleted on the team's page.
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { tabTo } from "../../support/console/keyboard.ts";
import { eventually } from "../../support/polling.ts";

const pollOptions = { timeout: 30_000 };

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test(
  "[CPP24] a person creates a team by keyboard, goes on in it, is told what is in the way of its end, and deletes it",
  { timeout: 120_000 },
  async () => {
    await using service = await startConsoleService();
    await using window = await Window.open(browser);
    await window.signIn(service, "/team/members");
    const { page } = window;
    const { keyboard } = page;
    await page.getByRole("main").getByText("Owner").first().waitFor();
    const menu = page.getByRole("button", { name: /Owner Team/ });
    const create = page.getByRole("menuitem", { name: "Create a team" });
    // A page that is still being drawn may close a menu: whoever has no mouse opens it again.
    await eventually(async () => {
      await tabTo(page, menu);
      await keyboard.press("Enter");
      return create.waitFor({ timeout: 3_000 }).then(
        () => true,
        () => false,
      );
    });
    await create.focus();
    await keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Create a team" }).waitFor();
    await keyboard.type("Airport");
    await keyboard.press("Enter");
    await page.getByRole("button", { name: /Airport/ }).waitFor();
    const teams = (await service.call("GET", "teams")).body.data;
    expect(teams.map(({ name }: { name: string }) => name)).toEqual(["Airport", "Team"]);
    await page.goto(`${service.service.url}/team/tokens`);
    await page.getByRole("heading", { name: "Airport" }).waitFor();
    expect(await page.getByText("First token").count()).toBe(0);

    // A playlist is not in the way, a screen of the other team is in its.
    const api = page.request;
    const headers = { origin: service.service.url };
    await api.post(`${service.service.url}/api/v1/playlists`, { headers, data: { name: "Menu" } });
    await service.pairDevice("Entrance");
    const move = async () => {
      await page.getByRole("button", { name: "More for this team" }).click();
      await page.getByRole("menuitem", { name: "Delete the team" }).click();
    };
    await move();
    const dialog = page.getByRole("alertdialog", { name: "Delete the team Airport?" });
    await dialog.waitFor();
    const remove = dialog.getByRole("button", { name: "Delete the team" });
    expect(await remove.isDisabled()).toBe(true);
    await keyboard.type("airport");
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByRole("textbox").fill("Airport");
    await keyboard.press("Enter");
    await page.getByRole("button", { name: /Owner Team/ }).waitFor(pollOptions);
    expect((await service.call("GET", "teams")).body.data).toHaveLength(1);

    await page.goto(`${service.service.url}/team/members`);
    await move();
    const refused = page.getByRole("dialog", { name: "This team cannot be deleted now" });
    await refused.getByText("The team still has screens: delete them first").waitFor();
    await refused.getByRole("link", { name: "wall of screens" }).click();
    await page.getByText("Entrance").first().waitFor();
    expect(window.errors.filter((error) => !error.includes("409"))).toEqual([]);
  },
);
