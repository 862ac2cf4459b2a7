// The playlist editor as a person uses it: settings of every kind, many at once, swapping, undo, two people at once.
import type { Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { desktop, phone } from "../../support/console/console.ts";
import { KeyboardPerson } from "../../support/console/keyboard.ts";
import { SharedConsole } from "../../support/console/shared.ts";
import { eventually } from "../../support/polling.ts";
import { inviteMember, owner } from "../../service/people/people.ts";
import { picture, type TestService } from "../../service/harness.ts";

let shared: SharedConsole;
beforeAll(async () => {
  shared = await SharedConsole.start({ hasPreviews: false });
});
afterAll(() => shared[Symbol.asyncDispose]());

interface Item {
  id: string;
  text?: string;
  duration_ms?: number;
  conditions?: object[];
}

const texts = (...words: readonly string[]) => words.map((text) => ({ type: "text", text, duration_ms: 5_000 }));

async function newPlaylist(service: TestService, items: readonly object[]) {
  const { status, body } = await service.call("POST", "playlists", { name: "Loop", items });
  expect([status, JSON.stringify(body.errors ?? [])]).toEqual([201, "[]"]);
  return body;
}

const read = async (service: TestService, { id }: { id: string }) => (await service.call("GET", `playlists/${id}`)).body.items;
const wordsOf = (items: readonly { text?: string }[]): string => items.map(({ text }) => text ?? "").join(" ");
const becomes = (service: TestService, playlist: { id: string }, words: string) =>
  eventually(async () => wordsOf(await read(service, playlist)) === words);
const row = (page: Page, name: string) => page.getByRole("row", { name, exact: true });

test("[CPL8] an item of every kind is added and shown with its settings; a change of a setting is saved, and the item stays the same one", async () => {
  const service = await shared.newTeam();
  const { body: asset } = await service.upload(await picture("jpeg"), "image/jpeg", "Menu.jpg");
  const playlist = await newPlaylist(service, [{ type: "image", asset_id: asset.id }, ...texts("Welcome")]);
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, `/playlists/${playlist.id}`);
  const settings = page.getByRole("complementary", { name: "Settings" });
  for (const [kind, label, typed] of [
    ["Clock", "Text below", "Berlin"],
    ["Ticker", "Text", "News of the day"],
    ["QR code", "Text or address", "https://example.com/menu"],
    ["News feed", "Address", "example.com/feed.xml"],
    ["Stream", "Address", "https://example.com/live.m3u8"],
  ] as const) {
    await page.getByRole("button", { name: "Add more" }).click();
    await page.getByRole("menuitem", { name: kind }).click();
    await page.getByRole("dialog").getByLabel(label, { exact: true }).fill(typed);
    await page.keyboard.press("Control+Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  }
  await page.getByText("7 items · Saved").waitFor();
  expect((await read(service, playlist)).map(({ type }: { type: string }) => type)).toEqual([
    "image",
    "text",
    "clock",
    "ticker",
    "qr",
    "feed",
    "stream",
  ]);

  // What was added last is chosen; its settings are beside the list.
  await settings.getByLabel("Kind of stream").waitFor();
  await row(page, "Menu.jpg").click();
  await settings.getByText("Filled, cropped").click();
  await row(page, "Welcome").click();
  await settings.getByLabel("Text", { exact: true }).fill("Good morning");
  await settings.getByLabel("Colour", { exact: true }).fill("#ffcc00");
  await settings.getByRole("button", { name: "Time and limits" }).click();
  await settings.getByLabel("At most, in an hour").fill("6");
  await page.keyboard.press("Tab");
  await page.getByText("7 items · Saved").waitFor();
  await eventually(async () => (await read(service, playlist))[1].max_plays_per_hour === 6);
  const items = await read(service, playlist);
  expect(items[0]).toMatchObject({ fit: "cover" });
  expect(items[1]).toMatchObject({ text: "Good morning", color: "#ffcc00" });
  // The item stays the same one for the screens.
  expect(items[1].id).toBe(playlist.items[1].id);
  expect(window.errors).toEqual([]);
});

test("[CPL9] several items are changed, duplicated and removed together, and everything is undone and done again", async () => {
  const service = await shared.newTeam();
  const playlist = await newPlaylist(service, texts("One", "Two", "Three", "Four"));
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, `/playlists/${playlist.id}`);
  const settings = page.getByRole("complementary", { name: "Settings" });
  await row(page, "One").click();
  await row(page, "Three").click({ modifiers: ["Control"] });
  await settings.getByRole("heading", { name: "Settings of 2 items" }).waitFor();
  await settings.getByLabel("Plays for").fill("9");
  await page.keyboard.press("Tab");
  await eventually(async () => (await read(service, playlist)).map((item: Item) => item.duration_ms).join() === "9000,5000,9000,5000");
  await settings.getByRole("button", { name: "Duplicate" }).click();
  await becomes(service, playlist, "One Two Three One Three Four");
  await settings.getByRole("button", { name: "Remove" }).click();
  await becomes(service, playlist, "One Two Three Four");
  await page.getByRole("button", { name: "Take back the last change" }).click();
  await becomes(service, playlist, "One Two Three One Three Four");
  await page.keyboard.press("Control+z");
  await becomes(service, playlist, "One Two Three Four");
  await page.keyboard.press("Control+z");
  await eventually(async () => (await read(service, playlist)).every((item: Item) => item.duration_ms === 5_000));
  await page.getByRole("button", { name: "Make the change again" }).click();
  await eventually(async () => (await read(service, playlist))[2].duration_ms === 9_000);
  expect((await read(service, playlist)).map(({ id }: { id: string }) => id)).toEqual(playlist.items.map(({ id }: { id: string }) => id));

  // Conditions, as of schedules: the items play on some screens only, and their rows say on which.
  await row(page, "Two").click();
  await row(page, "Four").click({ modifiers: ["Control"] });
  await settings.getByRole("button", { name: "Time and limits" }).click();
  await settings.getByRole("button", { name: "Add a condition" }).click();
  await page.getByRole("menuitem", { name: "A variable of the screen" }).click();
  await page.getByText("Not saved: 2 items are not complete").waitFor();
  await settings.getByLabel("Variable", { exact: true }).fill("sold_out");
  await settings.getByLabel("Value", { exact: true }).fill("no");
  await row(page, "Four").getByText("only if: sold_out is no").waitFor();
  const conditions = [{ type: "variable", name: "sold_out", op: "equals", value: "no" }];
  const soldOut = JSON.stringify([undefined, conditions, undefined, conditions]);
  await eventually(async () => JSON.stringify((await read(service, playlist)).map((item: Item) => item.conditions)) === soldOut);
  await settings.getByRole("button", { name: "Remove this condition" }).click();
  await eventually(async () => (await read(service, playlist)).every((item: Item) => item.conditions === undefined));
  expect(window.errors).toEqual([]);
});

// Runs in the page, whose frames then come late: each is asked for by a negative number until the returned function lets them run.
const holdFrames = `(() => {
  const [later, cancel] = [requestAnimationFrame.bind(window), cancelAnimationFrame.bind(window)];
  const held = new Map();
  let isHolding = true;
  let last = 0;
  window.requestAnimationFrame = (callback) => {
    if (!isHolding) return later(callback);
    held.set((last -= 1), callback);
    return last;
  };
  window.cancelAnimationFrame = (id) => (id < 0 ? void held.delete(id) : cancel(id));
  return async () => {
    isHolding = false;
    for (const callback of held.values()) callback(document.timeline.currentTime);
    for (let frame = 0; frame < 3; frame += 1) await new Promise(later);
  };
})()`;

test("[CPL17] a person who types in a new condition at once keeps the field, however late the condition's own focus comes", async () => {
  const service = await shared.newTeam();
  const playlist = await newPlaylist(service, texts("One"));
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, `/playlists/${playlist.id}`);
  const settings = page.getByRole("complementary", { name: "Settings" });
  await row(page, "One").click();
  await settings.getByRole("button", { name: "Time and limits" }).click();
  await settings.getByRole("button", { name: "Add a condition" }).click();
  const frames = await page.evaluateHandle(holdFrames);
  await page.getByRole("menuitem", { name: "A variable of the screen" }).click();
  await settings.getByLabel("Value", { exact: true }).focus();
  await frames.evaluate((release: () => Promise<void>) => release());
  await page.keyboard.type("no");
  await settings.getByLabel("Variable", { exact: true }).fill("sold_out");
  await row(page, "One").getByText("only if: sold_out is no").waitFor();
  expect(window.errors).toEqual([]);
});

test("[CPL10] two items change places in two actions, also by keyboard and on a phone", async () => {
  const service = await shared.newTeam();
  const playlist = await newPlaylist(service, texts("One", "Two", "Three", "Four"));
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, `/playlists/${playlist.id}`);
  await page.getByRole("button", { name: "Swap One with another item" }).click();
  await page.getByRole("button", { name: "Swap with Four" }).click();
  await becomes(service, playlist, "Four Two Three One");
  await page.getByRole("button", { name: "Swap Two with another item" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Swap with Three" }).focus();
  await page.keyboard.press("Enter");
  await becomes(service, playlist, "Four Three Two One");
  // By the keys of the list.
  await row(page, "One").focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("Alt+ArrowUp");
  await becomes(service, playlist, "Four Three One Two");

  const small = await shared.window(phone);
  await small.signIn(service, `/playlists/${playlist.id}`);
  await small.page.getByRole("button", { name: "Swap Four with another item" }).tap();
  await small.page.getByRole("button", { name: "Swap with Two" }).tap();
  await becomes(service, playlist, "Two Three One Four");
  await small.page.getByRole("button", { name: "Settings of One" }).tap();
  await small.page.getByRole("dialog", { name: "Settings of One" }).waitFor();
  const dialog = small.page.getByRole("dialog");
  await dialog.getByLabel("Text", { exact: true }).fill("First");
  await dialog.getByRole("button", { name: "Close" }).tap();
  await becomes(service, playlist, "Two Three First Four");
  expect([...window.errors, ...small.errors]).toEqual([]);
});

test("[CPL11] changes of two people that fit together are merged and both see them; what contradicts is asked", async () => {
  const service = await shared.newTeam();
  const playlist = await newPlaylist(service, texts("One", "Two", "Three"));
  const bea = await inviteMember(service, await owner(service), "editor", "Bea");
  const window = await shared.window();
  const other = await shared.window(desktop, 1);
  const { page } = window;
  await window.signIn(service, `/playlists/${playlist.id}`);
  await other.signInAs(service, bea, `/playlists/${playlist.id}`);
  await row(other.page, "One").waitFor();
  await row(page, "One").waitFor();
  const meanwhile = async (change: (items: Item[]) => object[]): Promise<void> => {
    let isDone = false;
    await page.route("**/api/v1/playlists/*", async (route) => {
      if (route.request().method() === "PATCH" && !isDone) {
        isDone = true;
        await bea.call("PATCH", `playlists/${playlist.id}`, { items: change(await read(service, playlist)) });
      }
      await route.fallback();
    });
  };
  await meanwhile((items) => [...items.with(1, { ...items[1]!, text: "Theirs" }), ...texts("Added")]);
  await page.getByRole("button", { name: "Move Three up" }).click();
  await page.getByText("Bea changed this playlist too. Both changes are kept.").waitFor();
  await becomes(service, playlist, "One Three Theirs Added");
  await row(page, "Added").waitFor();
  await page.getByText(/^Changed by you, /).waitFor();
  // The other person has it too, and who did it.
  await row(other.page, "Added").waitFor();
  await other.page.getByText("4 items · Saved").waitFor();
  await other.page.getByText(/^Changed by (?!you|Bea)/).waitFor();

  await meanwhile((items) => items.with(0, { ...items[0]!, text: "Their word" }));
  await row(page, "One").click();
  await page.getByRole("complementary").getByLabel("Text", { exact: true }).fill("My word");
  const alert = page.getByRole("alert").filter({ hasText: "Bea changed this playlist meanwhile" });
  await alert.getByText("set “Text” differently").waitFor();
  await alert.getByRole("button", { name: "Keep both" }).click();
  await becomes(service, playlist, "My word Three Theirs Added");
  await row(other.page, "My word").waitFor();
  expect([...other.errors, ...window.errors.filter((error) => !error.includes("412"))]).toEqual([]);
});

test("[CPL12] the length of a round is told for now and for another time, and which items are left out then", async () => {
  const service = await shared.newTeam();
  const lunch = { type: "text", text: "Lunch", duration_ms: 20_000, dayparts: [{ from: "11:00", until: "14:00" }] };
  const past = { type: "text", text: "Past", duration_ms: 40_000, valid_until: "2020-01-01T00:00:00Z" };
  const playlist = await newPlaylist(service, [...texts("Always"), lunch, past]);
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, `/playlists/${playlist.id}`);
  await page.getByRole("button", { name: "Length at another time" }).click();
  await page.getByRole("dialog").getByLabel("Time", { exact: true }).fill("2026-11-24T12:00");
  await page.getByText("0:25 for one round").waitFor();
  await page.getByText("2 of 3 items").waitFor();
  await page.getByRole("dialog").getByLabel("Time", { exact: true }).fill("2026-11-24T15:00");
  await page.getByText("0:05 for one round").waitFor();
  await page.keyboard.press("Escape");
  await row(page, "Lunch").getByText("not at this time").waitFor();
  await row(page, "Past").getByText("no longer").waitFor();
  expect(window.errors).toEqual([]);
});

test("[CPL13] by keyboard alone a text is added, set, moved, swapped, duplicated, removed and brought back; the focus is seen at every stop", async () => {
  const service = await shared.newTeam();
  const playlist = await newPlaylist(service, texts("One", "Two", "Three"));
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, `/playlists/${playlist.id}`);
  await row(page, "One").waitFor();
  const person = new KeyboardPerson(page);
  await person.to(page.getByRole("button", { name: "Add text" }));
  await person.press("Enter");
  await person.to(page.getByLabel("Message", { exact: true }));
  await person.type("Four");
  await person.to(page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }));
  await person.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await becomes(service, playlist, "One Two Three Four");
  await person.isSomewhere();
  await person.to(row(page, "Four"));
  await person.press("Alt+ArrowUp", "Alt+ArrowUp");
  await becomes(service, playlist, "One Four Two Three");
  // Two items that were chosen change places.
  await person.press("Home", "Space", "Control+ArrowDown", "Control+ArrowDown", "Control+Space");
  await person.to(page.getByRole("button", { name: "Swap", exact: true }));
  await person.press("Enter");
  await becomes(service, playlist, "Two Four One Three");
  await person.to(page.getByRole("complementary").getByLabel("Plays for"));
  await person.type("9");
  await person.press("Tab");
  const isSet = ({ text, duration_ms: ms }: Item): boolean => (ms === 9_000) === (text === "One" || text === "Two");
  await eventually(async () => (await read(service, playlist)).every(isSet));
  await person.to(row(page, "Two"), "Shift+Tab");
  await person.press("Control+d");
  await becomes(service, playlist, "Two Four One Two One Three");
  await person.press("Delete");
  await becomes(service, playlist, "Two Four One Three");
  await person.press("Control+z", "Control+z");
  await becomes(service, playlist, "Two Four One Three");
  expect(person.faults).toEqual([]);
  expect(window.errors).toEqual([]);
});

test("[CPL14] what is not complete is told and not saved, and is still there after another page", async () => {
  const service = await shared.newTeam();
  const playlist = await newPlaylist(service, texts("One", "Two"));
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, `/playlists/${playlist.id}`);
  await row(page, "Two").click();
  const words = page.getByRole("complementary").getByLabel("Text", { exact: true });
  await words.fill("");
  await page.getByText("Not saved: one item is not complete").waitFor();
  await page.getByRole("button", { name: "Move One down" }).click();
  await page.getByRole("link", { name: "All playlists" }).click();
  await page.getByRole("link", { name: "Loop" }).click();
  await page.getByText("Not saved: one item is not complete").waitFor();
  expect(wordsOf(await read(service, playlist))).toBe("One Two");
  await page.getByRole("row").first().click();
  await words.fill("Again");
  await becomes(service, playlist, "Again One");
  expect(window.errors).toEqual([]);
});
