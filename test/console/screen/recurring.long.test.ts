// Recurring commands of a screen: listed in words, added, changed and removed.
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { desktop, phone, startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { tabTo } from "../../support/console/keyboard.ts";
import type { TestService } from "../../service/harness.ts";

let browser: Browser;
let service: TestService;
beforeAll(async () => {
  [browser, service] = await Promise.all([startBrowser(), startConsoleService()]);
});
afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
});

const read = async (id: string) => (await service.call("GET", `players/${id}`)).body.recurring_commands;

test.each([
  ["desktop", desktop],
  ["phone", phone],
])(
  "[CSC14] a recurring command is added by keyboard, changed and removed, and is said in words (%s)",
  { timeout: 120_000 },
  async (_name, options) => {
    const { playerId } = await service.pairDevice("Lobby");
    await using window = await Window.open(browser, options);
    await window.signIn(service, `/screens/${playerId}?tab=settings`);
    const { page } = window;
    const section = page.getByRole("region", { name: "Recurring commands" });
    const save = async (): Promise<void> => {
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("“Lobby” is saved").first().waitFor();
      await page.getByText("not saved.").waitFor({ state: "detached" });
    };
    await tabTo(page, section.getByRole("button", { name: "Add a recurring command" }));
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Add a recurring command" });
    await dialog.waitFor();
    await tabTo(page, dialog.getByRole("textbox", { name: "Name" }));
    await page.keyboard.press("Enter");
    await section.getByText("Every day at 04:00: Restart the program").waitFor();
    await save();
    expect(await read(playerId)).toEqual([
      { name: "Restart the program", command: { type: "restart", args: {} }, at: ["04:00"], enabled: true },
    ]);

    await section.getByRole("button", { name: "Change Restart the program" }).click();
    const change = page.getByRole("dialog", { name: "Change Restart the program" });
    await change.getByRole("button", { name: "Add a time" }).click();
    await change.getByLabel("Time 2", { exact: true }).fill("02:30");
    for (const day of ["Sat", "Sun"]) await change.getByRole("button", { name: day }).click();
    await change.getByRole("textbox", { name: "Name" }).fill("Nightly");
    await change.getByRole("button", { name: "Done" }).click();
    await section.getByText("Monday to Friday at 02:30, 04:00: Restart the program").waitFor();
    await section.getByRole("switch", { name: "Nightly is on" }).press("Space");
    await save();
    expect(await read(playerId)).toMatchObject([{ name: "Nightly", at: ["02:30", "04:00"], enabled: false }]);
    expect(await page.locator("html").evaluate((html) => html.scrollWidth <= html.clientWidth)).toBe(true);

    await section.getByRole("button", { name: "Remove Nightly" }).click();
    await section.getByText("Nothing recurs.").waitFor();
    await save();
    expect(await read(playerId)).toEqual([]);
    expect(window.errors).toEqual([]);
  },
);

test("[CSC15] changing one recurring command keeps what the page has no control for, and every other", { timeout: 120_000 }, async () => {
  const { playerId } = await service.pairDevice("Bar");
  const { body: holidays } = await service.call("POST", "calendars", { name: "Holidays", dates: [{ date: "2026-12-25" }] });
  const stored = [
    {
      name: "Quiet",
      command: { type: "audio.volume", args: { percent: 20 } },
      at: ["19:00"],
      weekdays: ["SA", "SU"],
      calendar: { calendar_id: holidays.id, is_listed: false },
    },
    { name: "Till", command: { type: "serial.write", args: { port: "till", hex: "0d0a" } }, at: ["08:00"] },
  ];
  expect((await service.call("PATCH", `players/${playerId}`, { recurring_commands: stored })).status).toBe(200);
  await using window = await Window.open(browser);
  await window.signIn(service, `/screens/${playerId}?tab=settings`);
  const { page } = window;
  const section = page.getByRole("region", { name: "Recurring commands" });
  await section.getByText("Saturday and Sunday at 19:00: Volume (20 %), except on the dates of Holidays").waitFor();
  await section.getByRole("button", { name: "Change Till" }).click();
  const dialog = page.getByRole("dialog", { name: "Change Till" });
  await dialog.getByText("Its further values stay as they are.").waitFor();
  await dialog.getByLabel("Time 1", { exact: true }).fill("09:15");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Quiet");
  await dialog.getByText("Another command of this screen has this name.").waitFor();
  expect(await dialog.getByRole("button", { name: "Done" }).isDisabled()).toBe(true);
  await dialog.getByRole("textbox", { name: "Name" }).fill("Till");
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect.poll(() => read(playerId)).toMatchObject([stored[0]!, { ...stored[1]!, at: ["09:15"] }]);
  expect(window.errors).toEqual([]);
});
