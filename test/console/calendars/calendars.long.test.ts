// Calendars in the console, as a person uses them: by mouse, by keyboard, together with another person, and in a draft.
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { desktop, startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { KeyboardPerson } from "../../support/console/keyboard.ts";
import { shownLayout } from "../../support/console/shown-layout.ts";
import { eventually } from "../../support/polling.ts";
import type { TestService } from "../../service/harness.ts";

let browser: Browser;
let service: TestService;
// Next year's: a browser keeps no cookie that has expired by its own clock.
const year = new Date().getUTCFullYear() + 1;
const now = Date.UTC(year, 5, 7, 12);
const own = { ...desktop, timezoneId: "UTC", locale: "en-GB" };

beforeAll(async () => {
  [browser, service] = await Promise.all([startBrowser(), startConsoleService({ clock: new FakeClock(now) })]);
});
afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
});

async function openWindow(path: string): Promise<Window> {
  const window = await Window.open(browser, own);
  await window.page.clock.setFixedTime(now);
  await window.signIn(service, path);
  return window;
}

async function created(path: string, body: object): Promise<string> {
  const answer = await service.call("POST", path, body);
  expect([path, answer.status, JSON.stringify(answer.body.errors ?? [])]).toEqual([path, 201, "[]"]);
  return answer.body.id as string;
}

const june = (date: number): string => `${year}-06-${String(date).padStart(2, "0")}`;
const datesOf = async (id: string, headers?: Record<string, string>) =>
  (await service.call("GET", `calendars/${id}`, undefined, headers)).body.dates;
const row = (page: Page, index: number) => page.getByRole("group", { name: "Dates" }).getByRole("listitem").nth(index);
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true });

/** A screen that is empty on the dates of a calendar. */
async function newUser(calendar: string, name: string): Promise<string> {
  const layout = await shownLayout(service, `Layout of ${name}`);
  const { playerId } = await service.pairDevice(name);
  await service.call("PATCH", `players/${playerId}`, { timezone: "UTC" });
  const times = { starts_at: `${year}-06-01T09:00`, ends_at: `${year}-06-01T18:00`, rrule: "FREQ=DAILY" };
  const conditions = [{ type: "calendar", calendar_id: calendar, is_listed: false }];
  return created("schedules", {
    name: `Days of ${name}`,
    layout_id: layout,
    target: { type: "player", player_id: playerId },
    ...times,
    conditions,
  });
}

test("[CSD20] a calendar is made, changed and read from an iCalendar file, and the page says before which screens it changes", async () => {
  await using window = await openWindow("/schedules");
  const { page } = window;
  await page.getByRole("main").getByRole("link", { name: "Calendars" }).click();
  await page.getByRole("link", { name: "New calendar" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill("Holidays");
  await page.getByRole("button", { name: "Add a date" }).click();
  // The browser's own interface is English: the month is first.
  await page.keyboard.type(`0610${year}`);
  expect(await row(page, 0).getByLabel("Date", { exact: true }).inputValue()).toBe(june(10));
  await row(page, 0).getByLabel("Name of the day").fill("Corpus Christi");
  await save(page).click();
  await page.getByText("“Holidays” was created").waitFor();
  await page.getByRole("row", { name: /Holidays.*1 date.*10 Jun.*Corpus Christi/ }).waitFor();
  const [{ id }] = (await service.call("GET", "calendars?q=Holidays")).body.data;
  expect(await datesOf(id)).toEqual([{ date: june(10), name: "Corpus Christi" }]);

  await newUser(id, "Hall");
  await page.getByRole("link", { name: "Holidays" }).click();
  await page.getByRole("button", { name: "Add a date" }).click();
  await row(page, 1).getByLabel("Date", { exact: true }).fill(june(10));
  await page.getByText("This date is listed above.").waitFor();
  expect(await save(page).isDisabled()).toBe(true);
  await row(page, 1).getByLabel("Date", { exact: true }).fill(june(15));
  const effect = page.getByRole("region", { name: "What this changes" });
  await effect.getByText(/^This changes 1 screen, first Hall on \w+,? 15 Jun,? 09:00\.$/).waitFor();
  await effect.getByText(/It leaves Hall empty on/).waitFor();
  await row(page, 0)
    .getByRole("button", { name: /^Remove/ })
    .click();
  const event = [`DTSTART;VALUE=DATE:${year}0621`, "SUMMARY:Midsummer", "RRULE:FREQ=YEARLY"];
  const ics = ["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VEVENT", ...event, "END:VEVENT", "END:VCALENDAR", ""].join("\r\n");
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Read an iCalendar file" }).click();
  await (await chooser).setFiles({ name: "days.ics", mimeType: "text/calendar", buffer: Buffer.from(ics) });
  const dialog = page.getByRole("dialog", { name: /dates in days\.ics$/ });
  await dialog.getByText("What is left out").waitFor();
  await dialog.getByRole("button", { name: "Add them" }).click();
  await page.getByText(/dates are in the form/).waitFor();
  expect(await datesOf(id)).toEqual([{ date: june(10), name: "Corpus Christi" }]);
  await save(page).click();
  await page.getByText("“Holidays” was saved").waitFor();
  const stored = await datesOf(id);
  expect(stored).toContainEqual({ date: june(15) });
  expect(stored).toContainEqual({ date: june(21), name: "Midsummer" });
  expect(stored).not.toContainEqual({ date: june(10), name: "Corpus Christi" });
  await page.getByRole("button", { name: "Undo" }).last().click();
  await eventually(async () => (await datesOf(id)).length === 1);
  expect(window.errors).toEqual([]);
});

test("[CSD21] a calendar says where it is used, and its deletion names what is in the way; what is deleted or saved is taken back by one action", async () => {
  const id = await created("calendars", { name: "Fairs", dates: [{ date: june(20), name: "Market" }] });
  const schedule = await newUser(id, "Bar");
  const items = [{ type: "text", text: "x", conditions: [{ type: "calendar", calendar_id: id }] }];
  const list = await created("playlists", { name: "Fair menu", items });
  const { playerId } = await service.pairDevice("Shop");
  const hours = { open: [{ from: "08:00", until: "20:00" }], exceptions: [{ calendar_id: id, open: [] }] };
  await service.call("PATCH", `players/${playerId}`, { display_hours: hours });
  await using window = await openWindow(`/calendars/${id}`);
  const { page } = window;
  const uses = page.getByRole("region", { name: "Where it is used" });
  for (const name of ["Days of Bar", "Fair menu (1 item)", "Shop"]) await uses.getByRole("link", { name }).waitFor();
  const remove = page.getByRole("button", { name: "Delete", exact: true });
  await remove.click();
  const dialog = page.getByRole("dialog", { name: "“Fairs” is in use" });
  await dialog.getByRole("link", { name: "Days of Bar" }).waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await dialog.waitFor({ state: "detached" });
  await service.call("DELETE", `schedules/${schedule}`);
  await service.call("PATCH", `playlists/${list}`, { items: [] });
  await service.call("PATCH", `players/${playerId}`, { display_hours: null });
  await remove.click();
  await dialog.getByText("Days of Bar (in the bin)").waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await service.call("DELETE", `schedules/${schedule}?permanent=true`);
  await remove.click();
  await page.getByText("“Fairs” was deleted").waitFor();
  expect((await service.call("GET", `calendars/${id}`)).status).toBe(404);
  await page.getByRole("button", { name: "Undo" }).last().click();
  await page.getByRole("link", { name: "Fairs" }).waitFor();
  expect((await service.call("GET", "calendars?q=Fairs")).body.data).toMatchObject([{ dates: [{ date: june(20), name: "Market" }] }]);
  expect(window.errors.filter((error) => !error.includes("404"))).toEqual([]);
});

test("[CSD22] two people edit one calendar: what each changed is kept and seen, and what both changed is asked", async () => {
  const id = await created("calendars", { name: "Matches", dates: [{ date: june(12), name: "First" }, { date: june(13) }] });
  await using window = await openWindow(`/calendars/${id}`);
  const { page } = window;
  await row(page, 1).getByLabel("Name of the day").fill("Second");
  const change = (dates: object[]) => service.call("PATCH", `calendars/${id}`, { dates });
  await change([{ date: june(12), name: "Opening" }, { date: june(13) }]);
  await page.getByText("Their changes are in the form, and yours are kept.").waitFor();
  expect(await row(page, 0).getByLabel("Name of the day").inputValue()).toBe("Opening");
  expect(await row(page, 1).getByLabel("Name of the day").inputValue()).toBe("Second");
  await change([
    { date: june(12), name: "Opening" },
    { date: june(13), name: "Final" },
  ]);
  await page.getByText(/You both changed: 13 Jun/).waitFor();
  expect(await save(page).isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Keep mine" }).click();
  await save(page).click();
  await page.getByText("“Matches” was saved").waitFor();
  expect(await datesOf(id)).toEqual([
    { date: june(12), name: "Opening" },
    { date: june(13), name: "Second" },
  ]);
  expect(window.errors).toEqual([]);
});

test("[CSD23] a calendar is made and deleted by keyboard alone, with the focus seen at every stop, and found by search", async () => {
  await created("calendars", { name: "School terms", dates: [] });
  await using window = await openWindow("/");
  const { page } = window;
  const person = new KeyboardPerson(page);
  await person.find("School terms");
  await page.getByRole("heading", { level: 1, name: "School terms" }).waitFor();
  await person.isSomewhere();
  await person.go("g", "k");
  await person.to(page.getByRole("main").getByRole("link", { name: "New calendar" }));
  await person.press("Enter");
  await page.getByLabel("Name", { exact: true }).and(page.locator(":focus")).waitFor();
  await person.type("By keys");
  await person.to(page.getByRole("button", { name: "Add a date" }));
  await person.press("Enter");
  await row(page, 0).getByLabel("Date", { exact: true }).and(page.locator(":focus")).waitFor();
  await person.type(`0617${year}`);
  await person.to(row(page, 0).getByLabel("Name of the day"));
  await person.type("Sports day");
  await person.to(page.getByRole("button", { name: "Add a date" }));
  await person.press("Enter");
  await row(page, 1).getByLabel("Date", { exact: true }).and(page.locator(":focus")).waitFor();
  // The button goes with its row; the focus does not.
  await person.to(row(page, 1).getByRole("button", { name: /^Remove/ }));
  await person.press("Enter");
  await person.isSomewhere();
  const ics = ["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VEVENT", `DTSTART;VALUE=DATE:${year}0618`, "END:VEVENT", "END:VCALENDAR", ""];
  await person.to(page.getByRole("button", { name: "Read an iCalendar file" }));
  const chooser = page.waitForEvent("filechooser");
  await person.press("Enter");
  await (await chooser).setFiles({ name: "one.ics", mimeType: "text/calendar", buffer: Buffer.from(ics.join("\r\n")) });
  const dialog = page.getByRole("dialog", { name: "1 date in one.ics" });
  await dialog.waitFor();
  await person.to(dialog.getByRole("button", { name: "Add them" }));
  await person.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await person.isSomewhere();
  await person.to(save(page));
  await person.press("Enter");
  await page.getByText("“By keys” was created").waitFor();
  await person.isSomewhere();
  const stored = async () => (await service.call("GET", "calendars?q=By%20keys")).body.data;
  expect(await stored()).toMatchObject([{ dates: [{ date: june(17), name: "Sports day" }, { date: june(18) }] }]);
  await person.to(page.getByRole("link", { name: "By keys" }));
  await person.press("Enter");
  await page.getByRole("heading", { level: 1, name: "By keys" }).waitFor();
  await person.to(page.getByRole("button", { name: "Delete", exact: true }));
  await person.press("Enter");
  await page.getByText("“By keys” was deleted").waitFor();
  await person.isSomewhere();
  expect(await stored()).toEqual([]);
  expect(person.faults).toEqual([]);
  expect(window.errors).toEqual([]);
});

test("[CSD24] in a draft a calendar is changed for the draft only", async () => {
  const id = await created("calendars", { name: "Seasons", dates: [{ date: june(25) }] });
  await using window = await openWindow(`/calendars/${id}`);
  const { page } = window;
  await row(page, 0).getByLabel("Date", { exact: true }).fill(june(26));
  await page.getByRole("button", { name: "Save to a draft" }).click();
  await page.getByLabel("Name of the draft").fill("Next season");
  await page.getByRole("dialog").getByRole("button", { name: "Save to a draft" }).click();
  await page.getByRole("complementary", { name: "Draft" }).getByText("1 change").waitFor();
  const [draft] = (await service.call("GET", "drafts")).body.data;
  expect(await datesOf(id)).toEqual([{ date: june(25) }]);
  expect(await datesOf(id, { "signage-draft": draft.id })).toEqual([{ date: june(26) }]);
  expect(await row(page, 0).getByLabel("Date", { exact: true }).inputValue()).toBe(june(26));
  await page.getByRole("link", { name: "Drafts" }).click();
  await page.getByRole("link", { name: "Next season" }).click();
  await page.getByRole("listitem", { name: "Seasons" }).getByRole("link", { name: "Seasons" }).waitFor();
  expect(window.errors).toEqual([]);
});
