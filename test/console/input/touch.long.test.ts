// What a person does on a phone with a finger: choices within dialogs, screens, tags, time zones, times, and an order.
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { phone, startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { eventually } from "../../support/polling.ts";
import { heartbeat, type TestService } from "../../service/harness.ts";

let browser: Browser;
let service: TestService;
let window: Window;
beforeAll(async () => {
  [browser, service] = await Promise.all([startBrowser(), startConsoleService()]);
  window = await Window.open(browser, phone);
  await window.signIn(service);
});
afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
});

/** Taps a choice of the list that is open, once it is at its place. */
async function choose(name: string | RegExp): Promise<void> {
  // Until then React Aria hides it, and what is below it gets the tap.
  await window.page.locator('.popover[data-placement]:not([style*="inset(50%)"])').waitFor();
  await window.page.getByRole("option", { name, exact: true }).tap();
}

const read = async (path: string) => (await service.call("GET", path)).body;

test("[CIN3] by touch: a layout is chosen within a dialog, hours are set, and a choice of a token is made", async () => {
  const { playerId } = await service.pairDevice("Lobby");
  const { layout } = await service.createLayout();
  const { page } = window;
  await page.goto(service.service.url + `/screens/bulk?ids=${playerId}`);
  await page.getByRole("toolbar").getByRole("button", { name: "Layout" }).tap();
  await page.getByRole("combobox", { name: "Layout" }).tap();
  await choose("L");
  await page.getByRole("button", { name: "Change 1 screen" }).tap();
  await page.getByText("1 screen done.").waitFor();
  expect((await read(`players/${playerId}`)).layout_id).toBe(layout.id);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().tap();

  await page.getByRole("toolbar").getByRole("button", { name: "Hours" }).tap();
  await page.getByLabel("Until").fill("18:30");
  await page.getByRole("dialog").getByRole("button", { name: "Sun" }).tap();
  await page.getByRole("button", { name: "Change 1 screen" }).tap();
  await page.getByText("1 screen done.").waitFor();
  const [open] = (await read(`players/${playerId}`)).display_hours.open;
  expect(open).toMatchObject({ until: "18:30", weekdays: ["MO", "TU", "WE", "TH", "FR", "SA"] });

  await page.goto(`${service.service.url}/team/tokens`);
  await page.getByRole("button", { name: "Create a token" }).first().tap();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Till");
  await dialog.getByRole("button", { name: "Expires" }).tap();
  await choose("In 30 days");
  await dialog.getByRole("button", { name: "Create a token" }).tap();
  await page.getByRole("alertdialog", { name: "Till is ready" }).getByRole("button", { name: "Done" }).tap();
  const till = (await read("tokens")).data.find(({ name }: { name: string }) => name === "Till");
  expect(Date.parse(till.expires_at) - Date.now()).toBeGreaterThan(29 * 86_400_000);
  expect(window.errors).toEqual([]);
});

test("[CIN3] by touch: a screen gets its tags and its time zone while it is added", async () => {
  const device = await service.newDevice();
  const { page } = window;
  await page.goto(service.service.url + `/pair?code=${device.grant.user_code}`);
  await page.getByLabel("Name", { exact: true }).fill("Window");
  await page.getByText("Portrait", { exact: true }).tap();
  await page.getByRole("textbox", { name: "Tags" }).tap();
  await page.getByRole("textbox", { name: "Tags" }).pressSequentially("bar,street,");
  await page.getByRole("button", { name: "Remove the tag bar" }).tap();
  const zone = page.getByRole("combobox", { name: "Time zone" });
  await zone.tap();
  await zone.fill("Lisbon");
  await page.getByRole("option", { name: "Europe/Lisbon" }).waitFor();
  await choose("Europe/Lisbon");
  expect(await zone.inputValue()).toBe("Europe/Lisbon");
  await page.getByRole("button", { name: "Add screen" }).tap();
  await page.getByText("Its settings are saved").waitFor();
  const [player] = (await read("players?q=Window")).data;
  expect(player).toMatchObject({ tags: ["street"], orientation: "portrait", timezone: "Europe/Lisbon" });
  expect(window.errors).toEqual([]);
});

test("[CIN3] by touch: screens are chosen from the list and taken out again, and an end is set by date and time", async () => {
  const device = await service.pairDevice("Bar");
  await service.pairDevice("Kitchen");
  await device.call("POST", "heartbeat", heartbeat());
  const { page } = window;
  await page.goto(service.service.url + "/show");
  await page.getByText("Text", { exact: true }).tap();
  await page.getByLabel("Message", { exact: true }).fill("Happy hour");
  const where = page.getByRole("combobox", { name: "Screens or tags" });
  // The second one is offline, which is said beside its name.
  for (const name of ["Bar", /^Kitchen/]) {
    await where.tap();
    await choose(name);
  }
  await page.getByRole("button", { name: "Remove Kitchen" }).tap();
  await page.getByText("Other time", { exact: true }).tap();
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel("Ends at (your time)").fill(`${tomorrow}T18:45`);
  await page.getByRole("button", { name: "Show on 1 screen" }).tap();
  await page.getByRole("heading", { name: "“Happy hour” is on its way" }).waitFor();
  const [shown] = (await read("show?ended=false")).data;
  expect(shown.player_count).toBe(1);
  expect(new Date(shown.ends_at).getMinutes()).toBe(45);
  expect(window.errors).toEqual([]);
});

test("[CIN3] by touch: the order of a playlist is changed by its buttons", async () => {
  const items = ["One", "Two", "Three"].map((text) => ({ type: "text", text }));
  const { id } = (await service.call("POST", "playlists", { name: "Loop", items })).body;
  const { page } = window;
  await page.goto(service.service.url + `/playlists/${id}`);
  const order = async () => (await read(`playlists/${id}`)).items.map(({ text }: { text: string }) => text).join(" ");
  await page.getByRole("button", { name: "Move Three up" }).tap();
  await eventually(async () => (await order()) === "One Three Two");
  await page.getByRole("button", { name: "Move One down" }).tap();
  await eventually(async () => (await order()) === "Three One Two");
  expect(window.errors).toEqual([]);
});
