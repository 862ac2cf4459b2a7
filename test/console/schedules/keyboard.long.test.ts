// Planning a schedule by keyboard alone, and its actions counted.
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Actions } from "../../support/console/actions.ts";
import { desktop, startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { KeyboardPerson } from "../../support/console/keyboard.ts";
import { picture, type TestService } from "../../service/harness.ts";

let browser: Browser;
let service: TestService;
let layoutId: string;
const own = { ...desktop, timezoneId: "UTC", locale: "en-GB" };

beforeAll(async () => {
  [browser, service] = await Promise.all([startBrowser(), startConsoleService()]);
  const { layout } = await service.createLayout([{ type: "text", text: "Lunch", duration_ms: 5_000 }]);
  layoutId = (await service.call("PATCH", `layouts/${layout.id}`, { name: "Lunch menu" })).body.id;
  const { playerId } = await service.pairDevice("Hall");
  await service.call("PATCH", `players/${playerId}`, { tags: ["hall"], timezone: "UTC" });
});
afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
});

const schedules = async (q: string) => (await service.call("GET", `schedules?q=${q}`)).body.data;

test("[CSD12] a schedule is planned and deleted by keyboard alone; the focus is seen at every stop", async () => {
  await using window = await Window.open(browser, own);
  const { page } = window;
  await window.signIn(service, "/schedules");
  const person = new KeyboardPerson(page);
  await person.to(page.getByRole("main").getByRole("link", { name: "New schedule", exact: true }));
  await person.press("Enter");
  await page.getByLabel("Name").and(page.locator(":focus")).waitFor();
  await person.type("By keys");
  await person.to(page.getByRole("combobox", { name: "Layout" }));
  await person.type("Lunch");
  await page.getByRole("option", { name: "Lunch menu" }).waitFor();
  await person.press("ArrowDown", "Enter");
  await person.to(page.getByRole("combobox", { name: "Where" }));
  await person.type("hall");
  await page.getByRole("option", { name: /^hall/ }).waitFor();
  await person.press("ArrowDown", "Enter");
  await page.getByText(/^This changes 1 screen, first Hall on /).waitFor();
  await person.to(page.getByRole("button", { name: "Save", exact: true }));
  await person.press("Enter");
  await page.getByText("“By keys” is planned").waitFor();
  expect(await schedules("keys")).toMatchObject([{ name: "By keys", target: { type: "tag", tag: "hall" }, rrule: null }]);

  const block = page.getByRole("link", { name: /^By keys, / }).first();
  await person.to(block);
  await person.press("Enter");
  await page.getByRole("heading", { name: "By keys", level: 1 }).waitFor();
  await person.to(page.getByRole("button", { name: "Delete" }));
  await person.press("Enter");
  await page.getByText("“By keys” was deleted").waitFor();
  expect(await schedules("keys")).toEqual([]);
  expect(person.faults).toEqual([]);
  expect(window.errors).toEqual([]);
});

test("[CSD13] a lunch menu is planned for weekdays from 11 to 14, with its pictures, in at most twelve actions", async () => {
  await using window = await Window.open(browser, own);
  const { page } = window;
  await window.signIn(service, "/schedules");
  const actions = new Actions();
  await actions.do("New schedule", page.getByRole("main").getByRole("link", { name: "New schedule", exact: true }).click());
  await actions.do("its name", page.getByLabel("Name").fill("Lunch"));
  const chooser = page.waitForEvent("filechooser");
  await actions.do("its pictures", page.getByRole("button", { name: "Upload files" }).click());
  const pictures = await Promise.all(["jpeg", "png", "webp"].map(async (format) => picture(format as "jpeg")));
  const files = pictures.map((buffer, index) => ({ name: `Dish ${index + 1}.${index}`, mimeType: "image/jpeg", buffer }));
  await actions.do("choose them", (await chooser).setFiles(files));
  await actions.do("the screens", page.getByRole("button", { name: /^hall/ }).click());
  await actions.do("from 11", page.getByLabel("Start time").fill("11:00"));
  await actions.do("until 14", page.getByLabel("End time").fill("14:00"));
  await actions.do("open repeat", page.getByRole("button", { name: /Repeat$/ }).click());
  await actions.do("on weekdays", page.getByRole("option", { name: "Monday to Friday" }).click());
  await page.getByText("Monday to Friday, 11:00 to 14:00", { exact: true }).waitFor();
  await page.getByText("A layout with these 3 files was made: “Lunch”").waitFor();
  await actions.do("save", page.getByRole("button", { name: "Save", exact: true }).click());
  await page.getByText("“Lunch” is planned").waitFor();
  const [lunch] = await schedules("Lunch");
  expect(lunch.rrule).toBe("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR");
  expect([lunch.starts_at.slice(11), lunch.ends_at.slice(11)]).toEqual(["11:00", "14:00"]);
  const layout = (await service.call("GET", `layouts/${lunch.layout_id}`)).body;
  const playlist = (await service.call("GET", `playlists/${layout.zones[0].playlist_id}`)).body;
  expect([layout.name, playlist.name, playlist.items.length]).toEqual(["Lunch", "Lunch", 3]);
  expect(actions.count, actions.done.join("; ")).toBeLessThanOrEqual(12);
  expect(window.errors).toEqual([]);
});

test("[CSD15] conditions of every kind and turns are edited by keyboard alone, and what is not complete is not saved", async () => {
  await using window = await Window.open(browser, own);
  const { page } = window;
  const { body } = await service.call("POST", "schedules", {
    name: "Narrow",
    layout_id: layoutId,
    target: { type: "tag", tag: "hall" },
    starts_at: "2030-01-01T08:00",
    ends_at: "2030-01-01T20:00",
    conditions: [
      {
        type: "hours",
        open: [
          { from: "09:00", until: "12:00" },
          { from: "14:00", until: "18:00", weekdays: ["MO", "TU"] },
        ],
      },
    ],
  });
  await window.signIn(service, `/schedules/${body.id}`);
  const person = new KeyboardPerson(page);
  const conditions = page.getByRole("group", { name: "Only if" }).last();
  const add = async (name: string): Promise<void> => {
    await person.to(page.getByRole("button", { name: "Add a condition" }));
    await person.press("Enter");
    await page.getByRole("menuitem", { name }).waitFor();
    for (
      let presses = 0;
      presses < 8 && (await page.getByRole("menuitem", { name }).and(page.locator(":focus")).count()) === 0;
      presses += 1
    )
      await person.press("ArrowDown");
    await person.press("Enter");
    await page.getByRole("menu").waitFor({ state: "detached" });
  };
  // Its second time span is taken away: what is left is one span of the day.
  await person.to(conditions.getByRole("button", { name: "Remove these hours" }).last());
  await person.press("Enter");
  await add("A variable of the screen");
  const save = page.getByRole("button", { name: "Save", exact: true });
  expect(await save.isDisabled()).toBe(true);
  await conditions.getByLabel("Variable").and(page.locator(":focus")).waitFor();
  await person.type("door_open");
  await person.to(conditions.getByRole("button", { name: "Kind" }));
  await person.press("Enter");
  await page.getByRole("option", { name: "Yes or no" }).waitFor();
  await person.press("End", "Enter");
  await add("A tag of the screen");
  await add("A first or a last day");
  await person.to(page.getByRole("radio", { name: "It takes its place" }));
  await person.press("ArrowRight");
  await person.to(page.getByLabel("Length of a turn"));
  await person.type("12");
  await person.to(page.getByLabel("At most, in an hour"));
  await person.type("6");
  await person.to(save);
  await person.press("Enter");
  await page.getByText("“Narrow” was saved").waitFor();
  const { body: stored } = await service.call("GET", `schedules/${body.id}`);
  expect(stored.conditions).toEqual([
    { type: "daypart", from: "09:00", until: "12:00" },
    { type: "variable", name: "door_open", op: "equals", value: false },
    { type: "tag", tag: "hall", is_present: true },
    { type: "date", from: "2030-01-01" },
  ]);
  expect(stored.interrupt).toEqual({ share_percent: 25, play_ms: 12_000, max_plays_per_hour: 6 });
  expect(person.faults).toEqual([]);
  expect(window.errors).toEqual([]);
});
