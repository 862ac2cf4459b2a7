// What a screen shows now, in the coming week, and why.
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { phone, startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { shownLayout } from "../../support/console/shown-layout.ts";
import type { TestService } from "../../service/harness.ts";

let browser: Browser;
let service: TestService;
// The clocks in Berlin go back on the last Sunday of October. Next year's: a browser keeps no cookie that has expired by its own clock.
const year = new Date().getUTCFullYear() + 1;
const sunday = 31 - new Date(Date.UTC(year, 9, 31)).getUTCDay();
const clock = new FakeClock(Date.UTC(year, 9, sunday - 2, 10));
const october = (day: number): string => `${year}-10-${day}`;
beforeAll(async () => {
  [browser, service] = await Promise.all([startBrowser(), startConsoleService({ clock })]);
});
afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
});

/** A screen in Berlin with its own layout, and another one at night. */
async function setup(name: string) {
  const device = await service.pairDevice(name);
  const path = `players/${device.playerId}`;
  const [usual, night] = [await shownLayout(service, "Menu"), await shownLayout(service, "Good night")];
  await service.call("PATCH", path, { timezone: "Europe/Berlin", layout_id: usual });
  const target = { type: "player", player_id: device.playerId };
  const times = { starts_at: `${october(20)}T22:00`, ends_at: `${october(21)}T06:00`, rrule: "FREQ=DAILY" };
  await service.call("POST", "schedules", { name: "Nights", layout_id: night, target, ...times });
  return device;
}

test("[CSC8] the week ahead keeps the hours of the wall clock across a clock change, as a timeline and as a list, in either time zone", async () => {
  const { playerId } = await setup("Berlin");
  await using window = await Window.open(browser, { viewport: { width: 1440, height: 900 }, timezoneId: "America/New_York" });
  await window.signIn(service, `/screens/${playerId}`);
  const { page } = window;
  const week = page.getByRole("region", { name: "The week ahead" });
  await week.getByText("The clock goes back: this day has 25 hours.").waitFor();
  const nights = week.getByRole("listitem").filter({ hasText: /^Good night, 12:00 AM to 06:00 AM/ });
  const widths = await nights.evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().width)));
  // The night of the change is an hour longer, and ends at six o'clock like the others.
  expect(new Set(widths).size).toBe(1);
  expect(widths.length).toBe(6);
  await week.getByText("List", { exact: true }).click();
  await week.getByText(`Sat, Oct ${sunday - 1} 10:00 PM – Sun, Oct ${sunday} 06:00 AM`).waitFor();
  await week.getByText("Yours: America/New_York").click();
  // Nine hours: New York is six hours behind at the beginning, and five at the end.
  await week.getByText(`Sat, Oct ${sunday - 1} 04:00 PM – Sun, Oct ${sunday} 01:00 AM`).waitFor();
  expect(window.errors).toEqual([]);
});

test("[CSC9] why the screen shows something, and why each schedule plays or not, is told for a chosen time, which is in the address", async () => {
  const { playerId } = await setup("Corner");
  const target = { type: "player", player_id: (await service.pairDevice("Other")).playerId };
  const { layout_id: layoutId } = (await service.call("GET", `players/${playerId}`)).body;
  const elsewhere = { name: "Elsewhere", layout_id: layoutId, target, starts_at: `${october(20)}T22:00`, ends_at: null };
  expect((await service.call("POST", "schedules", elsewhere)).status).toBe(201);
  await using window = await Window.open(browser, { ...phone, timezoneId: "Europe/Berlin" });
  await window.signIn(service, `/screens/${playerId}`);
  const { page } = window;
  await page.getByRole("region", { name: "Now and next" }).getByText("until 10:00 PM", { exact: false }).waitFor();
  const why = page.getByRole("region", { name: "Why this, and why not that" });
  await why.getByText("Own layout").waitFor();
  const nights = why.getByRole("list", { name: "Schedule by schedule" }).getByRole("listitem").filter({ hasText: "Nights" }).first();
  await nights.getByText("Not due").waitFor();
  await why.getByLabel("At this time (Europe/Berlin)").fill(`${october(sunday)}T05:30`);
  await nights.getByText("Shown").waitFor();
  await why.getByText("Not for this screen").first().waitFor();
  expect(new URL(page.url()).searchParams.get("at")).toContain(`${october(sunday)}T04:30`);
  await page.reload();
  await nights.getByText("Shown").waitFor();
  expect(await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  expect(window.errors).toEqual([]);
});
