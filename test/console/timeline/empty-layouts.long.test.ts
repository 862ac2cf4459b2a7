// Layouts that are due and have nothing to show, as a person is told of them; and recurrences in words.
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestService } from "../../service/harness.ts";
import { FakeClock } from "../../support/clock.ts";
import { desktop, startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { shownLayout } from "../../support/console/shown-layout.ts";

let browser: Browser;
let service: TestService;
// Next year's: a browser keeps no cookie that has expired by its own clock. The first Monday of June, at noon.
const year = new Date().getUTCFullYear() + 1;
const monday = Date.UTC(year, 5, 1 + ((8 - new Date(Date.UTC(year, 5, 1)).getUTCDay()) % 7), 12);
const day = (count: number): string => new Date(monday + count * 86_400_000).toISOString().slice(0, 10);

beforeAll(async () => {
  [browser, service] = await Promise.all([startBrowser(), startConsoleService({ clock: new FakeClock(monday) })]);
});
afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
});

async function openWindow(path: string, before: (window: Window) => Promise<void> = async () => {}): Promise<Window> {
  const window = await Window.open(browser, { ...desktop, timezoneId: "UTC", locale: "en-GB" });
  await window.page.clock.setFixedTime(monday);
  await before(window);
  await window.signIn(service, path);
  return window;
}

async function newScreen(name: string, layoutId: string): Promise<string> {
  const { playerId } = await service.pairDevice(name);
  await service.call("PATCH", `players/${playerId}`, { tags: [name], timezone: "UTC", layout_id: layoutId });
  return playerId;
}

test("[CSD25] a recurrence in words has its days, its times and its end, in this order; a window that ends on another day says so", async () => {
  const layoutId = await shownLayout(service, "Menu");
  const all = [
    ["Tuesdays", "T11:00", `${day(1)}T14:00`, `FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;UNTIL=${year + 1}0331`],
    ["Nights", "T22:00", `${day(2)}T02:00`, "FREQ=DAILY;COUNT=7"],
    ["Long", "T22:00", `${day(2)}T23:00`, "FREQ=WEEKLY;BYDAY=TU"],
    ["Whole days", "", day(2), "FREQ=WEEKLY;BYDAY=TU"],
  ] as const;
  for (const [name, time, ends_at, rrule] of all) {
    const times = { starts_at: `${day(1)}${time}`, ends_at, rrule };
    const { status } = await service.call("POST", "schedules", { name, layout_id: layoutId, target: { type: "team" }, ...times });
    expect([name, status]).toEqual([name, 201]);
  }
  await using window = await openWindow("/schedules?view=list");
  const list = window.page.getByRole("table", { name: "Schedules" });
  await list.getByText("Whole days").waitFor();
  const rows = await list.getByRole("row").allInnerTexts();
  const whenOf = (name: string) =>
    rows
      .find((row) => row.startsWith(name))
      ?.split(/[\t\n]+/)
      .find((cell) => cell.startsWith("Every"));
  expect(all.map(([name]) => whenOf(name))).toEqual([
    `Every second Tuesday, 11:00 to 14:00, until 31 Mar ${year + 1}`,
    "Every day, 22:00 to 2:00, 7 times",
    "Every Tuesday, 22:00 to 23:00 the next day",
    "Every Tuesday, for 2 days",
  ]);
  for (const { id } of (await service.call("GET", "schedules")).body.data) await service.call("DELETE", `schedules/${id}`);
  expect(window.errors).toEqual([]);
});

test("[CSD26] the timeline and a screen's week say of a layout without anything to show that it is due and the screen empty, and lead to it", async () => {
  const bare = (await service.call("POST", "layouts", { name: "Bare", width: 100, height: 100 })).body.id as string;
  const id = await newScreen("Foyer", bare);
  await using window = await openWindow(`/timeline?day=${day(1)}&zoom=day&tag=Foyer`);
  const { page } = window;
  const cause = "“Bare” is due (its own layout, since no schedule is due), but none of its zones has an item to show then";
  const piece = page.getByRole("gridcell", { name: new RegExp(`^Empty, .*${cause.replaceAll(/[()]/g, String.raw`\$&`)}$`) });
  await piece.getByText("Empty: what is due has nothing to show").waitFor();
  expect([await piece.getAttribute("data-gap"), await piece.getAttribute("data-colour")]).toEqual(["true", "none"]);
  await piece.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Empty" });
  await dialog.getByText(cause).waitFor();
  expect(await dialog.getByRole("link", { name: "Open the layout" }).getAttribute("href")).toContain(`/layouts/${bare}`);
  expect(await dialog.getByRole("link", { name: "Plan something for this time" }).count()).toBe(0);
  await dialog.getByRole("link", { name: "Why, in detail" }).click();
  await page.waitForURL(`**/screens/${id}**`);
  const now = page.getByRole("region", { name: "Now and next" });
  await now.getByText("“Bare” is due (its own layout), but has nothing to show").waitFor();
  await page.getByRole("region", { name: "The week ahead" }).getByText("Nothing is planned for this week").waitFor();
  expect(window.errors).toEqual([]);
});

test("[CSD27] what a schedule or a draft would do says that it leaves a screen empty, and why", async () => {
  const usual = await shownLayout(service, "Usual");
  const hollow = (await service.call("POST", "layouts", { name: "Hollow", width: 100, height: 100 })).body.id as string;
  const id = await newScreen("Hall", usual);
  const search = new URLSearchParams({ layout: hollow, screen: id, from: `${day(1)}T09:00`, until: `${day(1)}T10:00` });
  await using window = await openWindow(`/schedules/new?${search.toString()}`);
  const effect = window.page.getByRole("region", { name: "What this changes" });
  await effect.getByText(/^It leaves Hall empty on Tue.* 09:00 to Tue.* 10:00: what is due has nothing to show\.$/).waitFor();
  await effect.getByText("Usual → “Hollow”, which has nothing to show then").waitFor();

  const { body: draft } = await service.call("POST", "drafts", { name: "Summer" });
  const times = { starts_at: `${day(1)}T09:00`, ends_at: `${day(1)}T10:00` };
  const schedule = { name: "Hollow", layout_id: hollow, target: { type: "player", player_id: id }, ...times };
  expect((await service.call("POST", "schedules", schedule, { "signage-draft": draft.id })).status).toBe(201);
  const inDraft = `sessionStorage.setItem("draft", '${JSON.stringify({ id: draft.id, name: draft.name })}')`;
  await using other = await openWindow(`/timeline?day=${day(1)}&zoom=day&tag=Hall`, ({ page }) =>
    page.addInitScript(inDraft).then(() => {}),
  );
  const comparison = other.page.getByRole("region", { name: "The draft beside what is published" });
  await comparison.getByText(/and leaves Hall empty on Tue.* 09:00 to 10:00: what is due has nothing to show\.$/).waitFor();
  expect([...window.errors, ...other.errors]).toEqual([]);
});
