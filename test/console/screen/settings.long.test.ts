// The settings of a screen, as people change them: also two at once, by keyboard, and on a phone.
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

const read = async (id: string) => (await service.call("GET", `players/${id}`)).body;

test.each([
  ["desktop", desktop],
  ["phone", phone],
])("[CSC1] a screen is renamed and tagged by keyboard alone, and what was typed outlives the page (%s)", async (_name, options) => {
  const { playerId } = await service.pairDevice("Screen 7");
  await using window = await Window.open(browser, options);
  await window.signIn(service, `/screens/${playerId}`);
  const { page } = window;
  await tabTo(page, page.getByRole("tab", { name: "Overview" }));
  await page.keyboard.press("End");
  await tabTo(page, page.getByLabel("Name", { exact: true }).first());
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("Window 🥐");
  await tabTo(page, page.getByRole("textbox", { name: "Tags" }));
  await page.keyboard.type("Café");
  await page.keyboard.press("Enter");
  await page.getByText("2 changes are not saved.").waitFor();
  // What was typed outlives the page.
  await page.getByRole("link", { name: "Screens" }).press("Enter");
  await page.getByRole("heading", { name: "Screens", exact: true }).waitFor();
  await page.goBack();
  await tabTo(page, page.getByRole("button", { name: "Save" }));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Window 🥐" }).waitFor();
  expect(await read(playerId)).toMatchObject({ name: "Window 🥐", tags: ["Café"] });
  expect(window.errors).toEqual([]);
});

test("[CSC2] when two people change the same setting, the later one sees both values and decides; different settings of both stay", async () => {
  const { playerId } = await service.pairDevice("Lobby");
  await using window = await Window.open(browser);
  const { page } = window;
  // Without events the page learns of the other's change only when it saves.
  await page.route("**/api/v1/events/tickets", (route) => route.abort());
  await window.signIn(service, `/screens/${playerId}?tab=settings`);
  const name = page.getByLabel("Name", { exact: true }).first();
  await name.fill("Mine");
  await service.call("PATCH", `players/${playerId}`, { name: "Theirs", orientation: "portrait" });
  await page.getByRole("button", { name: "Save" }).click();
  const conflict = page.getByRole("alert").filter({ hasText: "Somebody else has changed the same setting" });
  await conflict.getByText("Theirs", { exact: true }).last().waitFor();
  await conflict.getByText("Mine", { exact: true }).waitFor();
  expect(await name.inputValue()).toBe("Mine");
  expect((await read(playerId)).name).toBe("Theirs");
  await conflict.getByRole("button", { name: "Keep yours: Name" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("“Mine” is saved").waitFor();
  expect(await read(playerId)).toMatchObject({ name: "Mine", orientation: "portrait" });
  // Different settings are no conflict.
  await page.getByRole("textbox", { name: "Tags" }).fill("Café");
  await page.keyboard.press("Enter");
  await service.call("PATCH", `players/${playerId}`, { name: "Again theirs" });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("“Again theirs” is saved").waitFor();
  expect(await read(playerId)).toMatchObject({ name: "Again theirs", tags: ["Café"] });
});

test("[CSC3] opening hours, time zone, pictures, downloads and the place in a video wall are set in a form, and the service gets what it says", async () => {
  const { playerId } = await service.pairDevice("Lobby");
  await using window = await Window.open(browser);
  await window.signIn(service, `/screens/${playerId}?tab=settings`);
  const { page } = window;
  await page.getByText("The display has opening hours").click();
  const hours = page.getByRole("region", { name: "Opening hours of the display" });
  await hours.getByRole("button", { name: "Sun" }).click();
  await hours.getByLabel("Until").fill("00:00");
  await page.getByRole("combobox", { name: "Time zone" }).focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("Tokyo");
  await page.getByRole("option", { name: "Asia/Tokyo" }).click();
  await page.getByRole("button", { name: /Take a picture/ }).click();
  await page.getByRole("option", { name: "Every 5 minutes" }).click();
  await page.getByText("Limit the speed of downloads").click();
  await page.getByLabel("At most, kB per second").fill("250");
  await page.keyboard.press("Tab");
  await page.getByText("This screen is part of a video wall").click();
  await page.getByLabel("Screens across").fill("3");
  await page.keyboard.press("Tab");
  await page.getByLabel("Between two pictures").fill("40");
  await page.keyboard.press("Tab");
  await page.getByRole("radio", { name: "Column 1, row 1" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.getByText("This screen is in column 2, row 1").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("“Lobby” is saved").waitFor();
  expect(await read(playerId)).toMatchObject({
    wall: { wall_width: 5_840, wall_height: 1_080, left: 1_960, top: 0, width: 1_920, height: 1_080 },
    timezone: "Asia/Tokyo",
    display_hours: { open: [{ weekdays: ["MO", "TU", "WE", "TH", "FR", "SA"], from: "08:00", until: "24:00" }] },
    screenshots: { every_s: 300 },
    downloads: { max_bytes_per_second: 250_000 },
  });
  await page.getByRole("tab", { name: "Overview" }).click();
  await page.getByRole("region", { name: "Opening hours of the display" }).getByText("08:00 to 24:00", { exact: false }).waitFor();
  expect(window.errors).toEqual([]);
});

test("[CSC13] other hours on some dates are added with a new list of dates, changed, and their dates edited, on a phone", async () => {
  const { playerId } = await service.pairDevice("Bakery");
  await using window = await Window.open(browser, phone);
  await window.signIn(service, `/screens/${playerId}?tab=settings`);
  const { page } = window;
  await page.getByText("The display has opening hours").click();
  const group = page.getByRole("group", { name: "Other hours on some dates" });
  await group.getByRole("button", { name: "New list of dates" }).click();
  const dialog = page.getByRole("dialog", { name: "New list of dates" });
  await dialog.getByLabel("Name of the list").fill("Christmas");
  await dialog.getByLabel("Date 1", { exact: true }).fill("2026-12-24");
  await dialog.getByRole("button", { name: "Add a date" }).click();
  await dialog.getByLabel("Date 2", { exact: true }).fill("2026-12-25");
  await dialog.getByRole("button", { name: "Save the dates" }).click();
  await dialog.waitFor({ state: "detached" });
  const christmas = group.getByRole("listitem", { name: "Christmas" });
  await christmas.getByText("Dec 24, 2026, Dec 25, 2026").waitFor();
  expect(await christmas.getByRole("radio", { name: "Off all day" }).isChecked()).toBe(true);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("“Bakery” is saved").waitFor();
  const [calendar] = (await service.call("GET", "calendars")).body.data;
  expect((await read(playerId)).display_hours.exceptions).toEqual([{ calendar_id: calendar.id, open: [] }]);

  await christmas.getByText("Other hours").click();
  await christmas.getByLabel("Until").fill("14:00");
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => (await read(playerId)).display_hours.exceptions[0].open).toEqual([{ from: "08:00", until: "14:00" }]);
  await christmas.getByRole("button", { name: "Dates of Christmas" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove date 1" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save the dates" }).click();
  await christmas.getByText("Dec 25, 2026", { exact: true }).waitFor();
  await christmas.getByRole("button", { name: "Remove Christmas" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => (await read(playerId)).display_hours.exceptions).toEqual([]);
  expect(window.errors).toEqual([]);
});

test("[CSC4] a deleted screen comes back by undo; the address of a screen in the bin offers to restore it, and an unknown one says so", async () => {
  const { playerId } = await service.pairDevice("Kitchen");
  await using window = await Window.open(browser);
  await window.signIn(service, `/screens/${playerId}?tab=settings`);
  const { page } = window;
  const remove = async (): Promise<void> => {
    await page.getByRole("button", { name: "Delete screen" }).click();
    await page.getByRole("alertdialog", { name: "Delete “Kitchen”?" }).getByRole("button", { name: "Delete screen" }).click();
    await page.getByText("“Kitchen” is in the bin").waitFor();
  };
  await remove();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("heading", { level: 1, name: "Kitchen" }).waitFor();
  await page.getByRole("tab", { name: "Settings" }).click();
  await remove();
  await page.goto(`${service.service.url}/screens/${playerId}`);
  await page.getByRole("button", { name: "Restore it" }).click();
  await page.getByRole("heading", { level: 1, name: "Kitchen" }).waitFor();
  expect((await read(playerId)).deleted_at).toBe(null);
  await page.goto(`${service.service.url}/screens/plr_01jd3v8q6m9x2k4n7r5t1w0yzh`);
  await page.getByRole("heading", { name: "This screen is not here" }).waitFor();
  expect(window.errors.filter((error) => !error.includes("404"))).toEqual([]);
});

test("[CSC12] a broken device is replaced from the screen's page by the code that the new one shows", async () => {
  const { playerId } = await service.pairDevice("Hall");
  const spare = await service.newDevice();
  await using window = await Window.open(browser, phone);
  await window.signIn(service, `/screens/${playerId}?tab=settings`);
  const { page } = window;
  await page.getByRole("button", { name: "Replace device" }).click();
  await page.keyboard.type(spare.grant.user_code);
  await page.getByRole("dialog").getByRole("button", { name: "Replace device" }).click();
  await page.getByText("Hall runs on the new device now.").waitFor();
  expect((await spare.firstToken()).player_id).toBe(playerId);
  expect(window.errors).toEqual([]);
});
