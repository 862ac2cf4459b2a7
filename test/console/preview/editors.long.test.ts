// Previews in the editors: what is edited is seen as the screen will show it, before it is saved.
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestService } from "../../service/harness.ts";
import { startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { layoutOf, playlistOf, shown } from "./colors.ts";

let browser: Browser;
let service: TestService;
beforeAll(async () => {
  [browser, service] = await Promise.all([startBrowser(), startConsoleService()]);
});
afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
});

test("[PRV9] the stage of a layout shows what a screen would show of the layout as it is edited, before it is saved", async () => {
  const layout = await layoutOf(service, "Lobby", ["red", 60]);
  await playlistOf(service, "Garden", ["green", 60]);
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service, `/layouts/${layout.id}`);
  await shown(page).toBe("red");
  await page.getByRole("button", { name: /^Main: [0-9]/ }).click();
  const field = page.getByRole("combobox", { name: "Playlist" });
  await field.fill("Garden");
  await page.getByRole("option", { name: "Garden" }).click();
  await shown(page).toBe("green");
  await page.getByText(/^Not saved yet/).waitFor();
  await page.getByRole("button", { name: "Undo" }).press("Enter");
  await shown(page).toBe("red");
  expect((await service.call("GET", `layouts/${layout.id}`)).body.zones[0].playlist_id).toBe(layout.zones[0].playlist_id);
  expect(window.errors).toEqual([]);
});

test("[PRV10] a playlist is previewed as it is edited, item by item, and the item that is chosen is shown", async () => {
  const playlist = await playlistOf(service, "Colours", ["red", 600], ["green", 600], ["blue", 600]);
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service, `/playlists/${playlist.id}`);
  await page
    .getByRole("checkbox", { name: /^Select / })
    .nth(1)
    .click({ force: true });
  await shown(page).toBe("green");
  await page.getByRole("button", { name: "Next item" }).press("Enter");
  await shown(page).toBe("blue");
  await page.getByRole("button", { name: "Previous item" }).press("Enter");
  await shown(page).toBe("green");
  expect(window.errors).toEqual([]);
});

test("[PRV11] a piece of the timeline leads to the preview of the screen at that time", async () => {
  const device = await service.pairDevice("Hall");
  const { id: layout_id } = await layoutOf(service, "Tuesday", ["blue", 60]);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const timing = { starts_at: `${tomorrow}T09:00:00`, ends_at: `${tomorrow}T10:00:00` };
  await service.call("PATCH", `players/${device.playerId}`, { timezone: "UTC", tags: ["hall"] });
  const target = { type: "player", player_id: device.playerId };
  await service.call("POST", "schedules", { name: "Tuesday", layout_id, target, ...timing });
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service, `/timeline?day=${tomorrow}&tag=hall&zoom=day`);
  await page
    .getByRole("gridcell", { name: /^Tuesday/ })
    .first()
    .click();
  await page.getByRole("dialog").getByRole("link", { name: "Preview" }).click();
  await shown(page).toBe("blue");
  expect(await page.getByLabel("At, in UTC").inputValue()).toBe(`${tomorrow}T09:00`);
  expect(window.errors).toEqual([]);
});

test("[PRV14] in a draft, previews show what the draft holds; outside of it, what screens show", async () => {
  const layout = await layoutOf(service, "Foyer", ["red", 600]);
  const device = await service.pairDevice("Foyer");
  await service.call("PATCH", `players/${device.playerId}`, { layout_id: layout.id });
  const { items } = await playlistOf(service, "Later", ["green", 600]);
  const { body: draft } = await service.call("POST", "drafts", { name: "Spring" });
  const later = items.map((item: object) => ({ ...item, id: undefined }));
  await service.call("PATCH", `playlists/${layout.zones[0].playlist_id}`, { items: later }, { "Signage-Draft": draft.id });
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service, `/screens/${device.playerId}?tab=preview`);
  await shown(page).toBe("red");
  await page.evaluate(`sessionStorage.setItem("draft", ${JSON.stringify(JSON.stringify({ id: draft.id, name: "Spring" }))})`);
  await page.reload();
  await shown(page).toBe("green");
  await page.evaluate("sessionStorage.removeItem('draft')");
  await page.reload();
  await shown(page).toBe("red");
  expect(window.errors).toEqual([]);
});
