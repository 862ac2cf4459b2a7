// A schedule that is not saved yet: its screens are seen before and after it.
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestService } from "../../service/harness.ts";
import { startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { layoutOf, shown } from "../preview/colors.ts";

let browser: Browser;
let service: TestService;
beforeAll(async () => {
  [browser, service] = await Promise.all([startBrowser(), startConsoleService()]);
});
afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
});

test("[PRV15] before a schedule is saved, a person sees a screen with it and without it, at the time at which it begins", async () => {
  const device = await service.pairDevice("Lobby");
  const usual = await layoutOf(service, "Usual", ["red", 600]);
  const tuesday = await layoutOf(service, "Tuesday", ["green", 600]);
  await service.call("PATCH", `players/${device.playerId}`, { layout_id: usual.id, timezone: "UTC" });
  const day = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
  await using window = await Window.open(browser);
  const { page } = window;
  const search = new URLSearchParams({ layout: tuesday.id, screen: device.playerId, from: `${day}T09:00`, until: `${day}T10:00` });
  await window.signIn(service, `/schedules/new?${search.toString()}`);
  await page.getByRole("button", { name: "Preview of Lobby" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Preview of Lobby" });
  await shown(page).toBe("green");
  expect(await dialog.getByLabel("At, in UTC").inputValue()).toBe(`${day}T09:00`);
  await page.keyboard.press("Tab");
  await dialog.getByRole("radio", { name: "Without this change" }).check({ force: true });
  await shown(page).toBe("red");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect((await service.call("GET", "schedules")).body.data).toEqual([]);
  expect(window.errors).toEqual([]);
});
