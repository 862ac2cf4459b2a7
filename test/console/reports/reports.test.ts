// Reports in the console: reading them by keyboard, and sharing one with somebody who has no account.
import type { Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { phone } from "../../support/console/console.ts";
import { SharedConsole } from "../../support/console/shared.ts";
import { createIds } from "../../../src/service/store/ids.ts";
import type { Device, TestService } from "../../service/harness.ts";

const makeId = createIds({ now: () => Date.now(), monotonic: () => 0, elapsed: () => 0, wait: async () => undefined });
/** A phone's `innerWidth` grows with a page that is too wide. */
const sideways = (page: Page) => page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
const longName = `${"Eingangshalle".repeat(8)} 🌍 <b>fett</b>`;

let shared: SharedConsole;
let service: TestService;
beforeAll(async () => {
  shared = await SharedConsole.start();
  service = shared.service;
  const lobby = await service.pairDevice("Lobby");
  const hall = await service.pairDevice(longName);
  await service.call("PATCH", `players/${lobby.playerId}`, { tags: ["front"] });
  const { layout, playlist } = await service.showPicture(lobby);
  const about = { layout_id: layout.id, zone_id: layout.zones[0].id, item_id: playlist.items[0].id };
  await play(lobby, 12, { ...about, result: "completed" });
  await play(lobby, 2, { ...about, result: "failed" });
  await play(hall, 3, { ...about, result: "completed" });
});
afterAll(() => shared[Symbol.asyncDispose]());

/** Sends plays of ten seconds each, the last of them an hour ago. */
async function play(device: Device, count: number, about: { layout_id: string; zone_id: string; item_id: string; result: string }) {
  const events = Array.from({ length: count }, (_, index) => {
    const started = Date.now() - 3_600_000 - index * 10_000;
    const ms = about.result === "completed" ? 10_000 : 0;
    return {
      id: makeId("evt"),
      ...about,
      schedule_id: null,
      override_id: null,
      layer: "default",
      asset_id: null,
      sha256: null,
      revision: "r1",
      reason: about.result === "completed" ? null : "decode",
      started_at: new Date(started).toISOString(),
      ended_at: new Date(started + ms).toISOString(),
      duration_ms: ms,
      started_monotonic_ms: 0,
      ended_monotonic_ms: ms,
      boot_id: "b1",
      clock_offset_ms: 0,
      clock_error_ms: 3,
    };
  });
  expect((await device.call("POST", "play-events", { events })).body.accepted).toBe(count);
}

test("[CRP8] a person reads what was shown by screen, tag and day, limited to one screen, in another time zone, and downloads it as CSV, by keyboard alone", async () => {
  const window = await shared.window();
  await window.signIn(service);
  const { page } = window;
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await page.getByRole("heading", { name: "Reports" }).waitFor();
  const rows = page.getByRole("table", { name: "Rows" });
  // The screen that was shown most often comes first, with what failed.
  await rows.getByRole("row").nth(1).getByText("Lobby").waitFor();
  expect(await rows.getByRole("row").nth(1).innerText()).toMatch(/12[\s\S]*2/);
  await rows.getByText(longName).waitFor();

  const choose = async (field: string, letters: string): Promise<void> => {
    const button = page.getByRole("button", { name: new RegExp(`${field}$`) }).first();
    await button.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("listbox").waitFor();
    await page.keyboard.type(letters);
    await page.keyboard.press("Enter");
    await page.getByRole("listbox").waitFor({ state: "detached" });
  };
  await choose("By", "Tag");
  await rows.getByText("Without a tag").waitFor();
  await rows.getByText("front").waitFor();
  await choose("Only", "One screen");
  const which = page.getByRole("combobox", { name: "Which" });
  await which.focus();
  await page.keyboard.type("Lob");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect.poll(() => rows.getByText("Without a tag").count()).toBe(0);
  expect(page.url()).toContain("player_id=plr_");
  await choose("By", "Day");
  const zone = page.getByRole("combobox", { name: "Time zone of days" });
  await zone.focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("Pacific/Kiritimati");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toContain("Kiritimati");
  const day = new Intl.DateTimeFormat("en-GB", { timeZone: "Pacific/Kiritimati", day: "numeric" }).format(Date.now() - 3_600_000);
  await rows.getByRole("rowheader", { name: new RegExp(`\\b${day}\\b`) }).waitFor();
  const csv = page.getByRole("link", { name: "Download CSV" });
  await csv.focus();
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
  expect(download.suggestedFilename()).toBe("shown.csv");
  expect(window.errors).toEqual([]);
});

test("[CRP9] a person shares a report; a reader without an account opens it on a phone, reaches nothing else, and it ends with the link", async () => {
  const window = await shared.window();
  await window.signIn(service, "/reports/plays?by=player");
  const { page } = window;
  await page.getByRole("button", { name: "Share by a link" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Create the link" }).click();
  await page.getByText("Please fill this in.").waitFor();
  await page.getByLabel("Title that readers see").fill("For the landlord");
  await page.getByRole("dialog").getByRole("button", { name: "Create the link" }).click();
  const address = await page.getByLabel("Link", { exact: true }).inputValue();

  const reader = await shared.window(phone);
  const asked: string[] = [];
  reader.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await reader.page.goto(address);
  await reader.page.getByRole("heading", { name: "For the landlord" }).waitFor();
  await reader.page.getByText(longName).first().waitFor();
  // Neither the session nor anything but the report is asked for, and no link leads into the console.
  expect(asked.filter((path) => path.startsWith("/api/") && !path.startsWith("/api/v1/shared-report"))).toEqual([]);
  expect(await reader.page.getByRole("link").allInnerTexts()).toEqual(["Download CSV"]);
  expect(await sideways(reader.page)).toBe(0);
  expect(reader.errors).toEqual([]);

  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name: "Links" }).click();
  await page
    .getByRole("row", { name: /For the landlord/ })
    .getByText("Open", { exact: true })
    .waitFor();
  await page.getByRole("button", { name: "End the link For the landlord" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "End" }).click();
  await page.getByText("The link “For the landlord” has ended.").waitFor();
  await reader.page.reload();
  await reader.page.getByRole("heading", { name: "This link shows nothing" }).waitFor();
  expect(window.errors).toEqual([]);
});
