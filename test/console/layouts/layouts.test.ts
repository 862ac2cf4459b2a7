import type { Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { desktop, phone, startConsoleService, startWholeBrowser, Window } from "../../support/console/console.ts";
import { SharedConsole } from "../../support/console/shared.ts";
import { KeyboardPerson } from "../../support/console/keyboard.ts";
import { eventually } from "../../support/polling.ts";
import { inviteMember, owner } from "../../service/people/people.ts";
import { picture, type TestService } from "../../service/harness.ts";

let shared: SharedConsole;
let service: TestService;
beforeAll(async () => {
  shared = await SharedConsole.start({ hasPreviews: false });
  service = shared.service;
});
afterAll(() => shared[Symbol.asyncDispose]());

const zones = [
  { name: "Main", left: 0, top: 0, width: 1_440, height: 960, z_index: 2, transition: { type: "slide", duration_ms: 500 } },
  { name: "Side", left: 1_440, top: 0, width: 480, height: 960 },
  { name: "Box", left: 300, top: 300, width: 400, height: 200, z_index: 5, background_color: "#112233" },
];

async function newLayout(more: object = {}) {
  const { status, body } = await service.call("POST", "layouts", { name: "Lobby", zones, ...more });
  expect([status, body.errors ?? []]).toEqual([201, []]);
  return body;
}

const read = async ({ id }: { id: string }) => (await service.call("GET", `layouts/${id}`)).body;
interface StoredZone {
  id: string;
  name: string;
  left: number;
  top: number;
  width: number;
}
const zoneIn = (layout: { zones: StoredZone[] }, name: string) => layout.zones.find((each) => each.name === name)!;
const zone = (page: Page, name: string) => page.getByRole("button", { name: new RegExp(`^${name}: [0-9]`) });
const isSaved = (page: Page) => page.getByText("Saved", { exact: true }).waitFor();

/** Drags from the middle of something by so many pixels of the window. */
async function drag(page: Page, at: { x: number; y: number }, by: { x: number; y: number }): Promise<void> {
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + by.x / 2, at.y + by.y / 2);
  await page.mouse.move(at.x + by.x, at.y + by.y);
  await page.mouse.up();
}

async function boxOf(page: Page, name: string) {
  const { x, y, width, height } = (await zone(page, name).boundingBox())!;
  return { x, y, width, height, middle: { x: x + width / 2, y: y + height / 2 } };
}

test("[CLY6] a layout is made from a starting layout, copied for the other orientation, deleted and brought back", async () => {
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, "/layouts");
  await page.getByRole("button", { name: "New layout" }).click();
  await page.getByLabel("Name").fill("Entrance");
  await page.getByText("Side column and ticker").click();
  await page.getByRole("button", { name: "Create" }).click();
  await zone(page, "Ticker").waitFor();
  await page.getByRole("link", { name: "All layouts" }).click();
  await page.getByRole("button", { name: "More for Entrance" }).click();
  await page.getByRole("menuitem", { name: "Copy for portrait screens" }).click();
  await page.getByRole("heading", { name: "Entrance (portrait)", level: 1 }).waitFor();
  await page.getByRole("button", { name: "Ticker: 0 from the left, 1800 from the top, 1080 wide, 120 high" }).waitFor();

  await page.getByRole("link", { name: "All layouts" }).click();
  await page.getByRole("button", { name: "More for Entrance (portrait)" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const copy = page.getByRole("link", { name: "Entrance (portrait)" });
  await copy.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await copy.waitFor();
  expect(window.errors).toEqual([]);
});

test("[CLY9] zones are dragged, resized and turned by the pointer, undone and saved, and nothing else of them changes", async () => {
  const layout = await newLayout();
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, `/layouts/${layout.id}`);
  const before = await boxOf(page, "Box");
  const scale = 400 / before.width;
  // Its left edge comes to rest at the edge of the layout.
  await drag(page, before.middle, { x: -300 / scale + 4, y: 0 });
  await zone(page, "Box")
    .and(page.getByRole("button", { name: "Box: 0 from the left", exact: false }))
    .waitFor();
  const after = await boxOf(page, "Box");
  await drag(page, { x: after.x + after.width, y: after.y + after.height }, { x: 57 / scale, y: 0 });
  // The knob is above the middle.
  const resized = await boxOf(page, "Box");
  await drag(page, { x: resized.middle.x, y: resized.y - 24 }, { x: 400, y: resized.height / 2 + 24 });
  await expect.poll(() => zone(page, "Box").textContent()).toContain("turned by 90°");
  expect(zoneIn(await read(layout), "Box")).toEqual(zoneIn(layout, "Box"));

  await page.getByRole("button", { name: "Undo: turn" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await isSaved(page);
  const stored = await read(layout);
  const box = zoneIn(stored, "Box");
  expect([box.left, Math.abs(box.width - 457) <= 2, box.top === 300]).toEqual([0, true, true]);
  expect(box).toMatchObject({ id: zoneIn(layout, "Box").id, background_color: "#112233", z_index: 5 });
  expect(stored.zones.filter(({ name }: { name: string }) => name !== "Box")).toEqual(
    expect.arrayContaining([zoneIn(layout, "Main"), zoneIn(layout, "Side")]),
  );
  expect(window.errors).toEqual([]);
});

test("[CLY10] by keyboard alone a zone is added, moved, resized, turned, put behind, named, given a playlist, saved and removed", async () => {
  const layout = await newLayout({ zones: [zones[1]] });
  await service.call("POST", "playlists", { name: "Weather" });
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, `/layouts/${layout.id}`);
  await zone(page, "Side").waitFor();
  const person = new KeyboardPerson(page);
  await person.to(page.getByRole("button", { name: "Add zone" }));
  await person.press("Enter");
  await expect.poll(() => zone(page, "Zone").evaluate((each) => each.matches(":focus"))).toBe(true);
  await person.press("Alt+Shift+ArrowLeft", "Alt+ArrowUp", "Shift+ArrowRight", "ArrowLeft", ">", "[");
  await page
    .getByRole("status")
    .filter({ hasText: "Zone: 9 from the left, 0 from the top, 1430 wide, 1079 high, turned by 15°" })
    .waitFor({ state: "attached" });
  await person.to(page.getByLabel("Name"));
  await person.press("Control+a");
  await person.type("News");
  await person.press("Enter");
  await person.to(page.getByRole("combobox", { name: "Playlist" }));
  await person.type("Wea");
  await page.getByRole("option", { name: "Weather" }).waitFor();
  await person.press("ArrowDown", "Enter", "Control+s");
  await isSaved(page);
  const stored = await read(layout);
  expect(stored.zones.map(({ name }: { name: string }) => name)).toEqual(["News", "Side"]);
  expect(stored.zones[0]).toMatchObject({ left: 9, width: 1_430, height: 1_079, rotation: 15 });
  expect(stored.zones[0].playlist_id).toMatch(/^pls_/);
  await zone(page, "News").focus();
  await person.press("Delete");
  await zone(page, "News").waitFor({ state: "detached" });
  await person.press("Control+z");
  await zone(page, "News").waitFor();
  expect(person.faults).toEqual([]);
  expect(window.errors).toEqual([]);
});

test("[CLY8] two people edit one layout: both see the other's work, nothing is lost, and what contradicts is decided", async () => {
  const layout = await newLayout();
  const one = await shared.window();
  const other = await shared.window(desktop, 1);
  const bea = await inviteMember(service, await owner(service), "editor", "Bea");
  await one.signIn(service, `/layouts/${layout.id}`);
  await other.signInAs(service, bea, `/layouts/${layout.id}`);
  const change = async ({ page }: Window, name: string, field: string, value: string) => {
    await zone(page, name).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: field, exact: true }).fill(value);
    await page.keyboard.press("Enter");
  };
  await change(one, "Main", "Name", "Films");
  await change(one, "Box", "From the top", "350");
  await change(other, "Side", "Width", "400");
  await change(other, "Box", "From the left", "500");
  await other.page.getByRole("button", { name: "Save", exact: true }).click();
  await isSaved(other.page);

  // The first person sees it at once, by whom, and decides.
  await one.page.getByText("Side: place and size", { exact: false }).waitFor();
  await one.page.getByText(/^Bea has saved this layout .*ago$/).waitFor();
  await one.page.getByText(/^Changed by Bea, /).waitFor();
  await one.page.getByRole("alert", { name: "You and Bea have changed the same" }).waitFor();
  await one.page.getByRole("alert").getByRole("heading", { name: "Box: place and size" }).waitFor();
  expect(await one.page.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
  await one.page.getByRole("button", { name: "Take theirs: Box: place and size" }).click();
  await one.page.getByRole("button", { name: "Save", exact: true }).click();
  await isSaved(one.page);
  const stored = await read(layout);
  expect(zoneIn(stored, "Films")).toMatchObject({ left: 0, width: 1_440, transition: zones[0]!.transition });
  expect(zoneIn(stored, "Side")).toMatchObject({ width: 400 });
  expect(zoneIn(stored, "Box")).toMatchObject({ left: 500, top: 300 });
  await zone(other.page, "Films").waitFor();
  await other.page.getByText(/^Changed by (?!Bea)/).waitFor();
  await other.page.getByText(/has saved this layout/).waitFor();

  // Saving at the same moment: the page does not hear of the other change in time.
  await change(one, "Side", "Name", "Weather");
  let isDone = false;
  await one.page.route("**/api/v1/layouts/*", async (route) => {
    if (route.request().method() === "PATCH" && !isDone) {
      isDone = true;
      await service.call("PATCH", `layouts/${layout.id}`, { background_color: "#334455" });
    }
    await route.fallback();
  });
  await one.page.getByRole("button", { name: "Save", exact: true }).click();
  await isSaved(one.page);
  expect(await read(layout)).toMatchObject({ background_color: "#334455" });
  expect(zoneIn(await read(layout), "Weather")).toBeDefined();
  expect([...one.errors, ...other.errors].filter((error) => !error.includes("412"))).toEqual([]);
});

test("[CLY11] on a phone a zone is chosen by a tap, moved by a finger and by numbers, and what is not saved survives another page", async () => {
  const { body: asset } = await service.upload(await picture("jpeg"), "image/jpeg", "Menu.jpg");
  const { body: playlist } = await service.call("POST", "playlists", { name: "Menu", items: [{ type: "image", asset_id: asset.id }] });
  const layout = await newLayout({ zones: [{ ...zones[2], playlist_id: playlist.id }] });
  const window = await shared.window(phone);
  const { page } = window;
  await window.signIn(service, `/layouts/${layout.id}`);
  await zone(page, "Box").tap();
  await page.getByRole("textbox", { name: "From the left" }).fill("900");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Open the playlist" }).tap();
  await page.getByRole("heading", { name: "Menu", level: 1 }).waitFor();
  await page.goBack();
  await zone(page, "Box")
    .and(page.getByRole("button", { name: "Box: 900 from the left", exact: false }))
    .waitFor();
  await page.getByRole("button", { name: "Turn into a portrait layout" }).tap();
  await page.getByRole("button", { name: "Save", exact: true }).tap();
  await isSaved(page);
  expect(await read(layout)).toMatchObject({
    width: 1_080,
    height: 1_920,
    zones: [{ left: 300, top: 900, width: 200, height: 400, playlist_id: playlist.id }],
  });
  expect(await page.locator("html").evaluate((html) => html.scrollWidth <= html.clientWidth)).toBe(true);
  expect(window.errors).toEqual([]);
});

test("[CLY12] who may only read sees the zones and their settings, and nothing that would change them", async () => {
  const layout = await newLayout();
  const viewer = await inviteMember(service, await owner(service), "viewer");
  const window = await shared.window();
  const { page } = window;
  await window.signInAs(service, viewer, `/layouts/${layout.id}`);
  await zone(page, "Box").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  expect(await page.getByRole("textbox", { name: "From the left" }).isDisabled()).toBe(true);
  await zone(page, "Box")
    .and(page.getByRole("button", { name: "Box: 300 from the left", exact: false }))
    .waitFor();
  for (const name of ["Save", "Add zone", "Remove zone"]) expect(await page.getByRole("button", { name }).count()).toBe(0);
  expect(await eventually(async () => (await read(layout)).zones.length)).toBe(3);
  expect(window.errors).toEqual([]);
});

test("[USE2] the editors of playlists and layouts tell on how many screens their content is shown, and lead to these", async () => {
  const { body: list } = await service.call("POST", "playlists", { name: "Menu", items: [{ type: "text", text: "x" }] });
  const layout = await newLayout({ name: "Wide", zones: [{ ...zones[1], playlist_id: list.id }] });
  const { playerId } = await service.pairDevice("Hall 1");
  await service.call("PATCH", `players/${playerId}`, { layout_id: layout.id });
  const window = await shared.window(phone);
  const { page } = window;
  await window.signIn(service, `/playlists/${list.id}`);
  await page.getByRole("button", { name: "On 1 screen" }).tap();
  await page.getByRole("dialog").getByRole("link", { name: "Wide" }).tap();
  await page.getByRole("heading", { level: 1, name: "Wide" }).waitFor();
  await page.getByRole("button", { name: "On 1 screen" }).tap();
  const dialog = page.getByRole("dialog", { name: "Where this layout is shown" });
  await dialog.getByText("1 of them shows it whenever nothing else is due.").waitFor();
  // What shows it changes while it is looked at.
  await service.call("PATCH", `players/${playerId}`, { layout_id: null });
  await dialog.getByText("Nothing shows it yet.").waitFor();
  await dialog.getByRole("link", { name: "Plan it" }).tap();
  await page.getByRole("heading", { level: 1, name: "New schedule" }).waitFor();
  await eventually(async () => (await page.getByRole("combobox", { name: "Layout" }).inputValue()) === "Wide");
  expect(window.errors).toEqual([]);
});

test("[CLY13] behind the zones the editor shows what the player shows of the layout, of kinds without a picture of their own too", async () => {
  await using own = await startConsoleService();
  await using whole = await startWholeBrowser();
  await using window = await Window.open(whole);
  const { page } = window;
  const items = [{ type: "text", text: "Open from 6", duration_ms: 10_000 }];
  const { layout } = await own.createLayout(items);
  await window.signIn(own, `/layouts/${layout.id}`);
  const words = page.frameLocator('iframe[title^="Preview of"]').getByText("Open from 6");
  await eventually(() => page.locator(".stage-picture > .preview[data-drawn]").isVisible());
  expect(await words.evaluate((each) => each.closest(".item").style.opacity)).not.toBe("0.001");
  // The names of zones give way to the picture.
  await eventually(() => page.locator('.zone-content[data-previewed="true"]').isVisible());
});
