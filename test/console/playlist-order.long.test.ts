import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { phone, startBrowser, startConsoleService, Window } from "../support/console/console.ts";
import { eventually } from "../support/polling.ts";
import { picture, type TestService } from "../service/harness.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const transition = { type: "crossfade", duration_ms: 400 };
// What this page does not show must survive: limits, transitions, styles, secrets.
const first = { type: "text", text: "First", duration_ms: 4_000, max_plays_per_day: 50, transition, font_weight: 700 };
const second = { type: "web", url: "https://example.com/", headers: { "X-Key": "secret" }, duration_ms: 20_000, zoom: 2 };
const third = { type: "text", text: "Third", dayparts: [{ from: "08:00", until: "12:00" }] };

async function newPlaylist(service: TestService, items: readonly object[] = [first, second, third]) {
  const { status, body } = await service.call("POST", "playlists", { name: "Loop", items });
  expect([status, JSON.stringify(body.errors ?? [])]).toEqual([201, "[]"]);
  return body;
}

const read = async (service: TestService, { id }: { id: string }) => (await service.call("GET", `playlists/${id}`)).body.items;
const names = async (page: Page) => {
  const rows = await page.getByRole("row").all();
  return Promise.all(rows.map(async (row) => (await row.locator(".item-name").textContent()) ?? ""));
};

test("[CSH8] the items of a playlist are moved by buttons and by the keyboard, and no setting of an item is lost", async () => {
  await using service = await startConsoleService();
  const playlist = await newPlaylist(service);
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service, `/playlists/${playlist.id}`);
  await page.getByRole("button", { name: "Move Third up" }).click();
  await page.getByText("3 items · Saved").waitFor();
  expect(await names(page)).toEqual(["First", "Third", "https://example.com/"]);
  const [a, b, c] = playlist.items;
  expect(await read(service, playlist)).toEqual([a, c, b]);

  // By keyboard alone.
  await page.getByRole("button", { name: "Move First down" }).focus();
  await page.keyboard.press("Enter");
  await eventually(async () => JSON.stringify(await read(service, playlist)) !== JSON.stringify([a, c, b]));
  const after = await read(service, playlist);
  expect(after.map(({ id }: { id: string }) => id)).toEqual([c.id, a.id, b.id]);
  expect(new Set(after.map((item: object) => JSON.stringify(item)))).toEqual(new Set([a, b, c].map((item) => JSON.stringify(item))));
  expect(window.errors).toEqual([]);
});

test("[CSH9] a duration is changed, an item removed and brought back by undo, a text and a file added, also on a phone", async () => {
  await using service = await startConsoleService();
  await service.upload(await picture("jpeg"), "image/jpeg", "Menu.jpg");
  const playlist = await newPlaylist(service);
  await using window = await Window.open(browser, phone);
  const { page } = window;
  await window.signIn(service, `/playlists/${playlist.id}`);
  await page.getByLabel("Seconds of First").fill("12.5");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  const has = (count: number) => eventually(async () => (await read(service, playlist)).length === count);
  await eventually(async () => (await read(service, playlist))[0].duration_ms === 12_500);
  const [{ id: _, ...before }] = await read(service, playlist);
  await page.getByRole("button", { name: "Remove First" }).tap();
  await has(2);
  await page.getByRole("button", { name: "Undo" }).tap();
  await has(3);
  expect((await read(service, playlist))[0]).toMatchObject(before);
  // Its key would be lost for good.
  await page.getByRole("button", { name: "Remove https://example.com/" }).tap();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).tap();
  await has(2);

  await page.getByRole("button", { name: "Add more" }).tap();
  await page.getByRole("menuitem", { name: "Text", exact: true }).tap();
  await page.getByLabel("Message", { exact: true }).fill("Welcome");
  await page.getByRole("button", { name: "Add", exact: true }).tap();
  await page.getByRole("button", { name: "Add files" }).tap();
  await page.getByRole("option", { name: "Menu.jpg" }).tap();
  await page.getByText("4 items · Saved").waitFor();
  expect((await read(service, playlist)).map(({ type }: { type: string }) => type)).toEqual(["text", "text", "text", "image"]);
  expect(await page.locator("html").evaluate((html) => html.scrollWidth <= html.clientWidth)).toBe(true);
  expect(window.errors).toEqual([]);
});

test("[CSH10] a change by somebody else meanwhile is told, and a person keeps either one", async () => {
  await using service = await startConsoleService();
  const playlist = await newPlaylist(service, [first, { type: "text", text: "Second" }]);
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service, `/playlists/${playlist.id}`);
  await page.getByRole("button", { name: "Move Second up" }).waitFor();
  // The page does not hear of the change in time.
  const interfere = async (text: string) => {
    let isDone = false;
    await page.route("**/api/v1/playlists/*", async (route) => {
      if (route.request().method() === "PATCH" && !isDone) {
        isDone = true;
        await service.call("PATCH", `playlists/${playlist.id}`, { items: [{ type: "text", text }] });
      }
      await route.fallback();
    });
  };
  await interfere("Theirs");
  await page.getByRole("button", { name: "Move Second up" }).click();
  const alert = page.getByRole("alert").filter({ hasText: "You changed this playlist meanwhile" });
  await alert.waitFor();
  expect(await names(page)).toEqual(["Second", "First"]);
  await alert.getByRole("button", { name: "Take theirs" }).click();
  await page.getByText("1 item · Saved").waitFor();
  expect(await names(page)).toEqual(["Theirs"]);

  await interfere("Theirs again");
  await page.getByLabel("Seconds of Theirs").fill("30");
  await page.keyboard.press("Tab");
  await alert.getByRole("button", { name: "Save mine" }).click();
  await page.getByText("1 item · Saved").waitFor();
  expect(await read(service, playlist)).toMatchObject([{ text: "Theirs", duration_ms: 30_000 }]);
  expect(window.errors.filter((error) => !error.includes("412"))).toEqual([]);
});
