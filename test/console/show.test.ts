import type { Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Actions } from "../support/console/actions.ts";
import { phone } from "../support/console/console.ts";
import { SharedConsole } from "../support/console/shared.ts";
import { eventually } from "../support/polling.ts";
import { inviteMember, owner } from "../service/people/people.ts";
import { heartbeat, picture, type Device, type TestService } from "../service/harness.ts";

let shared: SharedConsole;
beforeAll(async () => {
  shared = await SharedConsole.start({ hasPreviews: false });
});
afterAll(() => shared[Symbol.asyncDispose]());

/** A screen that reports that it is online. */
async function onlineScreen(service: TestService, name: string, tags: string[] = []): Promise<Device> {
  const device = await service.pairDevice(name);
  if (tags.length > 0) await service.call("PATCH", `players/${device.playerId}`, { tags });
  await device.call("POST", "heartbeat", heartbeat());
  return device;
}

async function onlyShow(service: TestService) {
  const { data } = (await service.call("GET", "show?ended=false")).body;
  expect(data).toHaveLength(1);
  return data[0];
}

/** The device reports that it presents the first item of a layout. */
async function present(service: TestService, device: Device, show: { layout_id: string; playlist_id: string }): Promise<void> {
  const zone_id = (await service.call("GET", `layouts/${show.layout_id}`)).body.zones[0].id;
  const item_id = (await service.call("GET", `playlists/${show.playlist_id}`)).body.items[0].id;
  const now_playing = [{ zone_id, item_id, asset_id: null, presented_at: new Date().toISOString() }];
  await device.call("POST", "heartbeat", heartbeat({ now_playing }));
}

/** Presses a key until the focus is on an element of this role and name. An open list hides what is outside it. */
async function tabTo(page: Page, role: "button" | "combobox" | "textbox" | "radio", name: string | RegExp, key = "Tab"): Promise<void> {
  const target = page.getByRole(role, { name });
  await target.or(page.getByRole("listbox")).first().waitFor();
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await target.count()) > 0 && (await target.evaluate((element) => element.matches(":focus, :focus-within")))) return;
    await page.keyboard.press(key);
  }
  throw new Error(`the key ${key} does not lead to ${role} ${String(name)}`);
}

test("[CSH1] a file of the library is on a playing screen after three actions, and the page tells when it has arrived", async () => {
  const service = await shared.newTeam();
  const lobby = await onlineScreen(service, "Lobby");
  await service.showPicture(lobby);
  await service.upload(await picture("jpeg"), "image/jpeg", "Menu.jpg");
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, "/show");
  const actions = new Actions();
  await actions.do("choose the file", page.getByRole("option", { name: "Menu.jpg" }).click());
  const suggestion = page.getByRole("group", { name: "Suggestions" }).getByRole("button", { name: "Lobby" });
  await actions.do("choose the screen", suggestion.click());
  await page.getByText("1 screen shows it at once").waitFor();
  await actions.do("show it", page.getByRole("button", { name: "Show on 1 screen" }).click());
  expect(actions.count).toBe(3);

  const arrival = page.getByRole("region", { name: "Arrival" });
  await arrival.getByText("No screen shows it yet").waitFor();
  const show = await onlyShow(service);
  expect(show).toMatchObject({ name: "Menu.jpg", player_count: 1, created_by: { name: "Owner" } });
  await present(service, lobby, show);
  await arrival.getByText("The screen shows it").waitFor();
  expect(window.errors).toEqual([]);
});

test("[CSH2] by keyboard alone a text is shown on a tag until it is stopped, is stopped, and stopping is undone", async () => {
  const service = await shared.newTeam();
  await onlineScreen(service, "Lobby", ["ground floor"]);
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, "/show");
  // The page begins in the search of the library.
  await tabTo(page, "radio", "Picture or video", "Shift+Tab");
  await page.keyboard.press("ArrowRight");
  await tabTo(page, "textbox", "Message");
  await page.keyboard.type("Back at two");
  await tabTo(page, "combobox", "Screens or tags");
  await page.keyboard.type("ground");
  await page.getByRole("option", { name: "ground floor" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await tabTo(page, "radio", "1 hour");
  for (const _ of [1, 2, 3]) await page.keyboard.press("ArrowRight");
  await page.getByRole("button", { name: "Show on 1 screen" }).waitFor();
  await tabTo(page, "button", "Show on 1 screen");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "“Back at two” is on its way" }).waitFor();
  expect(await onlyShow(service)).toMatchObject({ text: "Back at two", ends_at: null });

  // The focus is on “Done”.
  await page.keyboard.press("Enter");
  await tabTo(page, "button", "Stop Back at two");
  await page.keyboard.press("Enter");
  await page.getByText("Nothing is shown for a time").waitFor();
  await tabTo(page, "button", "Undo");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Back at two" }).waitFor();
  expect((await onlyShow(service)).status).toBe("due");
  expect(window.errors).toEqual([]);
});

test("[CSH3] before anything is sent, the page tells which screens wait and what is wrong with the time", async () => {
  const service = await shared.newTeam();
  await onlineScreen(service, "Lobby", ["all"]);
  const away = await service.pairDevice("Away");
  await service.call("PATCH", `players/${away.playerId}`, { tags: ["all"] });
  const window = await shared.window(phone);
  const { page } = window;
  await window.signIn(service, `/show?tags=${encodeURIComponent('["all"]')}`);
  await page.getByRole("radio", { name: "Text" }).check({ force: true });
  await page.getByLabel("Message", { exact: true }).fill("Hello");
  await page.getByText("1 screen is offline and shows it when it returns").waitFor();
  await page.getByRole("radio", { name: "Other time" }).check({ force: true });
  await page.getByLabel("Ends at (your time)").fill("2020-01-01T12:00");
  await page.getByText("This time is over: choose a later one.").waitFor();
  expect(await page.getByRole("button", { name: "Show it" }).isDisabled()).toBe(true);
  expect((await service.call("GET", "show")).body.data).toEqual([]);
  // Nothing is wider than the phone.
  expect(await page.locator("html").evaluate((html) => html.scrollWidth <= html.clientWidth)).toBe(true);
  expect(window.errors).toEqual([]);
});

test("[CSH4] what is shown stays longer on request, and other people's changes appear by themselves", async () => {
  const service = await shared.newTeam();
  await onlineScreen(service, "Lobby");
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, "/show");
  await page.getByText("Nothing is shown for a time").waitFor();
  const { body: shown } = await service.call("POST", "show", { text: "Sale", everywhere: true, lasts_ms: 3_600_000 });
  await page.getByRole("heading", { name: "Sale" }).waitFor();
  await page.getByRole("button", { name: "Show Sale longer" }).click();
  await page.getByRole("menuitem", { name: "One hour more" }).click();
  await page.getByText("“Sale” stays longer").waitFor();
  expect((await onlyShow(service)).ends_at).toBe(new Date(Date.parse(shown.ends_at) + 3_600_000).toISOString());
  await service.call("DELETE", `show/${shown.id}`);
  await page.getByText("Nothing is shown for a time").waitFor();
  expect(window.errors).toEqual([]);
});

test("[CSH5] a takeover outranks what is shown for a time, two of the same are ended one by one, and a screen that returns gets it until its end", async () => {
  const service = await shared.newTeam();
  await onlineScreen(service, "Lobby", ["ground floor"]);
  const away = await service.pairDevice("Away");
  await service.call("PATCH", `players/${away.playerId}`, { tags: ["ground floor"] });
  await service.call("POST", "show", { text: "Sale", everywhere: true, until: null });
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, "/takeover");
  const takeOver = async () => {
    await page.getByLabel("Message", { exact: true }).fill("We close at four");
    await page.getByRole("button", { name: "ground floor 2" }).click();
    await page.getByRole("button", { name: "Take over 2 screens" }).click();
    await page.getByText("Offline: shows it when it returns").first().waitFor();
    await page.getByRole("button", { name: "Done" }).click();
  };
  await takeOver();
  await takeOver();
  const shows = (await service.call("GET", "show?ended=false")).body.data;
  expect(shows.map(({ name, priority }: { name: string; priority: number }) => [name, priority])).toEqual([
    ["We close at four", 1_000],
    ["We close at four", 1_000],
    ["Sale", 900],
  ]);
  const [second, first] = shows;
  const stop = page.getByRole("button", { name: "Stop We close at four" });
  await eventually(async () => (await stop.count()) === 2);
  await stop.first().click();
  await eventually(async () => (await stop.count()) === 1);
  // The screen that was away returns: it shows the one that is left, and not the other.
  const state = JSON.stringify((await away.call("GET", "state")).body);
  expect([state.includes(first.layout_id), state.includes(second.layout_id)]).toEqual([true, false]);
  await stop.click();
  await page.getByText("No screen is taken over").waitFor();
  expect(JSON.stringify((await away.call("GET", "state")).body)).not.toContain(first.layout_id);
  expect(window.errors).toEqual([]);
});

test("[CSH6] on a phone an emergency begins after a summary, within four actions for a tag, and one action gives the all clear", async () => {
  const service = await shared.newTeam();
  const lobby = await onlineScreen(service, "Lobby", ["ground floor"]);
  const link = await lobby.connect();
  const window = await shared.window(phone);
  const { page } = window;
  await window.signIn(service, "/takeover");
  const actions = new Actions();
  await actions.do("open the emergency", page.getByRole("button", { name: "Emergency…" }).tap());
  const dialog = page.getByRole("dialog");
  await actions.do("choose the tag", dialog.getByRole("button", { name: "ground floor" }).tap());
  await actions.do("go on", dialog.getByRole("button", { name: "Continue" }).tap());
  const question = page.getByRole("alertdialog", { name: "Begin the emergency?" });
  await question.getByText("1 screen will show this at once, until the all clear").waitFor();
  expect((await service.call("GET", "show")).body.data).toEqual([]);
  await actions.do("begin", question.getByRole("button", { name: "Begin on 1 screen" }).tap());
  expect(actions.count).toBeLessThanOrEqual(4);

  await page.getByRole("region", { name: "Emergency on 1 screen" }).waitFor();
  await link.next("command");
  expect(await onlyShow(service)).toMatchObject({ is_emergency: true, ends_at: null });
  await page.getByRole("button", { name: "All clear" }).tap();
  await page.getByText("The emergency is over").waitFor();
  await link.next("command");
  await eventually(async () => (await service.call("GET", "show?ended=false")).body.data.length === 0);
  await eventually(async () => (await page.getByRole("button", { name: "All clear" }).count()) === 0);
  expect(await page.locator("html").evaluate((html) => html.scrollWidth <= html.clientWidth)).toBe(true);
  expect(window.errors).toEqual([]);
});

test("[CSH7] what a person may not do is not offered: a reader sees what is on, and nothing to press", async () => {
  const service = await shared.newTeam();
  await onlineScreen(service, "Lobby");
  await service.call("POST", "show", { text: "Sale", everywhere: true, until: null });
  const reader = await inviteMember(service, await owner(service), "viewer");
  const window = await shared.window();
  const { page } = window;
  await window.signInAs(service, reader, "/show");
  await page.getByRole("heading", { name: "Sale" }).waitFor();
  expect(await page.getByRole("button", { name: /Stop|Show on/ }).count()).toBe(0);
  await page.goto(`${service.service.url}/takeover`);
  await page.getByText("No screen is taken over").waitFor();
  expect(await page.getByRole("button", { name: /Emergency|Take over/ }).count()).toBe(0);
  expect(window.errors).toEqual([]);
});
