// Schedules and the timeline, as a person uses them: by mouse, by keyboard, and on a phone.
import type { BrowserContextOptions } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { KeyboardPerson } from "../../support/console/keyboard.ts";
import { desktop, phone, type Window } from "../../support/console/console.ts";
import { SharedConsole } from "../../support/console/shared.ts";
import { shownLayout } from "../../support/console/shown-layout.ts";
import { eventually } from "../../support/polling.ts";
import type { TestService } from "../../service/harness.ts";
import { leastTarget, smallTargets } from "../frame/layout-checks.ts";

let shared: SharedConsole;
let service: TestService;
// Next year's: a browser keeps no cookie that has expired by its own clock. The first Monday of June, at noon.
const year = new Date().getUTCFullYear() + 1;
const monday = Date.UTC(year, 5, 1 + ((8 - new Date(Date.UTC(year, 5, 1)).getUTCDay()) % 7), 12);
const dayMs = 86_400_000;
const day = (count: number): string => new Date(monday + count * dayMs).toISOString().slice(0, 10);
const own = { ...desktop, timezoneId: "UTC", locale: "en-GB" };
const ownPhone = { ...phone, timezoneId: "UTC", locale: "en-GB" };
let layouts: Record<string, string>;

beforeAll(async () => {
  shared = await SharedConsole.start({ clock: new FakeClock(monday), hasPreviews: false });
  service = shared.service;
  layouts = { usual: await shownLayout(service, "Usual"), lunch: await shownLayout(service, "Lunch menu") };
});
afterAll(() => shared[Symbol.asyncDispose]());

/** A window whose clock is the service's. */
async function openWindow(path: string, options: BrowserContextOptions = own, draft?: { id: string; name: string }): Promise<Window> {
  const window = await shared.window(options);
  await window.page.clock.setFixedTime(monday);
  if (draft !== undefined) await window.enterDraft(service, draft);
  await window.signIn(service, path);
  return window;
}

/** A screen with this tag and the usual layout. */
async function newScreen(name: string, tag: string, more: object = { layout_id: layouts["usual"] }): Promise<string> {
  const { playerId } = await service.pairDevice(name);
  await service.call("PATCH", `players/${playerId}`, { tags: [tag], timezone: "UTC", ...more });
  return playerId;
}

async function newSchedule(name: string, tag: string, more: object): Promise<string> {
  const target = { type: "tag", tag };
  const { status, body } = await service.call("POST", "schedules", { name, layout_id: layouts["lunch"], target, ...more });
  expect([status, JSON.stringify(body.errors ?? [])]).toEqual([201, "[]"]);
  return body.id as string;
}

const read = async (id: string) => (await service.call("GET", `schedules/${id}`)).body;

test("[CSD7] a schedule is planned in words, and before it is saved the page says which screens it changes and when", async () => {
  await newScreen("Hall 1", "words");
  await newScreen("Hall 2", "words", {});
  const window = await openWindow(`/schedules/new?from=${day(1)}T11:00&until=${day(1)}T14:00`);
  const { page } = window;
  await page.getByLabel("Name").fill("Lunch on Tuesdays");
  await page.getByRole("combobox", { name: "Layout" }).fill("Lunch");
  await page.getByRole("option", { name: "Lunch menu" }).click();
  await page.getByRole("combobox", { name: "Where" }).fill("words");
  await page.getByRole("option", { name: /^words/ }).click();
  await page.getByRole("button", { name: /Repeat$/ }).click();
  await page.getByRole("option", { name: "Every week" }).click();
  await page.getByRole("textbox", { name: "Every" }).fill("2");
  await page.keyboard.press("Tab");
  await page.getByText("Every second Tuesday, 11:00 to 14:00", { exact: true }).waitFor();
  const effect = page.getByRole("region", { name: "What this changes" });
  await effect.getByText(/^This changes 2 screens, first Hall 1 on Tue,? \d+ Jun,? 11:00\.$/).waitFor();
  await effect.getByText("Nothing → Lunch menu").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("“Lunch on Tuesdays” is planned").waitFor();
  const { data } = (await service.call("GET", "schedules?q=Tuesdays")).body;
  expect(data).toMatchObject([
    {
      starts_at: `${day(1)}T11:00`,
      ends_at: `${day(1)}T14:00`,
      rrule: "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU",
      target: { type: "tag", tag: "words" },
    },
  ]);
  expect(window.errors).toEqual([]);
});

test("[CSD8] a schedule is moved and lengthened in the week by mouse and by keys, one day of a series or all, and undone", async () => {
  await newScreen("Mover", "moving");
  const times = { starts_at: `${day(0)}T08:00`, ends_at: `${day(0)}T10:00`, rrule: "FREQ=DAILY;COUNT=3" };
  const id = await newSchedule("Breakfast", "moving", times);
  const window = await openWindow(`/schedules?day=${day(0)}`);
  const { page } = window;
  const block = page.getByRole("link", { name: /^Breakfast, / }).first();
  const { x, y, width, height } = (await block.boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2, y + height, { steps: 4 });
  await page.mouse.up();
  const dialog = page.getByRole("dialog", { name: "Move Breakfast?" });
  await dialog.getByText(/^This changes 1 screen, first Mover on Tue/).waitFor();
  await dialog.getByRole("button", { name: "Move", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await read(id)).toMatchObject({ starts_at: `${day(0)}T09:00`, ends_at: `${day(0)}T11:00`, rrule: times.rrule });
  await page.getByRole("button", { name: "Undo" }).click();
  await eventually(async () => (await read(id)).starts_at === times.starts_at);

  const person = new KeyboardPerson(page);
  await eventually(async () => /08:00/.test((await block.textContent()) ?? ""));
  await block.focus();
  await person.press("Shift+ArrowRight", "Shift+ArrowLeft", "Shift+ArrowDown", "Shift+ArrowDown", "Alt+Shift+ArrowDown", "Enter");
  await dialog.waitFor();
  await dialog.getByText("Only this one").click();
  await dialog.getByRole("button", { name: "Move", exact: true }).press("Enter");
  await dialog.waitFor({ state: "detached" });
  expect(await read(id)).toMatchObject({ starts_at: times.starts_at, exdates: [day(0)] });
  const { data } = (await service.call("GET", "schedules?q=Breakfast")).body;
  expect(data.find((each: { id: string }) => each.id !== id)).toMatchObject({
    starts_at: `${day(0)}T08:30`,
    ends_at: `${day(0)}T10:45`,
    rrule: null,
  });
  expect(person.faults).toEqual([]);
  expect(window.errors).toEqual([]);
});

test("[CSD6] on a phone a schedule of a minute, also one before midnight, is high enough in the week for a finger", async () => {
  for (const [name, from, until] of [
    ["Gong", `${day(0)}T09:00`, `${day(0)}T09:01`],
    ["Closing", `${day(0)}T23:59`, `${day(1)}T00:00`],
  ] as const)
    await newSchedule(name, "minutes", { starts_at: from, ends_at: until });
  const window = await openWindow("/schedules", ownPhone);
  const { page } = window;
  for (const name of ["Gong", "Closing"]) await page.getByRole("main").getByRole("link", { name }).waitFor();
  expect(await smallTargets(page, leastTarget.finger)).toEqual([]);
});

test("[CSD9] dragging over a free time of the week begins a new schedule with these times", async () => {
  const window = await openWindow(`/schedules?day=${day(14)}`);
  const { page } = window;
  const columns = page.locator(".calendar-columns");
  const { x, y, width, height } = (await columns.boundingBox())!;
  const at = (hour: number): number => y + (height * hour) / 24;
  const thursday = x + (width * 3.5) / 7;
  await page.mouse.move(thursday, at(10));
  await page.mouse.down();
  await page.mouse.move(thursday, at(12), { steps: 4 });
  await page.mouse.up();
  await page.getByRole("heading", { name: "New schedule" }).waitFor();
  expect(new URL(page.url()).searchParams.get("from")).toBe(`${day(17)}T10:00`);
  expect(await page.getByLabel("Starts").inputValue()).toBe(day(17));
  expect(await page.getByLabel("Start time").inputValue()).toBe("10:00");
  expect(await page.getByLabel("End time").inputValue()).toBe("12:00");
  expect(window.errors).toEqual([]);
});

test("[CSD10] two people edit one schedule: what each changed is kept and seen, and what both changed is asked", async () => {
  await newScreen("Shared", "shared");
  const id = await newSchedule("Both edit", "shared", { starts_at: `${day(0)}T08:00`, ends_at: `${day(0)}T10:00` });
  const window = await openWindow(`/schedules/${id}`);
  const { page } = window;
  await page.getByLabel("Name").fill("Mine");
  await service.call("PATCH", `schedules/${id}`, { priority: 7 });
  await page.getByText("Their changes are in the form").waitFor();
  expect(await page.getByRole("textbox", { name: "Priority" }).inputValue()).toBe("7");
  await service.call("PATCH", `schedules/${id}`, { name: "Theirs", enabled: false });
  const alert = page.getByRole("alert").filter({ hasText: "Somebody else changed this schedule meanwhile" });
  await alert.getByText("You both changed: Name.").waitFor();
  expect(await page.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
  await alert.getByRole("button", { name: "Keep mine" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("“Mine” was saved").waitFor();
  expect(await read(id)).toMatchObject({ name: "Mine", priority: 7, enabled: false });

  // The page does not hear of the change in time: it is merged when it saves.
  await page.route(`**/api/v1/schedules/${id}`, async (route) => {
    if (route.request().method() === "PATCH") {
      await page.unroute(`**/api/v1/schedules/${id}`);
      await service.call("PATCH", `schedules/${id}`, { priority: 9 });
    }
    await route.fallback();
  });
  await page.getByLabel("Name").fill("Mine again");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("“Mine again” was saved").waitFor();
  expect(await read(id)).toMatchObject({ name: "Mine again", priority: 9, enabled: false });
  // The browser logs the refusal.
  expect(window.errors.filter((error) => !error.includes("412"))).toEqual([]);
});

test("[CSD11] the timeline shows each screen's plan with gaps and reasons, by arrow keys, as a table, and on a phone", async () => {
  const empty = await newScreen("Gap A", "gaps", {});
  await newScreen("Gap B", "gaps");
  await newSchedule("Noon", "gaps", { starts_at: `${day(0)}T12:00`, ends_at: `${day(0)}T13:00`, rrule: "FREQ=DAILY" });
  const window = await openWindow(`/timeline?day=${day(0)}&tag=gaps&zoom=day`);
  const { page } = window;
  const noon = page.getByRole("gridcell", { name: /^Lunch menu, Mon,? \d+ Jun,? 12:00 to Mon,? \d+ Jun,? 13:00, by the schedule “Noon”/ });
  await noon.first().waitFor();
  expect(await noon.count()).toBe(2);
  const gap = page.getByRole("gridcell", { name: /^Empty, .*no schedule is due, and it has no layout of its own$/ });
  expect(await gap.count()).toBe(2);
  await gap.first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Lunch menu" });
  await dialog.getByText("by the schedule “Noon”").waitFor();
  await dialog.getByText(/^Gap B, /).waitFor();
  await page.keyboard.press("Escape");
  await gap.last().click();
  await page.getByRole("link", { name: "Plan something for this time" }).click();
  await page.getByRole("heading", { name: "New schedule" }).waitFor();
  expect(await page.getByLabel("Starts").inputValue()).toBe(day(0));
  await page.getByText("Gap A", { exact: true }).first().waitFor();

  const small = await openWindow(`/timeline?day=${day(0)}&tag=gaps&view=table`, ownPhone);
  await small.page
    .getByRole("row", { name: /Gap A.*Empty/ })
    .first()
    .waitFor();
  // A change of what is planned is seen at once.
  await service.call("PATCH", `players/${empty}`, { layout_id: layouts["usual"] });
  await eventually(async () => (await small.page.getByRole("row", { name: /Empty/ }).count()) === 0);
  expect([...window.errors, ...small.errors]).toEqual([]);
});

test("[CSD17] in a draft the timeline shows what it changes before it is published: in a sentence, and before beside after", async () => {
  await newScreen("Stays", "draft");
  await newScreen("Lobby", "draft");
  await newScreen("Hall 3", "emptied", {});
  const times = { starts_at: `${day(1)}T09:00`, ends_at: `${day(1)}T12:00` };
  const meeting = await newSchedule("Meeting", "emptied", times);
  const { body: draft } = await service.call("POST", "drafts", { name: "Summer" });
  const within = { "signage-draft": draft.id };
  const lobby = (await service.call("GET", "players?q=Lobby")).body.data[0].id;
  const lunch = { name: "Lunch", layout_id: layouts["lunch"], target: { type: "player", player_id: lobby }, ...times };
  expect((await service.call("POST", "schedules", lunch, within)).status).toBe(201);
  expect((await service.call("DELETE", `schedules/${meeting}`, undefined, within)).status).toBe(204);
  const window = await openWindow(`/timeline?day=${day(1)}&zoom=day`, own, draft);
  const { page } = window;
  const comparison = page.getByRole("region", { name: "The draft beside what is published" });
  await comparison.getByText(/^This changes 2 screens, first .* and leaves Hall 3 empty on Tue/).waitFor();
  await page.getByRole("gridcell", { name: /^Lunch menu, Tue.* 09:00 .*by the schedule “Lunch”/ }).waitFor();
  await comparison.getByText("As published").click();
  await page.getByRole("gridcell", { name: /by the schedule “Meeting”/ }).waitFor();
  expect(await page.getByRole("gridcell", { name: /by the schedule “Lunch”/ }).count()).toBe(0);
  await comparison.getByText("Both").click();
  await comparison.getByText("Only screens that change").click();
  const after = page.getByRole("gridcell", { name: /^With the draft: Lunch menu, .*by the schedule “Lunch”/ });
  await after.waitFor();
  expect(await after.getAttribute("data-changed")).toBe("true");
  await page.getByRole("gridcell", { name: /^With the draft: Empty, / }).waitFor();
  expect(await page.getByRole("row").count()).toBe(2);
  // From what will be to what is.
  await after.focus();
  await page.keyboard.press("ArrowUp");
  expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toMatch(/^As published: Usual, /);
  expect(window.errors).toEqual([]);
});

test("[CSD18] in a draft the timeline marks screens whose layout stays the same while the items in it change", async () => {
  const { body: playlist } = await service.call("POST", "playlists", { name: "Soup", items: [{ type: "text", text: "Soup" }] });
  const zones = [{ name: "Main", left: 0, top: 0, width: 100, height: 100, playlist_id: playlist.id }];
  const { body: layout } = await service.call("POST", "layouts", { name: "Soups", width: 100, height: 100, zones });
  await newScreen("Kitchen", "items", { layout_id: layout.id });
  await newScreen("Garage", "items");
  const { body: draft } = await service.call("POST", "drafts", { name: "Salads" });
  const items = [{ type: "text", text: "Salad" }];
  const within = { "signage-draft": draft.id };
  expect((await service.call("PATCH", `playlists/${playlist.id}`, { items }, within)).status).toBe(200);
  const window = await openWindow(`/timeline?day=${day(1)}&zoom=day&tag=items&shows=both`, own, draft);
  const { page } = window;
  const changed = page.getByRole("gridcell", { name: /^With the draft: Soups, .* with other items$/ });
  await changed.waitFor();
  expect(await changed.getAttribute("data-changed")).toBe("true");
  const same = page.getByRole("gridcell", { name: /^With the draft: Usual, / });
  expect(await same.getAttribute("data-changed")).toBe("false");
  await changed.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Soups" }).getByText("What changes are the items in it.").waitFor();
  expect(window.errors).toEqual([]);
});
