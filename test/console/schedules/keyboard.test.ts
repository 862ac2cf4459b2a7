// Planning a schedule by keyboard alone, and its actions counted.
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Actions } from "../../support/console/actions.ts";
import { desktop, startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { KeyboardPerson } from "../../support/console/keyboard.ts";
import type { TestService } from "../../service/harness.ts";

let browser: Browser;
let service: TestService;
const own = { ...desktop, timezoneId: "UTC", locale: "en-GB" };

beforeAll(async () => {
  [browser, service] = await Promise.all([startBrowser(), startConsoleService()]);
  await service.call("POST", "layouts", { name: "Lunch menu", width: 100, height: 100 });
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
  await person.to(page.getByRole("button", { name: "Save" }));
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

test("[CSD13] a menu is planned for weekdays from 11 to 14 in at most ten actions", async () => {
  await using window = await Window.open(browser, own);
  const { page } = window;
  await window.signIn(service, "/schedules");
  const actions = new Actions();
  await actions.do("New schedule", page.getByRole("main").getByRole("link", { name: "New schedule", exact: true }).click());
  await actions.do("its name", page.getByLabel("Name").fill("Lunch"));
  await actions.do("open the layouts", page.getByRole("combobox", { name: "Layout" }).click());
  await actions.do("the layout", page.getByRole("option", { name: "Lunch menu" }).click());
  await actions.do("the screens", page.getByRole("button", { name: /^hall/ }).click());
  await actions.do("from 11", page.getByLabel("Start time").fill("11:00"));
  await actions.do("until 14", page.getByLabel("End time").fill("14:00"));
  await actions.do("open repeat", page.getByRole("button", { name: /Repeat$/ }).click());
  await actions.do("on weekdays", page.getByRole("option", { name: "Monday to Friday" }).click());
  await page.getByText("Monday to Friday", { exact: true }).last().waitFor();
  await actions.do("save", page.getByRole("button", { name: "Save" }).click());
  await page.getByText("“Lunch” is planned").waitFor();
  const [lunch] = await schedules("Lunch");
  expect(lunch.rrule).toBe("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR");
  expect([lunch.starts_at.slice(11), lunch.ends_at.slice(11)]).toEqual(["11:00", "14:00"]);
  expect(actions.count, actions.done.join("; ")).toBeLessThanOrEqual(10);
  expect(window.errors).toEqual([]);
});
